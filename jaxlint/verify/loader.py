"""Loads the module under test in this process, and calls what is in it.

The module is run statement by statement, each compiled under the file's real name, so that jax, tracebacks and
recorded places all mention the file that was linted.  A module of a package is imported under its own name, so that
its relative imports and those that import it back work; what cannot be imported or run leaves stubs that say why.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import functools
import gc
import importlib
import importlib.abc
import importlib.util
import inspect
import os
import re
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from . import calls, clock
from .inputs import State
from .instrument import Instrumenter, first_line
from .observation import Anchor, Growth, Inputs, Leaf, Loaded, Observation, Output, Range, Run, Statement
from .recorder import Recorder
from .renamed import Renamed
from .search import (
    DeadlineError,
    Found,
    Getter,
    LinenMethod,
    Mode,
    Search,
    Wanted,
    deadline,
    drop,
    finish,
    limited,
)
from .sliced import Sliced, Unit, liftable
from .slices import is_conditional
from .standins import NOT_LOADED, Absent, AbsentFinder, Stub
from .uses import Definitions

HOOK = "jaxlint_examples"
"""The function in which a module gives examples: it returns a dict from qualified names to arguments."""

_LONGEST_STATEMENT, _LEAST_SECONDS = 15.0, 0.1
"""Seconds that a statement of the module may take where only definitions are wanted, and when time is up."""


class Module:
    """One module under test.  Create it, `load` it once, then `call` its functions; `close` it before the next."""

    def __init__(self, recorder: Recorder, path: str) -> None:
        self._recorder = recorder
        self._path = path
        self._name, self._roots = _identity(Path(path))
        self._module = types.ModuleType(self._name)
        self._module.__file__ = path
        self._folders: list[str] = []
        self._units: list[_Unit] = []
        self._asked: frozenset[int] = frozenset()
        self._examples: Mapping[str, Any] = {}
        self._tree = ast.Module([], [])
        self._definitions = self._instrumented = Definitions(self._tree)
        self._liftable: dict[str, bool] = {}
        self._searches: dict[str, Search] = {}
        self._found: dict[str, Found] = {}
        self._finders: dict[str, Search] = {}
        self._recorded: dict[str, Found] = {}
        self._before: frozenset[str] = frozenset(sys.modules)
        self._absent: AbsentFinder | None = None
        self._renamed: Renamed | None = None

    def load(
        self,
        source: str | bytes | None,
        watched: Iterable[int],
        loops: Iterable[int],
        *,
        whole: bool,
        spans: Iterable[Range] = (),
        entries: Iterable[str] = (),
        examples: str | None = None,
        seconds: float = 60.0,
    ) -> Loaded:
        """Run the module and its examples hook.

        `source` replaces the file's text.  `whole` says whether to run all of it as a script, or only what defines
        something and what is on `watched` lines: no other bare calls and loops, no `if __name__ == "__main__"`.
        `spans` are the ranges of which it shall be known what of them ran, `entries` the functions whose calls
        `record` may look for.  `examples` is a file whose hook is used
        instead of the module's.

        A statement that raises is recorded, its names become stubs, and the next one is run; so does one that takes too
        long where only definitions are wanted, for which there are `seconds` altogether.
        """
        try:
            tree = ast.parse(Path(self._path).read_bytes() if source is None else source, self._path)
        except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as error:
            return Loaded(reason=f"{type(error).__name__}: {error}")
        written = copy.deepcopy(tree)
        self._definitions = Definitions(written)
        self._asked = frozenset(watched)
        instrumenter = Instrumenter(tree, self._asked, loops, spans, entries)
        originals = list(tree.body)
        defining = [whole or _defines(statement) for statement in originals]
        if not whole:
            for statement, wanted in zip(originals, defining, strict=True):
                if wanted and not _is_guard(statement):
                    _without_calls(statement)
        self._tree = written
        self._units = list(_units(instrumenter.visit(tree), originals, written.body, defining, self._path))
        self._instrumented = Definitions(tree)
        self._recorder.attach(self._path, instrumenter)
        sys.path[:0] = self._roots
        # As a program finds them that is started from the folder of its project.
        folders = [os.path.join(os.getcwd(), "src"), os.getcwd()]
        self._folders = [folder for folder in folders if folder not in sys.path and os.path.isdir(folder)]
        sys.path += self._folders
        self._before = frozenset(sys.modules)
        if not whole:
            self._absent = AbsentFinder(self._recorder.is_user, {self._path: written})
            sys.meta_path.append(self._absent)
            self._renamed = Renamed(self._recorder.is_user)
        statements: list[Statement] = []
        self._import(lambda: statements.extend(self._statements(None if whole else seconds)))
        if not whole:
            _parse_flags()
        found = self._find_examples(examples)
        return Loaded(tuple(statements), *found, switched_off=self._recorder.switched_off())

    def _statements(self, seconds: float | None) -> Iterator[Statement]:
        end = clock.now() + seconds if seconds is not None else None
        for unit in self._units:
            asked_for = not self._asked.isdisjoint(range(unit.line, unit.end_line + 1))
            wanted = unit.defining or asked_for or self._fills(unit)
            if not wanted or (unit.guard and end is not None):
                # What it would have bound is missing where functions read it.
                self._liftable.update(dict.fromkeys(liftable(unit.written), True))
                continue
            # What only defines functions gets its time however long the others took.
            left = None if end is None else max(min(_LONGEST_STATEMENT, end - clock.now()), _LEAST_SECONDS)
            counter = self._recorder.dispatches if asked_for and not unit.definition else None
            if counter is None:
                run = self._execute(unit, left)
            else:
                # It may not go the same way once more, after all that follows.
                _clear_caches(self._recorder.jax)
                with counter.counting():
                    run = self._execute(unit, left)
            if run.failure:
                for name in unit.names:
                    reason = f"line {unit.line}: {run.failure.type}: {run.failure.message[:200]}"
                    if run.failure.type == DeadlineError.__name__:
                        reason = f"line {unit.line} {run.failure.message}, which is more than loading may take"
                    self._module.__dict__.setdefault(name, Stub(name, reason))
                self._liftable.update(dict.fromkeys(liftable(unit.written), True))
            self._note_stubs(unit)
            if run.events or run.failure or run.reached:
                yield Statement(unit.line, unit.end_line, run)

    def _fills(self, unit: _Unit) -> bool:
        """Tell whether a statement does no more than to fill what the module holds: a list, a parser of arguments."""
        call = unit.written.value if isinstance(unit.written, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return False
        owner = call.func.value
        if isinstance(owner, ast.Attribute):
            return ast.unparse(owner) == "sys.path"
        return isinstance(owner, ast.Name) and isinstance(vars(self._module).get(owner.id), _FILLED)

    def _note_stubs(self, unit: _Unit) -> None:
        """Note what of the names that a statement has bound is part of what another one failed to compute."""
        for name in liftable(unit.written):
            value = vars(self._module).get(name)
            # Of what a package that is not installed should have made nothing more is known, either.
            known = isinstance(value, Stub) and self._liftable.get(value.jaxlint_name.partition(".")[0])
            if known or isinstance(value, Absent):
                self._liftable[name] = True

    def _import(self, execute: Callable[[], None]) -> None:
        """Make the module known under its name, and run it, packages around it first."""
        top, _, rest = self._name.partition(".")
        if not rest:
            sys.modules[self._name] = self._module
            execute()
            return
        for name in [name for name in sys.modules if name == top or name.startswith(top + ".")]:
            # Another copy of the module, or one that holds objects of another copy, must not be met.
            del sys.modules[name]
        finder = _Finder(self._name, self._path, self._module, execute)
        sys.meta_path.insert(0, finder)
        try:
            self._recorder.run(lambda: importlib.import_module(self._name))
            if not finder.executed:
                self._stand_in_packages()
                self._recorder.run(lambda: importlib.import_module(self._name))
        finally:
            sys.meta_path.remove(finder)
        if not finder.executed:
            execute()
        sys.modules[self._name] = self._module

    def _stand_in_packages(self) -> None:
        """Put empty packages where those around the module cannot be imported."""
        parts = self._name.split(".")[:-1]
        folder = Path(self._roots[0])
        for number, part in enumerate(parts, 1):
            folder /= part
            name = ".".join(parts[:number])
            if name not in sys.modules:
                package = types.ModuleType(name)
                package.__path__ = [str(folder)]
                package.__package__ = name
                sys.modules[name] = package

    def search(
        self,
        target: str,
        wanted: Wanted,
        tries: int,
        seconds: float,
        state: Mapping[str, Any] | None = None,
        patience: float = 0.0,
        sliced: str = "",
    ) -> Inputs:
        """Find arguments for a target that has no example, and keep them for the calls to come.

        Where none are found, parts of the target may be skipped, for what `sliced` says shall be seen (see `Sliced`).
        A target may be a statement at module level, as `line 7`, of which there is nothing but such parts.
        """
        conditional = is_conditional(self._tree, wanted.line)
        wanted = replace(wanted, conditional=conditional, host=sliced == "dispatch")
        self._finders.pop(target, None)
        if target.startswith(_LINE):
            return self._search_statement(target, wanted, tries, seconds, sliced)
        search = self._searches.get(target)
        if search is None:
            found = self._resolved(target)
            if isinstance(found, str):
                return Inputs(target, reason=found)
            search = Search(self._recorder, self._module, self._path, self._definitions, target)
            self._searches[target] = search
        search.tries = 0
        self._found.pop(target, None)
        start = time.perf_counter()
        result = None
        if target in self._recorded:
            result = search.accepts(self._recorded[target], wanted, max(seconds, patience))
        if result is None:
            if state:
                search.begin_with(state)
            result = search.find(wanted, tries, seconds, patience)
        if result is None and sliced:
            result = self._sliced(target, wanted, search, tries, seconds, sliced)
        spent = time.perf_counter() - start
        if result is None:
            reason = f"no arguments found for {target}: {search.reason}"
            if NOT_LOADED not in reason:
                reason += f"; {HOOK}() can say what to call it with"
            return Inputs(target, tries=search.tries, seconds=spent, reason=reason)
        self._found[target] = result
        compiled = self._recorder.watch.compiled(result.function) is not None
        rest = compiled, result.opaque, result.given, result.state.as_json(), result.sliced
        return Inputs(target, result.text, result.mode, search.tries, spent, *rest)

    def _sliced(
        self, target: str, wanted: Wanted, search: Search, tries: int, seconds: float, kind: str
    ) -> Found | None:
        """Find arguments for what is left of a function without what fails in it."""
        written, run = self._definitions.get(target), self._instrumented.get(target)
        if isinstance(written, ast.Lambda | None) or isinstance(run, ast.Lambda | None):
            return None
        known = self._recorder, self._module, self._path, self._definitions, target
        found = Sliced(*known, written, run, self._liftable, kind).find(wanted, search, tries, seconds)
        if found is None:
            return None
        self._finders[target] = found[0]
        return found[1]

    def _search_statement(self, target: str, wanted: Wanted, tries: int, seconds: float, kind: str) -> Inputs:
        """Find values for the names that a statement at module level needs and that could not be made."""
        unit = next((u for u in self._units if u.line <= wanted.line <= u.end_line and not u.definition), None)
        if unit is None or not kind:
            return Inputs(target, reason=f"there is no statement on line {wanted.line}")
        statement = Unit(unit.written, unit.run, unit.guard)
        written, run = statement.as_function(run=False), statement.as_function(run=True)
        known = self._recorder, self._module, self._path, self._definitions, target
        sliced = Sliced(*known, written, run, self._liftable, kind, unit=True)
        start = time.perf_counter()
        found = sliced.find(wanted, None, tries, seconds)
        spent = time.perf_counter() - start
        if found is None:
            reason = f"{target} could not be run: {sliced.reason or 'nothing of it may be left out'}"
            return Inputs(target, tries=sliced.tries, seconds=spent, reason=reason)
        self._finders[target], self._found[target] = found
        text, mode, state = found[1].text, found[1].mode, found[1].state.as_json()
        return Inputs(
            target, text, mode, sliced.tries, spent, False, found[1].opaque, False, state, found[1].sliced or target
        )

    def record(self, targets: Iterable[str], sources: Sequence[tuple[str, bool]], seconds: float) -> dict[str, str]:
        """Run what calls some functions until each was met, and keep what they were called with; say what that is.

        First the rest of the module and its docstrings are run, then `sources`, which are paths, and whether they are
        tests.
        """
        found = calls.Calls(self._recorder.jax, frozenset(targets))
        end = clock.now() + seconds

        def run(action: Callable[[], Any]) -> None:
            left = end - clock.now()
            if found.missing and left > 0:
                self._recorder.run(action)

        alias = Path(self._path).stem
        known = sys.modules.get(alias)
        if "." not in self._name:
            sys.modules[alias] = self._module
        self._recorder.watch.entered = found.enter
        try:
            found.source = Path(self._path).name
            for unit in self._units:
                if unit.guard or not unit.defining:
                    run(functools.partial(self._execute, unit, max(end - clock.now(), _LEAST_SECONDS)))
            calls.run_docstrings(found, self._module, _LONGEST_STATEMENT, run)
            calls.run_all(found, sources, max(end - clock.now(), _LEAST_SECONDS), run)
        finally:
            self._recorder.watch.entered = None
            if "." not in self._name:
                sys.modules.pop(alias, None)
                if known is not None:
                    sys.modules[alias] = known
        for target, call in found.found.items():
            with contextlib.suppress(LookupError):
                self._recorded[target] = self._of_call(target, call)
        return {target: one.text for target, one in self._recorded.items()}

    def _of_call(self, target: str, call: calls.Call) -> Found:
        """Return what calls a function as it was seen to be called; raises LookupError if it is not there any more."""
        owner, function = self._resolve(target)
        name = target.rpartition(".")[2]
        positional = list(call.positional)
        static = inspect.getattr_static(owner, name, None)
        if isinstance(owner, type) and not isinstance(static, staticmethod):
            instance = positional[0]
            if isinstance(static, classmethod):
                del positional[0]
            elif isinstance(static, property | functools.cached_property):
                function, positional = Getter(instance, name), []
            elif name == "__init__":
                function, positional = owner, positional[1:]
            elif hasattr(owner, "init_with_output"):
                instance = instance.clone(parent=None, name=None)
                function = LinenMethod(self._recorder.jax, instance, getattr(instance, name), name)
                del positional[0]
        arguments = positional, call.words
        text = f"{_text_of(function, arguments)} (from {call.source})"
        return Found(
            lambda: function(*positional, **call.words),
            arguments,
            function,
            text,
            Mode.CONCRETE,
            State(),
            (),
            given=True,
            recorded=True,
        )

    def _resolved(self, target: str) -> str | None:
        """Return why a target cannot be called, None where it may."""
        owner: Any = self._module
        for name in target.split("."):
            static = inspect.getattr_static(owner, name, None)
            found = static if static is not None and isinstance(owner, type) else getattr(owner, name, None)
            if isinstance(found, Stub):
                return f"{target} was not defined: {found.jaxlint_reason}"
            if found is None:
                return f"{target} is not defined at module level"
            owner = found
        return None

    def trace(self, target: str, mode: str, calls: int) -> Observation:
        """Call a target under abstract evaluation, the first time with empty caches."""
        jax = self._recorder.jax
        found = self._found.get(target) if target not in self._examples else None
        if found is not None:
            self._renew(target)
            search, known = self._finder(target), self._found[target]

            def once() -> Run:
                return search.run(known.action, known.arguments, known.function, mode)
        else:
            try:
                action = self._action(target)
            except LookupError as error:
                return Observation(target, reason=str(error.args[0]))

            def once() -> Run:
                return self._recorder.run(lambda: jax.eval_shape(lambda: drop(action())))[0]

        _clear_caches(jax)
        runs = []
        for _ in range(calls):
            gc.collect()
            runs.append(once())
        return Observation(target, tuple(runs), inputs=self._inputs(target))

    def call(self, target: str, calls: int, *, dispatches: Anchor | None = None, seconds: float = 0.0) -> Observation:
        """Call a target repeatedly, the first time with empty caches, and return what happened each time.

        With `dispatches`, single operations are counted, which slows them down: once they are enough at this place, or
        `seconds` are over, the call goes no further.
        """
        self._renew(target)
        try:
            action = self._action(target)
        except LookupError as error:
            return Observation(target, reason=str(error.args[0]))
        _clear_caches(self._recorder.jax)
        runs = []
        counter = self._recorder.dispatches if dispatches is not None else None
        for _ in range(calls):
            # What the last call left in reference cycles could still be equal to what this one makes.
            gc.collect()
            if (counter is None or dispatches is None) and target in self._found and seconds:
                runs.append(self._recorder.run(lambda: limited(self._recorder.jax, action, seconds))[0])
                continue
            if counter is None or dispatches is None:
                runs.append(self._recorder.run(lambda: finish(self._recorder.jax, action()))[0])
                continue
            with counter.counting(), self._recorder.until(dispatches):
                runs.append(self._recorder.run(lambda: limited(self._recorder.jax, action, seconds))[0])
        return Observation(target, tuple(runs), inputs=self._inputs(target))

    def result(self, target: str, *, compiled: bool = True) -> Output:
        """Call a target once and return what it gives; not `compiled`, operation by operation where that goes."""
        jax = self._recorder.jax
        self._renew(target)
        try:
            action = self._action(target)
        except LookupError as error:
            return Output(reason=str(error.args[0]))
        with contextlib.nullcontext() if compiled else jax.disable_jit():
            run, result = self._recorder.run(action)
        if run.failure and not compiled:
            return self.result(target)  # some of jax works only when it is compiled
        if run.failure:
            return Output(reason=f"{target} raised {run.failure.type}: {run.failure.message}")
        leaves, structure = jax.tree.flatten(result)
        return Output(str(structure), tuple(_leaf(jax, leaf) for leaf in leaves))

    def _renew(self, target: str) -> None:
        """Make the arguments of a target once more, if they were found: objects may hold what they were traced with."""
        if target in self._found and target not in self._examples and self._found[target].mode != Mode.CONCRETE:
            self._found[target] = self._finder(target).renewed(self._found[target])

    def _finder(self, target: str) -> Search:
        """Return the search that found what a target is called with."""
        return self._finders.get(target) or self._searches[target]

    def _inputs(self, target: str) -> str:
        found = self._found.get(target)
        return found.text if found is not None and target not in self._examples else ""

    def grow(self, target: str, lines: range, limits: Iterable[int]) -> Growth:
        """Call a target once for each limit on the iterations of the loop that is on these lines."""
        jax = self._recorder.jax
        self._renew(target)
        try:
            action = self._action(target)
        except LookupError as error:
            return Growth(target, reason=str(error.args[0]))
        found = self._found.get(target) if target not in self._examples else None

        def program() -> Any:
            return finish(jax, action()) if found is None else self._finder(target).program(found)

        watch = self._recorder.watch
        equations, slow, reached = {}, 0, 0
        try:
            for limit in limits:
                _clear_caches(jax)
                watch.limits = {lines.start: limit}
                equations[limit], slow, run = self._recorder.grow(program, lines)
                reached += run.reached.get(lines.start, 0)
                if run.failure:
                    reason = f"{target} raised {run.failure.type}: {run.failure.message}"
                    # What follows may not take the result of a loop that was cut short.
                    sizes = self._by_size(target, found, lines) if found is not None else ()
                    if len(sizes) == _SIZES and max(turns for turns, _ in sizes) < _ITERATIONS:
                        return Growth(target, {}, reached=True, inputs=self._inputs(target), sizes=sizes)
                    return Growth(target, reason=reason, inputs=self._inputs(target))
            turns = watch.turns.get(lines.start)
            sizes = self._by_size(target, found, lines) if found is not None and reached else ()
        finally:
            watch.limits = {}
        return Growth(target, equations, turns, reached > 0, None, slow, self._inputs(target), sizes)

    def _by_size(self, target: str, found: Found, lines: range) -> tuple[tuple[int, int], ...]:
        """Return the iterations of a loop and its equations, with the arguments found and with larger ones.

        With much larger ones as well, if the loop is not run at all then.
        """
        search, watch = self._finder(target), self._recorder.watch
        watch.limits = {lines.start: _ITERATIONS}

        def measure(one: Found) -> tuple[int, int] | None:
            _clear_caches(self._recorder.jax)
            equations, _, run = self._recorder.grow(lambda: search.program(one), lines)
            return None if run.failure else (watch.turns.get(lines.start, 0), equations)

        first = measure(found)
        if first is None:
            return ()
        if _MADE_UP in found.opaque:
            # What an attribute holds that was made up, and how much of it, is not in the code.
            return (first,)
        for by in ("arrays",) if found.sliced else ("arrays", "integers"):
            larger = search.larger(found, first[0], by)
            second = measure(larger) if larger is not None else None
            if second is not None and second > first:
                # Whether it comes to the loop takes no more than one iteration to see.
                watch.limits = {lines.start: 1}
                largest = search.larger(found, first[0], by, _LARGEST)
                third = measure(largest) if largest is not None else None
                return (first, second, third) if third is not None and not third[0] and second[0] else (first, second)
        return (first,)

    def again(self, line: int, calls: int, *, dispatches: Anchor | None = None, seconds: float = 0.0) -> Observation:
        """Run the module-level statement that is on a line again; `dispatches` and `seconds` as for `call`."""
        target = f"line {line}"
        for unit in self._units:
            if unit.line <= line <= unit.end_line:
                _clear_caches(self._recorder.jax)
                counter = self._recorder.dispatches
                if dispatches is not None and counter is not None:
                    with counter.counting(), self._recorder.until(dispatches):
                        return Observation(target, tuple(self._execute(unit, seconds) for _ in range(calls)))
                return Observation(target, tuple(self._execute(unit) for _ in range(calls)))
        return Observation(target, reason=f"there is no statement on line {line}")

    def close(self) -> None:
        """Take the module, and what it imported of its own project, out of this process as far as that is possible."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            ours = module is self._module or (name not in self._before and file and self._recorder.is_user(file))
            if ours:
                sys.modules.pop(name, None)
        if self._absent is not None:
            self._absent.close()
        if self._renamed is not None:
            self._renamed.close()
        sys.path[:] = [entry for entry in sys.path if entry not in (*self._roots, *self._folders)]
        self._examples = {}
        self._searches.clear()
        self._finders.clear()
        self._found.clear()
        self._recorded.clear()
        self._units = []
        self._module.__dict__.clear()
        _clear_caches(self._recorder.jax)
        gc.collect()
        # Libraries that this module was the first to import are there to stay, as `Worker` has it with jax.
        gc.freeze()

    def _execute(self, unit: _Unit, seconds: float | None = None) -> Run:
        names = self._module.__dict__
        before = names.get("__name__")
        names["__name__"] = "__main__" if unit.guard else self._name

        def execute() -> None:
            if seconds is None:
                exec(unit.code, names)  # noqa: S102
                return
            with deadline(seconds):
                exec(unit.code, names)  # noqa: S102

        run, _ = self._recorder.run(execute)
        names["__name__"] = before or self._name
        return run

    def _find_examples(self, file: str | None) -> tuple[Run, tuple[str, ...], str | None]:
        hook = getattr(self._module, HOOK, None)
        where = f"{HOOK}()"
        if file is not None:
            where = f"{HOOK}() of {Path(file).name}"
            try:
                hook = _hook_of(file)
            except Exception as error:  # noqa: BLE001 (the file is the user's)
                return Run(), (), f"{file} cannot be used: {type(error).__name__}: {error}"
        if hook is None or isinstance(hook, Stub):
            return Run(), (), None
        takes_module = bool(inspect.signature(hook).parameters) if inspect.isfunction(hook) else False
        run, examples = self._recorder.run(functools.partial(hook, self._module) if takes_module else hook)
        if run.failure:
            return run, (), f"{where} raised {run.failure.type}: {run.failure.message}"
        if not isinstance(examples, Mapping) or not all(isinstance(name, str) for name in examples):
            return run, (), f"{where} must return a dict whose keys are names"
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
        if target in self._found:
            return self._found[target].action
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


_FILLED = (list, dict, set, types.SimpleNamespace, argparse._ActionsContainer)
"""What is filled by bare calls of its methods, which do nothing else."""
_ITERATIONS = 200
"""A loop that unrolls goes no further where it is measured with larger arguments."""
_LARGEST = 16
"""How many times as large the largest arguments are that a loop is measured with."""
_SIZES = 2
"""How many measurements show growth."""
_LINE = "line "
"""What the name of a target begins with that is a statement at module level."""
_MADE_UP = "self"
"""The path of an instance without its constructor."""


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Has one module run by `execute` when it is first imported, by whom ever."""

    def __init__(self, name: str, path: str, module: types.ModuleType, execute: Callable[[], None]) -> None:
        self._name = name
        self._path = path
        self._module = module
        self._execute = execute
        self.executed = False

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        if name != self._name:
            return None
        locations = [str(Path(self._path).parent)] if Path(self._path).name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            name, self._path, loader=self, submodule_search_locations=locations
        )

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:  # noqa: ARG002
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:  # noqa: ARG002
        self.executed = True
        self._execute()


def _identity(path: Path) -> tuple[str, list[str]]:
    """Return the name to import a file under, and the folders to put on the path of imports."""
    folder, parts = path.parent, [] if path.name == "__init__.py" else [path.stem]
    while (folder / "__init__.py").exists() and folder.name.isidentifier() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    roots = [str(folder)]
    for parent in folder.parents if folder.name else ():
        if any((parent / name).exists() for name in ("pyproject.toml", "setup.py", "setup.cfg", ".git")):
            roots += [str(parent / "src"), str(parent)] if (parent / "src").is_dir() else [str(parent)]
            break
    if len(parts) > 1 or path.name == "__init__.py":
        return ".".join(parts), roots
    return "jaxlint_target_" + "".join(c if c.isalnum() else "_" for c in path.stem), roots


def _parse_flags() -> None:
    """Give the flags of a program their defaults, as its main function would find them."""
    flags = getattr(sys.modules.get("absl.flags"), "FLAGS", None)
    if flags is not None and not flags.is_parsed():
        flags.mark_as_parsed()


def _hook_of(file: str) -> Any:
    """Return the hook that a file of examples defines; raises whatever the file does, AttributeError without one."""
    spec = importlib.util.spec_from_file_location("jaxlint_examples_file", file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, HOOK)


@dataclass(frozen=True, slots=True)
class _Unit:
    line: int
    end_line: int
    code: types.CodeType
    guard: bool
    defining: bool
    names: tuple[str, ...]
    definition: bool
    written: ast.stmt
    run: Sequence[ast.stmt]


def _units(
    tree: ast.Module, originals: list[ast.stmt], written: list[ast.stmt], defining: list[bool], path: str
) -> Iterator[_Unit]:
    """Compile each top-level statement by itself, together with the counters put before it."""
    flags = 0
    original = {id(statement): number for number, statement in enumerate(originals)}
    pending: list[ast.stmt] = []
    for statement in tree.body:
        pending.append(statement)
        number = original.get(id(statement))
        if number is None:
            continue
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            features = importlib.import_module("__future__")
            for alias in statement.names:
                flags |= getattr(features, alias.name).compiler_flag
        code = compile(ast.Module(pending, []), path, "exec", flags, dont_inherit=True)
        end_line = statement.end_lineno or statement.lineno
        names = tuple(_bound(statement))
        definition = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        known = first_line(statement), end_line, code, _is_guard(statement), defining[number], names, definition
        yield _Unit(*known, written[number], tuple(pending))
        pending = []


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.alias) and node.name != "*":
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _defines(statement: ast.stmt) -> bool:
    """Tell whether a statement of a module is there to define something."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) or _configures(statement)
    return not isinstance(statement, ast.For | ast.AsyncFor | ast.While | ast.Assert | ast.Raise)


def _configures(statement: ast.stmt) -> bool:
    """Tell whether this is a call without which the module would be another: a setting, a rule, a registration."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    name = ast.unparse(call.func)
    return "config.update" in name or name.rpartition(".")[2].lower().startswith(("def", "register"))


def _without_calls(statement: ast.stmt) -> None:
    """Take bare calls and loops out of an `if`, `try` or `with` at module level."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            kept = [inner for inner in block if _defines(inner) or isinstance(inner, ast.Raise)]
            setattr(statement, name, kept or ([ast.copy_location(ast.Pass(), block[0])] if block else []))
            for inner in kept:
                _without_calls(inner)
    for handler in getattr(statement, "handlers", ()):
        _without_calls(handler)


def _is_guard(statement: ast.stmt) -> bool:
    """Tell whether this is `if __name__ == ...`."""
    if not (isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare)):
        return False
    sides = (statement.test.left, *statement.test.comparators)
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)


def _text_of(function: Any, arguments: tuple[list[Any], dict[str, Any]]) -> str:
    """Return a text for arguments: arrays by type and shape, others by their text or class."""
    try:
        parameters = list(inspect.signature(function).bind(*arguments[0], **arguments[1]).arguments.items())
    except (TypeError, ValueError):
        parameters = [*((f"{number}", value) for number, value in enumerate(arguments[0])), *arguments[1].items()]

    def text(value: Any) -> str:
        if hasattr(value, "dtype") and hasattr(value, "shape"):
            return f"{value.dtype}[{','.join(map(str, value.shape))}]"
        return repr(value)[:40] if isinstance(value, int | float | str | bool | None) else type(value).__name__

    return ", ".join(f"{name}={text(value)}" for name, value in parameters)[:_LONGEST_TEXT]


_LONGEST_TEXT = 240


def _leaf(jax: Any, leaf: Any) -> Leaf:
    if not hasattr(leaf, "dtype") or not hasattr(leaf, "shape"):
        return Leaf(
            type(leaf).__name__, (), False, (leaf if isinstance(leaf, int | float | str) else _anonymous(leaf),)
        )
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    numpy = importlib.import_module("numpy")
    flat = numpy.ravel(numpy.asarray(leaf))
    if flat.dtype.kind == "c":
        flat = numpy.concatenate([flat.real, flat.imag])
    elif flat.dtype.kind not in "biuf":
        flat = flat.astype("float32") if "float" in str(flat.dtype) else flat.astype(str)
    weak = bool(getattr(leaf, "weak_type", False))
    return Leaf(str(leaf.dtype), tuple(leaf.shape), weak, tuple(flat[:_VALUES].tolist()))


def _anonymous(value: Any) -> str:
    """Return the text of a value without what differs each time."""
    return re.sub(r" at 0x[0-9a-f]+|id=\d+", "", repr(value))[:200]


_VALUES = 10_000
"""How many numbers of an array are compared."""


def _clear_caches(jax: Any) -> None:
    jax.clear_caches()
    # Which calling lines had a miss is remembered apart from the caches, and colours what jax says of the next one.
    internal = sys.modules.get("jax._src.interpreters.partial_eval")
    seen = getattr(internal, "callsites_with_tracing_cache_miss", None)
    if seen is not None:
        seen.clear()
