"""For reading: the findings of each file below its name, one line each."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TextIO

from jaxlint.report import one_line
from jaxlint.report.concise import described, write_statistics, write_summary

if TYPE_CHECKING:
    from jaxlint.report import Report, Style

__all__ = ["write", "write_statistics"]


def write(report: Report, out: TextIO, style: Style) -> None:
    """Write a paragraph for each file, and the summary."""
    for filename, group in itertools.groupby(report.diagnostics, key=lambda diagnostic: diagnostic.filename):
        diagnostics = list(group)
        width = max(len(str(diagnostic.location)) for diagnostic in diagnostics)
        out.write(f"{style.bold(one_line(filename))}:\n")
        out.writelines(
            f"  {str(diagnostic.location).ljust(width)}  "
            f"{described(diagnostic, style, fixable=report.is_fixable(diagnostic))}\n"
            for diagnostic in diagnostics
        )
        out.write("\n")
    write_summary(report, out, style)
