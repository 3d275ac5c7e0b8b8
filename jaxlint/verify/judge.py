"""Whether an effect showed: pure functions from what was observed to a judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxlint.verify.observation import Event, Failure, Growth, Observation, Run
from jaxlint.verify.places import Anchor, Entry


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


def uncompiled(observation: Observation, anchor: Anchor | None, entry: Entry | None) -> Judgement:
    """Judge whether a compile wrapper is idle: nothing it made compiled, and its function ran in Python on each call.

    `anchor` is where the wrapper stands, `entry` the function it is about, with the first line of its body watched.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    names = {entry.target.rpartition(".")[2]} if entry else set()
    programs = sum(
        event.count
        for run in observation.runs
        for event in run.events
        if event.kind == "compile" and (_is_of(event, names) or (anchor and any(map(anchor.holds, event.made))))
    )
    if programs:
        return Judgement(False, f"programs made of it in calls of {observation.target}: {programs}")
    if entry is None:
        return Judgement(None, "no function belongs to this line, and nothing made here was compiled")
    entered = [run.reached.get(entry.line, 0) for run in observation.runs]
    if not any(entered):
        return Judgement(None, f"{observation.target} never called {entry.target}")
    evidence = (
        f"{entry.target} ran in Python {_series(entered)} times in calls of {observation.target}, without a program"
    )
    return Judgement(all(entered), evidence)


def _is_of(event: Event, names: set[str]) -> bool:
    return any(event.program in (name, f"jit({name})", f"pmap({name})") for name in names)


def raises(failures: Iterable[Failure | None], anchor: Anchor | None) -> Judgement:
    """Judge whether an exception comes from a place (its innermost user frame stands there), or from anywhere."""
    elsewhere = None
    for failure in failures:
        if failure is None:
            continue
        text = f"{failure.type}: {failure.message.splitlines()[0] if failure.message else ''}"
        if anchor is None or (failure.stack and anchor.holds(failure.stack[0])):
            return Judgement(True, f"raises {text}")
        elsewhere = f"raises at line {failure.stack[0].line if failure.stack else '?'}: {text}"
    return Judgement(None, elsewhere) if elsewhere else Judgement(False, "raises nothing")


def grows(growth: Growth) -> Judgement:
    """Judge whether a loop is unrolled into a program that is large because of its turns."""
    if growth.reason:
        return Judgement(None, growth.reason)
    if not growth.reached:
        return Judgement(None, f"calls of {growth.target} never came to this loop")
    (few, at_few), (many, at_many) = sorted(growth.equations.items())
    slope = (at_many - at_few) / (many - few)
    if growth.turns is None:
        return Judgement(slope > 0, f"{slope:g} equations a turn, in a loop whose turns are not known")
    if growth.turns < many:
        return Judgement(False, f"only {growth.turns} turns")
    total = round(slope * growth.turns)
    return Judgement(total >= LARGE, f"{slope:g} equations a turn, in {growth.turns} turns {total}")


def large(growth: Growth) -> Judgement:
    """Judge whether the programs of a target are large, whatever the reason."""
    if growth.reason:
        return Judgement(None, growth.reason)
    total = max(growth.equations.values())
    return Judgement(total >= LARGE, f"equations in the programs of {growth.target}: {total}")


LARGE = 500
"""Equations from which a program counts as large; 1,000 take seconds to compile on a CPU."""


def floods(observation: Observation, anchor: Anchor | None) -> Judgement:
    """Judge whether the first call made more than one program while a place, or anything, was being evaluated."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]
    if first.failure:
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")
    programs = [event for event in first.events if event.kind == "compile"]
    count = sum(e.count for e in programs if anchor is None or any(map(anchor.holds, e.stack)))
    return Judgement(count > 1, f"programs made in the first call of {observation.target}: {count}")


def _series(counts: Sequence[int]) -> str:
    return "/".join(map(str, counts))
