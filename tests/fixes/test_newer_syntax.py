"""Fixes in a text that LibCST takes, and the running Python does not."""

from __future__ import annotations

import pytest

from jaxlint import Source, lint
from jaxlint.finding import Applicability
from jaxlint.fixes.checks.change import Change
from jaxlint.fixes.text.syntax import NoFixError

CODE = "import jax\n\n\ndef scale(x):\n    return jax.jit(lambda y: y * 2)(x)\n"


def test_a_fix_whose_change_cannot_be_read_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(*_: object) -> Change:
        raise NoFixError("it does not parse")

    monkeypatch.setattr(Change, "of", of)
    (found,) = lint(Source(CODE))
    assert found.code == "JAX102"
    assert found.fixes
    assert all(fix.applicability is not Applicability.SAFE for fix in found.fixes)
