"""Listens to jax and says, for each thing it does, which user code made it do so.

jax calls its listeners on the thread and inside the call that caused them, so the place is on the stack.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import logging
import re
import sys
import sysconfig
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .dispatches import Dispatches
from .instrument import Instrumenter, Watch
from .observation import Anchor, Event, Failure, Place, Range, Run
from .renamed import USED
from .standins import NOT_LOADED, NOTES

_KINDS = {
    "/jax/core/compile/backend_compile_duration": "compile",
    "/jax/core/compile/jaxpr_trace_duration": "trace",
}
_LOWERING = "/jax/core/compile/jaxpr_to_mlir_module_duration"
_CACHE_HIT = "/jax/compilation_cache/cache_hits"
_MISS = "TRACING CACHE MISS"
_PACKAGES = re.compile(r"[/\\\\](site|dist)-packages[/\\\\]")
_MANY_BYTES = 1_000_000
"""Constants of fewer bytes are not told of."""
_MESSAGE = 2000
"""Longest message of an exception that is passed on."""

ENOUGH = 1_000
"""So many single operations at one place say that it runs them one by one; the run goes no further."""

SLOW = frozenset(
    "scatter scatter-add scatter_add scatter_mul scatter_max scatter_min dynamic_slice dynamic_update_slice "
    "gather".split()
)
"""Operations that take XLA some 5 ms each to compile on a CPU, where others take 0.3 ms."""

_OF_TRACING = re.compile(
    "static_arg|donate_arg|Non-hashable static|unhashable type|not a valid JAX type|not a valid JAX array type"
    "|Shapes must be 1D sequences of concrete values|must have static start|must be static|traced array"
    "|is not hashable|metadata fields of pytree|indices must be integers.*Tracer"
    "|Tracer. object cannot be interpreted as"
)
"""What messages say whose exceptions are none of jax's own."""


class EnoughError(BaseException):
    """Enough operations were run one by one at a place; no `Exception`, so that the code does not catch it."""


class Recorder:
    """Counts what jax does during a run; imports jax.

    `jax` is the module, whatever the code under test puts in its place later (its own annotations are incomplete).
    `watch` holds the compiled objects; `target` is the rewritten file under test.  One recorder serves a process.
    """

    def __init__(self) -> None:
        self.jax: Any = importlib.import_module("jax")
        importlib.import_module("jax.monitoring")
        self._jit = self.jax.jit
        self.watch = Watch(self.frames, self.is_user)
        self.target = ""
        self._calls: list[ast.Call] = []
        self._numbers: Mapping[Range, int] = {}
        self.watch.describe = self.failure
        self.watch.is_eager = self._is_eager
        self.dispatches: Dispatches | None = None
        self.enough: Anchor | None = None
        self._here = 0
        self._recording = False
        self._lines: range | None = None
        self._equations = self._slow = 0
        self._counts: dict[tuple[str, str, tuple[Place, ...], tuple[Place, ...], bool], tuple[int, float]] = {}
        self._hits = threading.local()
        self._skipped = _library_paths()
        self._user: dict[str, bool] = {}
        self._positions: dict[types.CodeType, list[Range | None]] = {}

    def install(self) -> None:
        """Register with jax.monitoring and with jax's logger."""
        self.jax.monitoring.register_event_duration_secs_listener(self._on_duration)
        self.jax.monitoring.register_event_listener(self._on_event)
        # The records of the cache misses exist only where this is on; they go to jax's logger, not to stderr.
        self.jax.config.update("jax_explain_cache_misses", True)
        logger = logging.getLogger("jax")
        logger.addHandler(_Handler(self._on_record))
        logger.propagate = False
        self._on_cpu()
        self.dispatches = Dispatches(self._on_dispatch, self.is_user)
        self.watch.install()

    def _on_cpu(self) -> None:
        """Give the user's code the CPU where it asks for another device: there is no other one."""
        for name in ("devices", "local_devices", "device_count", "local_device_count"):
            setattr(self.jax, name, _any_backend(getattr(self.jax, name)))

    @contextlib.contextmanager
    def until(self, place: Anchor) -> Iterator[None]:
        """Have runs end once enough single operations were run at a place."""
        self.enough = place
        try:
            yield
        finally:
            self.enough = None

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Note nothing inside."""
        before, self._recording = self._recording, False
        try:
            with contextlib.nullcontext() if self.dispatches is None else self.dispatches.paused():
                yield
        finally:
            self._recording = before

    def switched_off(self) -> str:
        """Say how the code under test has kept jax from compiling; empty where it has not."""
        if self.jax.config.jax_disable_jit:
            return "the code switches compiling off (`jax_disable_jit`)"
        if self.jax.jit is not self._jit or getattr(sys.modules.get("jax"), "jit", None) is not self._jit:
            return "the code replaces `jax.jit`"
        return ""

    def attach(self, target: str, instrumenter: Instrumenter) -> None:
        """Take `target`, rewritten by `instrumenter`, as the file under test."""
        self.target = target
        self._calls = instrumenter.calls
        self._numbers = instrumenter.numbers
        self._user.clear()
        self._positions.clear()
        self.watch.forget()

    def run(self, action: Callable[[], Any]) -> tuple[Run, Any]:
        """Call `action` and return what happened, and what it returned (None where it raised).

        Never raises for what `action` raises, SystemExit and KeyboardInterrupt included.
        """
        self._counts.clear()
        self._here = 0
        NOTES.begin()
        self.watch.reset()
        failure = result = None
        start = time.perf_counter()
        self._recording = True
        try:
            result = action()
        except BaseException as error:  # noqa: BLE001 (the code under test may raise anything, and exit)
            failure = self.failure(error)
        finally:
            self._recording = False
        events = [Event(*key, count, seconds) for key, (count, seconds) in self._counts.items()]
        events += [Event("made", "", stack, count=count) for stack, count in self.watch.makings.items()]
        events += [Event("call", "", (), made, True, count) for made, count in self.watch.calls.items()]
        watch = self.watch
        events += [Event("fresh", "", (), made, eager, count) for (made, eager), count in watch.fresh.items()]
        run = Run(
            tuple(events),
            dict(watch.reached),
            dict(watch.evaluated),
            dict(watch.eagerly),
            tuple(watch.caught),
            failure,
            time.perf_counter() - start,
            tuple(sorted(NOTES.used)),
            NOTES.hashed,
            tuple(sorted(USED)),
        )
        return run, result

    def frames(self, frame: types.FrameType | None) -> tuple[Place, ...]:
        """Return the user frames from `frame` outwards, innermost first."""
        found = []
        while frame is not None:
            if self.is_user(frame.f_code.co_filename):
                found.append(self._place(frame.f_code, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back
        return tuple(found)

    def grow(self, action: Callable[[], Any], lines: range) -> tuple[int, int, Run]:
        """Call `action`, and return how many equations of the programs made come from these lines of the target.

        If `action` returns a program (a jaxpr), its equations count and no others.  The second number is how many of
        them take long to compile.
        """
        self._lines, self._equations, self._slow = lines, 0, 0
        try:
            run, result = self.run(action)
            if hasattr(getattr(result, "jaxpr", result), "eqns"):
                self._equations, self._slow = self._equations_of(result, lines, {})
        finally:
            self._lines = None
        return self._equations, self._slow, run

    def _on_duration(self, event: str, seconds: float, **details: Any) -> None:
        if event == _LOWERING and self._lines is not None:
            self._equations += self._count_equations(sys._getframe(1), self._lines)
        if event == _LOWERING and self._recording:
            self._count_constants(str(details.get("fun_name", "")), sys._getframe(1))
        kind = _KINDS.get(event)
        if kind is None:
            return
        if kind == "compile" and getattr(self._hits, "pending", False):
            # The event comes for a program that the persistent cache held as well.
            self._hits.pending = False
            kind = "load"
        if self._recording:
            self._count(kind, str(details.get("fun_name", "")), seconds, sys._getframe(1))

    def _on_event(self, event: str, **_: Any) -> None:
        if event == _CACHE_HIT:
            self._hits.pending = True

    def _on_record(self, record: logging.LogRecord) -> None:
        if self._recording and record.getMessage().startswith(_MISS):
            self._count("miss", "", 0.0, sys._getframe(1))

    def _on_dispatch(self, name: str, program: bool) -> None:
        if self._recording:
            frame = sys._getframe(1)
            made, called = self._made(frame)
            # What a compiled object is only passed to may run anything.
            kind = "program" if program or (made and called) else "dispatch"
            stack = self.frames(frame)
            key = (kind, name, stack, made, called)
            if self.enough is not None and kind == "dispatch" and any(map(self.enough.holds, stack)):
                self._here += 1
            count, seconds = self._counts.get(key, (0, 0.0))
            self._counts[key] = (count + 1, seconds)
            if self._here >= ENOUGH:
                raise EnoughError(f"{ENOUGH} operations were run here")

    def _is_eager(self) -> bool:
        """Tell whether nothing is being traced."""
        core = sys.modules.get("jax._src.core")
        clean = getattr(core, "trace_state_clean", None)
        return clean is None or bool(clean())

    def _count(self, kind: str, program: str, seconds: float, frame: types.FrameType | None) -> None:
        key = (kind, program, self.frames(frame), *self._made(frame))
        count, before = self._counts.get(key, (0, 0.0))
        self._counts[key] = (count + 1, before + seconds)

    def _count_constants(self, program: str, frame: types.FrameType | None) -> None:
        """Note how many bytes of constants are in the program that is being lowered, if they are many."""
        lowered = self._lowered(frame)
        size = 0 if lowered is None else _constants_of(lowered, set())
        if size >= _MANY_BYTES:
            key = ("constant", program, self.frames(frame), *self._made(frame))
            self._counts[key] = (max(size, self._counts.get(key, (0, 0.0))[0]), 0.0)

    def _count_equations(self, frame: types.FrameType | None, lines: range) -> int:
        lowered = self._lowered(frame)
        count, slow = (0, 0) if lowered is None else self._equations_of(lowered, lines, {})
        self._slow += slow
        return count

    def _lowered(self, frame: types.FrameType | None) -> Any:
        """Return the program that is being lowered, which only the frames of jax hold."""
        while frame is not None and not self.is_user(frame.f_code.co_filename):
            for value in frame.f_locals.values():
                if type(value).__name__ == "ClosedJaxpr":
                    return value
            frame = frame.f_back
        return None

    def _equations_of(self, program: Any, lines: range, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
        """Return how many equations a program has at some lines, and how many of them are slow.

        A program that is called several times, as that of a random draw, is compiled into each place that calls it.
        """
        program = getattr(program, "jaxpr", program)
        if id(program) in known:
            return known[id(program)]
        count = slow = 0
        for equation in program.eqns:
            trace = equation.source_info.traceback
            frames = trace.frames if trace is not None else ()
            if any(f.file_name == self.target and f.line_num in lines for f in frames):
                count += 1
                slow += equation.primitive.name in SLOW
            for value in equation.params.values():
                for part in value if isinstance(value, tuple | list) else (value,):
                    if hasattr(getattr(part, "jaxpr", part), "eqns"):
                        inner = self._equations_of(part, lines, known)
                        count, slow = count + inner[0], slow + inner[1]
        known[id(program)] = (count, slow)
        return count, slow

    def _made(self, frame: types.FrameType | None) -> tuple[tuple[Place, ...], bool]:
        """Return where the compiled object was made that the innermost frame of the target is calling."""
        while frame is not None and frame.f_code.co_filename != self.target:
            frame = frame.f_back
        if frame is None:
            return (), False
        where = self._range(frame.f_code, frame.f_lasti)
        number = self._numbers.get(where) if where else None
        return ((), False) if number is None else self.watch.made_at(frame, number, self._calls[number])

    def failure(self, error: BaseException) -> Failure:
        """Return what is to be told of an exception."""
        places = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if self.is_user(code.co_filename):
                places.append(self._place(code, trace.tb_lasti, trace.tb_lineno))
            trace = trace.tb_next
        try:
            message = str(error)
        except Exception as second:  # noqa: BLE001 (the exception is the user's own)
            message = f"(its text cannot be had: {type(second).__name__})"
        if isinstance(error, SyntaxError) and error.filename == self.target and error.lineno:
            line, column = error.lineno, max((error.offset or 1) - 1, 0)
            places.append(Place(self.target, "<module>", line, column, line, column))
        return Failure(
            type(error).__name__, message[:_MESSAGE], tuple(reversed(places)), self._is_traced(error, message)
        )

    def _is_traced(self, error: BaseException, message: str) -> bool:
        if "_jaxlint_verify" in message or NOT_LOADED in message:
            # What it refuses was made up.
            return False
        names = ("ConcretizationTypeError", "NonConcreteBooleanIndexError", "TracerArrayConversionError")
        classes = [*names, "TracerBoolConversionError", "TracerIntegerConversionError", "UnexpectedTracerError"]
        known = tuple(filter(None, (getattr(self.jax.errors, name, None) for name in classes)))
        return isinstance(error, known) or (
            isinstance(error, TypeError | ValueError | IndexError) and _OF_TRACING.search(message) is not None
        )

    def _place(self, code: types.CodeType, instruction: int, line: int) -> Place:
        where = self._range(code, instruction) or (line, 0, line, 0)
        return Place(code.co_filename, code.co_qualname, where[0], where[1], where[2], where[3])

    def _range(self, code: types.CodeType, instruction: int) -> Range | None:
        if code not in self._positions:
            self._positions[code] = [_whole(position) for position in code.co_positions()]
        positions = self._positions[code]
        index = instruction // 2
        return positions[index] if 0 <= index < len(positions) else None

    def is_user(self, filename: str) -> bool:
        """Tell whether a file is the user's, not the interpreter's or of an installed package."""
        known = self._user.get(filename)
        if known is None:
            known = filename == self.target or not (filename.startswith(self._skipped) or _PACKAGES.search(filename))
            self._user[filename] = known
        return known


def _any_backend(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **words: Any) -> Any:
        given = tuple(None if value in _OTHER_BACKENDS else value for value in arguments)
        return function(*given, **{n: None if v in _OTHER_BACKENDS else v for n, v in words.items()})

    return called


_OTHER_BACKENDS = ("gpu", "cuda", "rocm", "tpu", "METAL", "mps")


def _constants_of(program: Any, seen: set[int]) -> int:
    """Return how many bytes the arrays take that a program, and the programs in it, hold as constants."""
    size = sum(_bytes_of(constant) for constant in getattr(program, "consts", ()))
    program = getattr(program, "jaxpr", program)
    if id(program) in seen:
        return size
    seen.add(id(program))
    for equation in program.eqns:
        size += sum(_bytes_of(getattr(place, "val", None)) for place in equation.invars)
        for value in equation.params.values():
            for part in value if isinstance(value, tuple | list) else (value,):
                if hasattr(getattr(part, "jaxpr", part), "eqns"):
                    size += _constants_of(part, seen)
    return size


def _bytes_of(constant: Any) -> int:
    """Return how many bytes an array takes, also one that jax 0.8 wraps without saying its size."""
    size = getattr(constant, "nbytes", None)
    return int(getattr(getattr(constant, "val", None), "nbytes", 0) if size is None else size)


def _whole(position: tuple[int | None, int | None, int | None, int | None]) -> Range | None:
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def _library_paths() -> tuple[str, ...]:
    """Return the prefixes of files that are not the user's: the interpreter's, installed packages, this package."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = {sysconfig.get_path(name) for name in names} | {str(Path(__file__).parent)}
    return ("<", *(path for path in sorted(paths) if path))


class _Handler(logging.Handler):
    def __init__(self, take: Callable[[logging.LogRecord], None]) -> None:
        super().__init__()
        self._take = take

    def emit(self, record: logging.LogRecord) -> None:
        self._take(record)
