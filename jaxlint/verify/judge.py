"""Whether an effect showed: pure functions from what was observed to a judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxlint.verify.observation import Event, Observation, Run
from jaxlint.verify.places import Anchor


@dataclass(frozen=True, slots=True)
class Judgement:
    """`shown` is None where nothing can be said; `evidence` is one line that tells why, in any case."""

    shown: bool | None
    evidence: str


def compiles(runs: Iterable[Run], anchor: Anchor | None) -> list[int]:
    """Return, for each run, the number of backend compiles that come from a place, or from anywhere."""
    return [sum(e.count for e in run.events if e.kind == "compile" and comes_from(e, anchor)) for run in runs]


def comes_from(event: Event, anchor: Anchor | None) -> bool:
    """Tell whether an event comes from a place; any does where there is no anchor.

    It does if the compiled object that was called was made there, wherever it was called; for an event that no
    compiled object in sight caused, if the place was being evaluated.
    """
    return anchor is None or any(map(anchor.holds, event.made or event.stack))


def every_call(observation: Observation, anchor: Anchor | None) -> Judgement:
    """Judge whether a place compiles on each call: the first call always does, the later ones decide."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    counts = compiles(observation.runs, anchor)
    evidence = f"compiles per call of {observation.target}: {_series(counts)}"
    for run in observation.runs:
        if run.failure:
            return Judgement(None, f"{observation.target} raised {run.failure.type}: {run.failure.message}")
    later = counts[1:]
    if not later:
        return Judgement(None, f"{evidence}; one call decides nothing")
    if any(later) and not all(later):
        return Judgement(None, f"{evidence}; some later calls compile and some do not")
    return Judgement(all(later), evidence)


def while_loading(runs: Iterable[Run], anchor: Anchor) -> Judgement:
    """Judge whether a place at module level compiled a program more than once while the module was loaded once."""
    counts: Counter[str] = Counter()
    for run in runs:
        for event in run.events:
            if event.kind == "compile" and comes_from(event, anchor):
                counts[event.program] += event.count
    return Judgement(max(counts.values(), default=0) > 1, f"compiles while the module was loaded: {dict(counts)}")


def uncompiled(observation: Observation, function: str, line: int) -> Judgement:
    """Judge whether a function ran in Python on each call and was never compiled as one program.

    `line` is the first line of its body, and was watched.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    entered = [run.reached.get(line, 0) for run in observation.runs]
    programs = sum(
        event.count
        for run in observation.runs
        for event in run.events
        if event.kind == "compile" and event.program in (f"jit({function})", function)
    )
    evidence = f"the body of {function} ran in Python {_series(entered)} times, programs made of it: {programs}"
    if not any(entered) and not programs:
        return Judgement(None, f"{observation.target} never called {function}")
    return Judgement(all(entered[1:]) and not programs, evidence)


def _series(counts: Sequence[int]) -> str:
    return "/".join(map(str, counts))
