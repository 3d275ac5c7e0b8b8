"""Findings as doors show them: in a file with a name, at lines and columns.

The core mentions offsets into a text.  A diagnostic holds all that a report prints, so that the text need not be kept,
nor sent from one process to another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxlint.finding import Applicability, Confidence, Impact, Place, Severity, described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxlint.finding import Edit, Finding, Reason, Span
    from jaxlint.source import Source


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file: line and column, both 1-based, the column in code points.

    In a notebook they count from the start of a cell, whose number is `cell`, and `file_row` is the line of the file.
    """

    row: int
    column: int
    cell: int | None = None
    file_row: int | None = None

    @property
    def line(self) -> int:
        """The line of the file."""
        return self.row if self.file_row is None else self.file_row

    def __str__(self) -> str:
        """Return the place as it comes behind the name of a file."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{cell}{self.row}:{self.column}"


@dataclass(frozen=True, slots=True)
class LocatedEdit:
    """Replace what is from `location` to `end_location` by `content`."""

    content: str
    location: Location
    end_location: Location


@dataclass(frozen=True, slots=True)
class Lines:
    """What a fix comes to in whole lines: `text` instead of the lines from `first` to `last`, both included.

    `text` is without the line end of its last line; None represents no line at all.
    """

    first: int
    last: int
    text: str | None


@dataclass(frozen=True, slots=True)
class LocatedFix:
    """One way to fix a finding; see `jaxlint.finding.Fix`.

    `lines` says the same as `edits` where somebody has to be shown the lines, as in a review.
    """

    applicability: Applicability
    message: str
    edits: tuple[LocatedEdit, ...]
    lines: Lines | None = None
    condition: str = ""

    @property
    def described(self) -> str:
        """What it does, and on what condition: one line, for somebody who has to decide about it."""
        return described(Applicability(self.applicability), self.message, self.condition)


@dataclass(frozen=True, slots=True)
class LocatedNote:
    """A second place that helps to understand a finding; `filename` is None where it is in the same file."""

    message: str
    location: Location
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class LocatedReason:
    """What supports a finding or against it; `path` leads from the folder of its file to another one, if it is there.

    `location` is None where no place shows it.
    """

    message: str
    speaks_for: bool
    location: Location | None = None
    path: str | None = None

    @property
    def worded(self) -> str:
        """The message, where it is among places that are just of interest."""
        return self.message if self.speaks_for else f"against: {self.message}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in one file.

    `line` and `end_line` are the texts of the lines that it starts and ends on, without their line ends.
    """

    code: str
    name: str
    message: str
    filename: str
    location: Location
    end_location: Location
    line: str
    impact: Impact | None
    severity: Severity
    confidence: Confidence
    fingerprint: str
    related: tuple[LocatedNote, ...] = ()
    fixes: tuple[LocatedFix, ...] = ()
    end_line: str = ""
    excerpt: tuple[tuple[int, str], ...] = ()
    """The lines of code over several lines, each with its number, those in the middle skipped where they are many."""
    verdict: tuple[str, str] | None = None
    """What running the code said of it, and why, where that was done."""
    reasons: tuple[LocatedReason, ...] = ()

    @property
    def applicability(self) -> Applicability:
        """What may be done about the finding: the best of what its fixes allow, `display` where there is none."""
        allowed = [fix.applicability for fix in self.fixes]
        return next((kind for kind in (Applicability.SAFE, Applicability.UNSAFE) if kind in allowed), _NO_FIX)

    @property
    def places(self) -> tuple[LocatedNote, ...]:
        """The other places that matter: what the rule names, then what supports the finding and against it."""
        reasons = (
            LocatedNote(reason.worded, reason.location, self.filename_of(reason))
            for reason in self.reasons
            if reason.location is not None
        )
        return (*self.related, *reasons)

    @property
    def elsewhere(self) -> tuple[LocatedReason, ...]:
        """The reasons that lie in another file, what supports the finding first."""
        return tuple(sorted((r for r in self.reasons if r.path is not None), key=lambda r: not r.speaks_for))

    def filename_of(self, reason: LocatedReason) -> str | None:
        """Return the name of the other file that a reason lies in, None for this one."""
        if reason.path is None:
            return None
        return os.path.normpath(os.path.join(os.path.dirname(self.filename), reason.path))

    @classmethod
    def of(cls, finding: Finding, source: Source, filename: str) -> Diagnostic:
        """Place a finding of `source` in the file of this name."""
        start, end = _locate(source, finding.span)
        return cls(
            code=finding.code,
            name=finding.name,
            message=finding.message,
            filename=filename,
            location=start,
            end_location=end,
            line=source.written_line(source.position(finding.span.start)[0]),
            impact=finding.impact,
            severity=finding.severity,
            confidence=finding.confidence,
            fingerprint=finding.fingerprint,
            related=tuple(LocatedNote(note.message, _locate(source, note.span)[0]) for note in finding.related),
            fixes=tuple(
                LocatedFix(
                    fix.applicability,
                    fix.message,
                    tuple(LocatedEdit(edit.text, *_locate(source, edit.span)) for edit in fix.edits),
                    _lines(source, fix.edits),
                    fix.condition,
                )
                for fix in finding.fixes
            ),
            end_line=source.written_line(source.position(finding.span.end)[0]),
            excerpt=_excerpt(source, finding.span, start.row),
            reasons=tuple(_located(reason, source) for reason in finding.reasons),
        )

    def plain(self) -> list[Any]:
        """Return all but the file's name as lists, numbers and text, for JSON."""
        return [
            *(self.code, self.name, self.message, _plain_location(self.location), _plain_location(self.end_location)),
            *(self.line, self.impact, self.severity, self.confidence.label, self.fingerprint),
            [[note.message, _plain_location(note.location)] for note in self.related],
            [
                [
                    fix.applicability,
                    fix.message,
                    [[e.content, _plain_location(e.location), _plain_location(e.end_location)] for e in fix.edits],
                    None if fix.lines is None else [fix.lines.first, fix.lines.last, fix.lines.text],
                    fix.condition,
                ]
                for fix in self.fixes
            ],
            self.end_line,
            [list(line) for line in self.excerpt],
            [
                [r.message, r.speaks_for, None if r.location is None else _plain_location(r.location), r.path]
                for r in self.reasons
            ],
        ]

    @classmethod
    def of_plain(cls, plain: list[Any], filename: str) -> Diagnostic:
        """Return the diagnostic that `plain` gave, in the file of this name.

        Raises:
            ValueError, TypeError: it is none.
        """
        code, name, message, start, end, line, impact, severity, confidence, fingerprint, *rest = plain
        related, fixes, end_line, excerpt, reasons = rest
        return cls(
            code,
            name,
            message,
            filename,
            Location(*start),
            Location(*end),
            line,
            Impact(impact) if impact is not None else None,
            Severity(severity),
            Confidence.from_label(confidence),
            fingerprint,
            tuple(LocatedNote(text, Location(*place)) for text, place in related),
            tuple(
                LocatedFix(
                    Applicability(applicability),
                    text,
                    tuple(LocatedEdit(content, Location(*first), Location(*last)) for content, first, last in edits),
                    None if lines is None else Lines(*lines),
                    condition,
                )
                for applicability, text, edits, lines, condition in fixes
            ),
            end_line,
            tuple((row, text) for row, text in excerpt),
            reasons=tuple(
                LocatedReason(text, speaks_for, None if place is None else Location(*place), path)
                for text, speaks_for, place, path in reasons
            ),
        )


_FIRST_ROWS, _LAST_ROWS = 4, 2


def _excerpt(source: Source, span: Span, shown_as: int) -> tuple[tuple[int, str], ...]:
    """Return the lines of a span, the first of which is `shown_as` to readers; none where it is on one line."""
    first, last = source.position(span.start)[0], source.position(span.end)[0]
    if first == last:
        return ()
    rows: list[int] = list(range(first, last + 1))
    if len(rows) > _FIRST_ROWS + _LAST_ROWS + 1:
        rows = [*rows[:_FIRST_ROWS], *rows[-_LAST_ROWS:]]
    return tuple((row - first + shown_as, source.written_line(row)) for row in rows)


def _located(reason: Reason, source: Source) -> LocatedReason:
    at = reason.at
    if isinstance(at, Place):
        return LocatedReason(reason.message, reason.speaks_for, Location(at.row, 1), at.path)
    return LocatedReason(reason.message, reason.speaks_for, None if at is None else _locate(source, at)[0])


def _plain_location(location: Location) -> list[int | None]:
    plain: list[int | None] = [location.row, location.column]
    return plain if location.cell is None else [*plain, location.cell, location.file_row]


def _locate(source: Source, span: Span) -> tuple[Location, Location]:
    cell = source.cell_at(span.start)
    if cell is None:
        return Location(*source.position(span.start)), Location(*source.position(span.end))
    first = source.position(cell.start)[0] - 1
    (row, column), (end_row, end_column) = source.position(span.start), source.position(span.end)
    return (
        Location(row - first, column, cell.number, source.row_in_file(cell, row - first)),
        Location(end_row - first, end_column, cell.number, source.row_in_file(cell, end_row - first)),
    )


_NO_FIX = Applicability.DISPLAY


def _lines(source: Source, edits: Sequence[Edit]) -> Lines | None:
    """Return what edits come to in whole lines; None where there are none, or the file has no such lines."""
    if not edits or not source.text or source.cells or source.hidden:
        return None
    ordered = sorted(edits, key=lambda edit: edit.span)
    # What is put in after the last line end belongs to the last line that there is.
    start = min(ordered[0].span.start, len(source.text) - 1)
    first = source.position(start)[0]
    start = source.line_starts[first - 1]
    end = _line_end(source, max(edit.span.end for edit in ordered), start)
    text = _applied(source, ordered, start, end)
    if text and text[-1] not in "\r\n" and end < len(source.text):
        # The edits take the last line end away, so the line behind it is another one now.
        end = _line_end(source, end + 1, start)
        text = _applied(source, ordered, start, end)
    last = source.position(end - 1)[0]
    return Lines(first, last, _without_line_end(text) if text else None)


def _line_end(source: Source, offset: int, start: int) -> int:
    """Return where the line of an offset ends, its line end included; the offset itself where a line ends there."""
    row, column = source.position(offset)
    if column == 1 and offset > start:
        return offset
    return source.line_starts[row] if row < len(source.line_starts) else len(source.text)


def _applied(source: Source, edits: Sequence[Edit], start: int, end: int) -> str:
    parts = []
    for edit in edits:
        parts += [source.text[start : edit.span.start], edit.text]
        start = edit.span.end
    return "".join([*parts, source.text[start:end]])


def _without_line_end(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text
