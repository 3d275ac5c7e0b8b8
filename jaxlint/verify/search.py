"""Finds arguments with which a function runs up to the place in question.

A best-first search: each try calls the function, mostly under `jax.eval_shape`, where nothing is computed or compiled.
A failing try tells how far it came, and by the line it failed on, which values to blame; the next tries change those.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import heapq
import inspect
import itertools
import re
import signal
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import clock
from .inputs import ARRAY_ATTRIBUTES, SIZE, Choice, NoInputError, Slot, State, Synthesis, World, bare, instances
from .observation import Anchor, Failure, Run, comes_from, is_done
from .recorder import EnoughError, Recorder
from .standins import NOT_LOADED, NOTES
from .uses import Definitions, Function, FunctionUses, Use


class DeadlineError(BaseException):
    """A try took too long; no `Exception`, so that the code under test does not catch it."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise DeadlineError in what runs inside after so many seconds of its own (see `clock`).

    Needs the main thread, does nothing elsewhere.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    end = clock.now() + seconds

    def stop(*_: Any) -> None:
        left = end - clock.now()
        if left > _SLACK * seconds:
            signal.setitimer(signal.ITIMER_REAL, left)
            return
        # Where it is raised in a callback, which Python ignores, it has to come again.
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        raise DeadlineError(f"took more than {seconds:.3g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Mode:
    """How a target is called."""

    ABSTRACT = "abstract"
    """Under `jax.eval_shape`; what the function is given is concrete, what it makes of it is not."""
    TRACED = "traced"
    """The same, with its array arguments abstract too, as if a caller had compiled it."""
    CONCRETE = "concrete"


@dataclass(frozen=True)
class Wanted:
    """What a try must come to: `line` is the place, `anchor` its ranges.

    `effect` is `call` (the place does something under trace), `renew` (the same, or it passes a new function to be
    compiled, if that fails), `error` (it raises), `reach` (the call succeeds) or
    `dispatch` (it succeeds, and runs more than one operation at the place).  `parts` are what Python may skip of
    the place, all of which had better run.
    """

    line: int
    anchor: Anchor
    effect: str
    parts: tuple[str, ...] = ()
    conditional: bool = False
    """Whether the place may run in one call and not in another."""
    host: bool = False
    """Whether it matters what is an array of jax, and what one of NumPy."""
    inside: Anchor | None = None
    """Its ranges with those of the function that is to be compiled there."""
    pieces: tuple[str, ...] | None = None
    """What has run once all of the place has, where it does not matter how the call goes on after it."""


@dataclass(frozen=True)
class Found:
    """Arguments that work: what to call, a text for them, and how."""

    action: Callable[[], Any]
    arguments: tuple[list[Any], dict[str, Any]]
    function: Callable[..., Any]
    text: str
    mode: str
    state: State
    opaque: tuple[str, ...] = ()
    """The paths of objects about which nothing is known but their attributes, and of functions in place of others."""
    given: bool = False
    """Whether all of it comes from the code."""
    recorded: bool = False
    """Whether it is what a call was seen to be given."""
    sliced: str = ""
    """What of the code was skipped or made up."""


@dataclass(frozen=True)
class Piece:
    """What is called instead of a target: `function`, as `node` has it, or the target itself where it is None.

    `names` are the global names whose values are made up, because what should have made them failed; `text` says what
    is skipped and made up.  The arrays in what `host` names are of NumPy.
    """

    node: Function
    function: Callable[..., Any] | None
    names: tuple[str, ...] = ()
    text: str = ""
    host: frozenset[str] = frozenset()


@dataclass
class Outcome:
    """What came of a try."""

    found: Found | None
    progress: float
    suspects: list[str]
    failure: Failure | None = None
    reason: str = ""
    world: World | None = None
    names: frozenset[str] = frozenset()
    """Names where it failed, which may be those of parameters of another function that was passed the values."""
    idle: bool = False
    """It succeeded, but there was nothing to do for the values that it was given."""
    partly: Found | None = None
    """Arguments with which it succeeded, though not all of the place ran."""
    hint: str = ""
    """The text of the place, with numbers that may decide."""


class Search:
    """The search for one target, which is a function or method by its qualified name."""

    def __init__(
        self,
        recorder: Recorder,
        module: types.ModuleType,
        path: str,
        definitions: Definitions,
        target: str,
        piece: Piece | None = None,
    ) -> None:
        self._recorder = recorder
        self._jax = recorder.jax
        self._module = module
        self._path = path
        self._definitions = definitions
        self._target = target
        self._piece = piece
        self._node = piece.node if piece else definitions.get(target) or _wrapped(module, definitions, target)
        self._slots: dict[str, Slot] = {}
        self._synthesis = Synthesis(self._jax, module, definitions, recorder.paused, recorder.is_user)
        self._chased: Function | None = None
        self.tries = 0
        self.reason = ""
        self.failure: Failure | None = None
        """The exception that `reason` tells of."""
        self._best = State()
        self._patience = _LONGEST_TRY
        self._late = ""

    @property
    def _uses(self) -> FunctionUses | None:
        return self._definitions.uses(self._node, self._target.rpartition(".")[0]) if self._node else None

    @property
    def _handed(self) -> bool:
        """Whether a function was passed to something that is not known, which may keep it."""
        return self._synthesis.handed or NOTES.handed

    def find(self, wanted: Wanted, tries: int, seconds: float, patience: float = 0.0) -> Found | None:
        """Return arguments, or None where the budget does not suffice; `reason` then says what was in the way.

        A call for which nothing has to be invented may take `patience` seconds.
        """
        self._patience = max(patience, seconds)
        self._late = ""
        self._synthesis.host = wanted.host
        self._chased = None
        self.reason, self.failure = "", None
        # Nothing is dispatched while all is being traced.
        mode = Mode.CONCRETE if wanted.effect == "dispatch" else Mode.ABSTRACT
        found = self._find(wanted, mode, tries, seconds * 0.6)
        if found is None and "never ran" in self.reason:
            # The place is in a function that the target returns, or in one that such a function calls.
            reason = self.reason
            for node in self._to_chase(wanted.line):
                self._chased = node
                found = self._find(wanted, Mode.ABSTRACT, tries, seconds * 0.4)
                if found is not None or "does not return" not in self.reason:
                    break
            else:
                self.reason = reason
        if found is None and self._late and self._late not in self.reason:
            self.reason += f" (and {self._late})"
        return found

    def begin_with(self, state: Mapping[str, Any]) -> None:
        """Try a state first, that of another search, as `State.as_json` gives it."""
        self._best = State.from_json(state)

    def _find(self, wanted: Wanted, mode: str, tries: int, seconds: float) -> Found | None:
        end = clock.now() + seconds
        counter = itertools.count()
        starts = {state.key: state for state in (self._best, State())}
        heap: list[tuple[float, float, int, State]] = [(0.0, 0.0, next(counter), state) for state in starts.values()]
        seen = set(starts)
        best = -2.0
        needs_values = late = 0
        partly: Found | None = None
        told_before: set[str] = set()
        for number in range(tries):
            enough = _TRIES_TO_COMPILE if wanted.effect == "renew" else _TRIES_FOR_ALL
            if not heap or clock.now() > end or (partly is not None and number > enough):
                break
            _, cost, _, state = heapq.heappop(heap)
            self.tries += 1
            outcome = self._try(state, wanted, mode, end - clock.now())
            first = not state.choices and self._is_ready(outcome.world) and outcome.failure is not None
            needs = _needs_values(outcome.failure) and needs_values < _TRIES_WITH_VALUES
            if outcome.found is None and mode == Mode.ABSTRACT and (first or needs):
                needs_values += 1
                outcome = self._try(state, wanted, Mode.CONCRETE, end - clock.now())
            if outcome.found is not None:
                self._best = state
                return outcome.found
            late += outcome.failure is not None and outcome.failure.type == DeadlineError.__name__
            if late >= _LATE:
                # Other arguments would hardly be faster.
                best, self.reason, self.failure = outcome.progress, outcome.reason, outcome.failure
                break
            partly = partly or outcome.partly
            told = outcome.reason[:_TOLD_APART]
            # To fail in a new way is to have come further, or to have learned something.
            news = 0.0 if told in told_before else _NEWS
            told_before.add(told)
            if outcome.progress > best:
                best, self.reason, self.failure = outcome.progress, outcome.reason, outcome.failure
            for extra, following in self._neighbours(state, outcome):
                if following.key not in seen:
                    seen.add(following.key)
                    price = cost + extra
                    heapq.heappush(heap, (price - 3 * outcome.progress - news, price, next(counter), following))
        return partly

    def _is_ready(self, world: World | None) -> bool:
        """Tell whether the target can be called as its author meant it to be: with its defaults alone."""
        return world is not None and all(path in self._slots and world.choice(path).given for path in world.touched)

    def accepts(self, found: Found, wanted: Wanted, seconds: float) -> Found | None:
        """Return arguments that were found elsewhere, with the way in which they lead to the place, or None."""
        modes = (Mode.CONCRETE,) if wanted.effect == "dispatch" else (Mode.ABSTRACT, Mode.CONCRETE)
        for mode in modes:
            run = self._counted(found.action, found.arguments, found.function, mode, wanted, seconds)
            works = run.failure is None and run.reached.get(wanted.line, 0) > 0
            whole = all(run.evaluated.get(part) for part in wanted.parts)
            busy = wanted.effect != "dispatch" or _dispatched(run, wanted.anchor) >= _SEVERAL
            if (works and whole and busy) or self._does(run, wanted):
                return replace(found, mode=mode)
            if run.failure is None:
                break
        return None

    def _counted(
        self, action: Callable[[], Any], arguments: Any, function: Any, mode: str, wanted: Wanted, seconds: float
    ) -> Run:
        """Call once, counting dispatches if they are wanted."""
        counter = self._recorder.dispatches if wanted.effect == "dispatch" else None
        if counter is None:
            return self.run(action, arguments, function, mode, seconds)
        self._jax.clear_caches()
        with counter.counting(), self._recorder.until(wanted.anchor):
            return self.run(action, arguments, function, mode, seconds)

    # --- one try ------------------------------------------------------------------------------------------------------

    def _try(self, state: State, wanted: Wanted, mode: str, seconds: float) -> Outcome:
        world = World(self._synthesis, self._slots, state)
        self._synthesis.handed = NOTES.handed = False
        try:
            with deadline(2 * _LONGEST_TRY):
                function, arguments = self.prepare(world)
        except NoInputError as error:
            owner = error.path.rstrip(">")
            suspects = [path for path in world.touched if path == owner or path.startswith(owner + ">")]
            suspects = self._narrowed(error, suspects)
            return Outcome(None, -1.0, suspects, reason=str(error), world=world)
        except DeadlineError:
            return Outcome(None, -1.0, [], reason="what it needs takes too long to make", world=world)
        except BaseException as error:  # noqa: BLE001 (a constructor or factory may raise anything, and exit)
            return self._failed(self._recorder.failure(error), world, -1.0)
        action = functools.partial(self._call, function, arguments)
        longest = min(_LONGEST_TRY, seconds) if mode != Mode.CONCRETE else seconds
        if not state.choices and not state.sizes and self._is_ready(world):
            # There is nothing else to try.
            longest = self._patience
        run = self._counted(action, arguments, function, mode, wanted, max(longest, 0.5))
        failure = run.failure
        works = failure is None and run.reached.get(wanted.line, 0) > 0
        if works and wanted.effect == "dispatch" and _dispatched(run, wanted.anchor) < _SEVERAL:
            arrays = [path for path in world.touched if world.choice(path).kind == "array"]
            return Outcome(None, 1.0, arrays, None, "nothing was dispatched one by one", world, idle=True)
        if works or self._does(run, wanted) or self._refused(failure, wanted, world):
            left_out = works and not all(run.evaluated.get(part) for part in wanted.parts)
            text = self._describe(world)
            opaque = tuple(p for p in world.touched if world.choice(p).kind in _STAND_INS)
            # An instance is made by its own class; what that is given has paths of its own.
            given = all(world.choice(p).given or world.choice(p).kind in _BUILT for p in world.touched)
            if wanted.effect in _CALLING and self._handed:
                reason = "a function is handed to an object that is not known, which may keep it"
                return Outcome(None, 1.0, [*opaque], None, reason, world)
            sliced = self._piece.text if self._piece else ""
            text += f" ({sliced})" if sliced else ""
            found = Found(action, arguments, function, text, mode, state, opaque, given and not sliced, sliced=sliced)
            if left_out:
                return self._left_out(found, wanted, world)
            return Outcome(found, 0.0, [], failure, world=world)
        if failure is None and run.caught:
            # What was handled in silence is why.
            return self._failed(run.caught[-1], world, 0.0)
        if failure is None:
            return Outcome(None, 0.0, self._guards(wanted.line), None, f"line {wanted.line} never ran", world)
        outcome = self._failed(failure, world, 0.0)
        if self._renews(run, wanted):
            opaque = tuple(p for p in world.touched if world.choice(p).kind in _STAND_INS)
            sliced = self._piece.text if self._piece else ""
            text = self._describe(world) + (f" ({sliced})" if sliced else "")
            known = action, arguments, function, text, mode, state, opaque
            outcome.partly = Found(*known, sliced=sliced)
        return outcome

    def _renews(self, run: Run, wanted: Wanted) -> bool:
        """Tell whether a run failed while a function that is new was to be compiled at the place."""
        if wanted.effect != "renew" or wanted.conditional or self._handed or run.caught or not run.failure:
            return False
        inside = any(map((wanted.inside or wanted.anchor).holds, run.failure.stack))
        return inside and any(e.kind == "fresh" and any(map(wanted.anchor.holds, e.made)) for e in run.events)

    def _left_out(self, found: Found, wanted: Wanted, world: World) -> Outcome:
        """Return what came of a try in which the line ran but not all of the place."""
        node = self._chased or self._node
        uses = self._definitions.uses(node) if node is not None else None
        suspects = [*(uses.suspects(wanted.line) if uses else ()), *self._guards(wanted.line)]
        reason = f"not all of line {wanted.line} ran"
        return Outcome(None, 1.0, suspects, None, reason, world, partly=found, hint=self._constants(wanted.line))

    def _constants(self, line: int) -> str:
        """Return the integers on a line of the target, each followed by the next one."""
        node = self._chased or self._node
        inner = ast.walk(node) if node is not None else ()
        found = [n.value for n in inner if isinstance(n, ast.Constant) and type(n.value) is int and n.lineno == line]
        return " ".join(f"{value} {value + 1}" for value in found)

    def run(self, action: Callable[[], Any], arguments: Any, function: Any, mode: str, seconds: float = 600.0) -> Run:
        """Call once and return what happened."""
        jax = self._jax

        def concrete() -> None:
            finish(jax, action())

        def abstract() -> None:
            # A fresh function each time: eval_shape remembers functions.
            jax.eval_shape(lambda: drop(action()))

        def traced() -> None:
            leaves, tree = jax.tree.flatten(arguments)
            dynamic = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]

            def inner(values: list[Any]) -> None:
                filled = iter(values)
                filled_leaves = [next(filled) if isinstance(leaf, jax.Array) else leaf for leaf in leaves]
                self._call(function, jax.tree.unflatten(tree, filled_leaves))

            jax.eval_shape(inner, dynamic)

        chosen = {Mode.CONCRETE: concrete, Mode.ABSTRACT: abstract, Mode.TRACED: traced}[mode]
        return self._recorder.run(lambda: _limited(chosen, seconds))[0]

    def renewed(self, found: Found) -> Found:
        """Return the same arguments, made once more: what was done with them before may have left something in them.

        What was recorded is returned as it is, and so is what cannot be made again.
        """
        if found.recorded:
            return found
        try:
            with deadline(_LONGEST_TRY):
                function, arguments = self.prepare(World(self._synthesis, self._slots, found.state))
        except BaseException:  # noqa: BLE001 (whatever a constructor raises)
            return found
        action = functools.partial(self._call, function, arguments)
        return replace(found, action=action, arguments=arguments, function=function)

    def larger(self, found: Found, turns: int, by: str, times: int = 2) -> Found | None:
        """Return the same arguments with `arrays` so many times as long, or `integers` so many times as large.

        If they were recorded, only axes of so many elements count.  None if nothing can be made of them.
        """
        if found.recorded:
            return self._repeated(found, turns, times) if by == "arrays" else None
        more = replace(found.state, scale=times) if by == "arrays" else replace(found.state, integers=times)
        world = World(self._synthesis, self._slots, more)
        try:
            with deadline(_LONGEST_TRY):
                function, arguments = self.prepare(world)
        except BaseException:  # noqa: BLE001 (whatever a constructor raises)
            return None
        return replace(
            found, action=functools.partial(self._call, function, arguments), arguments=arguments, function=function
        )

    def _repeated(self, found: Found, turns: int, times: int) -> Found | None:
        numpy = self._jax.numpy

        def repeat(leaf: Any) -> Any:
            shape = getattr(leaf, "shape", ())
            if turns not in shape or not hasattr(leaf, "dtype"):
                return leaf
            return numpy.concatenate([leaf] * times, axis=shape.index(turns))

        positional, words = self._jax.tree.map(repeat, found.arguments)
        if self._jax.tree.structure((positional, words)) != self._jax.tree.structure(found.arguments):
            return None
        action = functools.partial(self._call, found.function, (positional, words))
        return replace(found, action=action, arguments=(positional, words))

    def program(self, found: Found) -> Any:
        """Return the program (a jaxpr) that a call with the arguments found is traced to."""
        leaves, tree = self._jax.tree.flatten(found.arguments)
        dynamic = [leaf for leaf in leaves if isinstance(leaf, self._jax.Array)]

        def inner(values: list[Any]) -> None:
            filled = iter(values)
            filled_leaves = [next(filled) if isinstance(leaf, self._jax.Array) else leaf for leaf in leaves]
            self._call(found.function, self._jax.tree.unflatten(tree, filled_leaves))

        return self._jax.make_jaxpr(inner)(dynamic)

    @staticmethod
    def _call(function: Callable[..., Any], arguments: tuple[list[Any], dict[str, Any]]) -> Any:
        return function(*arguments[0], **arguments[1])

    def prepare(self, world: World) -> tuple[Callable[..., Any], tuple[list[Any], dict[str, Any]]]:
        """Return what to call and with what.

        Raises:
            NoInputError: an argument, or the instance that a method needs, cannot be made.
            Exception: a factory that has to be called first raises it.
        """
        function, skip = self._function(world)
        literals = self._definitions.literals(self._target)
        arguments = world.call("", function, self._uses, skip=skip, literals=literals)
        if self._piece is not None and self._piece.names:
            uses = self._uses
            known = {name: uses.of(name) if uses else Use() for name in self._piece.names}
            values = {name: world.value(name, name, use) for name, use in known.items()}
            values = {name: self._placed(name, value) for name, value in values.items()}
            function = Patched(function, vars(self._module), values)
        if self._piece is not None:
            arguments = arguments[0], {name: self._placed(name, value) for name, value in arguments[1].items()}
        if self._chased is None:
            return function, arguments
        made = self._call(function, arguments)
        inner = next(_callables(made, self._path, self._chased), None)
        if inner is None:
            raise NoInputError("", f"line {self._chased.lineno} is in a function that {self._target} does not return")
        uses = self._definitions.uses(self._chased)
        return inner, world.call(f"{self._target}()>", inner, uses)

    def _placed(self, name: str, value: Any) -> Any:
        """Return a value that was made up, with arrays of NumPy if it may hold such."""
        if self._piece is None or name not in self._piece.host:
            return value
        return self._synthesis.on_host(value)

    def _function(self, world: World) -> tuple[Callable[..., Any], int]:
        """Return what represents the target, and how many of its parameters are taken care of."""
        piece = self._piece.function if self._piece is not None else None
        owner_name, _, name = self._target.rpartition(".")
        owner: Any = self._module
        for part in owner_name.split(".") if owner_name else ():
            owner = getattr(owner, part)
        if not isinstance(owner, type) and piece is not None:
            return piece, 0
        if not isinstance(owner, type):
            found = getattr(owner, name)
            if not callable(found):
                raise NoInputError("", f"{self._target} cannot be called")
            return found, 0
        static = inspect.getattr_static(owner, name, None)
        if isinstance(static, staticmethod | classmethod):
            if piece is None:
                return getattr(owner, name), 0
            return (piece if isinstance(static, staticmethod) else types.MethodType(piece, owner)), 0
        if "self" not in self._slots:
            self._slots["self"] = Slot([*instances(owner), *bare(owner)], self._definitions_use())
        if name == "__init__":
            return owner, 0
        instance = world.value("self", "self", self._definitions_use())
        if piece is not None:
            return types.MethodType(piece, instance), 0
        if isinstance(static, property | functools.cached_property):
            return Getter(instance, name), 0
        method = getattr(instance, name)
        if hasattr(owner, "init_with_output"):
            return LinenMethod(self._jax, instance, method, name), 0
        return method, 0

    def _definitions_use(self) -> Use:
        return self._uses.of("self") if self._uses is not None else Use()

    # --- what a try teaches -------------------------------------------------------------------------------------------

    def _does(self, run: Run, wanted: Wanted) -> bool:
        """Tell whether a failing run showed what is asked for all the same."""
        failure = run.failure
        if failure is None:
            return False
        if wanted.pieces is not None and is_done(run, wanted.line, wanted.anchor, wanted.pieces):
            return wanted.effect != "dispatch" or _dispatched(run, wanted.anchor) >= _SEVERAL
        if wanted.effect == "dispatch":
            stopped = failure.type in (EnoughError.__name__, DeadlineError.__name__)
            return stopped and _dispatched(run, wanted.anchor) >= _MANY
        if wanted.effect == "error":
            if self._piece is not None and "hashable" in failure.message:
                return False
            return failure.traced and bool(failure.stack) and wanted.anchor.holds(failure.stack[0])
        if "hashable static" in failure.message:
            # What was invented cannot be what is meant.
            return False
        if wanted.effect not in _CALLING or wanted.conditional or self._handed:
            # What comes after may be what keeps the next call from coming here.
            return False
        if failure.type == DeadlineError.__name__:
            kinds = ("miss", "compile")
            return any(e.kind in kinds and comes_from(e, wanted.anchor) for e in run.events)
        if any(map(wanted.anchor.holds, failure.stack)):
            return False
        calls = {
            event.stack[0]
            for event in run.events
            if event.stack and event.kind != "made" and comes_from(event, wanted.anchor)
        }
        return bool(calls) and not calls & set(failure.stack)

    def _refused(self, failure: Failure | None, wanted: Wanted, world: World) -> bool:
        """Tell whether jax refused an instance of the code's own, of which it can make no array, for an argument."""
        match = _REFUSED.match(failure.message) if failure is not None and wanted.effect == "error" else None
        if match is None or match[1] != self._target or match[2] not in world.touched:
            return False
        return world.choice(match[2]).kind in ("instance", "made")

    def _failed(self, failure: Failure, world: World, base: float) -> Outcome:
        line = self._line(failure)
        uses = self._definitions.uses(self._chased) if self._chased else self._uses
        progress = base
        suspects: list[str] = []
        if line is not None and uses is not None:
            progress = base + uses.progress(line) + 0.01 * min(len(failure.stack), 9) + self._inner(failure)
            suspects = uses.suspects(line)
        if self._chased is not None:
            suspects = [f"{self._target}()>{path}" for path in suspects]
        text = f"{failure.type}: {(failure.message.splitlines() or [''])[0][:200]}"
        if NOTES.used and "standins.Absent" in failure.message:
            text = f"StubError: depends on {min(NOTES.used)}, {NOT_LOADED}: No module named {min(NOTES.used)!r}"
        if failure.type == DeadlineError.__name__:
            text = self._late = f"a call {failure.message}"
        where = failure.stack[0].line if failure.stack and failure.stack[0].file == self._path else line
        reason = f"line {where}: {text}" if where else text
        return Outcome(None, progress, suspects, failure, reason, world, self._names(failure))

    def _inner(self, failure: Failure) -> float:
        """Return, as a share of a statement, how far the functions came that the target called when it failed."""
        share, weight = 0.0, 0.7
        for place in reversed(failure.stack):
            function = self._definitions.around(place.line) if place.file == self._path else None
            if function is not None and function not in (self._node, self._chased):
                done = self._definitions.uses(function).progress(place.line)
                share, weight = share + weight * done / (done + 2), 0.3 * weight
        return share

    def _names(self, failure: Failure) -> frozenset[str]:
        """Return the names on the innermost line of the module that an exception passed through."""
        inner = next((place for place in failure.stack if place.file == self._path), None)
        function = self._definitions.around(inner.line) if inner is not None else None
        if inner is None or function is None:
            return frozenset()
        return frozenset(self._definitions.uses(function).suspects(inner.line)[:_BLAMED])

    def _line(self, failure: Failure) -> int | None:
        """Return the line of the target on which it failed, in the outermost of its frames."""
        node = self._chased or self._node
        if node is None:
            return None
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        inside = [place.line for place in failure.stack if place.file == self._path and place.line in lines]
        return max(inside, default=None)

    def _narrowed(self, error: NoInputError, suspects: list[str]) -> list[str]:
        cause = error.__cause__
        name = error.path
        if cause is None:
            return suspects
        failure = self._recorder.failure(cause)
        slot = self._slots.get(name)
        made = next((choice.data for choice in (slot.choices if slot else ()) if choice.kind == "instance"), None)
        found = self._synthesis.method(made, "__init__") if made is not None else None
        if made is None or found is None:
            return suspects
        node, owner, definitions = found
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        file = inspect.unwrap(made.__init__).__code__.co_filename
        inside = [p.line for p in failure.stack if p.file == file and p.line in lines]
        if not inside:
            return suspects
        near = [f"{name}>{path}" for path in definitions.uses(node, owner).suspects(max(inside))]
        return [path for path in near if path in suspects] or suspects

    def _guards(self, line: int) -> list[str]:
        node = self._chased or self._node
        if node is None:
            return []
        found = self._definitions.uses(node).guards(line)
        return [f"{self._target}()>{path}" for path in found] if self._chased is not None else found

    def _neighbours(self, state: State, outcome: Outcome) -> Iterator[tuple[float, State]]:
        world = outcome.world
        if world is None:
            return
        blamed = self._blamed(outcome, world)
        if outcome.idle:
            yield from self._varied(state, outcome.suspects)
        message = outcome.failure.message if outcome.failure else outcome.hint or outcome.reason
        kind = outcome.failure.type if outcome.failure else ""
        if outcome.failure and kind == "AssertionError":
            # What an assertion asks for is in its text.
            line = self._line(outcome.failure)
            message += f" {self._constants(line)}" if line is not None else ""
        if not state.distinct and kind in _OF_VALUES:
            yield 0.9, replace(state, distinct=True)
        yield from self._mended(state, blamed, world, kind, message)
        if kind in _OF_SHAPES:
            yield from self._shaped(state)
        arrays = [path for path in blamed if world.choice(path).kind == "array"]
        for rank, path in enumerate(blamed):
            slot, now = self._slots[path], state.choices.get(path, 0)
            price = 1 + 0.2 * rank
            for step in range(1, 4):
                if now + step < len(slot.choices):
                    yield price + 0.7 * (step - 1), state.choosing({path: now + step})
        yield from self._together(state, arrays)
        yield from self._resized(state, arrays, world, message)

    @staticmethod
    def _shaped(state: State) -> Iterator[tuple[float, State]]:
        """Yield states in which all is of another shape of which nothing says what shape it is."""
        if not state.even:
            yield 0.6, replace(state, even=True)
        if state.rank is None:
            for number, rank in enumerate((1, 3, 4, 0)):
                yield 0.7 + 0.2 * number, replace(state, rank=rank)
                if not state.even:
                    yield 0.75 + 0.2 * number, replace(state, rank=rank, even=True)

    def _together(self, state: State, arrays: list[str]) -> Iterator[tuple[float, State]]:
        """Yield states in which several arrays have the same other rank."""
        if len(arrays) > 1:
            for data in ((1, "float32"), (3, "float32"), (4, "float32"), (0, "float32"), (2, "float32")):
                changes = {}
                for path in arrays:
                    index = _index_of(self._slots[path].choices, Choice("array", data))
                    if index is not None:
                        changes[path] = index
                if changes:
                    yield 1.6, state.choosing(changes)

    def _varied(self, state: State, arrays: list[str]) -> Iterator[tuple[float, State]]:
        """Yield states in which arrays have another type of elements, or more axes, and differ from each other."""
        for rank, dtype in ((2, "bfloat16"), (3, "bfloat16"), (3, "float32"), (4, "float32")):
            changes = {}
            for number, path in enumerate(arrays):
                choices = self._slots[path].choices
                wanted = Choice("array", (rank + number % 2, dtype))
                index = _index_of(choices, wanted)
                if index is None:
                    choices.append(wanted)
                    index = len(choices) - 1
                changes[path] = index
            if changes:
                yield 0.3, state.choosing(changes)

    def _resized(self, state: State, arrays: list[str], world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which one axis has another size."""
        named = _numbers(message)
        sizes = [*named, SIZE * 4, SIZE * 2, SIZE + 1, 1]
        for rank, path in enumerate(arrays[:4]):
            dims = world.choice(path).data[0]
            count = len(dims) if isinstance(dims, tuple) else dims
            for axis in range(count):
                if (path, axis) not in state.sizes and len(state.sizes) < _EDITS:
                    for place, size in enumerate(dict.fromkeys(sizes)):
                        price = 0.9 if size in named else 1.8
                        yield price + 0.3 * place + 0.2 * rank, state.sizing(path, axis, size)

    def _mended(
        self, state: State, blamed: list[str], world: World, kind: str, message: str
    ) -> Iterator[tuple[float, State]]:
        """Yield what the message of an exception asks for."""
        if kind == "KeyError":
            key = message.strip("'\"")
            for path in blamed:
                choice = world.choice(path)
                if choice.kind == "dict" and key not in choice.data:
                    slot = self._slots[path]
                    slot.choices.append(Choice("dict", (*choice.data, key)))
                    yield 0.2, state.choosing({path: len(slot.choices) - 1})
        yield from self._of_jax(state, blamed, world, message)
        yield from self._prepared(state, world, message)
        yield from self._ranked(state, blamed, world, message)
        yield from self._of_size(state, world, message)
        yield from self._named(state, world, message)
        yield from self._not_none(state, world, message)
        if "nteger" in message or "hashable static" in message or "unhashable" in message:
            yield from self._integers(state, blamed, world)
        if "PRNG" in message or "key_data" in message or "key array" in message:
            yield from self._keys(state, blamed, world)
        if any(words in message.lower() for words in _ONE_NUMBER):
            yield from self._scalars(state, blamed, world)
        wanted = _kinds_for(kind, message)
        for path in blamed:
            now = world.choice(path).kind
            self._offer(path, now, wanted)
            for number, choice in enumerate(self._slots[path].choices):
                if choice.kind in wanted and choice.kind != now:
                    yield 0.5 + 0.05 * number, state.choosing({path: number})

    def _prepared(self, state: State, world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which a method was called that sets the attribute that an instance does not have."""
        missing = _NO_ATTRIBUTE.search(message)
        for path in world.touched if missing is not None else ():
            choice = world.choice(path)
            if missing is None or choice.kind != "instance" or choice.data.__name__ != missing[1]:
                continue
            choices = self._slots[path].choices
            for number, name in enumerate(self._synthesis.setting(choice.data, missing[2])[:_SETTERS]):
                wanted = Choice("prepared", (choice.data, name))
                choices += [] if wanted in choices else [wanted]
                yield 0.2 + 0.1 * number, state.choosing({path: choices.index(wanted)})

    @staticmethod
    def _of_jax(state: State, blamed: list[str], world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which arrays are of jax, where an exception says that those of NumPy do not do."""
        if not _OF_NUMPY.search(message):
            return
        arrays = [path for path in blamed if world.choice(path).kind == "array" and path not in state.device]
        for array in arrays:
            yield 0.2, replace(state, device=state.device | {array})
        if len(arrays) > 1:
            yield 0.3, replace(state, device=state.device | {*arrays})

    def _of_size(self, state: State, world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which an integer that an exception names is as large as axes, or as what it asks for."""
        numbers = dict.fromkeys(int(text) for text in re.findall(r"(?<![\w.])\d{1,5}(?![\w.])", message[:400]))
        named = set(numbers) - {SIZE}
        changes = {}
        for path in world.touched:
            choice = world.choice(path)
            if choice.kind != "static" or type(choice.data) is not int or choice.data not in named:
                continue
            choices = self._slots[path].choices
            for number in list(numbers)[:_TEXTS] if _ASKS.search(message) else ():
                wanted = Choice("static", number)
                choices += [] if wanted in choices else [wanted]
                yield 0.45, state.choosing({path: choices.index(wanted)})
            index = _index_of(choices, Choice("static", SIZE))
            if index is not None:
                changes[path] = index
                yield 0.4, state.choosing({path: index})
        if len(changes) > 1:
            yield 0.35, state.choosing(changes)

    def _named(self, state: State, world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which a text that an exception quotes is another one that it quotes."""
        quoted = list(dict.fromkeys(match[2] for match in _QUOTED.finditer(message[:600])))
        for path in world.touched:
            choice = world.choice(path)
            if choice.kind != "static" or choice.data not in quoted or not isinstance(choice.data, str):
                continue
            choices = self._slots[path].choices
            for text in quoted[:_TEXTS]:
                wanted = Choice("static", text)
                if text != choice.data:
                    choices += [] if wanted in choices else [wanted]
                    yield 0.3, state.choosing({path: choices.index(wanted)})

    def _not_none(self, state: State, world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which what may be None is not, where an exception says that None does not do."""
        changes = {}
        for path in world.touched if "None" in message else ():
            choices = self._slots[path].choices
            others = (n for n, c in enumerate(choices) if c.kind != "static" or c.data is not None)
            other = next(others, None) if world.choice(path) == _NONE else None
            if other is not None:
                changes[path] = other
                yield 0.3, state.choosing({path: other})
        if len(changes) > 1:
            yield 0.6, state.choosing(changes)

    def _offer(self, path: str, now: str, wanted: tuple[str, ...]) -> None:
        """See to it that a value may be of a kind that an exception asks for, whatever its use and name say."""
        choices = self._slots[path].choices
        if now not in ("array", "static", "sequence", "record", "opaque") or any(
            choice.kind in wanted for choice in choices
        ):
            return
        choices += [choice for choice in _OFFERED if choice.kind in wanted]

    def _ranked(self, state: State, blamed: list[str], world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which arrays have the rank that an exception asks for."""
        match = _TOO_FEW_AXES.search(message) or _TO_UNPACK.search(message)
        if match is None:
            yield from self._more_axes(state, blamed, world, message)
            return
        if not 0 < int(match[1]) <= _MOST_AXES:
            return
        changes = {}
        for path in blamed:
            if world.choice(path).kind != "array":
                continue
            if match.re is _TO_UNPACK and not state.sizes.get((path, 0)):
                # Either the shape is unpacked or the array itself.
                yield 0.7, state.sizing(path, 0, int(match[1]))
            choices = self._slots[path].choices
            wanted = Choice("array", (int(match[1]), world.choice(path).data[1]))
            if wanted not in choices:
                choices.append(wanted)
            index = _index_of(choices, wanted)
            if index is not None:
                changes[path] = index
                yield 0.4, state.choosing({path: index})
        if len(changes) > 1:
            yield 0.5, state.choosing(changes)

    def _more_axes(self, state: State, blamed: list[str], world: World, message: str) -> Iterator[tuple[float, State]]:
        """Yield states in which arrays have one axis more, where an exception says that there are too few."""
        if not _FEW_AXES.search(message):
            return
        for path in blamed:
            choice = world.choice(path)
            rank = choice.data[0] if choice.kind == "array" else None
            if isinstance(rank, int) and rank < _MOST_AXES:
                choices, wanted = self._slots[path].choices, Choice("array", (rank + 1, choice.data[1]))
                if wanted not in choices:
                    choices.append(wanted)
                yield 0.5, state.choosing({path: choices.index(wanted)})

    def _keys(self, state: State, blamed: list[str], world: World) -> Iterator[tuple[float, State]]:
        """Yield states in which an array is a key of jax's random numbers."""
        for path in blamed:
            if world.choice(path).kind in ("array", "static", "record", "opaque"):
                choices = self._slots[path].choices
                choices += [choice for choice in _KEYS if choice not in choices]
                for number, choice in enumerate(choices):
                    if choice in _KEYS:
                        yield 0.4 + 0.05 * number, state.choosing({path: number})

    def _integers(self, state: State, blamed: list[str], world: World) -> Iterator[tuple[float, State]]:
        for path in blamed:
            choices, now = self._slots[path].choices, world.choice(path)
            if now.kind == "array":
                wanted = [Choice("array", (now.data[0], "int32")), Choice("static", 4), Choice("static", 1)]
                choices += [choice for choice in wanted if choice not in choices]
            for number, choice in enumerate(self._slots[path].choices):
                integer = choice.kind == "static" and type(choice.data) is int
                if integer or (choice.kind == "array" and choice.data[1] == "int32"):
                    yield 0.6, state.choosing({path: number})

    def _scalars(self, state: State, blamed: list[str], world: World) -> Iterator[tuple[float, State]]:
        for path in blamed:
            if world.choice(path).kind == "array":
                choices, wanted = self._slots[path].choices, [Choice("array", (0, "float32")), Choice("static", 0.5)]
                choices += [choice for choice in wanted if choice not in choices]
            for number, choice in enumerate(self._slots[path].choices):
                if choice.kind == "static" or choice == Choice("array", (0, "float32")):
                    yield 0.6, state.choosing({path: number})
                    break

    def _blamed(self, outcome: Outcome, world: World) -> list[str]:
        """Return the paths that were used in the try and that may be to blame, the likeliest first."""
        found: dict[str, None] = {}
        touched = [
            path for path in world.touched if len(self._slots[path].choices) > 1 or world.choice(path).kind == "array"
        ]
        for suspect in outcome.suspects:
            for path in touched:
                if path == suspect:
                    found[path] = None
        found.update(dict.fromkeys(path for path in touched if re.split(r"[.>]", path)[-1] in outcome.names))
        for suspect in outcome.suspects:
            for path in touched:
                if _related(path, suspect):
                    found[path] = None
        tails = {suspect.rpartition(".")[2] for suspect in outcome.suspects if "." in suspect}
        # An object may have been kept under another name: `self._env.step` is `self>env.step`.
        found.update(dict.fromkeys(path for path in touched if "." in path and path.rpartition(".")[2] in tails))
        return list(found or touched)[:_BLAMED]

    def _describe(self, world: World) -> str:
        parts = []
        for path in world.touched:
            choice = world.choice(path)
            if choice.kind == "static" and "." in path:
                continue
            value = world.made(path)
            if isinstance(value, self._jax.Array):
                text = f"{value.dtype}[{','.join(map(str, value.shape))}]"
            else:
                text = str(choice)
            parts.append(f"{path.rpartition('>')[2]}={text}")
        text = ", ".join([*parts, *(["with numbers that differ"] if world.is_varied else [])])
        return text if len(text) < _TEXT else text[: _TEXT - 3] + "..."

    def _to_chase(self, line: int) -> list[Function]:
        """Return the functions inside the target, outermost first, those that hold a line before the others."""
        kinds = ast.FunctionDef | ast.Lambda
        inner = [node for node in ast.walk(self._node) if isinstance(node, kinds)] if self._node else []
        nodes: list[Function] = [node for node in inner if node is not self._node]
        return sorted(nodes, key=lambda node: not node.lineno <= line <= (node.end_lineno or 0))[:_CHASED]


def _wrapped(module: types.ModuleType, definitions: Definitions, target: str) -> Function | None:
    """Return the function that a name of the module wraps."""
    inner = inspect.unwrap(getattr(module, target, None)) if target in vars(module) else None  # type: ignore[arg-type]
    return definitions.get(getattr(inner, "__qualname__", ""))


class Getter:
    """Reads an attribute of an instance when it is called."""

    def __init__(self, instance: Any, name: str) -> None:
        self._instance, self._name = instance, name

    def __call__(self) -> Any:
        """Read it."""
        return getattr(self._instance, self._name)


class Patched:
    """Calls a function while some global names of its module have other values."""

    def __init__(self, function: Callable[..., Any], names: dict[str, Any], values: Mapping[str, Any]) -> None:
        self._function, self._names, self._values = function, names, values

    def __call__(self, *arguments: Any, **words: Any) -> Any:
        """Put the values in their place, call the function, and take them back."""
        before = {name: self._names[name] for name in self._values if name in self._names}
        self._names.update(self._values)
        try:
            return self._function(*arguments, **words)
        finally:
            for name in self._values:
                self._names.pop(name, None)
            self._names.update(before)


class LinenMethod:
    """Calls a method of a flax.linen module, which needs its variables."""

    def __init__(self, jax: Any, instance: Any, method: Any, name: str) -> None:
        self._key, self._instance, self._name = jax.random.key(0), instance, name
        self.__signature__ = inspect.signature(method)

    def __call__(self, *arguments: Any, **words: Any) -> Any:
        """Make the variables, call the method with them, and return what it gives and the variables."""
        keys = {"params": self._key, "dropout": self._key}
        return self._instance.init_with_output(keys, *arguments, method=self._name, **words)


def finish(jax: Any, result: Any) -> None:
    """Wait for, or run to its end, what a target returned."""
    import asyncio

    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    if inspect.isgenerator(result):
        result = [item for item, _ in zip(result, range(_ITEMS), strict=False)]
    jax.block_until_ready(result)


def drop(result: Any) -> None:
    """Run what a target returned to its end, where that is not yet done, and return nothing, which is no array."""
    import asyncio

    if inspect.iscoroutine(result):
        asyncio.run(result)
    elif inspect.isgenerator(result):
        for _ in zip(result, range(_ITEMS), strict=False):
            pass


def limited(jax: Any, action: Callable[[], Any], seconds: float) -> None:
    """Call an action and wait for what it gives, for so many seconds at most."""
    with deadline(seconds):
        finish(jax, action())


def _limited(action: Callable[[], None], seconds: float) -> None:
    with deadline(seconds):
        action()


def _needs_values(failure: Failure | None) -> bool:
    return failure is not None and (
        # Not all that Python cannot do without a value is an error of jax's own: formatting, opening, indexing a list.
        failure.traced or any(word in failure.message for word in ("Tracer", "Traced<", "traced array"))
    )


def _dispatched(run: Run, anchor: Anchor) -> int:
    """Return how many single operations a run passed to the device at a place."""
    return sum(e.count for e in run.events if e.kind == "dispatch" and any(map(anchor.holds, e.stack)))


def _callables(value: Any, path: str, node: Function, depth: int = 2) -> Iterator[Callable[..., Any]]:
    """Yield the functions in a value that were defined by a node."""
    if callable(value):
        inner = value
        for _ in range(4):
            code = getattr(inner, "__code__", None)
            if (
                code is not None
                and code.co_filename == path
                and code.co_firstlineno <= node.lineno + 1
                and (
                    node.lineno - _DECORATORS <= code.co_firstlineno
                    and code.co_name == getattr(node, "name", "<lambda>")
                )
            ):
                yield value
                return
            inner = getattr(inner, "__wrapped__", getattr(inner, "func", getattr(inner, "__func__", None)))
            if inner is None:
                break
    if depth == 0:
        return
    items: Iterable[Any] = ()
    if isinstance(value, tuple | list):
        items = value
    elif isinstance(value, dict):
        items = value.values()
    elif hasattr(value, "__dict__") and not isinstance(value, type | types.ModuleType | types.FunctionType):
        items = list(vars(value).values())
    for item in items:
        yield from _callables(item, path, node, depth - 1)


def _kinds_for(kind: str, message: str) -> tuple[str, ...]:
    """Return the kinds of choices that an exception asks for."""
    missing = re.search(r"object has no attribute '(\w+)'", message)
    if missing is not None and missing[1] in ARRAY_ATTRIBUTES:
        return ("array",)
    if missing is not None and missing[1] in _OF_DICTS:
        return ("dict",)
    if kind == "AttributeError" and "has no attribute" in message:
        return ("record", "opaque")
    if "valid JAX type" in message or "as an abstract array" in message:
        return ("record", "model", "array")
    if "not callable" in message:
        return ("function", "model")
    if "string indexing" in message or "not str" in message or "must be integers or slices" in message:
        return ("dict",)
    if "a mapping" in message:
        return ("dict",)
    if any(words in message for words in ("unpack", "not iterable", "not subscriptable", "iteration over a 0-d")):
        return ("sequence", "array", "dict")
    return ()


def _related(path: str, suspect: str) -> bool:
    if path == suspect:
        return True
    shorter, longer = sorted((path.replace(">", "."), suspect.replace(">", ".")), key=len)
    return longer.startswith(shorter) and (len(longer) == len(shorter) or longer[len(shorter)] in ".[(")


def _index_of(choices: list[Choice], wanted: Choice) -> int | None:
    return next((n for n, choice in enumerate(choices) if choice == wanted), None)


def _numbers(message: str) -> list[int]:
    """Return the sizes that a message mentions."""
    found = [int(text) for text in re.findall(r"(?<![\w.])\d{1,5}(?![\w.])", message[:400])]
    return [number for number in dict.fromkeys(found) if 2 < number <= 4096 and number != SIZE][:3]


_REFUSED = re.compile(r"Error interpreting argument to <function (\S+) at .* at path (\w+)", re.DOTALL)
"""How jax says that it was given what is no array, and which parameter of which function got it."""
_NO_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_SETTERS = 3
_OF_NUMPY = re.compile(r"'numpy\.\w+' object has no attribute")
_OF_DICTS = frozenset(("items", "keys", "values", "get", "update", "pop", "setdefault"))
_TO_UNPACK = re.compile(r"values to unpack \(expected (\d+)")
_MOST_AXES = 6
_TOLD_APART, _NEWS = 60, 0.9
_OFFERED = (
    Choice("record"),
    Choice("opaque"),
    Choice("function", "same"),
    Choice("function", "sum"),
    Choice("model"),
    Choice("sequence", (tuple, None, 2)),
    Choice("dict", ("a", "b")),
    Choice("array", (1, "float32")),
)
"""What a value may be though nothing but an exception says so."""
_NONE = Choice("static", None)
_KEYS = (Choice("array", (0, "key")), Choice("array", (0, "oldkey")), Choice("array", (1, "key")))
_FEW_AXES = re.compile(
    r"must have ndim at least|out of bounds for array of dimension|rank should be at least|at least two dimensions"
    r"|at least 2 dim|must be at least 1-|iteration over a 0-d|len\(\) of unsized"
)
_TOO_FEW_AXES = re.compile(r"but (\d+) were indexed")
"""How jax says that an array has fewer axes than are asked for, and how many these are."""
_OF_VALUES = ("ValueError", "RuntimeError", "LinAlgError", "ZeroDivisionError", "FloatingPointError", "AssertionError")
"""What code raises that does not like the numbers it is given."""
_QUOTED = re.compile(r"(['\"`])([\w.+-]{1,40})\1")
_TEXTS = 6
_ASKS = re.compile(r"\b(must|should|expected|at least|at most|needs?)\b|[<>]=")
"""How an exception says which value it wants."""
_ONE_NUMBER = ("truth value of an array", "only scalar", "only 0-dimensional", "only length-1")
_OF_SHAPES = ("ValueError", "TypeError", "IndexError")
"""What is raised by code that does not like the shapes it is given."""
_SEVERAL, _MANY = 2, 10
_STAND_INS = ("record", "opaque", "model", "function", "bare")
_BUILT = ("instance", "made", "prepared", "sequence", "dict", "factory")
_ITEMS = 1000
"""How far a generator that a target returns is run."""
_LONGEST_TRY = 3.0
_LATE = 2
"""After so many tries that took too long, a search gives up."""
_AGAIN = 0.5
_SLACK = 0.05
"""The share of a time limit that may be left when it ends."""
_TRIES_WITH_VALUES = 12
_TRIES_FOR_ALL = 60
"""How many tries go into having all of a place run, when its line does."""
_TRIES_TO_COMPILE = 30
"""How many tries go into having a function compiled that is passed to be."""
_CALLING = ("call", "renew")
_EDITS = 4
_CHASED = 4
"""How many functions inside a target are looked for in what it returns."""
_BLAMED = 8
_TEXT = 300
_DECORATORS = 12
"""How many lines of decorators may be above a function."""
