"""For GitLab: a Code Quality report, whose findings GitLab shows in merge requests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from jaxlint.report import reasons
from jaxlint.report._places import Places, valid
from jaxlint.report.json import dump_array

if TYPE_CHECKING:
    from jaxlint.diagnostic import Location
    from jaxlint.report import Report, Style

_SEVERITIES = {"error": "critical", "warning": "major", "note": "minor"}


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write the array of findings."""
    dump_array(_issues(report), out)


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    places = Places(report.folder)
    for diagnostic in report.diagnostics:
        path = valid(places.shown(diagnostic.filename))
        # The finding's own fingerprint tells it from the others of its file; here it must from those of all files.
        fingerprint = hashlib.sha256(f"{path}\0{diagnostic.fingerprint}".encode()).hexdigest()[:32]
        start, end = diagnostic.location, diagnostic.end_location
        cell = f" ({start})" if start.cell is not None else ""
        location: dict[str, Any] = {"path": path, "lines": {"begin": start.line, "end": end.line}}
        if start.cell is None:
            location["positions"] = {"begin": _position(start), "end": _position(end)}
        why = "".join(f" ({line})" for line in reasons(diagnostic, everything=report.show_reasons))
        yield {
            "description": valid(f"{diagnostic.code}{cell}: {' '.join(diagnostic.message.split())}{why}"),
            "check_name": diagnostic.code,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[diagnostic.severity],
            "location": location,
        }


def _position(location: Location) -> dict[str, int]:
    return {"line": location.row, "column": location.column}
