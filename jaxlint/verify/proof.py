"""The proof of single places in one module: calls what has to be called, once each, and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from jaxlint.verify import judge
from jaxlint.verify.judge import Judgement
from jaxlint.verify.observation import Observation
from jaxlint.verify.places import Anchor, Places
from jaxlint.verify.prover import LoadedModule, Prover

UNCOMPILED = frozenset({"JAX403"})
"""The rules whose effect is that nothing is compiled as one program; that of all others here shows on every call."""


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
        lines = set(lines)
        self._module: LoadedModule = prover.load(path, watched=lines | self._places.bodies)

    @cached_property
    def failure(self) -> str | None:
        """Why the module as a whole cannot be used, with the line that failed; None if it can."""
        loaded = self._module.loaded
        if loaded.failure:
            stack = loaded.failure.stack
            return f"line {stack[0].line if stack else '?'}: {loaded.failure.type}: {loaded.failure.message}"
        return loaded.reason

    def judge(self, line: int, code: str, *, again: bool = False) -> Judgement:
        """Judge whether the effect that a rule claims shows at a line.

        A place in a function is judged by calling the outermost function around it; a place at module level by loading
        the module, and by every example.  With `again`, what stands at module level is run once more instead: would
        the effect show if it were repeated?
        """
        if self.failure:
            return Judgement(None, self.failure)
        if code in UNCOMPILED:
            return self._uncompiled(line)
        anchor = self._places.anchor(line)
        if not anchor.ranges:
            return Judgement(None, "nothing starts on this line")
        judgement = self._every_call(line, anchor, again=again)
        if judgement.shown is False and not self._reached(line):
            return Judgement(None, f"{judgement.evidence}; but this line never ran")
        return judgement

    def examples(self, code: str) -> Iterator[Judgement]:
        """Judge, for each example the module gives, whether the effect of a rule shows anywhere in it."""
        for name in self._module.loaded.examples:
            seen = self._observe(name)
            if code in UNCOMPILED:
                yield judge.uncompiled(seen, None, self._places.body(name))
            else:
                yield judge.every_call(seen, None)

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

    def _uncompiled(self, line: int) -> Judgement:
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
