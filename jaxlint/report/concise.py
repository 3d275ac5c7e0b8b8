"""One line a finding, `path:row:column: code message`, which terminals and editors make clickable."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from jaxlint.report import one_line

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:
    """Write one line for each finding, and the summary."""
    out.writelines(headline(diagnostic, style) + "\n" for diagnostic in report.diagnostics)
    out.writelines(report.fixes)
    if style.summary:
        out.write(report.summary + "\n")


def write_statistics(report: Report, out: TextIO, style: Style) -> None:
    """Write one line for each rule, and the summary."""
    width = max((len(str(count)) for _, _, count in report.statistics), default=0)
    out.writelines(f"{count:>{width}}  {style.bold(code)}  {name}\n" for code, name, count in report.statistics)
    if style.summary:
        out.write(report.summary + "\n")


def headline(diagnostic: Diagnostic, style: Style) -> str:
    """Return the line that says what was found and where."""
    place = f"{diagnostic.location.row}:{diagnostic.location.column}"
    message = " ".join(diagnostic.message.split())
    code = style.severe(diagnostic.severity, diagnostic.code)
    return f"{style.bold(one_line(diagnostic.filename))}:{place}: {code} {message}"
