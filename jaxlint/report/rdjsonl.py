"""For reviewdog, one finding a line: what `rdjson` holds, for programs that read as it comes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from jaxlint.report.rdjson import SOURCE, diagnostics

if TYPE_CHECKING:
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one object for each finding."""
    out.writelines(json.dumps({**diagnostic, "source": SOURCE}) + "\n" for diagnostic in diagnostics(report))
