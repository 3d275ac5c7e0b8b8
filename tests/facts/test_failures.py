"""What is said where a fact fails: one finding for each cause, and the rules that do not ask for it go on."""

from __future__ import annotations

from typing import NoReturn

import pytest

from jaxlint import lint
from jaxlint.facts.module import ModuleFacts
from jaxlint.finding import Confidence
from jaxlint.settings import Settings
from jaxlint.source import Source

TEXT = """
import jax

@jax.jit
def f(x, n):
    for i in range(n):
        if x > i:
            x = x + 1
    return x

def g(x):
    return jax.jit(lambda y: y + 1)(x)
"""


def _failures(monkeypatch: pytest.MonkeyPatch, error: type[Exception], *facts: str) -> list[str]:
    def fail(_: ModuleFacts) -> NoReturn:
        raise error("no such luck")

    for fact in facts:
        monkeypatch.setattr(ModuleFacts, fact, property(fail))
    found = lint(Source(TEXT), Settings(preview=True, min_confidence=Confidence.LOW))
    return [finding.message for finding in found if finding.code == "JAX000"]


def test_a_fact_that_several_rules_ask_for_fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (message,) = _failures(monkeypatch, RuntimeError, "values")
    assert "JAX201, " in message
    assert message.count("no such luck") == 1


def test_a_recursion_that_is_met_in_several_places_is_one_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(_failures(monkeypatch, RecursionError, "values", "tracing", "loops")) == 1


def test_without_a_failure_there_is_nothing_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _failures(monkeypatch, RuntimeError)
