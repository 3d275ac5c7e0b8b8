"""For reviewdog: findings with their fixes as suggestions, in its Diagnostic Format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from jaxlint.finding import Applicability
from jaxlint.report._places import Places, valid
from jaxlint.report.json import dump_array
from jaxlint.rules import HOME, rules

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic, LocatedFix, Location
    from jaxlint.report import Report, Style

SOURCE = {"name": "jaxlint", **({"url": HOME} if HOME else {})}

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_MOST_LINES = 80
"""A suggestion replaces whole lines, from the first edit to the last.  Longer ones nobody can review in a comment."""


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one object that holds all findings."""
    out.write(f'{{"source": {json.dumps(SOURCE)}, "severity": "WARNING", "diagnostics": ')
    dump_array(diagnostics(report), out, "  ")
    out.write("}\n")


def diagnostics(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the object that represents each finding."""
    places = Places(report.folder)
    for diagnostic in report.diagnostics:
        yield _diagnostic(diagnostic, places)


def _diagnostic(diagnostic: Diagnostic, places: Places) -> dict[str, Any]:
    path = valid(places.from_folder(diagnostic.filename))
    fixes = _suggested(diagnostic)
    value: dict[str, Any] = {
        "message": valid("\n\n".join([_message(diagnostic), *_verdict(diagnostic), *map(_explained, fixes)])),
        "location": {"path": path, "range": _range(diagnostic)},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code},
    }
    if url := rules()[diagnostic.code].url:
        value["code"]["url"] = url
    if fixes:
        value["suggestions"] = [_suggestion(fix) for fix in fixes]
    if diagnostic.places:
        # Without a column, as that would have to be counted in bytes of a line that is not at pass.
        value["related_locations"] = [
            {
                "message": valid(note.message),
                "location": {
                    "path": valid(places.from_folder(note.filename)) if note.filename else path,
                    "range": {"start": {"line": note.location.line}},
                },
            }
            for note in diagnostic.places
        ]
    return value


def _suggested(diagnostic: Diagnostic) -> list[LocatedFix]:
    """Return the fixes that may be applied, as far as they replace the same lines as the first: reviewdog asks so."""
    fixes = [fix for fix in diagnostic.fixes if fix.applicability != Applicability.DISPLAY and fix.lines is not None]
    rows = [(fix.lines.first, fix.lines.last) for fix in fixes if fix.lines is not None]
    if not rows or rows[0][1] - rows[0][0] >= _MOST_LINES:
        return []
    return [fix for fix, at in zip(fixes, rows, strict=True) if at == rows[0]]


def _explained(fix: LocatedFix) -> str:
    return f"Suggested: {fix.described}"


def _suggestion(fix: LocatedFix) -> dict[str, Any]:
    # Without columns, a range represents whole lines, both included.
    assert fix.lines is not None  # noqa: S101
    span = {"start": {"line": fix.lines.first}, "end": {"line": fix.lines.last}}
    return {"range": span, "text": valid(fix.lines.text or "")}


def _message(diagnostic: Diagnostic) -> str:
    return diagnostic.message if diagnostic.location.cell is None else f"{diagnostic.location}: {diagnostic.message}"


def _verdict(diagnostic: Diagnostic) -> list[str]:
    return [] if diagnostic.verdict is None else [": ".join(diagnostic.verdict)]


def _range(diagnostic: Diagnostic) -> dict[str, Any]:
    if diagnostic.location.cell is not None:
        # Lines of the JSON text, of which no column is known.
        return {"start": {"line": diagnostic.location.line}, "end": {"line": diagnostic.end_location.line}}
    return {
        "start": _position(diagnostic.location, diagnostic.line),
        "end": _position(diagnostic.end_location, diagnostic.end_line),
    }


def _position(location: Location, line: str) -> dict[str, int]:
    """Return a place with its column in bytes of UTF-8."""
    return {"line": location.row, "column": len(line[: location.column - 1].encode("utf-8", "replace")) + 1}
