"""Loads the module under test in this process, and calls what is in it.

The module is run statement by statement, each compiled under the file's real name, so that jax, tracebacks and
recorded places all speak of the file that was linted.
"""

from __future__ import annotations

import ast
import asyncio
import functools
import gc
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .instrument import Instrumenter, first_line
from .observation import Growth, Loaded, Observation, Run, Statement
from .recorder import Recorder

HOOK = "jaxlint_examples"
"""The function in which a module gives examples: it returns a dict from qualified names to arguments."""

_ITEMS = 1000
"""How far a generator that a target returns is run."""


class Module:
    """One module under test.  Create it, `load` it once, then `call` its functions; `close` it before the next."""

    def __init__(self, recorder: Recorder, path: str) -> None:
        self._recorder = recorder
        self._path = path
        self._name = "jaxlint_target_" + "".join(c if c.isalnum() else "_" for c in Path(path).stem)
        self._module = types.ModuleType(self._name)
        self._module.__file__ = path
        self._folder = str(Path(path).parent)
        self._units: list[_Unit] = []
        self._examples: Mapping[str, Any] = {}

    def load(self, source: str | None, watched: Iterable[int], loops: Iterable[int], *, guard: bool) -> Loaded:
        """Run the module and its examples hook.

        `source` replaces the file's text.  `guard` says whether to run the body of `if __name__ == "__main__"`.
        A statement that raises is recorded, and the next one is run.
        """
        try:
            tree = ast.parse(Path(self._path).read_bytes() if source is None else source, self._path)
        except (SyntaxError, ValueError, OSError) as error:
            return Loaded(reason=f"{type(error).__name__}: {error}")
        instrumenter = Instrumenter(tree, watched, loops)
        originals = list(tree.body)
        self._units = list(_units(instrumenter.visit(tree), originals, self._path))
        self._recorder.attach(self._path, instrumenter)
        sys.path.insert(0, self._folder)
        sys.modules[self._name] = self._module
        statements = []
        for unit in self._units:
            if unit.guard and not guard:
                continue
            run = self._execute(unit)
            if run.events or run.failure or run.reached:
                statements.append(Statement(unit.line, unit.end_line, run))
        return Loaded(tuple(statements), *self._find_examples())

    def call(self, target: str, calls: int) -> Observation:
        """Call a target repeatedly, the first time with empty caches, and return what happened each time."""
        try:
            action = self._action(target)
        except LookupError as error:
            return Observation(target, reason=str(error.args[0]))
        _clear_caches(self._recorder.jax)
        runs = []
        for _ in range(calls):
            # What the last call left in reference cycles could still be equal to what this one makes.
            gc.collect()
            runs.append(self._recorder.run(lambda: _finish(self._recorder.jax, action()))[0])
        return Observation(target, tuple(runs))

    def grow(self, target: str, lines: range, limits: Iterable[int]) -> Growth:
        """Call a target once for each limit on the turns of the loop that stands on these lines."""
        try:
            action = self._action(target)
        except LookupError as error:
            return Growth(target, reason=str(error.args[0]))
        watch = self._recorder.watch
        equations = {}
        try:
            for limit in limits:
                _clear_caches(self._recorder.jax)
                watch.limits = {lines.start: limit}
                equations[limit], failure = self._recorder.grow(lambda: _finish(self._recorder.jax, action()), lines)
                if failure:
                    return Growth(target, reason=f"{target} raised {failure.type}: {failure.message}")
        finally:
            watch.limits = {}
        return Growth(target, equations, watch.turns.get(lines.start), lines.start in watch.reached)

    def again(self, line: int, calls: int) -> Observation:
        """Run the module-level statement that stands on a line again."""
        target = f"line {line}"
        for unit in self._units:
            if unit.line <= line <= unit.end_line:
                _clear_caches(self._recorder.jax)
                return Observation(target, tuple(self._execute(unit) for _ in range(calls)))
        return Observation(target, reason=f"no statement stands on line {line}")

    def close(self) -> None:
        """Take the module out of this process as far as that is possible."""
        if sys.modules.get(self._name) is self._module:
            del sys.modules[self._name]
        if self._folder in sys.path:
            sys.path.remove(self._folder)
        self._examples = {}
        self._units = []
        self._module.__dict__.clear()
        _clear_caches(self._recorder.jax)
        gc.collect()

    def _execute(self, unit: _Unit) -> Run:
        names = self._module.__dict__
        names["__name__"] = "__main__" if unit.guard else self._name
        run, _ = self._recorder.run(lambda: exec(unit.code, names))  # noqa: S102
        names["__name__"] = self._name
        return run

    def _find_examples(self) -> tuple[Run, tuple[str, ...], str | None]:
        hook = getattr(self._module, HOOK, None)
        if hook is None:
            return Run(), (), None
        run, examples = self._recorder.run(hook)
        if run.failure:
            return run, (), f"{HOOK}() raised {run.failure.type}: {run.failure.message}"
        if not isinstance(examples, Mapping) or not all(isinstance(name, str) for name in examples):
            return run, (), f"{HOOK}() must return a dict whose keys are names"
        self._examples = examples
        return run, tuple(examples), None

    def _action(self, target: str) -> Callable[[], Any]:
        """Return what calls the target; raises LookupError, with a reason, if nothing does."""
        if target in self._examples:
            example = self._examples[target]
            if isinstance(example, tuple):
                return self._with_arguments(target, example)
            if callable(example):
                return example  # type: ignore[no-any-return]
            raise LookupError(f"the example for {target} is neither a tuple of arguments nor callable")
        function = self._resolve(target)[1]
        if "." in target or not callable(function):
            raise LookupError(f"no example for {target}")
        try:
            inspect.signature(function).bind()
        except (TypeError, ValueError):
            raise LookupError(f"no example for {target}") from None
        return function  # type: ignore[no-any-return]

    def _with_arguments(self, target: str, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        owner, found = self._resolve(target)
        name = target.rpartition(".")[2]
        if isinstance(inspect.getattr_static(owner, name, None), property | functools.cached_property):
            return lambda: getattr(arguments[0], name)
        if not callable(found):
            raise LookupError(f"{target} cannot be called")
        return lambda: found(*arguments)

    def _resolve(self, target: str) -> tuple[Any, Any]:
        owner: Any = self._module
        found: Any = self._module
        for name in target.split("."):
            owner = found
            try:
                found = getattr(owner, name)
            except AttributeError:
                raise LookupError(f"{target} is not defined at module level") from None
        return owner, found


@dataclass(frozen=True, slots=True)
class _Unit:
    line: int
    end_line: int
    code: types.CodeType
    guard: bool


def _units(tree: ast.Module, originals: list[ast.stmt], path: str) -> Iterator[_Unit]:
    """Compile each top-level statement by itself, together with the counters put before it."""
    flags = 0
    original = set(map(id, originals))
    pending: list[ast.stmt] = []
    for statement in tree.body:
        pending.append(statement)
        if id(statement) not in original:
            continue
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            features = importlib.import_module("__future__")
            for alias in statement.names:
                flags |= getattr(features, alias.name).compiler_flag
        code = compile(ast.Module(pending, []), path, "exec", flags, dont_inherit=True)
        end_line = statement.end_lineno or statement.lineno
        yield _Unit(first_line(statement), end_line, code, _is_guard(statement))
        pending = []


def _is_guard(statement: ast.stmt) -> bool:
    """Tell whether this is `if __name__ == ...`."""
    if not (isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare)):
        return False
    sides = (statement.test.left, *statement.test.comparators)
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)


def _finish(jax: Any, result: Any) -> None:
    """Wait for, or run to its end, what a target returned."""
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    if inspect.isgenerator(result):
        result = [item for item, _ in zip(result, range(_ITEMS), strict=False)]
    jax.block_until_ready(result)


def _clear_caches(jax: Any) -> None:
    jax.clear_caches()
    # Which calling lines had a miss is remembered apart from the caches, and colours what jax says of the next one.
    internal = sys.modules.get("jax._src.interpreters.partial_eval")
    seen = getattr(internal, "callsites_with_tracing_cache_miss", None)
    if seen is not None:
        seen.clear()
