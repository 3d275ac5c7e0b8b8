"""The proof of single places in one module: calls what has to be called, once each, and judges."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from jaxlint.verify import judge
from jaxlint.verify.judge import Judgement
from jaxlint.verify.observation import Failure, Observation
from jaxlint.verify.places import Anchor, Places
from jaxlint.verify.prover import LoadedModule, Prover


class Effect(enum.Enum):
    """What is measured to tell whether a finding is true."""

    EVERY_CALL = enum.auto()
    """Compiles come from the place in the second and third call."""
    IDLE = enum.auto()
    """Nothing that a compile wrapper made is compiled, and its function runs in Python."""
    RAISES = enum.auto()
    """An exception comes from the place."""
    GROWS = enum.auto()
    """The equations from the place grow with the turns of its loop, and are many."""
    FLOODS = enum.auto()
    """The first call makes several programs at the place."""


EFFECTS = (
    ("JAX1", Effect.EVERY_CALL),
    ("JAX203", Effect.EVERY_CALL),
    ("JAX2", Effect.RAISES),
    ("JAX3", Effect.GROWS),
    ("JAX401", Effect.FLOODS),
    ("JAX403", Effect.IDLE),
)
"""The effect of a rule: that of the first prefix of its code."""


def effect_of(code: str) -> Effect:
    """Return the effect that a rule claims.

    Raises:
        LookupError: none is known for this code.
    """
    for prefix, effect in EFFECTS:
        if code.startswith(prefix):
            return effect
    raise LookupError(f"no effect is known for {code}")


class Proof:
    """One module under proof; `lines` are the places that will be asked about.

    Raises:
        SyntaxError: the file is no Python.
        WorkerError: no child process with jax can be started.
    """

    def __init__(self, prover: Prover, path: Path, lines: Iterable[int]) -> None:
        self._path = str(path.resolve())
        self._places = Places(self._path, path.read_bytes())
        self._observations: dict[str, Observation] = {}
        self._lines = frozenset(lines)
        loops = {line for line in self._lines if self._places.loop(line)}
        self._module: LoadedModule = prover.load(path, watched=self._lines | self._places.bodies, loops=loops)

    @cached_property
    def failure(self) -> str | None:
        """Why the module as a whole cannot be used, with the line that failed; None if it can.

        An exception from one of the lines that are asked about may be what they are there to show.
        """
        anchors = [self._places.anchor(line) for line in self._lines]
        for failure in self._load_failures():
            if not (failure.stack and any(anchor.holds(failure.stack[0]) for anchor in anchors)):
                line = failure.stack[0].line if failure.stack else "?"
                return f"line {line}: {failure.type}: {failure.message}"
        return self._module.loaded.reason

    def judge(self, line: int, code: str, *, again: bool = False) -> Judgement:
        """Judge whether the effect that a rule claims shows at a line.

        A place in a function is judged by calling the outermost function around it; a place at module level by loading
        the module, and by every example.  With `again`, what stands at module level is run once more instead: would
        the effect show if it were repeated?
        """
        effect = effect_of(code)
        if self.failure:
            return Judgement(None, self.failure)
        if effect is Effect.IDLE:
            return self._idle(line)
        anchor = self._places.anchor(line)
        if not anchor.ranges and not self._places.loop(line):
            return Judgement(None, "nothing starts on this line")
        match effect:
            case Effect.EVERY_CALL:
                judgement = self._every_call(line, anchor, again=again)
            case Effect.RAISES:
                judgement = self._raises(line, anchor)
            case Effect.GROWS:
                return self._grows(line)
            case Effect.FLOODS:
                judgement = self._worst(lambda seen: judge.floods(seen, anchor), self._targets(line))
        if judgement.shown is False and not self._reached(line):
            return Judgement(None, f"{judgement.evidence}; but this line never ran")
        return judgement

    def examples(self, code: str) -> Iterator[Judgement]:
        """Judge, for each example the module gives, whether the effect of a rule shows anywhere in it."""
        effect = effect_of(code)
        for name in self._module.loaded.examples:
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

    def _every_call(self, line: int, anchor: Anchor, *, again: bool) -> Judgement:
        targets = self._targets(line)
        if targets:
            return self._worst(lambda seen: judge.every_call(seen, anchor), targets)
        if again:
            return judge.every_call(self._module.again(line), anchor)
        loading = judge.while_loading((s.run for s in self._module.loaded.statements), anchor)
        if loading.shown or not self._module.loaded.examples:
            return loading
        return self._worst(lambda seen: judge.every_call(seen, anchor), self._module.loaded.examples)

    def _raises(self, line: int, anchor: Anchor) -> Judgement:
        failures = [*self._load_failures()]
        for target in self._targets(line) or self._module.loaded.examples:
            seen = self._observe(target)
            if seen.reason:
                return Judgement(None, f"{target} could not be called: {seen.reason}")
            failures += [run.failure for run in seen.runs if run.failure]
        return judge.raises(failures, anchor)

    def _grows(self, line: int) -> Judgement:
        end_line = self._places.loop(line)
        if end_line is None:
            return Judgement(None, "no loop starts on this line")
        result = Judgement(None, "nothing was called")
        for target in self._targets(line) or self._module.loaded.examples:
            judgement = judge.grows(self._module.grow(target, line, end_line))
            if judgement.shown or result.shown is None:
                result = judgement
        return result

    def _load_failures(self) -> Iterator[Failure]:
        for statement in self._module.loaded.statements:
            if statement.run.failure:
                yield statement.run.failure

    def _idle(self, line: int) -> Judgement:
        """Judge by every call that may meet the wrapper: one program made by any of them, and it is not idle."""
        entry, anchor = self._places.entry(line), self._places.anchor(line)
        targets = self._targets(line) or self._module.loaded.examples
        judgements = [judge.uncompiled(self._observe(target), anchor, entry) for target in targets]
        judgements.sort(key=lambda judgement: (judgement.shown is None, judgement.shown))
        return judgements[0] if judgements else Judgement(None, "nothing was called")

    def _targets(self, line: int) -> tuple[str, ...]:
        """Return what to call for a line to run: its function, or for a method without an example all of its class."""
        target = self._places.target(line)
        examples = self._module.loaded.examples
        if target in examples:
            return (target,)
        if not target or self._places.decorates(line):
            return ()
        if "." not in target:
            return (target,)
        prefix = target.partition(".")[0] + "."
        return tuple(name for name in examples if name.startswith(prefix)) or (target,)

    def _worst(self, judge_one: Callable[[Observation], Judgement], targets: Iterable[str]) -> Judgement:
        """Return the judgement of the first target that shows the effect, or else of the last that says anything."""
        result = Judgement(None, "nothing was called")
        for target in targets:
            judgement = judge_one(self._observe(target))
            if judgement.shown:
                return judgement
            if result.shown is None:
                result = judgement
        return result

    def _observe(self, target: str) -> Observation:
        if target not in self._observations:
            self._observations[target] = self._module.call(target)
        return self._observations[target]

    def _reached(self, line: int) -> bool:
        loaded = self._module.loaded
        runs = [loaded.hook, *(statement.run for statement in loaded.statements)]
        runs += [run for seen in self._observations.values() for run in seen.runs]
        return any(run.reached.get(line) for run in runs)
