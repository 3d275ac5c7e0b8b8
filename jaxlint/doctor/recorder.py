"""Listens to jax inside the user's process, and writes down what it does and which line made it do so.

This file is copied beside the user's program and imported there before it starts (see `bootstrap`), by whatever Python
the program runs under: it needs nothing but the standard library, of 3.9 or newer, and imports most of it only once
jax is there.  It must never change what the program does: whatever fails in here is noted in the recording, and the
program goes on.

A recording is a file of JSON lines, one file a process, each line written at once, so that it survives `os._exit`.
`recording` turns it into events.  Stacks are written once, before the first line that names them by number.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    import types
    import weakref
    from collections.abc import Callable, Mapping
    from typing import Any

    Write = Callable[[dict[str, Any]], None]

FOLDER = "JAXLINT_RECORDINGS"
"""The environment variable that names the folder of the recordings."""

_TRACE = "/jax/core/compile/jaxpr_trace_duration"
_LOWERING = "/jax/core/compile/jaxpr_to_mlir_module_duration"
_COMPILE = "/jax/core/compile/backend_compile_duration"
_KINDS = {_TRACE: "trace", _LOWERING: "lowering", _COMPILE: "compile"}
_CACHE_HIT = "/jax/compilation_cache/cache_hits"
_SAVED = "/jax/compilation_cache/compile_time_saved_sec"

_LOGGERS = (
    "jax._src.dispatch",
    "jax._src.interpreters.pxla",
    "jax._src.interpreters.partial_eval",
    "jax._src.pjit",
    "jax._src.compiler",
    "jax._src.compilation_cache",
)
_EXPLANATIONS = "TRACING CACHE MISS"
_PERSISTENT_MISS = "PERSISTENT COMPILATION CACHE MISS"
_COMPILING = "Compiling %s with global shapes and types"
_DIFFERENT_TYPES = "different input types"
_FINISHED = "Finished "
_CACHE_WORDS = ("Persistent compilation cache", _PERSISTENT_MISS, "Not writing persistent", "Writing ")

LARGE = 200
"""From how many equations on a program's are counted by line."""
_LINES = 400
"""Of how many pairs of stack and primitive the counts are written, the largest; the rest is summed up."""
_FRAMES = 60
_TYPES = 4000
"""How many characters of the types of a program's arguments are kept: a model may have thousands."""

# jax's own functions that are compiled when called eagerly, and operations that hold the user's functions.
_CARRIERS = frozenset(("tree_util.py", "api.py", "control_flow.py"))
_WITH_BODIES = frozenset("scan while cond switch map custom_jvp_call custom_vjp_call shard_map reduce pmap".split())
_OURS = ("_jaxlint_recorder.py", "_jaxlint_overlay.py", os.path.join("jaxlint", "doctor", "recorder.py"))
"""Both may be in one process, where the pytest plugin runs under `jaxlint run`."""
_FRAMEWORKS = ("jax", "jaxlib", "flax", "equinox", "haiku", "optax", "chex", "jaxtyping", "beartype", "numpy", "absl")


class Recorder:
    """Iterations what jax says into plain dictionaries, which it gives to `write`; one serves a process.

    `install` is given the module `jax` once it is imported.
    """

    def __init__(self, write: Write) -> None:
        import threading
        import weakref

        self._write = write
        self._lock = threading.RLock()
        self._thread = threading.local()
        self._main = threading.main_thread().ident
        self._threads: dict[int, str] = {}
        self._places = Places()
        self._stacks: dict[tuple[Any, ...], int] = {}
        self._told: dict[types.CodeType, set[str]] = {}
        self._jax = ""
        self._programs: dict[int, Any] = {}
        self._functions: weakref.WeakSet[Any] = weakref.WeakSet()
        self._explained_before = False
        self._state: Any = None
        self._config: Any = None
        self.paused = False

    # --- beginning ---------------------------------------------------------------------------------------------------

    def install(self, jax: Any, seconds: float = 0.0) -> None:
        """Listen to jax; `seconds` is how long its import took."""
        import importlib

        self._config = jax.config
        self._jax = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
        versions = {"jax": str(getattr(jax, "__version__", ""))}
        jaxlib = sys.modules.get("jaxlib")
        if jaxlib is not None:
            versions["jaxlib"] = str(getattr(jaxlib, "__version__", ""))
        self._emit({"kind": "jax", "versions": versions, "seconds": round(seconds, 4)})
        monitoring = importlib.import_module("jax.monitoring")
        self._safely("durations", lambda: monitoring.register_event_duration_secs_listener(self._on_duration))
        self._safely("events", lambda: monitoring.register_event_listener(self._on_event))
        if hasattr(monitoring, "register_scalar_listener"):
            self._safely("beginnings", lambda: monitoring.register_scalar_listener(self._on_scalar))
        self._safely("explanations", lambda: self._ask_for_explanations(jax))
        self._safely("log records", self._take_records)

    def forked(self) -> None:
        """Begin again in a child process that was forked: what was written is in the parent's file."""
        import threading

        self._lock = threading.RLock()
        self._stacks.clear()
        self._told.clear()
        self._threads.clear()
        self._main = threading.main_thread().ident

    def _safely(self, what: str, action: Callable[[], Any]) -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001  (the user's program must go on)
            self._emit({"kind": "note", "text": f"{what}: {type(error).__name__}: {error}"})

    def _ask_for_explanations(self, jax: Any) -> None:
        """Have jax explain its misses; what the program itself asks for decides what is printed."""
        name = "jax_explain_cache_misses"
        self._explained_before = bool(getattr(jax.config, name))
        self._state = getattr(jax, "explain_cache_misses", None)
        update = jax.config.update
        update(name, True)

        def update_unless_ours(key: str, value: Any) -> Any:
            if key == name:
                self._explained_before = bool(value)
                return None
            return update(key, value)

        jax.config.update = update_unless_ours

    def _take_records(self) -> None:
        """See the records of jax's loggers, whatever levels and handlers the program sets.

        A handler would not do: `logging.config` disables loggers and removes handlers, and a level for a handler of
        ours would have others print more.  So the loggers get a class of which each decides again what is printed.
        """
        import logging

        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.__class__ = _recording(type(logger), self)

    # --- what jax says -----------------------------------------------------------------------------------------------

    def _on_scalar(self, event: str, value: float, **_: Any) -> None:
        if event in _KINDS:
            self._begun().append((event, value))

    def _begun(self) -> list[tuple[str, float]]:
        begun: list[tuple[str, float]] | None = getattr(self._thread, "begun", None)
        if begun is None:
            begun = self._thread.begun = []
        return begun

    def _start_of(self, event: str, seconds: float) -> float:
        """Return when what ends now began; an exception may have left older beginnings behind."""
        begun = self._begun()
        while begun:
            name, start = begun.pop()
            if name == event:
                return start
        return time.time() - seconds

    def _on_duration(self, event: str, seconds: float, **details: Any) -> None:
        if event == _SAVED:
            self._thread.saved = seconds
            return
        kind = _KINDS.get(event)
        if kind is None or self.paused:
            return
        try:
            frame = sys._getframe(1)
            name = str(details.get("fun_name") or getattr(self._thread, "name", ""))
            start = self._start_of(event, seconds)
            line = {"kind": kind, "start": round(start, 6), "seconds": round(seconds, 7), "name": name}
            if kind == "lowering":
                self._note_program(name, frame, start + seconds)
            elif kind == "compile":
                self._about_compile(line, name)
                line["traced"] = _is_under_trace(frame)
            else:
                new = self._is_new_function(frame)
                if new is not None:
                    line["new"] = new
            line["stack"] = self._stack(frame)
            self._emit(line)
        except Exception as error:  # noqa: BLE001  (the user's program must go on)
            self._failed(event, error)

    def _about_compile(self, line: dict[str, Any], name: str) -> None:
        known = getattr(self._thread, "program", None)
        if known is not None and known[0] == name:
            line["eager"], line["definition"] = known[1], known[2]
            if getattr(self._thread, "unexplained", False):
                line["unexplained"] = True
            self._thread.unexplained = False
        if getattr(self._thread, "hit", False):
            # The event comes for a program that the persistent cache held as well.
            self._thread.hit = False
            line["loaded"] = True
            saved = getattr(self._thread, "saved", None)
            if saved is not None:
                line["saved"] = round(saved, 6)
                self._thread.saved = None

    def _on_event(self, event: str, **_: Any) -> None:
        if event == _CACHE_HIT:
            self._thread.hit = True

    def take(self, record: logging.LogRecord) -> bool:
        """Note a record of one of jax's loggers; return whether it is there because of us alone."""
        try:
            return self._take(record)
        except Exception as error:  # noqa: BLE001  (the user's program must go on)
            self._failed(record.name, error)
            return False

    def _take(self, record: logging.LogRecord) -> bool:
        text = record.msg if isinstance(record.msg, str) else ""
        if text.startswith(_EXPLANATIONS):
            if not self.paused:
                line = {"kind": "miss", "time": round(time.time(), 6), "text": record.getMessage()}
                frame = sys._getframe(2)
                line["stack"] = self._stack(frame)
                paths = self._paths(str(line["text"]), frame)
                if paths:
                    line["paths"] = paths
                self._emit(line)
            return not self._asked()
        if text.startswith(_FINISHED):
            # What versions before 0.6 do not tell their listeners, and say just before they call them.
            self._thread.name = self._name_of(text)
            return False
        if text.startswith(_COMPILING) and isinstance(record.args, tuple) and len(record.args) > 1:
            if not self.paused:
                types_ = str(record.args[1])[:_TYPES]
                self._emit({"kind": "lowering-begin", "time": round(time.time(), 6), "name": str(record.args[0]),
                            "types": types_, "committed": _committed(record.args[2:]),
                            "stack": self._stack(sys._getframe(2))})  # fmt: skip
            return False
        # Without a persistent cache jax says at the level DEBUG that it missed all the same.
        if (
            text.startswith(_CACHE_WORDS)
            and not self.paused
            and getattr(self._config, "jax_compilation_cache_dir", None)
        ):
            self._emit({"kind": "record", "time": round(time.time(), 6), "logger": record.name,
                        "text": record.getMessage(), "stack": self._stack(sys._getframe(2))})  # fmt: skip
        return False

    def _asked(self) -> bool:
        """Tell whether the program itself wants to see explanations."""
        if self._explained_before:
            return True
        local = getattr(self._state, "get_local", None)  # set by `with jax.explain_cache_misses(True)`
        return local is not None and local() is True

    def _paths(self, text: str, frame: types.FrameType | None) -> dict[str, str]:
        """Return what the user calls arguments that jax names after the inside of a wrapper, as equinox's.

        The wrapper holds the user's arguments; a leaf of them is the one meant if all types that jax tells agree.
        """
        if _DIFFERENT_TYPES not in text:
            return {}
        try:
            return _user_paths(text, self._wrapper_of(frame))
        except Exception:  # noqa: BLE001  (a name is not worth more)
            return {}

    def _wrapper_of(self, frame: types.FrameType | None) -> types.FrameType | None:
        """Return the frame next to the user's that holds what the user passed: `args` and `kwargs`."""
        found = None
        while frame is not None and not self._places.is_user(frame.f_code.co_filename):
            names = frame.f_code.co_varnames
            if "args" in names and "kwargs" in names and not frame.f_code.co_filename.startswith(self._jax):
                found = frame
            frame = frame.f_back
        return found

    @staticmethod
    def _name_of(text: str) -> str:
        import re

        found = re.match(
            r"Finished (?:tracing(?: \+ transforming)? (.+) for \S+|jaxpr to MLIR module conversion (.+)"
            r"|XLA compilation of (.+)) in [-\d.e+]+ sec",
            text,
        )
        return next(filter(None, found.groups()), "") if found else ""

    def demoted(self, record: logging.LogRecord) -> bool:
        """Tell whether jax would have logged this at the level DEBUG, had we not asked for explanations."""
        text = record.msg if isinstance(record.msg, str) else ""
        return text.startswith(_PERSISTENT_MISS) and not self._asked()

    # --- programs ----------------------------------------------------------------------------------------------------

    def _note_program(self, name: str, frame: types.FrameType | None, end: float) -> None:
        """Say of how many equations the program is made that is being lowered, and where its function is defined.

        Only a frame of jax's holds it.
        """
        program = eager = None
        steps = 0
        while frame is not None and not self._places.is_user(frame.f_code.co_filename):
            if program is None and steps < 8 and "closed_jaxpr" in frame.f_code.co_varnames:
                program = frame.f_locals.get("closed_jaxpr")
            if frame.f_code.co_name == "apply_primitive":
                eager = True
            frame = frame.f_back
            steps += 1
        if program is None:
            self._thread.program = (name, eager, None)
            self._thread.unexplained = False
            return
        jaxpr = getattr(program, "jaxpr", program)
        definition = _definition(getattr(jaxpr, "debug_info", None))
        plain = name[4:-1] if name.startswith("jit(") else name
        if plain in _WITH_BODIES:
            eager = False
        elif eager is None:
            file = definition[0] if definition else ""
            eager = file.startswith(self._jax) and os.path.basename(file) not in _CARRIERS
        self._thread.program = (name, eager, definition)
        self._thread.unexplained = not eager and self._is_new(jaxpr) and not self._explains(definition)
        if not eager:
            self._emit(self._equations(name, definition, jaxpr, end))

    def _is_new(self, jaxpr: Any) -> bool:
        """Tell whether a program was traced since another was lowered: jax lowers again for other devices too."""
        import weakref

        known = self._programs.get(id(jaxpr))
        try:
            self._programs[id(jaxpr)] = weakref.ref(jaxpr)
        except TypeError:
            return False
        return known is None or known() is not jaxpr

    def _is_new_function(self, frame: types.FrameType | None) -> bool | None:
        """Tell whether a function was never traced before that is equal to this one; None where that is unknown.

        jax's cache compares so too, and holds functions as weakly.
        """
        for _ in range(4):
            if frame is None or not frame.f_code.co_filename.startswith(self._jax):
                return None
            if "fun" in frame.f_code.co_varnames:
                fun = frame.f_locals.get("fun")
                try:
                    new = fun not in self._functions
                    self._functions.add(fun)
                except TypeError:
                    return None
                return new
            frame = frame.f_back
        return None

    def _explains(self, definition: list[Any] | None) -> bool:
        """Tell whether jax explains the misses of functions that are defined there: not of its own, nor of flax's."""
        util = sys.modules.get("jax._src.source_info_util")
        is_user = getattr(util, "is_user_filename", None)
        return definition is None or is_user is None or bool(is_user(definition[0]))

    def _equations(self, name: str, definition: list[Any] | None, jaxpr: Any, end: float) -> dict[str, Any]:
        equations = _equations_of(jaxpr)
        line = {"kind": "equations", "time": round(end, 6), "name": name, "definition": definition,
                "total": len(equations), "digest": _digest_of(jaxpr, equations),
                "form": _form_of(equations)}  # fmt: skip
        if len(equations) < LARGE:
            return line
        counts: dict[tuple[Any, str], int] = {}
        for equation in equations:
            key = equation.source_info.traceback, equation.primitive.name
            counts[key] = counts.get(key, 0) + 1
        by_stack: dict[tuple[int | None, str], int] = {}
        for (trace, primitive), count in counts.items():
            pair = self._stack_of(trace), primitive
            by_stack[pair] = by_stack.get(pair, 0) + count
        largest = sorted(by_stack.items(), key=lambda item: -item[1])
        line["lines"] = [[stack, primitive, count] for (stack, primitive), count in largest[:_LINES]]
        return line

    # --- places ------------------------------------------------------------------------------------------------------

    def _stack(self, frame: types.FrameType | None) -> int | None:
        """Return the number of the stack of user frames from `frame` outwards; None where there are none."""
        key = self._places.of_frames(frame)
        if key and key not in self._stacks:
            self._tell_values(frame)
        return self._number(key)

    def _stack_of(self, trace: Any) -> int | None:
        if trace is None:
            return None
        return self._number(self._places.of_traceback(trace))

    def _tell_values(self, frame: types.FrameType | None) -> None:
        """Say what the names in the frames of the user hold, and the arguments of what they call in libraries."""
        called = None
        while frame is not None:
            code = frame.f_code
            if self._places.is_user(code.co_filename):
                held = frame.f_locals
                names = code.co_names if held is frame.f_globals else (*code.co_varnames, *code.co_cellvars)
                self._tell_names(code, names, held)
                if called is not None and not called.f_code.co_filename.startswith((self._jax, "<")):
                    code = called.f_code
                    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                    self._tell_names(code, arguments, called.f_locals)
                called = None
            else:
                called = frame
            frame = frame.f_back

    def _tell_names(self, code: types.CodeType, names: tuple[str, ...], held: Mapping[str, Any]) -> None:
        """Say of each name once what it holds: whether a jitted function can take it."""
        told = self._told.setdefault(code, set())
        values = {name: _value_kind(held[name]) for name in names if name not in told and name in held}
        if values:
            told.update(values)
            file, name, *_ = self._places.place(self._places.keep(code), 0)
            self._emit({"kind": "values", "time": round(time.time(), 6),
                        "definition": [file, code.co_firstlineno, name], "values": values})  # fmt: skip

    def _number(self, key: tuple[Any, ...]) -> int | None:
        if not key:
            return None
        with self._lock:
            number = self._stacks.get(key)
            if number is None:
                number = self._stacks[key] = len(self._stacks)
                self._write({"kind": "stack", "id": number, "frames": [self._places.place(*item) for item in key]})
        return number

    def _emit(self, line: dict[str, Any]) -> None:
        import threading

        ident = threading.get_ident()
        with self._lock:
            thread = self._threads.get(ident)
            if thread is None:
                thread = "main" if ident == self._main else f"thread-{len(self._threads) + 1}"
                self._threads[ident] = thread
            line["thread"] = thread
            self._write(line)

    def _failed(self, what: str, error: Exception) -> None:
        import contextlib

        with contextlib.suppress(Exception):
            self._emit({"kind": "note", "text": f"{what}: {type(error).__name__}: {error}"})


class Places:
    """Tells the user's frames from others, and where in the code each of them is."""

    def __init__(self) -> None:
        import sysconfig

        names = ("stdlib", "platstdlib", "purelib", "platlib")
        paths = {sysconfig.get_path(name) for name in names}
        here = os.path.dirname(os.path.abspath(__file__))
        prefixes = {path + os.sep for path in paths if path}
        self._skipped = (*sorted(prefixes), here + os.sep)
        self._user: dict[str, bool] = {}
        self._framework: dict[str, bool] = {}
        self._codes: dict[int, Any] = {}
        self._ranges: dict[int, list[Any]] = {}

    def is_user(self, file: str) -> bool:
        """Tell whether a file is the user's, not the interpreter's or of an installed package."""
        known = self._user.get(file)
        if known is None:
            known = self._user[file] = not (
                file.endswith(_OURS)
                or file.startswith(self._skipped)
                or _installed(file) >= 0
                or (file.startswith("<") and "ipython" not in file)
            )
        return known

    def _is_framework(self, file: str) -> bool:
        """Tell whether a file is of the interpreter, or of a package that is never what the user is after."""
        known = self._framework.get(file)
        if known is None:
            at = _installed(file)
            package = file[at:].split(os.sep, 1)[0].split(".", 1)[0] if at >= 0 else ""
            known = self._framework[file] = (
                file.startswith("<")
                or file.endswith(_OURS)
                or (package in _FRAMEWORKS if package else file.startswith(self._skipped))
            )
        return known

    def of_frames(self, frame: types.FrameType | None) -> tuple[Any, ...]:
        """Return the user's frames as pairs of a code's number and an instruction, innermost first.

        Where there are none, because an installed package is what runs, those of other packages than jax are in.
        """
        found = []
        others = []
        while frame is not None:
            code = frame.f_code
            if self.is_user(code.co_filename):
                found.append((self.keep(code), frame.f_lasti))
            elif not found and not self._is_framework(code.co_filename):
                others.append((self.keep(code), frame.f_lasti))
            frame = frame.f_back
        return tuple(_shortened(found or others))

    def of_traceback(self, trace: Any) -> tuple[Any, ...]:
        """Return the user's frames of what jax keeps of a stack, in the same way."""
        raw = getattr(trace, "raw_frames", None)
        if raw is None:
            frames = (frame for frame in trace.frames if self.is_user(frame.file_name))
            return tuple(_shortened([((f.file_name, f.function_name), f.line_num) for f in frames]))
        codes, instructions = raw()
        found = []
        others = []
        for index, code in enumerate(codes):
            if self.is_user(code.co_filename):
                found.append((self.keep(code), instructions[index]))
            elif not found and not self._is_framework(code.co_filename):
                others.append((self.keep(code), instructions[index]))
        return tuple(_shortened(found or others))

    def place(self, code: Any, instruction: int) -> list[Any]:
        """Return file, function, line, column, end line and end column; the last three None where unknown."""
        if isinstance(code, tuple):
            return [code[0], code[1], instruction, None, None, None]
        ranges = self._ranges.get(code)
        kept = self._codes[code]
        file = kept.co_filename if kept.co_filename.startswith("<") else os.path.abspath(kept.co_filename)
        if ranges is None:
            positions = getattr(kept, "co_positions", None)
            ranges = self._ranges[code] = list(positions()) if positions is not None else []
        index = instruction // 2
        name = getattr(kept, "co_qualname", kept.co_name)
        if 0 <= index < len(ranges) and None not in ranges[index]:
            line, end_line, column, end_column = ranges[index]
            return [file, name, line, column, end_line, end_column]
        return [file, name, _line_of(kept, instruction), None, None, None]

    def keep(self, code: types.CodeType) -> int:
        """Return a number for the code; it is kept, so that the number stays its own."""
        number = id(code)
        if number not in self._codes:
            self._codes[number] = code
        return number


def _shortened(frames: list[Any]) -> list[Any]:
    """Skip the middle of a deep recursion."""
    if len(frames) <= _FRAMES:
        return frames
    return frames[: _FRAMES * 2 // 3] + frames[-_FRAMES // 3 :]


def _installed(file: str) -> int:
    """Return where in a path the name of an installed package begins; -1 where there is none."""
    for folder in ("site-packages", "dist-packages"):
        at = file.rfind(f"{os.sep}{folder}{os.sep}")
        if at >= 0:
            return at + len(folder) + 2
    return -1


def _line_of(code: types.CodeType, instruction: int) -> int:
    line = code.co_firstlineno
    import dis

    for start, number in dis.findlinestarts(code):
        if start > instruction:
            break
        line = number or line
    return line


def _user_paths(text: str, wrapper: types.FrameType | None) -> dict[str, str]:
    import inspect
    import re

    if wrapper is None:
        return {}
    told = re.findall(r"\* at (\w+\S*\[(\d+)\]), now (\w+)\[([\d,]*)\]", text)
    args, kwargs, fun = (wrapper.f_locals.get(name) for name in ("args", "kwargs", "self"))
    if not told or not isinstance(args, tuple) or not isinstance(kwargs, dict):
        return {}
    names = list(inspect.signature(fun).parameters) if callable(fun) else []
    flatten = sys.modules["jax"].tree_util.tree_flatten_with_path
    leaves = [(path, leaf) for path, leaf in flatten((args, kwargs))[0] if hasattr(leaf, "dtype")]
    rest = [(path, leaf) for path, leaf in leaves if not (path[0].idx == 0 and path[1].idx == 0)] if args else leaves
    for candidates in (rest, leaves):
        found = {}
        for path, index, dtype, shape in told:
            if int(index) >= len(candidates):
                break
            place, leaf = candidates[int(index)]
            if "first" in path and candidates is rest:
                place, leaf = leaves[int(index)]
            if ",".join(map(str, leaf.shape)) != shape or _short_dtype(leaf.dtype) != dtype:
                break
            found[path] = _spelled(place, names)
        else:
            return found
    return {}


def _value_kind(value: Any) -> str:
    """Return what `jax.jit` makes of an argument: see `events.Values`."""
    for number in (bool, int, float):
        if isinstance(value, number):
            return number.__name__
    try:
        if _is_array(value):
            return "array"
        leaves = sys.modules["jax"].tree_util.tree_leaves(value)
        rest = [leaf for leaf in leaves if not isinstance(leaf, (bool, int, float, complex))]
        kind = "arrays" if all(map(_is_array, rest)) else "neither"
        if kind == "arrays" and (rest or not leaves):
            return kind
    except Exception:  # noqa: BLE001  (the user's own methods may raise anything)
        return "neither"
    try:
        hash(value)
    except Exception:  # noqa: BLE001
        return kind
    return "numbers" if kind == "arrays" else "static"


def _committed(said: tuple[Any, ...]) -> str:
    """Return which arguments are committed to devices: see `events.LoweringBegin`."""
    shardings = said[0] if said and isinstance(said[0], (tuple, list)) else ()
    return "".join("0" if type(one).__name__ == "UnspecifiedValue" else "1" for one in shardings[:_TYPES])


def _is_array(leaf: Any) -> bool:
    # numpy itself has both attributes.
    shape, dtype = getattr(leaf, "shape", None), getattr(leaf, "dtype", None)
    return isinstance(shape, tuple) and dtype is not None and getattr(dtype, "kind", "") not in set("OUSMm")


def _is_under_trace(frame: types.FrameType | None) -> bool:
    """Tell whether jax is tracing a function that led there; what autodiff traces is computed all the same."""
    while frame is not None:
        name = frame.f_code.co_name
        if name.startswith("trace_to_jaxpr") and not name.endswith("nounits"):
            return True
        frame = frame.f_back
    return False


def _short_dtype(dtype: Any) -> str:
    """Spell a type as jax does where it tells types."""
    import re

    name = str(dtype).replace("bfloat", "bf").replace("float", "f").replace("uint", "u").replace("complex", "c")
    return re.sub(r"^int", "i", name)


def _spelled(path: Any, names: list[str]) -> str:
    """Return the name of a leaf of `(args, kwargs)`: `opt_state[0].count`."""
    keystr = sys.modules["jax"].tree_util.keystr
    second = path[1]
    name = getattr(second, "key", None)
    if name is None:
        name = names[second.idx] if second.idx < len(names) else f"argument {second.idx + 1}"
    return f"{name}{keystr(path[2:])}"


def _definition(debug_info: Any) -> list[Any] | None:
    """Return file, line and name of the function that a program was made of."""
    file, line = getattr(debug_info, "func_filename", None), getattr(debug_info, "func_lineno", None)
    if file:
        return [file, line or 0, str(getattr(debug_info, "func_name", ""))]
    text = getattr(debug_info, "func_src_info", None)
    if not isinstance(text, str) or " at " not in text:
        return None
    name, _, place = text.partition(" at ")
    file, _, number = place.rpartition(":")
    return [file, int(number), name] if file and number.isdigit() else None


def _equations_of(jaxpr: Any) -> list[Any]:
    """Return the equations of a program and of all programs in it, each of those once."""
    found: list[Any] = []
    seen = {id(jaxpr)}
    waiting = [jaxpr]
    while waiting:
        equations = waiting.pop().eqns
        found.extend(equations)
        for equation in equations:
            for value in equation.params.values():
                for part in value if isinstance(value, (tuple, list)) else (value,):
                    if type(part).__name__ in ("Jaxpr", "ClosedJaxpr"):
                        inner = getattr(part, "jaxpr", part)
                        if id(inner) not in seen:
                            seen.add(id(inner))
                            waiting.append(inner)
    return found


def _digest_of(jaxpr: Any, equations: list[Any]) -> str:
    """Return what programs of one process have in common that compute the same, but for the numbers in them."""
    number = 0
    for variable in jaxpr.invars:
        number = hash((number, *_kind_of(variable)))
    for equation in equations:
        number = hash((number, equation.primitive.name))
        for variable in equation.outvars:
            number = hash((number, *_kind_of(variable)))
    return f"{number & (1 << 64) - 1:016x}"


def _form_of(equations: list[Any]) -> str:
    """Return what programs of one process have in common that compute the same, of whatever shapes."""
    number = 0
    for equation in equations:
        # What only fits shapes together is there or not as the shapes need it.
        if equation.primitive.name not in _FITTING:
            number = hash((number, equation.primitive.name))
    return f"{number & (1 << 64) - 1:016x}"


_FITTING = frozenset("broadcast_in_dim reshape squeeze convert_element_type expand_dims copy pjit jit".split())


def _kind_of(variable: Any) -> tuple[Any, ...]:
    aval = variable.aval
    return getattr(aval, "shape", None), getattr(aval, "dtype", None)


_classes: dict[Any, Any] = {}


def _recording(base: Any, recorder: Recorder) -> Any:
    """Return a class of loggers that shows the recorder every record, and passes on what `base` would."""
    known = _classes.get((base, id(recorder)))
    if known is not None:
        return known

    class Logger(base):  # type: ignore[misc]
        def isEnabledFor(self, _level: int) -> bool:  # noqa: N802
            return True

        def handle(self, record: logging.LogRecord) -> None:
            if recorder.take(record):
                return
            if recorder.demoted(record):
                record.levelno, record.levelname = 10, "DEBUG"
            if super().isEnabledFor(record.levelno):
                super().handle(record)

    Logger.__name__ = Logger.__qualname__ = base.__name__
    _classes[(base, id(recorder))] = Logger
    return Logger


# --- in the user's process -------------------------------------------------------------------------------------------


class File:
    """The file of one process, which is made when there is something to write."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = ""
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None
        self.begun = time.time()

    def forked(self) -> None:
        """Let the parent's file be."""
        self._path, self._descriptor, self._identity = "", -1, None
        self.begun = time.time()

    @property
    def used(self) -> bool:
        """Whether anything was written."""
        return bool(self._path)

    def write(self, line: dict[str, Any]) -> None:
        """Add a line, at once."""
        if not self._path:
            self._path = os.path.join(self._folder, f"{os.getpid()}-{time.time_ns()}.jsonl")
            self._put(self._first())
        self._put(line)

    def _first(self) -> dict[str, Any]:
        return {
            "kind": "process", "schema": 1, "pid": os.getpid(), "parent": os.getppid(),
            "arguments": getattr(sys, "orig_argv", sys.argv), "folder": _folder(), "python": sys.version.split()[0],
            "time": round(self.begun, 6),
        }  # fmt: skip

    def _put(self, line: dict[str, Any]) -> None:
        import json

        data = json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        os.write(self._open(), data)

    def _open(self) -> int:
        """Return the descriptor; the program may have closed it, and another file have got its number."""
        if self._identity is not None:
            try:
                status = os.fstat(self._descriptor)
                if (status.st_dev, status.st_ino) == self._identity:
                    return self._descriptor
            except OSError:
                pass
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        status = os.fstat(self._descriptor)
        self._identity = status.st_dev, status.st_ino
        return self._descriptor


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


class _Finder:
    """Notices when jax is imported; finds nothing itself."""

    def __init__(self, imported: Callable[[Any, float], None]) -> None:
        self._imported = imported

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "jax":
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self._done)
                return spec
        return None

    def _done(self, module: Any, seconds: float) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._imported(module, seconds)


class _Loader:
    """Loads a module as `loader` does, and then says so."""

    def __init__(self, loader: Any, done: Callable[[Any, float], None]) -> None:
        self._loader = loader
        self._done = done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        start = time.perf_counter()
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._done(module, time.perf_counter() - start)


def start(folder: str) -> None:
    """Record this process, from when it imports jax, into `folder`."""
    file = File(folder)

    def imported(jax: Any, seconds: float) -> None:
        try:
            _begin(file, jax, seconds)
        except Exception as error:  # noqa: BLE001  (the user's program must go on)
            file.write({"kind": "note", "text": f"recording: {type(error).__name__}: {error}"})

    when_imported(imported)


def when_imported(act: Callable[[Any, float], None]) -> None:
    """Call `act` with the module `jax` and the seconds of its import: now, or when it is imported."""
    if "jax" in sys.modules:
        act(sys.modules["jax"], 0.0)
    else:
        sys.meta_path.insert(0, _Finder(act))


def _begin(file: File, jax: Any, seconds: float) -> None:
    import atexit

    recorder = Recorder(file.write)

    def forked() -> None:
        recorder.forked()
        file.forked()

    def ended() -> None:
        if file.used:
            kind = getattr(sys, "last_type", None)
            name = getattr(kind, "__name__", None)
            file.write({"kind": "end", "time": round(time.time(), 6), "exception": name})

    recorder.install(jax, seconds)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)
    atexit.register(ended)
