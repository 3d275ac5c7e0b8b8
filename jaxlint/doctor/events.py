"""What happened while a program ran: traces, cache misses, lowerings, compiles, as plain values and as JSON lines.

A reader of logs and a live recorder both produce these, and the model of a run is made of nothing else.  Events come
in the order in which they happened within one thread; those of several threads, processes and hosts may be mixed.

One event is one line of JSON: an object whose `event` names the class, whose other keys are the fields that are not at
their default.  The first line of a recording is a `Start`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

SCHEMA = 1
"""The version of the JSON form.  A reader takes any version: it passes over keys that it does not know."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in code.

    `line` is 1-based.  Columns are 0-based UTF-8 bytes, as in Python's `ast`, and None where unknown.  `function` is
    the qualified name of the function around, empty where unknown.
    """

    file: str
    line: int
    function: str = ""
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """Equations of one primitive that one line brought into a program; `stack` is innermost first."""

    count: int
    primitive: str
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have.

    `time` is when it was over, in seconds since the epoch; a log that tells the time of day alone gives times that
    can only be compared.  `process`, `thread` and `host` are names, empty where unknown.  `stack` holds the frames of
    user code that led there, innermost first; a log knows one at most.
    """

    KIND: ClassVar[str] = ""

    time: float | None = None
    process: str = ""
    thread: str = ""
    host: str = ""
    stack: tuple[Frame, ...] = ()

    @property
    def site(self) -> Frame | None:
        """The innermost frame of user code."""
        return self.stack[0] if self.stack else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Event):
    """A recording begins.  `versions` maps jax, jaxlib, python and jaxlint to theirs."""

    KIND = "start"

    schema: int = SCHEMA
    arguments: tuple[str, ...] = ()
    folder: str = ""
    versions: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(Event):
    """A process that was recorded ends; `seconds` is how long it was recorded."""

    KIND = "finish"

    seconds: float = 0.0
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceBegin(Event):
    """jax begins to trace a function."""

    KIND = "trace-begin"

    function: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEnd(Event):
    """jax is done with tracing a function.  It says so even where its cache held the trace, and where tracing failed.

    Up to 0.8 jax says it of functions that are compiled inside of others too, from 0.9 on of the outermost alone.
    """

    KIND = "trace"

    function: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss(Event):
    """The tracing cache did not have a function; `text` is jax's explanation, without the line that says where.

    `function` is as jax prints it, qualified or not.  `definition` is where it is defined.  `seconds` is what the
    trace cost, where jax says so (0.6 to 0.8).  `traced` tells whether the trace is over by then, as up to 0.8.  Inside
    of another trace jax tells no call site from 0.9 on.
    """

    KIND = "miss"

    function: str = ""
    definition: Frame | None = None
    text: str = ""
    seconds: float | None = None
    traced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweringBegin(Event):
    """A program is about to be lowered; `types` are the types of its arguments, as jax prints them.

    `committed` has a `1` for each argument that is committed to devices, else a `0`; it is empty where that is not
    known.
    """

    KIND = "lowering-begin"

    program: str = ""
    types: str = ""
    committed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowering(Event):
    """A program was turned into an MLIR module.  `program` is the name of the function, without `jit()` around it."""

    KIND = "lowering"

    program: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile(Event):
    """The backend compiled a program, or loaded it from the persistent cache: then a `PersistentCache` hit precedes.

    `eager` tells whether it is the program of one operation that ran outside of any jitted function; None where
    that is not known; `traced` tells whether it came while a function around it was traced, None likewise.
    """

    KIND = "compile"

    program: str = ""
    seconds: float = 0.0
    eager: bool | None = None
    traced: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentCache(Event):
    """The persistent cache was asked, or written to.

    `program` is the name of the module without `jit_`.  `saved` is how much less time the load took than the compile
    that was stored, as jax measures it; `reason` says why a program was not stored.
    """

    KIND = "persistent-cache"

    program: str = ""
    outcome: Literal["hit", "miss", "write", "skipped"] = "miss"
    key: str = ""
    reason: str = ""
    saved: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(Event):
    """XLA was done with a stage of compiling, such as `HLO_PASSES`."""

    KIND = "stage"

    stage: str = ""
    seconds: float = 0.0
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint(Event):
    """XLA tells the fingerprint of an executable: a program was compiled, whether or not jax was asked to log it."""

    KIND = "fingerprint"

    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equations(Event):
    """Of how many equations a program is made, by the lines that brought them in.

    Bodies of loops count once, as does a jitted function that is called often.

    `digest` is the same for programs of one process that compute the same, but for the numbers in them, and `form` the
    same where their shapes differ too; both are empty where unknown.
    """

    KIND = "equations"

    program: str = ""
    definition: Frame | None = None
    samples: tuple[Sample, ...] = ()
    digest: str = ""
    form: str = ""

    @property
    def count(self) -> int:
        """How many equations there are."""
        return sum(sample.count for sample in self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(Event):
    """What the names of a function or a module were seen to hold; of a library's function, its arguments.

    `values` maps each name to what `jax.jit` makes of the value as an argument.  An `array`, and a pytree of `arrays`,
    is traced; `bool`, `int`, `float` and tuples of `numbers` are Python's own, and may be static; `static` has to be
    static, and `neither` cannot be, since it has no hash.
    """

    KIND = "values"

    definition: Frame
    values: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Event):
    """A line that looks like one of jax's or XLA's, and is not understood."""

    KIND = "unknown"

    text: str = ""
    file: str = ""
    number: int = 0


KINDS: Mapping[str, type[Event]] = {
    kind.KIND: kind
    for kind in (
        Start,
        Finish,
        TraceBegin,
        TraceEnd,
        Miss,
        LoweringBegin,
        Lowering,
        Compile,
        PersistentCache,
        Stage,
        Fingerprint,
        Equations,
        Values,
        Unknown,
    )
}


class EventError(ValueError):
    """A line is no event in JSON; the text says why."""


def dumps(event: Event) -> str:
    """Return the event as one line of JSON, without a line end."""
    return json.dumps({"event": event.KIND, **_plain(event)}, ensure_ascii=False, separators=(",", ":"))


def loads(line: str | bytes) -> Event:
    """Read one line that `dumps` wrote; keys that are not known are passed over.

    Raises:
        EventError: the line is not JSON, is of no known kind, or a value has the wrong type.
    """
    try:
        data = json.loads(line)
    except ValueError as error:
        raise EventError(f"not JSON: {error}") from None
    kind = KINDS.get(data.get("event", "")) if isinstance(data, dict) else None
    if kind is None:
        raise EventError("not an event: no known kind in `event`")
    return typing.cast(Event, _read(kind, data, kind.KIND))


def read(lines: typing.Iterable[str | bytes]) -> Iterator[Event]:
    """Yield the events of a recording.  Blank lines are passed over.

    Raises:
        EventError: a line is no event; the text has its number.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield loads(line)
            except EventError as error:
                raise EventError(f"line {number}: {error}") from None


def name(program: str) -> str:
    """Return the name of the function in what jax calls a program: `f` of `jit(f)`, `pmap(f)` and of `f`."""
    for wrapper in ("jit(", "pmap("):
        if program.startswith(wrapper) and program.endswith(")"):
            return program[len(wrapper) : -1]
    return program


def _plain(value: Any) -> dict[str, Any]:
    """Return the fields that are not at their default."""
    out = {}
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        if held != default:
            out[field.name] = _encoded(held)
    return out


def _encoded(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _plain(value)
    if isinstance(value, tuple | list):
        return [_encoded(item) for item in value]
    return value


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def _read(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise EventError(f"{where}: not an object")
    hints = _hints(kind)
    fields = {field.name for field in dataclasses.fields(kind)}
    values = {key: _value(hints[key], data[key], f"{where}.{key}") for key in data if key in fields}
    try:
        return kind(**values)
    except TypeError as error:
        raise EventError(f"{where}: {error}") from None


def _value(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    options = typing.get_args(hint)
    if origin is types.UnionType:
        return None if value is None else _value(options[0], value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise EventError(f"{where}: not a list")
        return tuple(_value(options[0], item, where) for item in value)
    if dataclasses.is_dataclass(hint):
        return _read(typing.cast(type, hint), value, where)
    if origin is Literal:
        good = value in options
    elif hint is float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
    elif hint is int:
        good = isinstance(value, int) and not isinstance(value, bool)
    else:
        good = isinstance(value, dict if origin is not None else hint)
    if not good:
        raise EventError(f"{where}: {value!r} has the wrong type")
    return value
