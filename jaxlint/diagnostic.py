"""Findings as doors show them: in a file with a name, at rows and columns.

The core speaks of offsets into a text.  A diagnostic holds all that a report prints, so that the text need not be kept,
nor sent from one process to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Confidence, Impact, Severity

if TYPE_CHECKING:
    from jaxlint.finding import Finding, Span
    from jaxlint.source import Source


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file: row and column, both 1-based, the column in code points."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class LocatedEdit:
    """Replace what stands from `location` to `end_location` by `content`."""

    content: str
    location: Location
    end_location: Location


@dataclass(frozen=True, slots=True)
class LocatedFix:
    """One way to mend a finding; see `jaxlint.finding.Fix`."""

    applicability: Applicability
    message: str
    edits: tuple[LocatedEdit, ...]


@dataclass(frozen=True, slots=True)
class LocatedNote:
    """A second place that helps to understand a finding, in the same file."""

    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in one file; `line` is the text of the row that it starts on, without its line end."""

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
            line=source.line(start.row),
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
                )
                for fix in finding.fixes
            ),
        )


def _locate(source: Source, span: Span) -> tuple[Location, Location]:
    return Location(*source.position(span.start)), Location(*source.position(span.end))
