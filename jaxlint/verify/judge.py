"""Whether an effect showed: pure functions from what was observed to a judgement."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jaxlint.verify.observation import (
    Anchor,
    Event,
    Failure,
    Growth,
    Leaf,
    Observation,
    Output,
    Place,
    Run,
    comes_from,
)
from jaxlint.verify.places import Entry


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was measured; None where it does not apply.

    `traces`, `compiles` and `cache_loads` have one number a call: tracing cache misses, backend compiles less loads
    from the persistent cache, and these loads, each at the place; `dispatches` the single operations that were run
    there.  `target` is what was called, and `inputs` with what,
    where that was not an example of the user's.
    """

    target: str = ""
    inputs: str = ""
    traces: tuple[int, ...] | None = None
    compiles: tuple[int, ...] | None = None
    cache_loads: tuple[int, ...] | None = None
    dispatches: tuple[int, ...] | None = None
    equations: int | None = None
    exception: str | None = None
    seconds: float | None = None


NOTHING = Evidence()
"""Nothing was measured."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`shown` is None where nothing can be said; `evidence` is one line that tells why, in any case.

    `tier` says how it was measured, `abstract` or `concrete`; `figures` are the numbers behind it.
    """

    shown: bool | None
    evidence: str
    tier: str = "concrete"
    figures: Evidence = NOTHING


def compiles(runs: Iterable[Run], anchor: Anchor | None) -> list[int]:
    """Return, for each run, the number of backend compiles that come from a place, or from anywhere."""
    return [sum(e.count for e in run.events if e.kind == "compile" and comes_from(e, anchor)) for run in runs]


def figures(observation: Observation, anchor: Anchor | None) -> Evidence:
    """Return the numbers that tell whether a place compiles."""
    runs = observation.runs
    misses, compiled, loads = (
        tuple(_counts(runs, lambda event, kind=kind: event.kind == kind and comes_from(event, anchor)))  # type: ignore[misc]
        for kind in ("miss", "compile", "load")
    )
    seconds = sum(e.seconds for run in runs[-1:] for e in run.events if e.kind == "compile" and comes_from(e, anchor))
    rounded = round(seconds, 6) or None
    target, inputs = observation.target, observation.inputs
    return Evidence(target, inputs, misses, compiled, loads, seconds=rounded)


def _counts(runs: Iterable[Run], counts: Callable[[Event], bool]) -> list[int]:
    return [sum(event.count for event in run.events if counts(event)) for run in runs]


def every_call(
    observation: Observation,
    anchor: Anchor | None,
    *,
    line: int | None = None,
    conditional: bool = False,
    inside: Anchor | None = None,
) -> Judgement:
    """Judge whether a place compiles on each call: the first call always does, the later ones decide.

    With a `line`, that of the place, the arguments were invented: a call that raises elsewhere still shows that the
    place compiles, though never that it does not, and one in which nothing that was made there is called shows nothing,
    unless later calls never come to the line, because what is around it is compiled or remembered.  Where the place is
    `conditional`, what a call that raises would have done after it may be what keeps the next one from coming there.

    With `inside`, the place and the function that is to be compiled there, the rule is about a function that is new in
    each call: that it is, and that each call has jax compile it, is enough, even where that fails because what was
    made up does not suit the function.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    numbers = figures(observation, anchor)
    if line and inside is not None and not conditional and _renews(observation, anchor, inside):
        text = f"each call of {observation.target} has jax compile a function here that is new"
        return Judgement(True, text, figures=numbers)
    counts = compiles(observation.runs, anchor)
    evidence = f"compiles per call of {observation.target}: {_series(counts)}"
    later = counts[1:]
    for run in observation.runs:
        goes_on = line and later and all(later) and not conditional
        stopped = run.failure is not None and run.failure.type == "DeadlineError"
        if run.failure and not (goes_on and (stopped or _elsewhere(run.failure, anchor))):
            text = f"{observation.target} raised {run.failure.type}: {run.failure.message}"
            return Judgement(None, text, figures=numbers)
    if not later:
        return Judgement(None, f"{evidence}; one call decides nothing", figures=numbers)
    if any(later) and not all(later):
        return Judgement(None, f"{evidence}; some later calls compile and some do not", figures=numbers)
    kept = line is not None and observation.runs[0].reached.get(line) and not observation.runs[-1].reached.get(line)
    if line is not None and not any(later) and not kept and not _used(observation.runs[0], anchor):
        return Judgement(None, f"{evidence}; nothing that was made here was called", figures=numbers)
    return Judgement(all(later), evidence, figures=numbers)


def _renews(observation: Observation, anchor: Anchor | None, inside: Anchor) -> bool:
    """Tell whether each run passed a function to be compiled that no earlier one had met, and failed in there."""
    runs = observation.runs
    if len(runs) < _RENEWED or any(run.caught or run.failure is None for run in runs):
        return False
    failed = all(run.failure and not _elsewhere(run.failure, inside) for run in runs)
    fresh = _counts(runs, lambda event: event.kind == "fresh" and event.called and comes_from(event, anchor))
    return failed and all(fresh)


_RENEWED = 3


def rewrapped(observation: Observation, anchor: Anchor | None) -> Judgement:
    """Judge whether a place makes a compiled object on each call that is called once, and compiles nothing again.

    One that compiles again is another matter, and one that is called several times pays for itself.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    numbers = figures(observation, anchor)
    for run in observation.runs:
        if run.failure:
            text = f"{observation.target} raised {run.failure.type}: {run.failure.message}"
            return Judgement(None, text, figures=numbers)

    def here(places: Sequence[Place]) -> bool:
        return bool(places) and (anchor is None or anchor.holds(places[0]))

    later = observation.runs[1:]
    made = _counts(later, lambda event: event.kind == "made" and here(event.stack))
    called = _counts(later, lambda event: event.kind == "call" and here(event.made))
    again = [*(numbers.traces or ())[1:], *(numbers.compiles or ())[1:]]
    text = (
        f"in later calls of {observation.target}, compiled objects made here: {_series(made)}, "
        f"calls of them: {_series(called)}, cache misses and compiles: {_series(again)}"
    )
    once = [0 < calls <= objects for objects, calls in zip(made, called, strict=True)]
    return Judgement(bool(later) and all(once) and not any(again), text, figures=numbers)


def _used(run: Run, anchor: Anchor | None) -> bool:
    """Tell whether a run compiled or loaded, for the first time, something that was made at a place."""
    compiled = [event for event in run.events if event.kind in ("compile", "load")]
    return any(anchor is None or any(map(anchor.holds, event.made)) for event in compiled)


def every_trace(observation: Observation, anchor: Anchor, *, direct: bool, conditional: bool = False) -> Judgement:
    """Judge by tracing cache misses alone whether a place compiles on each call; they confirm it or decide nothing.

    Some misses leave no record, and tracing without compiling (`eval_shape`, `lower`) leaves one, so with `direct` only
    those count that come of calling a compiled object itself.  `conditional` as for `every_call`.
    """
    numbers = figures(observation, anchor)
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be traced: {observation.reason}", "abstract", numbers)

    def counts(event: Event) -> bool:
        return event.kind == "miss" and comes_from(event, anchor) and (event.called or not direct)

    traces = tuple(_counts(observation.runs, counts))
    numbers = replace(numbers, traces=traces, compiles=None, cache_loads=None, seconds=None)
    evidence = f"traces per call of {observation.target}: {_series(traces)}"
    failed = [run for run in observation.runs if run.failure and (conditional or not _elsewhere(run.failure, anchor))]
    shown = len(traces) > 1 and all(traces[1:]) and not failed
    return Judgement(True if shown else None, evidence, "abstract", numbers)


def _elsewhere(failure: Failure, anchor: Anchor | None) -> bool:
    """Tell whether an exception passed through none of the ranges of a place."""
    return anchor is not None and not any(map(anchor.holds, failure.stack))


def while_loading(runs: Iterable[Run], anchor: Anchor, *, invented: bool = False) -> Judgement:
    """Judge whether a place at module level compiled a program more than once while the module was loaded once.

    With `invented`, only parts of the module were run, so that no compile at all says nothing.
    """
    counts: Counter[str] = Counter()
    for run in runs:
        for event in run.events:
            if event.kind == "compile" and comes_from(event, anchor):
                counts[event.program] += event.count
    text = f"compiles while the module was loaded: {dict(counts)}"
    if invented and not counts:
        return Judgement(None, f"{text}; nothing that was made here was called")
    numbers = Evidence(compiles=(sum(counts.values()),))
    return Judgement(max(counts.values(), default=0) > 1, text, figures=numbers)


def uncompiled(observation: Observation, anchor: Anchor | None, entry: Entry | None) -> Judgement:
    """Judge whether a compiling wrapper is idle: nothing it made compiled, and its function ran in Python on each call.

    `anchor` is where the wrapper is, `entry` the function it is about, with the first line of its body watched.
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


def raises(
    failures: Iterable[Failure | None],
    anchor: Anchor | None,
    names: frozenset[str] = frozenset(),
    *,
    traced: bool = False,
) -> Judgement:
    """Judge whether an exception comes from a place (its innermost user frame is there), or from anywhere.

    An argument of which jax can make no array is refused at the call; it counts where the place uses it, that is, where
    `names`, those of the function and what the place mentions, hold both; so is a static one without a hash, which
    counts where they hold its class.  With `traced`, only what comes of tracing counts: what was called with invented
    arguments may fail for other reasons.
    """
    elsewhere = None
    for failure in failures:
        if failure is None:
            continue
        text = f"{failure.type}: {failure.message.splitlines()[0] if failure.message else ''}"
        here = anchor is None or bool(failure.stack and anchor.holds(failure.stack[0]))
        if (here and (failure.traced or not traced)) or _refuses(failure, names):
            return Judgement(True, f"raises {text}", figures=Evidence(exception=text))
        elsewhere = f"raises at line {failure.stack[0].line if failure.stack else '?'}: {text}"
    return Judgement(None, elsewhere) if elsewhere else Judgement(False, "raises nothing")


def _refuses(failure: Failure, names: frozenset[str]) -> bool:
    match = re.match(r"Error interpreting argument to <function (\S+) at .* at path (\w+)", failure.message, re.DOTALL)
    if match is not None:
        refused = {match[1].rpartition(".")[2], match[2].partition(".")[0]}
        return refused <= names and "_jaxlint" not in failure.message
    match = re.match(r"Argument '.*' of type '?<class '(?:.*\.)?(\w+)'>", failure.message)
    if match is not None:
        return match[1] in names  # vmap and grad, of an instance of a class
    if "metadata fields of pytree" in failure.message:
        return any(name[:1].isupper() for name in names)
    match = re.match(r"Non-hashable static arguments .*? object of type <class '(?:.*\.)?(\w+)'>", failure.message)
    return match is not None and match[1] in names


def leaks(observation: Observation) -> Judgement:
    """Judge whether calls came upon a tracer that an earlier trace had left behind."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    numbers = Evidence(observation.target, observation.inputs)
    for run in observation.runs:
        if run.failure:
            text = f"{run.failure.type}: {run.failure.message.splitlines()[0] if run.failure.message else ''}"
            shown = True if run.failure.type.endswith("UnexpectedTracerError") else None
            return Judgement(shown, f"raises {text}", figures=replace(numbers, exception=text))
    return Judgement(False, f"calls of {observation.target} meet no tracer of an earlier trace", figures=numbers)


def grows(growth: Growth, *, by_data: bool = False, literal: bool = True) -> Judgement:
    """Judge whether a loop is unrolled into a program that is large because of its iterations.

    With `by_data`, the number of iterations is that of invented data and says nothing; that the program grows decides.
    `literal` tells whether the number of iterations is written there; if not, invented arguments may make it small.
    """
    numbers = Evidence(growth.target, growth.inputs)
    tier = "abstract" if growth.inputs else "concrete"
    if growth.reason:
        return Judgement(None, growth.reason, tier, numbers)
    if not growth.reached:
        return Judgement(None, f"calls of {growth.target} never reached this loop", tier, numbers)
    if by_data and growth.sizes:
        return _by_size(growth, tier, numbers)
    if not growth.equations:
        return Judgement(None, "what follows the loop fails if it ends early", tier, numbers)
    (few, at_few), (many, at_many) = sorted(growth.equations.items())
    invented = bool(growth.inputs) and (by_data or not literal)
    if invented and growth.turns is not None and growth.turns < many:
        return Judgement(None, f"only {growth.turns} iterations with the arguments that were found", tier, numbers)
    slope = (at_many - at_few) / (many - few)
    if by_data or growth.turns is None:
        text = f"{slope:g} equations per iteration, in a loop of unknown length"
        return Judgement(slope > 0, text, tier, replace(numbers, equations=at_many))
    if growth.turns < many:
        return Judgement(False, f"only {growth.turns} iterations", tier, replace(numbers, equations=at_many))
    total = round(slope * growth.turns)
    slow = growth.slow / max(at_many, 1)
    seconds = round(total * ((1 - slow) * _SECONDS_EACH + slow * _SECONDS_EACH_SLOW), 3)
    text = f"{slope:g} equations per iteration, {total} in {growth.turns} iterations"
    # Of iterations over what was made up, there may be fewer.
    large = (slope * few if invented else total) >= LARGE
    shown = True if large else None if invented and slope else False
    return Judgement(shown, text, tier, replace(numbers, equations=total, seconds=seconds))


def _by_size(growth: Growth, tier: str, numbers: Evidence) -> Judgement:
    """Judge by two sizes of the arguments whether a program grows with them."""
    iterations, equations = growth.sizes[0]
    text = f"{equations} equations in {iterations} iterations" if iterations else f"{equations} equations"
    if len(growth.sizes) < 2:
        text += "; larger arguments add none, so growth with the data is not shown"
        return Judgement(None, text, tier, replace(numbers, equations=equations))
    more, total = growth.sizes[1]
    if more > iterations and total == equations and growth.equations:
        # Both were cut off.
        (few, at_few), (many, at_many) = sorted(growth.equations.items())
        total = round(equations + (at_many - at_few) / (many - few) * (more - iterations))
    text += f", {total} in {more} with arguments of twice the size" if more else f", {total} with twice the size"
    if len(growth.sizes) > 2:
        return Judgement(None, f"{text}, and much larger ones never come to the loop", tier, numbers)
    return Judgement(True if total > equations else None, text, tier, replace(numbers, equations=total))


_SECONDS_EACH, _SECONDS_EACH_SLOW = 0.0003, 0.005
"""What an equation takes to compile on a CPU, and what one takes that scatters, gathers or slices by a traced index."""


def large(growth: Growth) -> Judgement:
    """Judge whether the programs of a target are large, whatever the reason."""
    if growth.reason:
        return Judgement(None, growth.reason)
    total = max(growth.equations.values())
    return Judgement(total >= LARGE, f"equations in the programs of {growth.target}: {total}")


LARGE = 500
"""Equations from which a program counts as large; 1,000 take seconds to compile on a CPU."""


def floods(observation: Observation, anchor: Anchor | None) -> Judgement:
    """Judge whether a call ran more than one single operation, or compiled one, while a place was being evaluated.

    Without an anchor, only what the first call compiled counts, from anywhere.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]
    if first.failure and first.failure.type != "EnoughError":
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")

    def here(event: Event) -> bool:
        return anchor is None or any(map(anchor.holds, event.stack))

    compiled = _counts(observation.runs, lambda event: event.kind == "compile" and here(event))
    run = _counts(observation.runs, lambda event: event.kind == "dispatch" and here(event))
    numbers = Evidence(observation.target, observation.inputs, compiles=tuple(compiled))
    if anchor is None or not any(run):
        count = compiled[0]
        text = f"programs made in the first call of {observation.target}: {count}"
    else:
        count = max(run[0], compiled[0])
        numbers = replace(numbers, dispatches=tuple(run))
        text = (
            f"one call of {observation.target} runs {count} operations here one by one, "
            f"and the first compiles {compiled[0]} programs for them"
        )
    # One leaf makes one program, and invented arguments may have one.
    shown = None if count == 1 and observation.inputs else count > 1
    return Judgement(shown, text, figures=numbers)


def per_value(observation: Observation, anchor: Anchor) -> Judgement:
    """Judge whether a compiled object that outlives the place compiled there for more than one value in one call."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]
    if first.failure and first.failure.type not in _STOPPED:
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")
    counts: Counter[tuple[Place, ...]] = Counter()
    for event in first.events:
        if event.kind == "compile" and event.made and any(map(anchor.holds, event.stack)):
            counts[event.made] += event.count
    most = max(counts.values(), default=0)
    numbers = figures(observation, anchor)
    text = f"programs of one jitted function in one call of {observation.target}: {most}"
    return _for_several(most, text, observation, numbers)


def per_shape(observation: Observation, anchor: Anchor) -> Judgement:
    """Judge whether one operation was compiled at a place for more than one shape in one call."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]
    if first.failure and first.failure.type not in _STOPPED:
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")
    counts: Counter[str] = Counter()
    for event in first.events:
        if event.kind == "compile" and not event.made and any(map(anchor.holds, event.stack)):
            counts[event.program] += event.count
    most = max(counts.values(), default=0)

    def here(event: Event) -> bool:
        return event.kind == "compile" and not event.made and any(map(anchor.holds, event.stack))

    each = _counts(observation.runs, here)
    if most == 1 and len(each) > 1 and all(each) and not any(run.failure for run in observation.runs):
        # What the first call has compiled is there for the next one, which was given the same.
        text = f"programs of one operation in calls of {observation.target}: {_series(each)}"
        return Judgement(True, text, figures=figures(observation, anchor))
    text = f"programs of one operation in one call of {observation.target}: {most}"
    return _for_several(most, text, observation, figures(observation, anchor))


def _for_several(most: int, text: str, observation: Observation, numbers: Evidence) -> Judgement:
    """Judge by the number of programs: one says nothing where the arguments are invented."""
    stopped = observation.runs[0].failure is not None
    if most > 1:
        return Judgement(True, f"{text}, which was stopped then" if stopped else text, figures=numbers)
    return Judgement(None if observation.inputs or stopped else False, f"{text}; one value was seen", figures=numbers)


def captures(observation: Observation) -> Judgement:
    """Judge whether a program that the first call of a target compiles holds large arrays as constants."""
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]
    if first.failure:
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")
    size = max((event.count for event in first.events if event.kind == "constant"), default=0)
    text = f"bytes of constants in a program of the first call of {observation.target}: {size:,}"
    return Judgement(size >= LARGE_CONSTANTS, text, figures=figures(observation, None))


LARGE_CONSTANTS = 4_000_000
"""From so many bytes on, compiling takes noticeably longer than with the same arrays as arguments."""


def op_by_op(observation: Observation, anchor: Anchor) -> Judgement:
    """Judge whether what a place does was run as single operations, no fewer of them than of jitted functions.

    Where dispatches were counted they decide, however little is left to compile; else the programs of the first call.
    """
    if observation.reason:
        return Judgement(None, f"{observation.target} could not be called: {observation.reason}")
    first = observation.runs[0]

    def counts(kind: str) -> list[int]:
        return _counts(observation.runs, lambda e: e.kind == kind and any(map(anchor.holds, e.stack)))

    numbers = figures(observation, anchor)
    single, programs = counts("dispatch"), counts("program")
    stopped = first.failure is not None and first.failure.type in _STOPPED and single[0] >= _MANY
    if first.failure and not stopped:
        return Judgement(None, f"{observation.target} raised {first.failure.type}: {first.failure.message}")
    if any(single) or any(programs):
        text = f"one call of {observation.target} runs {single[0]} operations here one by one"
        text += ", and was stopped then" if stopped else ""
        if programs[0]:
            text += f", and {programs[0]} jitted functions"
        numbers = replace(numbers, dispatches=tuple(single), seconds=None)
        return Judgement(single[0] > 1 and single[0] >= programs[0], text, figures=numbers)
    here = [e for e in first.events if e.kind == "compile" and any(map(anchor.holds, e.stack))]
    eager = sum(e.count for e in here if not e.made)
    whole = sum(e.count for e in here if e.made)
    text = f"in the first call of {observation.target}, {eager} programs of one operation, {whole} jitted functions"
    return Judgement(eager > 1 and eager > whole, text, figures=numbers)


_STOPPED = ("EnoughError", "DeadlineError")
"""How runs end that were not let go on."""
_MANY = 10


def _series(counts: Sequence[int]) -> str:
    return "/".join(map(str, counts))


def stale(target: str, compiled: Output, eager: Output) -> Judgement:
    """Judge by what a target gives, compiled and run operation by operation, whether it goes on with old values."""
    figures = Evidence(target=target)
    reason = compiled.reason or eager.reason
    if reason:
        return Judgement(None, f"{target} could not be called: {reason}", figures=figures)
    difference = differs(eager, compiled, types=False)
    if difference:
        return Judgement(True, f"{target} gives something else than without compiling: {difference}", figures=figures)
    return Judgement(False, f"{target} gives the same as without compiling", figures=figures)


def differs(one: Output, other: Output, *, types: bool = True) -> str:
    """Say in what two outputs differ; empty where they are the same up to rounding.

    Without `types`, what one has computed in Python or NumPy may be an array of jax in the other.
    """
    if one.structure != other.structure:
        return f"{other.structure} instead of {one.structure}"
    for number, (a, b) in enumerate(zip(one.leaves, other.leaves, strict=True)):
        for what in ("type", "shape", "weak_type") if types else ("shape",):
            if getattr(a, what) != getattr(b, what):
                return f"value {number} has {what} {getattr(b, what)} instead of {getattr(a, what)}"
        if len(a.values) != len(b.values) or not all(_close(x, y, b) for x, y in zip(a.values, b.values, strict=True)):
            return f"value {number} is not the same"
    return ""


def _close(one: Any, other: Any, leaf: Leaf) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        tolerance = _TOLERANCE.get(leaf.type, 1e-6)
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)


_TOLERANCE = {"float16": 1e-2, "bfloat16": 3e-2, "float32": 1e-4, "complex64": 1e-4}
