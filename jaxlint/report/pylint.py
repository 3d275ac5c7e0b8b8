"""For what reads Pylint's output: one line a finding, `path:row: [code] message`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from jaxlint.report import one_line
from jaxlint.report._places import Places

if TYPE_CHECKING:
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one line for each finding."""
    places = Places(report.folder)
    for diagnostic in report.diagnostics:
        cell = "" if diagnostic.location.cell is None else f"{diagnostic.location}: "
        message = cell + " ".join(diagnostic.message.split())
        path = one_line(places.shown(diagnostic.filename))
        out.write(f"{path}:{diagnostic.location.line}: [{diagnostic.code}] {message}\n")
