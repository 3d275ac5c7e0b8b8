"""Everything in testdata holds twice: the static side says what the marks say, and jax does what they claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint import Confidence, Finding, Source, lint
from jaxlint.verify.proof import Budget, Effect, Proof, effect_of
from jaxlint.verify.prover import Prover
from tests import marks
from tests.marks import Mark


@pytest.fixture(scope="module")
def prover(python: str) -> Iterator[Prover]:
    with Prover(python) as prover:
        yield prover


def by_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", marks.files(), ids=by_name)
def test_findings_are_those_marked(path: Path) -> None:
    source = Source.from_bytes(path.read_bytes(), by_name(path))
    found = {(source.position(f.span.start)[0], f.code): f for f in lint(source, marks.settings(path))}
    marked = {(mark.line, mark.code): mark for mark in marks.marks(path)}
    problems = [_compare(path, key, marked.get(key), found.get(key)) for key in sorted(found | marked)]
    assert not any(problems), "\n" + "\n".join(filter(None, problems))


def _compare(path: Path, key: tuple[int, str], mark: Mark | None, finding: Finding | None) -> str | None:
    got = f"got {finding.code} at {finding.confidence.label}: {finding.message}" if finding else "got nothing"
    if mark is None:
        return f"{path.relative_to(marks.TESTDATA.parent)}:{key[0]}: no mark; {got}"
    if mark.kind == "want":
        right = finding is not None and (finding.confidence == Confidence.LOW) == mark.low
    else:
        right = finding is None or finding.confidence == Confidence.LOW
    return None if right else f"{mark}; {got}"


@pytest.mark.parametrize("path", marks.files(), ids=by_name)
def test_jax_does_what_the_marks_claim(path: Path, prover: Prover) -> None:
    found = marks.there(path, prover.start())
    proof = Proof(prover, path, {mark.line for mark in found}, budget=Budget())
    problems = []
    for mark in found:
        judgement = proof.judge(mark.line, mark.code, again=mark.kind == "once")
        if judgement.shown is not (mark.kind != "ok"):
            problems.append(f"{mark}; measured: {_says(judgement.shown)}; {judgement.evidence}")
    assert not problems, "\n" + "\n".join(problems)


@pytest.mark.parametrize("path", marks.goldens(), ids=by_name)
def test_goldens_show_no_effect(path: Path, prover: Prover) -> None:
    if not marks.is_there(path, prover.start()):
        return
    code = path.parent.name.upper()
    proof = Proof(prover, path, ())
    assert proof.failure is None
    judgements = list(proof.examples(code, without=marks.once_in(marks.original(path), code)))
    assert judgements, f"{by_name(path)} gives no example"
    assert not [j.evidence for j in judgements if j.shown is not False]


@pytest.mark.parametrize("path", marks.goldens(partly=True), ids=by_name)
def test_goldens_have_an_original(path: Path) -> None:
    assert marks.original(path).exists()


@pytest.mark.parametrize("folder", marks.folders(), ids=lambda folder: folder.name)
def test_look_alikes_outnumber_hits(folder: Path) -> None:
    code = folder.name.upper()
    kinds = Counter(
        mark.kind for path in marks.files() if path.parent == folder for mark in marks.marks(path) if mark.code == code
    )
    assert kinds["want"]
    assert kinds["ok"]
    assert kinds["ok"] + kinds["once"] > kinds["want"]
    assert kinds["once"] or effect_of(code) is not Effect.EVERY_CALL


def _says(shown: bool | None) -> str:
    return {True: "it shows", False: "it does not show", None: "undecided"}[shown]
