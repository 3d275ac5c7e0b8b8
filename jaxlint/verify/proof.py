"""The proof of single places in one module: calls what has to be called, once each, and judges."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from jaxlint.finding import Impact
from jaxlint.verify import judge
from jaxlint.verify.instrument import key_of
from jaxlint.verify.judge import Judgement
from jaxlint.verify.observation import Anchor, Failure, Inputs, Observation, Range, Run, is_done
from jaxlint.verify.places import Places
from jaxlint.verify.prover import CALLS, LoadedModule, Prover
from jaxlint.verify.sources import sources


class Effect(enum.Enum):
    """What is measured to tell whether a finding is true."""

    EVERY_CALL = enum.auto()
    """Compiles come from the place in the second and third call."""
    IDLE = enum.auto()
    """Nothing that a compiling wrapper made is compiled, and its function runs in Python."""
    RAISES = enum.auto()
    """An exception comes from the place."""
    GROWS = enum.auto()
    """The equations from the place grow with the iterations of its loop, and are many."""
    FLOODS = enum.auto()
    """The first call makes several programs at the place."""
    PER_VALUE = enum.auto()
    """One jitted function is compiled at the place for several values."""
    PER_SHAPE = enum.auto()
    """One operation is compiled at the place for several shapes."""
    LEAKS = enum.auto()
    """A value that was stored under trace is read later, which raises, or its change is lost."""
    STALE = enum.auto()
    """What is given differs from what is given without compiling."""
    OP_BY_OP = enum.auto()
    """What the place does is made into many programs of single operations."""
    CAPTURES = enum.auto()
    """A program of the first call holds large arrays as constants."""
    REWRAPS = enum.auto()
    """The second and third call make a compiled object at the place, call it once, and compile nothing."""


EFFECTS = (
    ("JAX1", Effect.EVERY_CALL),
    ("JAX203", Effect.EVERY_CALL),
    ("JAX204", Effect.PER_VALUE),
    ("JAX207", Effect.STALE),
    ("JAX213", Effect.STALE),
    ("JAX211", Effect.LEAKS),
    ("JAX2", Effect.RAISES),
    ("JAX303", Effect.CAPTURES),
    ("JAX3", Effect.GROWS),
    ("JAX401", Effect.FLOODS),
    ("JAX402", Effect.OP_BY_OP),
    ("JAX403", Effect.IDLE),
    ("JAX404", Effect.PER_SHAPE),
    ("JAX405", Effect.OP_BY_OP),
    ("JAX406", Effect.EVERY_CALL),
    ("JAX5", Effect.PER_VALUE),
    ("JAX901", Effect.FLOODS),
    ("JAX902", Effect.REWRAPS),
)
"""The effect of a rule: that of the first prefix of its code, or else that of its impact."""

_OF_IMPACT = {
    Impact.EVERY_CALL: Effect.EVERY_CALL,
    Impact.PER_VALUE: Effect.PER_VALUE,
    Impact.FIRST_CALL: Effect.FLOODS,
    Impact.COMPILE_TIME: Effect.GROWS,
    Impact.ERROR: Effect.RAISES,
    Impact.STALE: Effect.STALE,
    Impact.UNCOMPILED: Effect.OP_BY_OP,
    Impact.DISPATCH: Effect.REWRAPS,
}


IN_CALLS: dict[Effect, Callable[[Observation, Anchor], Judgement]] = {
    Effect.REWRAPS: judge.rewrapped,
    Effect.CAPTURES: lambda seen, _: judge.captures(seen),
    Effect.FLOODS: judge.floods,
    Effect.PER_VALUE: judge.per_value,
    Effect.PER_SHAPE: judge.per_shape,
    Effect.OP_BY_OP: judge.op_by_op,
}
"""How to judge at a place the effects that show in the calls of one target, most of them in the first."""

_CALLED_FROM = ("JAX203", "JAX406", "JAX502", "JAX503")
"""Rules that report what a jitted function is given, which was made elsewhere."""

NOBODY = "nothing visible can be called for this line to run"
"""Why a place was not run, where no function leads to it."""

_TRACED = ("JAX201", "JAX208", "JAX209", "JAX210", "JAX211")
"""Rules about what fails, or is lost, only while it is traced."""
_ITERATIONS = 2

_LOOPS = ("JAX402", "JAX405")
"""Rules that report a loop for what its iterations do."""


def effect_of(code: str, impact: Impact | None = None) -> Effect:
    """Return the effect that a rule claims.

    Raises:
        LookupError: none is known for this code, nor for the impact.
    """
    for prefix, effect in EFFECTS:
        if code.startswith(prefix):
            return effect
    if impact in _OF_IMPACT:
        return _OF_IMPACT[impact]
    raise LookupError(f"no effect is known for {code}")


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to look for arguments of one target: tries, and seconds.

    `recording` are the seconds for which what calls the functions of a module may be run; by default nothing is.
    """

    tries: int = 250
    seconds: float = 6.0
    recording: float = 0.0


class Proof:
    """One module under proof; `lines` are the places that will be asked about.

    Without a `budget`, only what has an example, or needs no arguments, is called, and all of the module is run.  With
    one, arguments are looked for, and of the module only what defines something is run.  `source` replaces the text of
    the file, `examples` is a file that gives the examples, `spans` are the ranges that `settled` will be asked about.

    Raises:
        SyntaxError: the file is no Python.
        OSError: it cannot be read.
        WorkerError: no child process with jax can be started.
    """

    def __init__(
        self,
        prover: Prover,
        path: Path,
        lines: Iterable[int],
        *,
        budget: Budget | None = None,
        source: bytes | None = None,
        examples: str | None = None,
        spans: Iterable[Range] = (),
    ) -> None:
        self._path = str(path.resolve())
        text = path.read_bytes() if source is None else source
        self._places = Places(self._path, text)
        self._observations: dict[tuple[str, str], Observation] = {}
        self._inputs: dict[tuple[str, int, str], Inputs] = {}
        self._budget = budget
        self._lines = frozenset(lines)
        self._spans = frozenset(spans)
        loops = {line for line in self._lines if self._places.loop(line)}
        self._module: LoadedModule = prover.load(
            path,
            source=self._places.text,
            watched=self._lines | self._places.bodies,
            loops=loops,
            spans=self._spans,
            entries=self._entries,
            whole=budget is None,
            examples=examples,
        )

    @cached_property
    def _entries(self) -> frozenset[str]:
        """The functions that may have to be called, of which recorded calls are worth having."""
        if self._budget is None or not self._budget.recording:
            return frozenset()
        targets = {target for line in self._lines if (target := self._places.target(line))}
        callers = (name for target in targets for name in self._places.callers(target)[:_CALLERS])
        return frozenset((*targets, *callers))

    @cached_property
    def _recorded(self) -> dict[str, str]:
        """What calls were met when what is written to call these functions was run."""
        wanted = self._entries - frozenset(self._module.loaded.examples)
        if not wanted or self._budget is None:
            return {}
        return self._module.record(wanted, sources(Path(self._path), wanted), self._budget.recording)

    @cached_property
    def failure(self) -> str | None:
        """Why the module as a whole cannot be used, with the line that failed; None if it can.

        An exception from one of the lines that are asked about may be what they are there to show.
        """
        if self._budget is not None:
            # What failed has left stubs, which support themselves where they are used.
            reason = self._module.loaded.reason
            return f"the module cannot be loaded: {reason}" if reason else None
        anchors = [self._places.anchor(line) for line in self._lines]
        for failure in self._load_failures():
            if not (failure.stack and any(anchor.holds(failure.stack[0]) for anchor in anchors)):
                line = failure.stack[0].line if failure.stack else "?"
                return f"line {line}: {failure.type}: {failure.message}"
        return self._module.loaded.reason

    def judge(self, line: int, code: str, *, again: bool = False, impact: Impact | None = None) -> Judgement:
        """Judge whether the effect that a rule claims shows at a line.

        A place in a function is judged by calling the outermost function around it; a place at module level by loading
        the module, and by every example.  With `again`, what is at module level is run once more instead: would
        the effect show if it were repeated?

        Raises:
            LookupError: no effect is known for this code.
        """
        effect = effect_of(code, impact)
        if self.failure:
            return Judgement(None, self.failure)
        if effect is Effect.IDLE:
            return self._idle(line)
        anchor = self._anchor(line, code)
        if not anchor.ranges and not self._places.loop(line):
            return Judgement(None, "nothing starts on this line")
        match effect:
            case Effect.EVERY_CALL:
                renewed = code in _RENEWED
                direct = not code.startswith(_EAGER)
                judgement = self._every_call(line, anchor, code, again=again, direct=direct, renewed=renewed)
            case Effect.RAISES:
                judgement = self._raises(line, anchor)
            case Effect.GROWS:
                return self._grows(line, by_data=code == "JAX302")
            case Effect.LEAKS:
                return self._leaks(line, anchor)
            case Effect.STALE:
                judgement = self._worst(
                    lambda target: self._stale(target, line, anchor),
                    self._targets(line) or self._module.loaded.examples,
                )
            case _:
                end = self._places.loop(line) if code in _LOOPS else None
                place = anchor if end is None else Anchor(self._path, ((line, 0, end + 1, 0),))
                dispatches = effect in (Effect.FLOODS, Effect.OP_BY_OP)
                judgement = self._called(
                    lambda seen: IN_CALLS[effect](seen, place), line, place if dispatches else anchor, dispatches
                )
        if judgement.shown is False and not self._reached(line):
            return Judgement(None, f"{judgement.evidence}; but this line never ran", figures=judgement.figures)
        return judgement

    def settled(self, judgement: Judgement, span: Range, code: str, impact: Impact | None = None) -> Judgement:
        """Take back that an effect did not show where that does not prove that it never does.

        It does if all of the place ran, in the context that the rule is about, nothing that failed on the way was
        handled in silence, and what it ran with comes from the code or cannot matter.
        """
        off = self._module.loaded.switched_off
        if off and not judgement.shown:
            return Judgement(None, f"{off}: {judgement.evidence}", figures=judgement.figures)
        if judgement.shown is False and not self._observations and not self._inputs:
            return Judgement(None, "nothing in the code jaxlint sees calls what is affected", figures=judgement.figures)
        judgement = self._told(judgement, effect_of(code, impact))
        doubt = self._doubt(judgement, span, effect_of(code, impact), code) if judgement.shown is False else ""
        if not doubt:
            return judgement
        return Judgement(None, f"the effect did not show, but {doubt}: {judgement.evidence}", figures=judgement.figures)

    def _told(self, judgement: Judgement, effect: Effect) -> Judgement:
        """Add to what was shown what it takes for the code to run at all, or take it back if that could be why."""
        if not judgement.shown:
            return judgement
        if effect in _COMPARED and any(run.hashed for run in self._runs):
            text = f"what a package that is not installed is equal to is not known: {judgement.evidence}"
            return Judgement(None, text, figures=judgement.figures)
        renamed = sorted({name for run in self._runs for name in run.renamed})
        if not renamed:
            return judgement
        text = f"{judgement.evidence}; with a replacement for `{renamed[0]}`, which this version does not have"
        return replace(judgement, evidence=text)

    def _doubt(self, judgement: Judgement, span: Range, effect: Effect, code: str) -> str:  # noqa: C901 (a list)
        """Say why a refutation would not be proven; empty where it is."""
        runs = self._runs
        parts = [key_of(where) for where in self._places.parts(span)]
        often = {part: sum(run.evaluated.get(part, 0) for run in runs) for part in parts}
        eagerly = sum(run.eagerly.get(parts[0], 0) for run in runs) if parts else 0
        looping = self._places.loop(span[0]) is not None and code in (*_LOOPS, "JAX301", "JAX302", "JAX404")
        if effect not in (Effect.IDLE, Effect.GROWS):
            if not all(often.values()):
                return f"not all of it ran (line {next(p for p in parts if not often[p]).partition(':')[0]})"
            if looping and often and max(often.values()) < _ITERATIONS:
                return "it did not run more than one iteration"
        if effect in (Effect.PER_VALUE, Effect.PER_SHAPE) and not any(judgement.figures.compiles or ()):
            return "nothing compiled was called"
        absent = sorted({package for run in runs for package in run.absent})
        if absent:
            return f"the package {absent[0]} is not installed"
        if any(run.renamed for run in runs):
            return "the code uses names that this version does not have"
        first, last = self._places.around(span[0])
        for run in runs:
            for failure in run.caught:
                if any(place.file == self._path and first <= place.line <= last for place in failure.stack):
                    return f"an exception was handled on the way ({failure.type})"
        if parts and effect in (Effect.FLOODS, Effect.OP_BY_OP, Effect.PER_SHAPE) and not eagerly:
            return "it ran only while being traced"
        if parts and code in _TRACED and often[parts[0]] == eagerly:
            return "it never ran while being traced"
        if effect in (Effect.FLOODS, Effect.OP_BY_OP) and not _computes(runs, Anchor(self._path, (span,))):
            # A test may pass what takes the place of arrays, and an empty pytree leaves nothing to do.
            return "nothing of JAX ran there"
        inputs = [one for one in self._inputs.values() if not one.reason and one.target == judgement.figures.target]
        inputs = inputs or [one for one in self._inputs.values() if not one.reason]
        return _doubt_about(inputs, effect)

    @property
    def _runs(self) -> list[Run]:
        runs = [self._module.loaded.hook, *(statement.run for statement in self._module.loaded.statements)]
        return runs + [run for seen in self._observations.values() for run in seen.runs]

    def _anchor(self, line: int, code: str) -> Anchor:
        """Return where what a rule claims shows: at its place, or in what that place calls."""
        anchor = self._places.anchor(line)
        if code in _CALLED_FROM and anchor.ranges:
            return self._places.everything
        # What an instance compiles is made in its class.
        return self._places.with_classes(line) if code == "JAX109" else anchor

    def examples(self, code: str, without: Collection[str] = ()) -> Iterator[Judgement]:
        """Judge, for each example the module gives but those skipped, whether the effect of a rule shows in it."""
        effect = effect_of(code)
        for name in self._module.loaded.examples:
            if name in without:
                continue
            seen = self._observe(name)
            match effect:
                case Effect.EVERY_CALL:
                    yield judge.every_call(seen, None)
                case Effect.IDLE:
                    yield judge.uncompiled(seen, None, self._places.body(name))
                case Effect.RAISES:
                    yield judge.raises((run.failure for run in seen.runs), None)
                case Effect.GROWS:
                    yield judge.large(self._module.grow(name, 1, sys.maxsize, (1,)))
                case Effect.FLOODS:
                    yield judge.floods(seen, None)
                case Effect.LEAKS:
                    yield self._leaked(name, seen)
                case Effect.STALE:
                    yield judge.stale(name, self._module.result(name), self._module.result(name, compiled=False))
                case _:
                    yield IN_CALLS[effect](seen, self._places.everything)

    def targets(self, line: int) -> tuple[str, ...]:
        """Return what may be called for a line to run, the best first: functions, by qualified name."""
        examples = self._module.loaded.examples
        entry = None if self._places.decorates(line) else self._places.entry(line)
        names = self._compiled(line) or ((entry.target,) if entry is not None else tuple(examples))
        return tuple(sorted(names, key=lambda name: name not in examples))

    # --- effects ------------------------------------------------------------------------------------------------------

    def _every_call(
        self, line: int, anchor: Anchor, code: str, *, again: bool, direct: bool, renewed: bool
    ) -> Judgement:
        targets = self._targets(line)
        if targets:
            how = {"direct": direct, "renewed": renewed}
            return self._worst(
                lambda target: self._doubted(self._repeated(target, line, anchor, **how), line, code), targets
            )
        if again:
            seen = self._observations["", f"line {line}"] = self._module.again(line)
            return judge.every_call(seen, anchor)
        runs = [s.run for s in self._module.loaded.statements]
        if self._budget is not None:
            seen = self._at_module_level(line)
            failure = seen.reason or next(
                (f"{r.failure.type}: {r.failure.message}" for r in seen.runs if r.failure), ""
            )
            if failure:
                return Judgement(None, f"line {line} could not be run: {failure}")
            runs += [run for run in seen.runs if run not in runs]
        loading = judge.while_loading(runs, anchor, invented=self._budget is not None)
        if loading.shown or not self._module.loaded.examples:
            return loading
        return self._worst(lambda target: judge.every_call(self._observe(target), anchor), self._module.loaded.examples)

    def _doubted(self, judgement: Judgement, line: int, code: str) -> Judgement:
        """Take back what invented objects cannot show: whether an attribute is a method is theirs alone to say."""
        if code != "JAX105" or judgement.shown is None or not judgement.figures.inputs:
            return judgement
        asked = [inputs for inputs in self._inputs.values() if inputs.target == judgement.figures.target]
        opaque = {path for inputs in asked for path in inputs.opaque}
        unknown = sorted(name for name in self._places.names(line) if name in opaque)
        if not unknown:
            return judgement
        return Judgement(None, f"nothing visible shows what {unknown[0]} is", figures=judgement.figures)

    def _repeated(self, target: str, line: int, anchor: Anchor, *, direct: bool, renewed: bool) -> Judgement:
        inputs = self._find(target, line, anchor, "renew" if renewed else "call", sliced="call")
        if inputs is None and self._budget is None:
            return judge.every_call(self._observe(target), anchor)
        if inputs is not None and inputs.reason:
            return Judgement(None, inputs.reason)
        conditional = self._places.is_conditional(line)
        if inputs is None or inputs.mode == "abstract":
            judgement = judge.every_trace(self._trace(target, inputs), anchor, direct=direct, conditional=conditional)
            if judgement.shown:
                return judgement
        seen = self._observe(target, inputs)
        if inputs is None and any(run.failure for run in seen.runs):
            # The code may have kept something from the abstract runs, which it would not have met otherwise.
            self._module.reload()
            seen = self._observations[target, inputs.text if inputs else ""] = self._module.call(target)
        inside = self._places.inside(line) if renewed else None
        return judge.every_call(seen, anchor, line=line if inputs else None, conditional=conditional, inside=inside)

    def _raises(self, line: int, anchor: Anchor) -> Judgement:
        # What else failed while the module was loaded is no answer to what is asked.
        asked = self._compiled(line) or self._places.users(line) or self._module.loaded.examples
        failures = [f for f in self._load_failures() if not asked or (f.stack and anchor.holds(f.stack[0]))]
        names = self._places.names(line)
        synthetic = False
        result: Judgement | None = None
        for target in asked:
            inputs = self._find(target, line, anchor, "error", sliced="error")
            if inputs is not None and inputs.reason:
                result = Judgement(None, inputs.reason)
                continue
            synthetic = synthetic or inputs is not None
            if result is not None and failures:
                break
            seen = self._observe(target, inputs)
            if seen.reason:
                result = Judgement(None, f"{target} could not be called: {seen.reason}")
                continue
            found = [run.failure for run in seen.runs if run.failure]
            if inputs is not None and not found and "None" in inputs.text:
                result = Judgement(None, f"{target} raises nothing with {inputs.text}, but may without None")
                continue
            if inputs is not None and inputs.sliced and not found:
                # What was made up may be no array, and so not traced at all.
                result = Judgement(None, f"{target} raises nothing with {inputs.text}")
                continue
            if inputs is not None and not any(failure.traced for failure in found) and not inputs.compiled:
                # Nothing visible compiles it, so it is traced as its callers would.
                traced = self._module.trace(target, "traced", 1)
                under = [run.failure for run in traced.runs if run.failure and run.failure.traced]
                if not under and not found:
                    text = f"{target} raises nothing when its arrays are traced"
                    result = Judgement(None, f"{text}; its other arguments may be traced as well", "abstract")
                    continue
                found = under or found
            failures += found
            if judge.raises(found, anchor, names, traced=synthetic).shown:
                break
        if not failures and result is not None:
            return result
        return judge.raises(failures, anchor, names, traced=synthetic)

    def _leaks(self, line: int, anchor: Anchor) -> Judgement:
        """Judge by what is read after a call; that nothing visible reads it proves nothing."""
        result = Judgement(None, NOBODY)
        for target in self._targets(line) or self._module.loaded.examples:
            inputs = self._find(target, line, anchor, "reach")
            if inputs is not None and inputs.reason:
                result = Judgement(None, inputs.reason)
                continue
            result = self._leaked(target, self._observe(target, inputs))
            if result.shown:
                return result
            if inputs is not None and result.shown is False:
                result = Judgement(None, f"nothing that {target} runs reads what was stored", figures=result.figures)
        return result

    def _leaked(self, target: str, seen: Observation) -> Judgement:
        leaked = judge.leaks(seen)
        if leaked.shown is not False:
            return leaked
        return judge.stale(target, self._module.result(target), self._module.result(target, compiled=False))

    def _grows(self, line: int, *, by_data: bool) -> Judgement:
        end_line = self._places.loop(line)
        if end_line is None:
            return Judgement(None, "no loop starts on this line")
        result = Judgement(None, NOBODY)
        anchor = Anchor(self._path, ())
        for target in self._compiled(line) or self._module.loaded.examples:
            # How long data is that was made up says nothing of data.
            inputs = self._find(target, line, anchor, "reach", sliced="" if by_data else "grow")
            if inputs is not None and inputs.reason:
                judgement = Judgement(None, inputs.reason)
            else:
                growth = self._module.grow(target, line, end_line)
                literal = self._places.is_literal(line)
                judgement = judge.grows(growth, by_data=by_data and inputs is not None, literal=literal)
            if judgement.shown or result.shown is None:
                result = judgement
        return result

    def _idle(self, line: int) -> Judgement:
        """Judge by every call that may meet the wrapper: one program made by any of them, and it is not idle."""
        entry, anchor = self._places.entry(line), self._places.anchor(line)
        targets = self._targets(line) or self._module.loaded.examples
        if self._budget is not None and not targets and entry is not None:
            targets = tuple(dict.fromkeys([*self._places.callers(entry.target), entry.target]))
        judgements = []
        for target in targets:
            inputs = self._find(target, entry.line if entry else line, anchor, "reach")
            if inputs is not None and inputs.reason:
                judgements.append(Judgement(None, inputs.reason))
            else:
                judgements.append(judge.uncompiled(self._observe(target, inputs), anchor, entry))
        judgements.sort(key=lambda judgement: (judgement.shown is None, judgement.shown))
        return judgements[0] if judgements else Judgement(None, NOBODY)

    def _stale(self, target: str, line: int, anchor: Anchor) -> Judgement:
        inputs = self._find(target, line, anchor, "reach")
        if inputs is not None and (inputs.reason or "." in target):
            # Whether an invented instance changes between two calls is not in the code.
            return Judgement(None, inputs.reason or f"no example makes an instance, changes it and calls {target}")
        self._observe(target, inputs)
        return judge.stale(target, self._module.result(target), self._module.result(target, compiled=False))

    def _called(
        self, judge_one: Callable[[Observation], Judgement], line: int, anchor: Anchor, dispatches: bool
    ) -> Judgement:
        def one(target: str) -> Judgement:
            sliced = "dispatch" if dispatches else "call"
            inputs = self._find(target, line, anchor, "reach", sliced=sliced, rest=not dispatches)
            if inputs is not None and inputs.reason and dispatches and "took more" in inputs.reason:
                # It need not come to its end.
                inputs = self._find(target, line, anchor, "dispatch", sliced=sliced, rest=False)
            if inputs is not None and inputs.reason:
                return Judgement(None, inputs.reason)
            seen = self._observe(target, inputs, dispatches=anchor if dispatches else None)
            judgement = self._judged(judge_one, seen, line, anchor) if dispatches else judge_one(seen)
            if judgement.shown or inputs is None or inputs.given:
                return judgement
            if not dispatches:
                return self._varied(judge_one, judgement, inputs, line, anchor)
            # What was invented may have been what nothing has to be done for.
            inputs = self._find(target, line, anchor, "dispatch", sliced=sliced, rest=False)
            if inputs is None or inputs.reason:
                return judgement
            return self._judged(judge_one, self._observe(target, inputs, dispatches=anchor), line, anchor)

        targets = self._targets(line) or self._module.loaded.examples
        if self._budget is not None and not self._places.target(line):
            judgement = judge_one(self._at_module_level(line, anchor if dispatches else None))
            if judgement.shown is None and not self._places.defines(line):
                judgement = self._statement(judge_one, judgement, line, anchor, dispatches)
            if judgement.shown is not None or not targets:
                return judgement
        return self._worst(one, targets)

    def _varied(
        self,
        judge_one: Callable[[Observation], Judgement],
        before: Judgement,
        inputs: Inputs,
        line: int,
        anchor: Anchor,
    ) -> Judgement:
        """Judge once more with invented numbers that differ from each other, where those that do not showed nothing."""
        if inputs.sliced or inputs.state.get("distinct", True):
            return before
        state = {**inputs.state, "distinct": True}
        other = self._find(inputs.target, line, anchor, "reach", state=state)
        if other is None or other.reason:
            return before
        judgement = judge_one(self._observe(inputs.target, other))
        return judgement if judgement.shown else before

    def _judged(
        self, judge_one: Callable[[Observation], Judgement], seen: Observation, line: int, anchor: Anchor
    ) -> Judgement:
        """Judge what was run at a place, however the call went on after it; that confirms or says nothing."""
        pieces = self._pieces(line)
        runs = tuple(replace(run, failure=None) if is_done(run, line, anchor, pieces) else run for run in seen.runs)
        if runs == seen.runs:
            return judge_one(seen)
        judgement = judge_one(replace(seen, runs=runs))
        return judgement if judgement.shown else judge_one(seen)

    def _pieces(self, line: int) -> tuple[str, ...]:
        """Return the keys of what has to be evaluated for all of a place to have run."""
        return tuple(key_of(where) for span in self._spans if span[0] == line for where in self._places.parts(span))

    def _statement(
        self,
        judge_one: Callable[[Observation], Judgement],
        before: Judgement,
        line: int,
        anchor: Anchor,
        dispatches: bool,
    ) -> Judgement:
        """Judge a statement at module level with values of the search's own for what it needs and failed."""
        target = f"line {line}"
        effect, sliced = ("dispatch", "dispatch") if dispatches else ("reach", "call")
        inputs = self._find(target, line, anchor, effect, sliced=sliced, rest=not dispatches)
        if inputs is None or inputs.reason:
            return before
        seen = self._observe(target, inputs, dispatches=anchor if dispatches else None)
        judgement = self._judged(judge_one, seen, line, anchor) if dispatches else judge_one(seen)
        return judgement if judgement.shown is not None else before

    # --- calls --------------------------------------------------------------------------------------------------------

    def _load_failures(self) -> Iterator[Failure]:
        for statement in self._module.loaded.statements:
            if statement.run.failure:
                yield statement.run.failure

    def _targets(self, line: int) -> tuple[str, ...]:
        """Return what to call for a line to run: its function, or for a method without an example all of its class."""
        target = self._places.target(line)
        examples = self._module.loaded.examples
        if target in examples:
            return (target,)
        if not target or self._places.decorates(line):
            return ()
        if "." not in target:
            found: tuple[str, ...] = (target,)
        else:
            prefix = target.partition(".")[0] + "."
            found = tuple(name for name in examples if name.startswith(prefix)) or (target,)
        if self._budget is not None and target in found:
            # A caller may know better what to call it with.
            found += tuple(name for name in self._places.callers(target) if name != target)[:_CALLERS]
        return found

    def _compiled(self, line: int) -> tuple[str, ...]:
        """Return what to call for a line to run under trace: first what a module-level name makes of its function."""
        targets = self._targets(line)
        if self._budget is None:
            return targets
        return tuple(dict.fromkeys([*self._places.wrappers(self._places.target(line)), *targets]))

    def _worst(self, judge_one: Callable[[str], Judgement], targets: Iterable[str]) -> Judgement:
        """Return the judgement of the first target that shows the effect, or else of the first that says anything."""
        result = Judgement(None, NOBODY)
        for number, target in enumerate(targets):
            judgement = judge_one(target)
            if judgement.shown:
                return judgement
            if result.shown is None and (number == 0 or judgement.shown is not None):
                result = judgement
        return result

    def _find(
        self,
        target: str,
        line: int,
        anchor: Anchor,
        effect: str,
        sliced: str = "",
        *,
        rest: bool = True,
        state: Mapping[str, Any] | None = None,
    ) -> Inputs | None:
        """Look for arguments of a target that has no example; None where there is one, or none are looked for.

        `sliced` says for what parts of it may be skipped, where they fail; not `rest`, that it does not matter how the
        call goes on after the place; `state` is what to try first.
        """
        if self._budget is None or target in self._module.loaded.examples:
            return None
        key = (target, line, effect)
        self._recorded  # noqa: B018 (what was met is kept by the module)
        parts = self._pieces(line)
        budget = self._budget.tries, self._budget.seconds
        whole = parts if effect == "error" else ()
        pieces = None if rest else parts
        inside = self._places.inside(line) if effect == "renew" else None
        if state is None and target not in (first := self._targets(line)[:1]):
            # What a function takes is often what its callers take, under the same names.
            state = next((one.state for one in self._inputs.values() if one.target in first), None)
        inputs = self._module.search(
            target, line, anchor, effect, *budget, state, parts=whole, sliced=sliced, pieces=pieces, inside=inside
        )
        self._inputs[key] = inputs
        return inputs

    def _trace(self, target: str, inputs: Inputs | None) -> Observation:
        key = (target, f"traced with {inputs.text if inputs else 'its example'}")
        if key not in self._observations:
            self._observations[key] = self._module.trace(target)
        return self._observations[key]

    def _observe(self, target: str, inputs: Inputs | None = None, *, dispatches: Anchor | None = None) -> Observation:
        key = (target, (inputs.text if inputs else "") + (f" {dispatches.ranges}" if dispatches else ""))
        if key not in self._observations:
            calls = CALLS if dispatches is None else 1
            self._observations[key] = self._module.call(target, calls, dispatches=dispatches)
        return self._observations[key]

    def _at_module_level(self, line: int, dispatches: Anchor | None = None) -> Observation:
        """Return what the statement around a line did when the module was loaded, or does now if it was skipped.

        Dispatches were counted then, and are now where `dispatches` says at which place.
        """
        runs = tuple(s.run for s in self._module.loaded.statements if s.line <= line <= s.end_line)
        key = ("", f"line {line}")
        if key not in self._observations:
            self._observations[key] = (
                Observation(key[1], runs) if runs else self._module.again(line, 1, dispatches=dispatches)
            )
        return self._observations[key]

    def _reached(self, line: int) -> bool:
        if any(key[1] == line and not inputs.reason for key, inputs in self._inputs.items()):
            # The arguments were chosen because they lead there.  Later calls may not, if the first one left a cache.
            return True
        return any(run.reached.get(line) for run in self._runs)


def _computes(runs: Iterable[Run], place: Anchor) -> bool:
    """Tell whether jax computed anything while a place was being evaluated."""
    events = (event for run in runs for event in run.events if event.kind in _RUNNING)
    return any(any(map(place.holds, event.stack)) for event in events)


def _doubt_about(inputs: Collection[Inputs], effect: Effect) -> str:
    """Say why what does not show with some arguments may show with others; empty where it cannot."""
    if any(one.sliced for one in inputs):
        return "parts of the code were left out"
    if any(not one.given for one in inputs):
        if effect not in (Effect.EVERY_CALL, Effect.IDLE, Effect.REWRAPS, Effect.GROWS):
            return "the arguments were invented"
        # What a compiled target is given stays outside; later calls do not come to the place at all.
        if any(one.opaque and not one.compiled for one in inputs):
            return "some of the arguments replace objects that are not known"
    return ""


_RUNNING = ("dispatch", "program", "compile")
"""The kinds of events that something computed by jax leaves."""
_COMPARED = (Effect.EVERY_CALL, Effect.PER_VALUE)
"""Effects that depend on what is equal to what."""
_RENEWED = ("JAX101", "JAX102", "JAX104", "JAX106")
"""Rules about functions that are new in each call."""
_EAGER = ("JAX106", "JAX107")
"""Rules about functions of jax that compile what they are given, with no visible compiled object."""
_CALLERS = 2
"""How many functions that call a target are tried in its stead."""
