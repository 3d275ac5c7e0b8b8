"""For Azure Pipelines: one logging command a finding, which shows it on the run's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from jaxlint.report._places import Places, valid

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one line for each finding."""
    places = Places(report.folder)
    out.writelines(_command(diagnostic, places) + "\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic, places: Places) -> str:
    place = diagnostic.location
    properties = {
        # There are but these two kinds.
        "type": "error" if diagnostic.severity == "error" else "warning",
        "sourcepath": places.shown(diagnostic.filename),
        "linenumber": str(place.line),
        **({"columnnumber": str(place.column)} if place.cell is None else {}),
        "code": diagnostic.code,
    }
    listed = "".join(f"{key}={_escaped(value, ';]')};" for key, value in properties.items())
    message = diagnostic.message if place.cell is None else f"{place}: {diagnostic.message}"
    return f"##vso[task.logissue {listed}]{_escaped(message, '')}"


_ESCAPES = {"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"}


def _escaped(text: str, more: str) -> str:
    """Return a text with what the agent would take for the end of something escaped as it undoes it."""
    for char, escape in _ESCAPES.items():
        if char in "%\r\n" + more:
            text = text.replace(char, escape)
    return valid(text)
