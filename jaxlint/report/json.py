"""For programs: one array of objects, with lines and columns 1-based and columns in code points."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from jaxlint.rules import rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxlint.diagnostic import Diagnostic, LocatedFix, LocatedReason, Location
    from jaxlint.report import Report, Style

FIELDS = {
    "code": "the rule, such as `JAX102`",
    "name": "its name, such as `jit-of-lambda`",
    "message": "what happens and what to do, one line",
    "filename": "the path, as given or found",
    "cell": "in a notebook the number of the cell, counted from 1 over all cells; else null",
    "location": "where the finding starts: an object with `row` and `column`",
    "end_location": "where it ends, exclusive",
    "noqa_row": "the line on which a `# noqa` comment hides it",
    "impact": "what the code costs, such as `every-call`; null for JAX000 and JAX001",
    "severity": "`error`, `warning` or `note`; it follows from the impact",
    "confidence": "`high`, `medium` or `low`",
    "url": "the page of the rule; null while the documentation is not published",
    "fingerprint": "stays the same when the finding only moves to another line",
    "related": "other relevant places, those of the reasons among them: objects with `message`, `filename`, `location`",
    "reasons": "the evidence `for` and `against` the finding: objects with `message`, `speaks`, and `filename` and "
    "`location`, which are null where no place shows it",
    "fixes": "edits, the preferred first: objects with `applicability` (`safe`, `unsafe`, `display`), `message` and "
    "`edits`, each of which replaces the text from `location` to `end_location` by `content`",
}
"""What each key of a finding's object holds; the documentation is written from it."""


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write the array of findings."""
    dump_array((finding(diagnostic) for diagnostic in report.diagnostics), out)


def write_statistics(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write an array with code, name and count of each rule."""
    dump_array(({"code": code, "name": name, "count": count} for code, name, count in report.statistics), out)


def finding(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the object that represents a finding."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "filename": diagnostic.filename,
        "cell": diagnostic.location.cell,
        "location": _location(diagnostic.location),
        "end_location": _location(diagnostic.end_location),
        "noqa_row": diagnostic.location.row,
        "impact": diagnostic.impact,
        "severity": diagnostic.severity,
        "confidence": diagnostic.confidence.label,
        "url": rules()[diagnostic.code].url,
        "fingerprint": diagnostic.fingerprint,
        "related": [
            {
                "message": note.message,
                "filename": note.filename or diagnostic.filename,
                "location": _location(note.location, diagnostic),
            }
            for note in diagnostic.places
        ],
        "reasons": [_reason(reason, diagnostic) for reason in diagnostic.reasons],
        "fixes": [_fix(fix, diagnostic) for fix in diagnostic.fixes],
    }


def _location(location: Location, of: Diagnostic | None = None) -> dict[str, int]:
    """Return a place; where it may be in another cell than the finding `of` a notebook, with the number of the cell."""
    plain = {"row": location.row, "column": location.column}
    return plain if of is None or location.cell is None else {**plain, "cell": location.cell}


def _reason(reason: LocatedReason, of: Diagnostic) -> dict[str, Any]:
    placed = reason.location is not None
    return {
        "message": reason.message,
        "speaks": "for" if reason.speaks_for else "against",
        "filename": (of.filename_of(reason) or of.filename) if placed else None,
        "location": _location(reason.location, of) if reason.location is not None else None,
    }


def _fix(fix: LocatedFix, of: Diagnostic) -> dict[str, Any]:
    edits = [
        {
            "content": edit.content,
            "location": _location(edit.location, of),
            "end_location": _location(edit.end_location, of),
        }
        for edit in fix.edits
    ]
    return {"applicability": fix.applicability, "message": fix.described, "edits": edits}


def dump_array(items: Iterable[dict[str, Any]], out: TextIO, indent: str = "") -> None:
    """Write objects as an array, one after the other, one a line.

    So even a large run needs little memory, and the difference between two runs can be read.  Escaped to ASCII: no
    terminal's or pipe's encoding can break it.
    """
    out.write("[")
    separator = end = ""
    for item in items:
        out.write(f"{separator}\n{indent}  {json.dumps(item)}")
        separator, end = ",", "\n" + indent
    out.write(f"{end}]")
    if not indent:
        out.write("\n")
