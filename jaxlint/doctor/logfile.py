"""Reads logs that hold what jax and XLA said, among anything else, into events.

Memory does not grow with the length of a log.  Text without any of jax's words is skipped in blocks, at the speed of a
search for bytes.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from jaxlint.doctor import dialects
from jaxlint.doctor.dialects import Head
from jaxlint.doctor.events import Event, Unknown

BLOCK = 1 << 20
LONGEST = 1 << 24
"""Bytes of the longest line that is read whole; what is longer is cut."""
PATIENCE = 40
"""After how many lines of others, for each process, a cache miss that lacks its explanation is given up."""
PROCESSES = 4096
"""How many processes of one log are told apart: what is before messages may be another text each time."""
_VALUE_LINES = 200
"""How many lines the text of one value may take."""

_MARKS = tuple(mark.encode() for mark in dialects.MARKS)


class Stream(Protocol):
    """What a log is read from."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes, none at the end."""


@dataclass(slots=True)
class _Record:
    """A cache miss whose lines are still coming."""

    head: Head
    lines: list[str]
    indent: str = ""
    age: int = 0
    adjacent: bool = True
    held: list[Event] = field(default_factory=list)

    @property
    def explained(self) -> bool:
        """Tell whether the lines that name the function are there."""
        body = self.lines[1:]
        return any(line.startswith("  for ") for line in body) or any(
            line.startswith("  never seen function") for line in body[:-1]
        )


class LogReader:
    """Reads one log.

    `name` is what `Unknown` events say; `process` is the name of the process that lines without a mark of their own
    come from.
    """

    def __init__(self, name: str = "", process: str = "") -> None:
        self.name = name
        self.lines = 0
        self.passed_over = 0
        """Lines that are none of jax's or XLA's, or that say nothing about cost."""
        self.cut = 0
        """Parts of cache misses without their first line, or with nothing else; the beginning of a line at the end."""
        self._process = process
        self._open: list[_Record] = []
        self._out: list[Event] = []
        self._understood = 0
        self._last = ("", "")
        self._names: set[str] = set()
        self._echo_lines = False
        self._wrapped = Wrapped()
        self._part = ""
        self._at_end = False

    def _whole(self, line: str) -> list[str]:
        """Return the lines that are whole with this one: a container's are cut into parts, rich's are wrapped."""
        part = _PART.match(line)
        if part is not None:
            self._part = (self._part or line[: part.start("tag")] + "F ") + line[part.end() :]
            return []
        if self._part:
            rest = _PARTED.match(line)
            line, self._part = self._part + (line[rest.end() :] if rest is not None else line), ""
        return self._wrapped.lines(line)

    def read(self, stream: Stream, progress: Callable[[int], None] = lambda _: None) -> Iterator[Event]:
        """Yield the events of a log, in its order; `progress` is told how many bytes were read."""
        rest = b""
        while block := stream.read(BLOCK):
            progress(len(block))
            rest += block
            end = rest.rfind(b"\n") + 1
            if end or len(rest) > LONGEST:
                yield from self._block(rest[: end or LONGEST])
                rest = rest[end:] if end else rest[LONGEST:]
        if rest:
            self._at_end = True
            yield from self._block(rest)
        for line in self._wrapped.end():
            self._line(line)
        self._finish(list(self._open))
        yield from self._taken()
        self.passed_over = self.lines - self._understood

    def _taken(self) -> Iterator[Event]:
        out, self._out = self._out, []
        yield from out

    def _block(self, block: bytes) -> Iterator[Event]:
        """Yield the events of some whole lines."""
        starts = _candidates(block)
        position = index = counted = 0
        while True:
            if not self._open and not self._wrapped.open and not self._part:
                while index < len(starts) and starts[index] < position:
                    index += 1
                if index == len(starts):
                    break
                position = starts[index]
            if position >= len(block):
                break
            end = block.find(b"\n", position)
            end = len(block) if end < 0 else end
            self.lines += block.count(b"\n", counted, position)
            counted = position
            for line in self._whole(block[position:end].decode("utf-8", "replace")):
                for part in dialects.unwrapped(line):
                    self._line(part)
            position = end + 1
            if self._out:
                yield from self._taken()
        self.lines += block.count(b"\n", counted) + (not block.endswith(b"\n"))

    # --- one line --------------------------------------------------------------------------------------------------

    def _line(self, line: str) -> None:
        if self._echo_lines:
            if dialects.continues(line):
                self._understood += 1
                return
            self._echo_lines = False
        for record in self._open:
            record.age += 1
        if dialects.MISS_MARK in line and self._begin(line):
            return
        found = dialects.message(line)
        if found is not None:
            self._understood += 1
            start, made = found
            if made is not None and not self._is_echo(line, start):
                kind, fields = made
                head = self._head(line[:start])
                self._emit(kind(time=head.time, process=head.process, thread=head.thread, **fields), head)
        elif self._goes_on(line):
            return
        else:
            self._not_understood(line)
        for record in self._open:
            record.adjacent = False
        if self._open:
            self._finish([record for record in self._open if record.age > PATIENCE * max(len(self._names), 1)])

    def _begin(self, line: str) -> bool:
        start = line.index(dialects.MISS_MARK)
        if dialects.MISS.match(line, start) is None:
            return False
        self._understood += 1
        if self._is_echo(line, start):
            self._echo_lines = True
            return True
        head = self._head(line[:start])
        self._finish([record for record in self._open if record.head.process == head.process])
        indent = line[:start] if _QUOTED.match(line[:start]) else ""
        self._open.append(_Record(head, [line[start:]], indent))
        return True

    def _is_echo(self, line: str, start: int) -> bool:
        """Tell whether a line says what the one before it said, under another head.

        jax's own handler and the program's both write a record where a program configures logging.
        """
        form, said = line[:start], line[start:]
        before, self._last = self._last, (form, said)
        # Of the same form it is news: another process.
        return said == before[1] and _NUMBERS.sub("", form) != _NUMBERS.sub("", before[0])

    def _head(self, text: str) -> Head:
        head = dialects.head(text)
        if head.process and head.process not in self._names:
            if len(self._names) >= PROCESSES:
                head = dataclasses.replace(head, process="")
            else:
                self._names.add(head.process)
        if self._process:
            process = f"{self._process}: {head.process}" if head.process else self._process
            head = dataclasses.replace(head, process=process)
        return head

    def _goes_on(self, line: str) -> bool:
        """Take a line as a part of an open cache miss, the one that was last added to first."""
        for number in range(len(self._open) - 1, -1, -1):
            record = self._open[number]
            body = self._body(line, record)
            if body is None:
                continue
            record.lines.append(body)
            record.age = 0
            self._understood += 1
            # Last, and still adjacent when the next line comes.
            self._open.append(self._open.pop(number))
            for other in self._open[:-1]:
                other.adjacent = False
            record.adjacent = True
            return True
        return False

    def _body(self, line: str, record: _Record) -> str | None:
        """Return what a line adds to a cache miss, without what the launcher put before it; None where nothing."""
        if record.indent and line.startswith(record.indent):
            line = line[len(record.indent) :]
        if dialects.continues(line):
            return line
        for start in dialects.body_starts(line):
            if start and self._head(line[:start]).process == record.head.process:
                for body in (line[start:], line[start + 1 :]):
                    if dialects.continues(body):
                        return body
        if record.adjacent and _inside_value(record.lines):
            return line
        if record.adjacent and dialects.may_continue(line):
            self._unknown(line)
            return line
        return None

    def _not_understood(self, line: str) -> None:
        if dialects.is_body(line):
            self.cut += 1
            self._understood += 1
        elif dialects.looks_like_ours(line):
            # The last line may be the beginning of one.
            if self._at_end:
                self.cut += 1
            else:
                self._unknown(line)
            self._understood += 1

    def _unknown(self, line: str) -> None:
        self._out.append(Unknown(text=line[:_LONGEST_TEXT], file=self.name, number=self.lines + 1))

    # --- out -------------------------------------------------------------------------------------------------------

    def _emit(self, event: Event, head: Head) -> None:
        """Yield an event after the cache miss before it, which may still lack its explanation."""
        for record in self._open:
            if record.head.process == head.process:
                if not record.explained:
                    record.held.append(event)
                    return
                self._finish([record])
                break
        self._out.append(event)

    def _finish(self, records: list[_Record]) -> None:
        for record in records:
            self._open.remove(record)
            miss = dialects.miss(record.lines)
            if miss is not None:
                self.cut += not miss.function
                head = record.head
                self._out.append(dataclasses.replace(miss, time=head.time, process=head.process, thread=head.thread))
            self._out.extend(record.held)


_LONGEST_TEXT = 500
_NUMBERS = re.compile(r"[\d\s]+")
_QUOTED = re.compile(r"^[\s>|]*$")
"""What is before each line of text that was pasted: it is indented, or quoted."""


_PART = re.compile(r"^\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) (?P<tag>P)(?::\S*)? ")
_PARTED = re.compile(r"^\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) [FP](?::\S*)? ")


class Wrapped:
    """Puts together the messages that `rich.logging` writes into a column, over as many lines as they take.

    The column has the time, if it is a new one, and the level before it, and may have a place in the source behind it.
    A line that begins with blanks is one of the message's own; others go on with the one before.
    """

    def __init__(self) -> None:
        self._column = 0
        self._kept: list[str] = []
        self._width = 0
        self._folded = False

    @property
    def open(self) -> bool:
        """Tell whether a message may go on."""
        return bool(self._kept)

    def lines(self, line: str) -> list[str]:
        """Return the lines that are over now that this one came."""
        found = _RICH.match(line)
        if found is None and self._kept and line[: self._column].isspace() and line.strip():
            self._add(line)
            return []
        done = self.end()
        if found is None:
            return [*done, line]
        self._column = found.end()
        place = _RICH_PLACE.search(line)
        self._width = (place.start("place") - 1 if place is not None else len(line)) - self._column
        self._kept = [found["time"] or ""]
        self._add(line, first=True)
        return done

    def end(self) -> list[str]:
        """Return what is kept, at the end of the log."""
        done, self._kept = self._kept, []
        return [f"{done[0]} {done[1]}".strip(), *done[2:]] if len(done) > 1 else []

    def _add(self, line: str, first: bool = False) -> None:
        text = line[self._column : self._column + self._width] if self._width > 0 else line[self._column :]
        if first or text.startswith("  "):
            self._kept.append(text.rstrip() if not first else text.strip())
        else:
            self._kept[-1] += ("" if self._folded else " ") + text.strip()
        # A word that is longer than the column takes lines of its own.
        self._folded = len(text.rstrip()) >= self._width and " " not in text.strip()


_RICH = re.compile(
    r"^(?:(?P<time>\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\]|\[\d\d:\d\d:\d\d\])| {10,19}) "
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) {1,4}(?=\S)"
)
_RICH_PLACE = re.compile(r" +(?P<place>\w+\.py:\d+)\s*$")


def _candidates(block: bytes) -> list[int]:
    """Return where the lines begin that hold a word of jax's or XLA's."""
    starts = set()
    for mark in _MARKS:
        position = block.find(mark)
        while position >= 0:
            starts.add(block.rfind(b"\n", 0, position) + 1)
            end = block.find(b"\n", position)
            if end < 0:
                break
            position = block.find(mark, end)
    return sorted(starts)


def _inside_value(lines: list[str]) -> bool:
    """Tell whether a cache miss ends within the text of a value, which may take several lines."""
    depth: Counter[str] = Counter()
    for line in reversed(lines[-_VALUE_LINES:]):
        depth.update(line)
        if line.lstrip().startswith("* "):
            break
    else:
        return False
    return any(depth[left] > depth[right] for left, right in ("()", "[]", "{}"))
