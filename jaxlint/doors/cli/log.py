"""Read logs of programs that ran under jax, and say what they compiled, why, and what to change.

A FILE is a log with what jax said under JAX_LOG_COMPILES=1 and JAX_EXPLAIN_CACHE_MISSES=1 in it, of any jax from 0.4.30
on, gzipped or not; a recording of `jaxlint run --record`; or a dump of equation counts
(JAX_DUMP_IR_MODES=eqn_count_pprof), or a folder of them.  `-` is standard input.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from jaxlint.doors.cli import INTERRUPTED, check, fail, outputs

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
        "--strict", action="store_true", help="exit with 2 if a line looks like jax's or XLA's and is not understood"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="(default: %(default)s)")
    outputs.configure(parser)
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="as for check")


def run(arguments: argparse.Namespace) -> int:
    """Read, report and return the exit code: 0; 2 where something cannot be read or, in `--strict`, understood.

    Raises:
        ConfigError: a configuration file cannot be used.
        UsageError: a folder to write to is missing.
    """
    outputs.check((arguments.report, arguments.trace))
    from jaxlint.doctor import jsonform, text
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder

    builder = Builder()
    reader = Reader(arguments.files)
    interrupted = False
    try:
        for event in reader.events():
            builder.add(event)
    except KeyboardInterrupt:
        # It ends the program at the other end of a pipe as well: what was read is to be told.
        interrupted = True
    finally:
        reader.progress.end()
    for error in reader.errors:
        fail(error)
    if reader.errors and not reader.read:
        return 2
    joined = join(builder.model(), isolated=arguments.isolated)
    outputs.write(joined, arguments)
    if arguments.output_format == "json":
        sys.stdout.write(json.dumps(jsonform.to_json(joined), indent=1) + "\n")
    else:
        text.write(joined, sys.stdout, color=check.color(arguments.color), notes=reader.notes)
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
    read: int = 0

    def __post_init__(self) -> None:
        from jaxlint.doctor.text import Notes

        self.notes: Notes = Notes()
        self.progress = Progress(sum(map(_size, self.files)), sys.stderr)

    def events(self) -> Iterator[Event]:
        """Yield the events of all files."""
        several = len(self.files) > 1
        for name in self.files:
            before = len(self.errors)
            try:
                yield from self._file(name, os.path.basename(name) if several else "")
            except EOFError:
                self.errors.append(f"{name}: the compressed file is cut")
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
        first = counted.peek(64)
        text: Any = counted
        if first.startswith(b"\x1f\x8b"):
            import gzip

            text = gzip.GzipFile(fileobj=counted)
        if _is_recording(first):
            yield from self._recording(text, name)
            return
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

    def _recording(self, lines: Any, name: str) -> Iterator[Event]:
        from jaxlint.doctor import events

        try:
            yield from events.read(lines)
        except events.EventError as error:
            self.errors.append(f"{name}: {error}")


def _is_recording(first: bytes) -> bool:
    return first.startswith(b'{"event":')


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
