"""For programs that read as it comes: the objects of `json`, one a line, without an array around them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from jaxlint.report.json import finding

if TYPE_CHECKING:
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one object for each finding."""
    out.writelines(json.dumps(finding(diagnostic)) + "\n" for diagnostic in report.diagnostics)


def write_statistics(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one object with code, name and count for each rule."""
    rows = ({"code": code, "name": name, "count": count} for code, name, count in report.statistics)
    out.writelines(json.dumps(row) + "\n" for row in rows)
