"""The proof of a fix: both versions of a module get the same inputs, and must give the same, without the effect."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.linter import lint
from jaxlint.settings import Settings
from jaxlint.source import Source
from jaxlint.verify import judge
from jaxlint.verify.judge import Evidence, Judgement
from jaxlint.verify.observation import Leaf, Output
from jaxlint.verify.places import Places
from jaxlint.verify.proof import Budget, Effect, effect_of
from jaxlint.verify.prover import LoadedModule, Prover

_TOLERANCE = {"float16": 1e-2, "bfloat16": 3e-2, "float32": 1e-4, "complex64": 1e-4}


@dataclass(frozen=True, slots=True)
class FixProof:
    """Whether a fix holds: `holds` is None where that could not be found out, and `reason` says why it is so.

    `same_output` tells whether both versions give the same, None where they were not both run.
    """

    holds: bool | None
    reason: str
    same_output: bool | None = None
    evidence: Evidence = judge.NOTHING


def prove(
    prover: Prover,
    before: Path,
    after: str | bytes,
    code: str,
    targets: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    budget: Budget | None = None,
) -> FixProof:
    """Prove that `after`, a text for the file `before`, mends what a rule reports in it.

    `targets` are the functions to call, by qualified name; by default those that both versions give examples for.
    The fixed version must run, give the same (structure, types, weak types, and values up to rounding), not show the
    effect, and bring no finding that was not there.

    Raises:
        SyntaxError: one of the two is no Python.
        OSError: the file cannot be read.
        LookupError: no effect is known for this code.
        WorkerError: no process with jax can be started.
    """
    effect = effect_of(code)
    budget = budget or Budget()
    text = before.read_bytes()
    fixed = after.encode() if isinstance(after, str) else after
    new = _new_findings(before, text, fixed, settings or Settings())
    if new:
        return FixProof(False, f"the fixed code has a new finding: {new}")
    places = Places(str(before.resolve()), text)
    old = prover.load(before, source=text, watched=places.bodies, whole=False)
    if old.loaded.reason:
        return FixProof(None, old.loaded.reason)
    names = list(targets) or list(old.loaded.examples)
    outputs: dict[str, Output] = {}
    states: dict[str, Any] = {}
    for name in names:
        reason = _prepare(old, places, name, budget, states)
        # A loop that unrolls may take minutes to compile, and an instant to run.
        outputs[name] = Output(reason=reason) if reason else old.result(name, compiled=effect is not Effect.GROWS)
    mended = Places(str(before.resolve()), fixed)
    module = prover.load(before, source=fixed, watched=mended.bodies, whole=False)
    if module.loaded.reason:
        return FixProof(False, f"the fixed code cannot be loaded: {module.loaded.reason}")
    proof = FixProof(None, "nothing was called")
    for name in names:
        if name in old.loaded.examples and name not in module.loaded.examples:
            continue
        proof = _compare(module, mended, name, outputs[name], effect, budget, states)
        if not proof.holds:
            return proof
    return proof


def _compare(
    module: LoadedModule,
    places: Places,
    name: str,
    output: Output,
    effect: Effect,
    budget: Budget,
    states: dict[str, Any],
) -> FixProof:
    if output.reason and effect is not Effect.RAISES:
        return FixProof(None, f"the original could not be run: {output.reason}")
    reason = _prepare(module, places, name, budget, states)
    if reason:
        return FixProof(None, reason)
    fixed = module.result(name)
    if fixed.reason:
        return FixProof(False, f"the fixed code fails: {fixed.reason}", False)
    # What raised has no output that the fixed code could keep.
    difference = "" if output.reason else differs(output, fixed)
    if difference:
        return FixProof(False, f"{name} gives something else: {difference}", False)
    judgement = _effect(module, name, effect)
    same = None if output.reason else True
    if judgement.shown is None:
        return FixProof(None, judgement.evidence, same, judgement.figures)
    if judgement.shown:
        return FixProof(False, f"the effect is still there: {judgement.evidence}", same, judgement.figures)
    return FixProof(True, judgement.evidence, same, judgement.figures)


def _prepare(module: LoadedModule, places: Places, name: str, budget: Budget, states: dict[str, Any]) -> str | None:
    """See to it that a target has arguments, the same in both versions; return why it has none."""
    if name in module.loaded.examples:
        return None
    body = places.body(name)
    if body is None:
        return f"{name} is not defined"
    anchor = places.anchor(body.line)
    state, text = states.get(name, (None, ""))
    inputs = module.search(name, body.line, anchor, "reach", budget.tries, budget.seconds, state)
    if state is not None and (inputs.state, inputs.text) != (state, text):
        return inputs.reason or f"{name} does not take the arguments that the original takes"
    states[name] = inputs.state, inputs.text
    return inputs.reason


def _effect(module: LoadedModule, name: str, effect: Effect) -> Judgement:
    if effect is Effect.GROWS:
        return judge.large(module.grow(name, 1, 1 << 30, (1,)))
    seen = module.call(name)
    match effect:
        case Effect.RAISES:
            return judge.raises((run.failure for run in seen.runs), None)
        case Effect.FLOODS:
            return judge.floods(seen, None)
        case Effect.IDLE:
            compiled = judge.every_call(seen, None)
            count = sum((compiled.figures.compiles or (0,))[:1])
            return Judgement(
                count == 0, f"programs made in the first call of {name}: {count}", figures=compiled.figures
            )
        case _:
            return judge.every_call(seen, None)


def differs(one: Output, other: Output) -> str:
    """Say in what two outputs differ; empty where they are the same up to rounding."""
    if one.structure != other.structure:
        return f"{other.structure} instead of {one.structure}"
    for number, (a, b) in enumerate(zip(one.leaves, other.leaves, strict=True)):
        for what in ("type", "shape", "weak_type"):
            if getattr(a, what) != getattr(b, what):
                return f"value {number} has {what} {getattr(b, what)} instead of {getattr(a, what)}"
        if len(a.values) != len(b.values) or not all(_close(x, y, a) for x, y in zip(a.values, b.values, strict=True)):
            return f"value {number} is not the same"
    return ""


def _close(one: Any, other: Any, leaf: Leaf) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        tolerance = _TOLERANCE.get(leaf.type, 1e-6)
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)


def _new_findings(path: Path, before: bytes, after: bytes, settings: Settings) -> str:
    old, new = (Counter(f.code for f in lint(Source.from_bytes(text, path.name), settings)) for text in (before, after))
    return ", ".join(sorted(new - old))
