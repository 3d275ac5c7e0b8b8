"""The proof of a fix: both versions of a module get the same inputs, and must give the same, without the effect."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.finding import Confidence
from jaxlint.linter import lint
from jaxlint.settings import Settings
from jaxlint.source import Source
from jaxlint.verify import judge
from jaxlint.verify.judge import Evidence, Judgement, differs
from jaxlint.verify.observation import Output
from jaxlint.verify.places import Places
from jaxlint.verify.proof import IN_CALLS, Budget, Effect, effect_of
from jaxlint.verify.prover import LoadedModule, Prover

_BY_NUMBER = frozenset({Effect.FLOODS, Effect.OP_BY_OP, Effect.PER_VALUE, Effect.PER_SHAPE})
"""Effects of which some may be left that comes from elsewhere."""


@dataclass(frozen=True, slots=True)
class FixProof:
    """Whether a fix holds: `holds` is None where that could not be found out, and `reason` says why it is so.

    `same_output` tells whether both versions give the same, None where they were not both run.  `evidence` is what was
    measured of the fixed code, `before` of the original, where that was asked for; both of the last target.
    """

    holds: bool | None
    reason: str
    same_output: bool | None = None
    evidence: Evidence = judge.NOTHING
    before: Evidence = judge.NOTHING


def prove(
    prover: Prover,
    before: Path,
    after: str | bytes,
    code: str,
    targets: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    budget: Budget | None = None,
    text: bytes | None = None,
    examples: str | None = None,
    measured: bool = False,
) -> FixProof:
    """Prove that `after`, a text for the file `before`, fixes what a rule reports in it.

    `text` represents what is in the file; `examples` is a file that gives the examples, instead of the file itself.
    With `measured`, the original is measured as well as the fixed version.

    `targets` are the functions to call, by qualified name; by default those that both versions give examples for.
    The fixed version must run, give the same (structure, types, weak types, and values up to rounding), not show the
    effect, and bring no finding above `low` that was not there.

    Raises:
        SyntaxError: one of the two is no Python.
        OSError: the file cannot be read.
        LookupError: no effect is known for this code.
        WorkerError: no process with jax can be started.
    """
    effect = effect_of(code)
    text = before.read_bytes() if text is None else text
    fixed = after.encode() if isinstance(after, str) else after
    new = _new_findings(before, text, fixed, settings or Settings())
    if new:
        return FixProof(False, f"the fixed code has a new finding: {new}")
    runner = _Runner(prover, before, effect, budget or Budget(), examples)
    if effect is Effect.RAISES and targets:
        # What the original takes can only be told where it does not raise.
        mended = runner.run(fixed, targets, measured=True)
        original = runner.run(text, targets, measured=measured, original=True)
    else:
        original = runner.run(text, targets, measured=measured, original=True)
        mended = runner.run(fixed, targets or tuple(original.ran), measured=True)
    if original.reason:
        return FixProof(None, original.reason)
    if mended.reason:
        return FixProof(False, f"the fixed code cannot be loaded: {mended.reason}")
    proof = FixProof(None, "nothing was called")
    for name, one in original.ran.items():
        other = mended.ran.get(name)
        if other is None or (one.example and not other.example):
            continue
        proof = _compare(name, one, other, effect)
        if not proof.holds:
            return proof
    return proof


@dataclass(frozen=True, slots=True)
class _Ran:
    """What came of calling a target in one version: `reason` says why it has no arguments."""

    reason: str | None = None
    output: Output = field(default_factory=Output)
    judgement: Judgement | None = None
    example: bool = False


@dataclass(frozen=True, slots=True)
class _Version:
    """What came of one version: `reason` says why it could not be loaded."""

    reason: str | None
    ran: dict[str, _Ran]


@dataclass
class _Runner:
    """Runs both versions, the second with the arguments that were found for the first."""

    prover: Prover
    path: Path
    effect: Effect
    budget: Budget
    examples: str | None = None
    states: dict[str, Any] = field(default_factory=dict)

    def run(self, text: bytes, targets: Sequence[str], *, measured: bool, original: bool = False) -> _Version:
        """Load a version and call the targets, by default those that have examples.

        The original may raise what comes of tracing, if that is the effect: arguments count as found all the same.
        """
        places = Places(str(self.path.resolve()), text)
        module = self.prover.load(self.path, source=text, watched=places.bodies, whole=False, examples=self.examples)
        if module.loaded.reason:
            return _Version(module.loaded.reason, {})
        names = targets or module.loaded.examples
        return _Version(
            None, {name: self._call(module, places, name, measured=measured, original=original) for name in names}
        )

    def _call(self, module: LoadedModule, places: Places, name: str, *, measured: bool, original: bool) -> _Ran:
        example = name in module.loaded.examples
        reason = None if example else self._search(module, places, name, original=original)
        if reason:
            return _Ran(reason)
        # A loop that unrolls may take minutes to compile, what raises under trace may run without one, and
        # what is stale is right without.
        differently = original and self.effect in (Effect.GROWS, Effect.RAISES, Effect.STALE)
        output = module.result(name, compiled=not differently)
        raises = original and self.effect is Effect.RAISES
        # How many programs are too many is told by how many there were.
        measured = measured or self.effect in _BY_NUMBER
        judgement = _effect(module, places, name, self.effect) if measured and (raises or not output.reason) else None
        return _Ran(None, output, judgement, example)

    def _search(self, module: LoadedModule, places: Places, name: str, *, original: bool) -> str | None:
        """Find arguments for a target, the same as in the other version; return why it has none."""
        body = places.body(name)
        if body is None:
            return f"{name} is not defined"
        raises = original and self.effect is Effect.RAISES
        anchor = places.everything if raises else places.anchor(body.line)
        state, text = self.states.get(name, (None, ""))
        kind = "error" if raises else "reach"
        inputs = module.search(name, body.line, anchor, kind, self.budget.tries, self.budget.seconds, state)
        if state is not None and (inputs.state, inputs.text) != (state, text):
            return inputs.reason or f"{name} does not take the same arguments in both versions"
        self.states[name] = inputs.state, inputs.text
        return inputs.reason


def _compare(name: str, one: _Ran, other: _Ran, effect: Effect) -> FixProof:
    before = one.judgement.figures if one.judgement else judge.NOTHING
    if one.reason or (one.output.reason and effect is not Effect.RAISES):
        return FixProof(None, f"the original could not be run: {one.reason or one.output.reason}")
    if other.reason:
        return FixProof(None, other.reason)
    if other.output.reason:
        return FixProof(False, f"the fixed code fails: {other.output.reason}", False)
    # What raises whatever traces it has no output that the fixed code could keep.
    same_types = effect not in (Effect.RAISES, Effect.STALE)
    difference = "" if one.output.reason else differs(one.output, other.output, types=same_types)
    if difference:
        return FixProof(False, f"{name} gives something else: {difference}", False)
    same = None if one.output.reason else True
    judgement = other.judgement
    if effect in _BY_NUMBER and judgement is not None and one.judgement is not None:
        judgement = _fewer(one.judgement, judgement)
    if judgement is None or judgement.shown is None:
        return FixProof(None, judgement.evidence if judgement else "nothing was measured", same)
    holds = not judgement.shown
    reason = judgement.evidence if holds else f"the effect is still there: {judgement.evidence}"
    return FixProof(holds, reason, same, judgement.figures, before)


def _fewer(before: Judgement, after: Judgement) -> Judgement:
    """Judge whether there are as many programs as before; what else is on the way may make some, too."""
    old, new = before.figures.compiles, after.figures.compiles
    if after.shown is False or (after.shown is None and not before.shown) or not old or not new:
        return after
    return dataclasses.replace(after, shown=new[0] >= old[0], evidence=f"{after.evidence}, {old[0]} before")


def _effect(module: LoadedModule, places: Places, name: str, effect: Effect) -> Judgement:
    if effect is Effect.GROWS:
        return judge.large(module.grow(name, 1, 1 << 30, (1,)))
    if effect is Effect.STALE:
        return judge.stale(name, module.result(name), module.result(name, compiled=False))
    seen = module.call(name)
    match effect:
        case Effect.RAISES:
            return judge.raises((run.failure for run in seen.runs), None)
        case Effect.LEAKS:
            raised = judge.raises((run.failure for run in seen.runs), None)
            return (
                raised if raised.shown else judge.stale(name, module.result(name), module.result(name, compiled=False))
            )
        case Effect.FLOODS:
            return judge.floods(seen, None)
        case Effect.IDLE:
            compiled = judge.every_call(seen, None)
            count = sum((compiled.figures.compiles or (0,))[:1])
            return Judgement(
                count == 0, f"programs made in the first call of {name}: {count}", figures=compiled.figures
            )
        case Effect.EVERY_CALL:
            return judge.every_call(seen, None)
        case _:
            return IN_CALLS[effect](seen, places.everything)


def _new_findings(path: Path, before: bytes, after: bytes, settings: Settings) -> str:
    found = (lint(Source.from_bytes(text, path.name), settings) for text in (before, after))
    old, new = (Counter(f.code for f in findings if f.confidence > Confidence.LOW) for findings in found)
    return ", ".join(sorted(new - old))
