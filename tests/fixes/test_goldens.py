"""Every fix of every rule: what it makes of testdata is written down there, and holds under jax."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint import Source, lint
from jaxlint.fixes.engine.apply import Mended, usable
from jaxlint.verify.places import Places
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prove import prove
from jaxlint.verify.prover import Prover
from tests import goldens, marks


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


OTHER_CODE = (
    "jax105/methods.fixed.py",
    "jax208/selections.fixed.py",
    "jax209/branches.fixed.py",
    "jax210/tables.fixed.py",
    "jax211/stored.fixed.py",
    "jax402/loops.fixed.py",
)
"""Files mended by hand whose functions take or give something else: a mask with the values, say, for a selection."""


def by_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", marks.files(), ids=by_name)
def test_fixes_give_the_golden(path: Path) -> None:
    result = goldens.fixed_file(path)
    assert not result.dropped
    golden = goldens.golden(path, result)
    assert path.with_suffix(".partly.py").exists() == (bool(result.applied) and golden.name.endswith(".partly.py"))
    if result.applied:
        assert golden.exists(), "`make goldens` writes it"
        assert golden.read_text("utf-8") == result.source.text
        again = goldens.fixed(result.source.text, path)
        assert not again.applied


@pytest.mark.parametrize("path", marks.goldens(partly=True), ids=by_name)
def test_fixes_hold_under_jax(path: Path, prover: Prover, tmp_path: Path) -> None:
    original = marks.original(path)
    result = goldens.fixed_file(original)
    subject = tmp_path / original.name
    subject.write_text(marks.stripped(original))
    if not result.applied or path != goldens.golden(original, result):
        # Mended by hand: what has the same name in both files has to give the same.
        if by_name(path) in OTHER_CODE:
            return
        proof = prove(prover, subject, path.read_text(), path.parent.name.upper(), settings=marks.settings(original))
        assert proof.holds or proof.reason == "nothing was called", proof.reason
        return
    targets = targets_by_code(Proof(prover, subject, (), budget=Budget()), original, result)
    assert targets
    for code, names in targets.items():
        proof = prove(prover, subject, result.source.text, code, sorted(names), settings=marks.settings(original))
        assert proof.holds, proof.reason


def targets_by_code(proof: Proof, path: Path, result: Mended) -> dict[str, set[str]]:
    """Return what to call for each code whose findings were fixed, but for functions in which something is left."""
    after = Places(by_name(path), result.source.text)
    left = {after.target(result.source.position(finding.span.start)[0]) for finding in result.findings}
    source = Source(marks.stripped(path), by_name(path))
    targets: dict[str, set[str]] = {}
    for finding in lint(source, marks.settings(path)):
        names = proof.targets(source.position(finding.span.start)[0])
        if usable(finding, unsafe=True) and left.isdisjoint(names):
            targets.setdefault(finding.code, set()).add(names[0])
    return targets
