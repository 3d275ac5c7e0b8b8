"""Read logs of programs that ran under JAX, and say what they compiled, why, and what to change.

A FILE is a log with what jax said under JAX_LOG_COMPILES=1 and JAX_EXPLAIN_CACHE_MISSES=1 in it, of any jax from 0.4.30
on, gzipped or not; a recording of `jaxlint run --record`; or a dump of equation counts
(JAX_DUMP_IR_MODES=eqn_count_pprof), or a folder of them.  `-` is standard input.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import dataclasses
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from jaxlint.doors.cli import INTERRUPTED, colors, fail, outputs, warn

if TYPE_CHECKING:
    from jaxlint.doctor.events import Event
    from jaxlint.doctor.text import Notes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint log`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="logs, recordings, dumps, folders of dumps; - is stdin"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 2 if a line looks like JAX's or XLA's and is not understood"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="(default: %(default)s)")
    outputs.configure(parser)
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    colors.configure(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, report and return the exit code: 0; 2 where something cannot be read or, in `--strict`, understood.

    Raises:
        ConfigError: a configuration file cannot be used.
        UsageError: a folder to write to is missing.
    """
    outputs.check((arguments.report, arguments.trace))
    from jaxlint.doctor import dialects, jsonform, text
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder

    builder = Builder()
    reader = Reader(arguments.files)
    interrupted = False
    try:
        for name in reader.names:
            for event in reader.events(name):
                builder.add(event)
            builder.close()
    except KeyboardInterrupt:
        # It ends the program at the other end of a pipe as well: what was read is to be told.
        interrupted = True
    finally:
        reader.progress.end()
    for error in reader.errors:
        fail(error)
    for name in reader.cut:
        warn(f"{name}: it ends early, as if the job that wrote it had been killed; what is there was read")
    model = builder.model()
    if reader.errors and not reader.read and not model.functions:
        return 2
    if not model.functions and not reader.errors:
        warn(f"nothing was read: no line looks like {', '.join(dialects.LOOKED_FOR[:-1])} or {dialects.LOOKED_FOR[-1]}")
    joined = join(model, isolated=arguments.isolated)
    outputs.write(joined, arguments)
    if arguments.output_format == "json":
        sys.stdout.write(json.dumps(jsonform.to_json(joined), indent=1) + "\n")
    else:
        text.write(joined, sys.stdout, color=colors.wanted(arguments.color), notes=reader.notes)
    unknown = joined.model.unknown
    if arguments.strict and unknown:
        example = joined.model.unknown_examples[0]
        return fail(f"{unknown} lines were not understood, the first is {example.file}:{example.number}")
    return INTERRUPTED if interrupted else 2 if reader.errors else 0


@dataclass
class Reader:
    """Reads the files that were named, one after the other.

    `errors` tell what could not be read; the other files are read all the same.
    """

    files: list[str]
    errors: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    """The files that end early."""
    read: int = 0

    def __post_init__(self) -> None:
        from jaxlint.doctor.text import Notes

        self.notes: Notes = Notes()
        names = [name for given in self.files for name in _within(given)]
        self._processes = dict(zip(names, _apart(names), strict=True))
        self.progress = Progress(sum(map(_size, names)), sys.stderr)

    @property
    def names(self) -> list[str]:
        """The files to read, those of folders included."""
        return list(self._processes)

    def events(self, name: str) -> Iterator[Event]:
        """Yield the events of a file."""
        before = len(self.errors)
        try:
            yield from self._file(name, self._processes[name])
        except OSError as error:
            self.errors.append(f"{name}: cannot be read: {error.strerror or error}")
        self.read += len(self.errors) == before

    def _file(self, name: str, process: str) -> Iterator[Event]:
        if name == "-":
            yield from self._stream(sys.stdin.buffer, "<stdin>", process)
        elif os.path.isdir(name):
            yield from self._folder(name)
        else:
            from jaxlint.doctor import pprof

            with open(name, "rb") as stream:
                if name.endswith(pprof.SUFFIX):
                    yield from self._dump(stream.read(), name)
                else:
                    yield from self._stream(stream, name, process)

    def _folder(self, name: str) -> Iterator[Event]:
        from jaxlint.doctor import pprof

        dumps = sorted(path for path in Path(name).iterdir() if path.name.endswith(pprof.SUFFIX))
        if not dumps:
            self.errors.append(f"{name}: no *{pprof.SUFFIX} in this folder (JAX_DUMP_IR_MODES=eqn_count_pprof)")
        for path in dumps:
            yield from self._dump(path.read_bytes(), str(path))

    def _dump(self, data: bytes, name: str) -> Iterator[Event]:
        from jaxlint.doctor import pprof

        self.progress.more(len(data))
        try:
            yield pprof.load(data, os.path.basename(name))
        except pprof.PprofError as error:
            self.errors.append(f"{name}: {error}")

    def _stream(self, stream: BinaryIO, name: str, process: str) -> Iterator[Event]:
        counted = io.BufferedReader(_Counted(stream, self.progress.more), 1 << 16)
        text: Any = counted
        if counted.peek(64).startswith(b"\x1f\x8b"):
            import gzip

            text = io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=counted), lambda: self.cut.append(name)), 1 << 16)
        encoding = _encoding(text.peek(64))
        if encoding:
            text = io.BufferedReader(_Recoded(text, encoding), 1 << 16)
        first = text.peek(256)
        if _is_recording(first):
            yield from self._recording(text, name, process)
            return
        if _is_json_array(first):
            text = io.BufferedReader(_Unfolded(text), 1 << 16)
        from jaxlint.doctor.logfile import LogReader
        from jaxlint.doctor.text import Notes

        reader = LogReader(name, process)
        try:
            yield from reader.read(text)
        finally:
            notes = self.notes
            self.notes = Notes(
                notes.lines + reader.lines, notes.passed_over + reader.passed_over, notes.cut + reader.cut
            )

    def _recording(self, lines: Any, name: str, host: str) -> Iterator[Event]:
        from jaxlint.doctor import events

        last, number = b"", 0
        try:
            for line in lines:
                number += 1
                last = line
                if line.strip():
                    event = events.loads(line)
                    # Numbers of processes come again on other hosts.
                    yield dataclasses.replace(event, host=host) if host and not event.host else event
        except events.EventError as error:
            if last.endswith(b"\n"):
                self.errors.append(f"{name}: line {number}: {error}")
            else:
                # Its process was killed while it wrote.
                self.cut.append(name)


_KIND = re.compile(rb'^\{"event": ?"(?P<kind>[\w-]+)"[,}]')
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _is_recording(first: bytes) -> bool:
    """Tell a recording from a structured log, whose messages may be called events too."""
    from jaxlint.doctor import events

    found = _KIND.match(first)
    return found is not None and found["kind"].decode() in events.KINDS


def _is_json_array(first: bytes) -> bool:
    """Tell whether a file is one value of JSON, as consoles export logs, rather than one a line."""
    begin = first.lstrip()
    return re.match(rb'\[\s*[{"\[]|\{\s*\n', begin) is not None


def _encoding(first: bytes) -> str:
    """Return the encoding that the first bytes tell, other than UTF-8; empty where they tell none."""
    for mark, name in _ENCODINGS:
        if first.startswith(mark):
            return name
    if len(first) >= 8 and not first[1::2].strip(b"\0"):
        return "utf-16-le"
    return "utf-16-be" if len(first) >= 8 and not first[0::2].strip(b"\0") else ""


class _Piped(io.RawIOBase):
    """A stream of what another one becomes."""

    def __init__(self, stream: Any) -> None:
        self._source = stream
        self._rest = b""
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._over:
            self._rest = self._next()
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _next(self) -> bytes:
        """Return more, or set `_over`."""
        raise NotImplementedError


class _Unpacked(_Piped):
    """What a compressed stream holds, up to where it is cut or damaged."""

    def __init__(self, stream: Any, tell: Callable[[], None]) -> None:
        super().__init__(stream)
        self._tell = tell

    def _next(self) -> bytes:
        import zlib

        try:
            data: bytes = self._source.read1(1 << 16)
        except (EOFError, OSError, zlib.error):
            self._tell()
            data = b""
        self._over = not data
        return data


class _Recoded(_Piped):
    """A text of another encoding, as UTF-8."""

    def __init__(self, stream: Any, encoding: str) -> None:
        super().__init__(stream)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def _next(self) -> bytes:
        data = self._source.read1(1 << 16)
        self._over = not data
        return self._decoder.decode(data, final=not data).encode("utf-8", "replace")


class _Unfolded(_Piped):
    """An export of a console, with one line for each line that it holds, in the order of time.

    An export may be of any size, and its entries are taken one by one, as far as they are whole.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._text = ""
        self._depth = 0

    def _next(self) -> bytes:
        from jaxlint.doctor import dialects

        found: list[Any] = []
        decoder = json.JSONDecoder(strict=False)
        data = self._source.read(1 << 24)
        self._over = not data
        self._text += data.decode("utf-8", "replace")
        position = 0
        while True:
            while position < len(self._text) and self._text[position] in " \t\r\n,]":
                position += 1
            if position >= len(self._text):
                break
            if self._text[position] == "[" and not self._depth:
                # The array of all entries.
                self._depth, position = 1, position + 1
                continue
            try:
                value, position = decoder.raw_decode(self._text, position)
            except ValueError:
                end = self._text.find("[", position)
                if (
                    self._text[position] == "{"
                    and not self._depth
                    and end >= 0
                    and (self._over or len(self._text) > 1 << 20)
                ):
                    self._depth, position = 1, end + 1
                    continue
                break
            found.append(value)
        rest = self._text[position:]
        self._text = "" if self._over else rest
        entries = list(_entries(found))
        if len(entries) > 1 and entries[0][0] > entries[-1][0]:
            # Consoles show, and export, the newest first.
            entries.reverse()
        lines = [line for _, value in entries for line in dialects.texts_of(value)]
        if self._over and rest.strip():
            lines += rest.split("\n")
        return "".join(line + "\n" for line in lines).encode("utf-8", "replace")


def _entries(values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the entries of an export, each with its time; one may be wrapped in what the query was."""
    for value in values:
        if isinstance(value, str):
            yield "", value
            continue
        lists = [part for part in value.values() if isinstance(part, list)] if isinstance(value, dict) else [value]
        lists = [part for part in lists if isinstance(part, list) and any(isinstance(one, dict) for one in part)]
        if isinstance(value, dict) and not lists:
            time = next((str(value[key]) for key in ("timestamp", "time", "@timestamp") if key in value), "")
            yield time, value
        for part in lists:
            yield from _entries(part)


def _within(name: str) -> list[str]:
    """Return the files that a name represents: of a folder, its logs, or itself where it holds dumps or nothing."""
    if not os.path.isdir(name):
        return [name]
    from jaxlint.doctor import pprof

    files = sorted(str(path) for path in Path(name).rglob("*") if path.is_file())
    logs = [file for file in files if not file.endswith((pprof.SUFFIX, ".jaxpr.txt", ".mlir", ".html"))]
    dumps = len(files) > len(logs)
    return ([name] if dumps or not logs else []) + ([] if dumps else logs)


def _apart(names: list[str]) -> list[str]:
    """Return the shortest ends of paths, in whole parts, that tell them apart; nothing where there is one alone."""
    if len(names) < 2:
        return [""] * len(names)
    parts = [Path(name).parts for name in names]
    for length in range(1, max(map(len, parts)) + 1):
        ends = ["/".join(part[-length:]) for part in parts]
        if len(set(ends)) == len(ends):
            return ends
    return names


def _size(name: str) -> int:
    with contextlib.suppress(OSError):
        if name != "-" and not os.path.isdir(name):
            return os.path.getsize(name)
    return 0


class _Counted(io.RawIOBase):
    """A stream that tells how many bytes were read of it; made to be buffered."""

    def __init__(self, stream: BinaryIO, tell: Callable[[int], None]) -> None:
        # A pipe gives what is there, and does not wait for more.
        self._read = getattr(stream, "read1", stream.read)
        self._tell = tell

    def readinto(self, buffer: Any) -> int:
        data: bytes = self._read(len(buffer))
        buffer[: len(data)] = data
        self._tell(len(data))
        return len(data)

    def readable(self) -> bool:
        return True


class Progress:
    """A bar on a terminal while much is read, and nothing elsewhere."""

    def __init__(self, total: int, out: Any) -> None:
        self._total = total
        self._done = 0
        self._out = out if out.isatty() and total > _MUCH else None
        self._next = 0.0

    def more(self, number: int) -> None:
        """Say that so many more bytes are read."""
        self._done += number
        if self._out is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 0.1
        share = min(self._done / self._total, 1.0)
        filled = int(_WIDTH * share)
        self._out.write(f"\r[{'#' * filled}{'-' * (_WIDTH - filled)}] {share:4.0%} of {self._total / 1e6:,.0f} MB")
        self._out.flush()

    def end(self) -> None:
        """Take the bar away."""
        if self._out is not None:
            self._out.write("\r\x1b[K")
            self._out.flush()


_WIDTH = 30
_MUCH = 10_000_000
