"""Reads the equation counts that jax dumps (`JAX_DUMP_IR_MODES=eqn_count_pprof`), without the pprof program.

A dump is a gzipped message `perftools.profiles.Profile` of protocol buffers (github.com/google/pprof,
proto/profile.proto): one sample for each traceback and primitive, labelled with the primitive.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeVar

from jaxlint.doctor.events import Equations, Frame, Sample

SUFFIX = ".eqn_count_pprof"


class PprofError(ValueError):
    """The bytes are no profile; the text says why."""


# Numbers of fields in proto/profile.proto.
_SAMPLE, _LOCATION, _FUNCTION, _STRINGS, _COMMENT = 2, 4, 5, 6, 13
_COMMENTED = re.compile(r"^(?P<name>.*?)(?: at (?P<file>.*):(?P<line>\d+))?$", re.DOTALL)

_Fields = dict[int, list[int | bytes]]
_Kind = TypeVar("_Kind", int, bytes)


def load(data: bytes, name: str = "") -> Equations:
    """Read a dump; `name` is that of the file, from which the program's name comes where the dump does not tell it.

    Raises:
        PprofError: the bytes are not gzipped, are cut, or are no profile.
    """
    try:
        profile = _message(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, zlib.error) as error:
        raise PprofError(f"not a gzipped profile: {error}") from None
    try:
        strings = [text.decode("utf-8", "replace") for text in _values(profile, _STRINGS, bytes)]
        functions = {_one(m, 1): m for m in map(_message, _values(profile, _FUNCTION, bytes))}
        locations = {_one(m, 1): m for m in map(_message, _values(profile, _LOCATION, bytes))}
        frames = {key: _frame(message, functions, strings) for key, message in locations.items()}
        shown = {key: frame for key, (frame, _) in frames.items()}
        samples = [_sample(_message(raw), shown, strings) for raw in _values(profile, _SAMPLE, bytes)]
        comments = [strings[number] for number in _numbers(profile, _COMMENT)]
    except (IndexError, KeyError) as error:
        raise PprofError(f"not a profile that is whole: {error!r}") from None
    if not strings:
        raise PprofError("not a profile: it has no table of strings")
    found = _COMMENTED.match(comments[0]) if comments else None
    program = found["name"] if found else re.sub(r"^(?:jax_\d+_)?(.*?)(?:\.eqn_count_pprof)?$", r"\1", name)
    definition = Frame(found["file"], int(found["line"]), program) if found and found["file"] else None
    if definition is None:
        # Up to 0.9 jax adds no comment, and the stacks go on to the callers.
        starts = {frame: start for frame, start in frames.values() if frame.function.rsplit(".", 1)[-1] == program}
        definition = next((Frame(frame.file, start, program) for frame, start in starts.items() if start), None)
    return Equations(program=program, definition=definition, samples=tuple(samples))


def _sample(message: _Fields, frames: dict[int, Frame], strings: list[str]) -> Sample:
    primitive = ""
    for raw in _values(message, 3, bytes):
        label = _message(raw)
        if strings[_one(label, 1)] == "primitive":
            primitive = strings[_one(label, 2)]
    counts = _numbers(message, 2)
    return Sample(counts[0] if counts else 0, primitive, tuple(frames[number] for number in _numbers(message, 1)))


def _frame(location: _Fields, functions: dict[int, _Fields], strings: list[str]) -> tuple[Frame, int]:
    """Return a place, and the line at which its function begins, 0 where that is not told."""
    lines = _values(location, 4, bytes)
    line = _message(lines[0]) if lines else {}
    function = functions[_one(line, 1)]
    file = strings[_one(function, 4)]
    # jax names functions by the path of their file, with dots for slashes, and their qualified name.
    module = file.removesuffix(".py").replace("/", ".").strip(".")
    name = strings[_one(function, 2)].lstrip(".").removeprefix(f"{module}.")
    return Frame(file, _one(line, 2), name), _one(function, 5)


# --- protocol buffers ------------------------------------------------------------------------------------------------


def _message(data: bytes) -> _Fields:
    """Return the fields of a message: numbers, and bytes for what is of any length."""
    fields: _Fields = defaultdict(list)
    for number, value in _fields(data):
        fields[number].append(value)
    return fields


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        wire = key & 7
        if wire == 0:
            value: int | bytes
            value, position = _varint(data, position)
        elif wire == 2:
            length, position = _varint(data, position)
            value, position = data[position : position + length], position + length
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
            value, position = data[position : position + length], position + length
        else:
            raise PprofError(f"not a profile: no field has wire type {wire}")
        if position > len(data):
            raise PprofError("the profile is cut")
        yield key >> 3, value


def _varint(data: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        number |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return number, position
    raise PprofError("the profile is cut")


def _values(message: _Fields, number: int, kind: type[_Kind]) -> list[_Kind]:
    values = message.get(number, [])
    if not all(isinstance(value, kind) for value in values):
        raise PprofError(f"not a profile: field {number} is of another type")
    return [value for value in values if isinstance(value, kind)]


def _one(message: _Fields, number: int) -> int:
    values = message.get(number)
    if not values:
        return 0
    if not isinstance(values[-1], int):
        raise PprofError(f"not a profile: field {number} is of another type")
    return values[-1]


def _numbers(message: _Fields, number: int) -> list[int]:
    """Return a repeated number, packed or not."""
    numbers: list[int] = []
    for value in message.get(number, []):
        if isinstance(value, int):
            numbers.append(value)
            continue
        position = 0
        while position < len(value):
            one, position = _varint(value, position)
            numbers.append(one)
    return numbers
