"""One line a finding, `path:row:column: code message`, which terminals and editors make clickable."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from jaxlint.report import one_line, reasons

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style


def write(report: Report, out: TextIO, style: Style) -> None:
    """Write one line for each finding, and the summary."""
    for diagnostic in report.diagnostics:
        out.write(headline(diagnostic, style, fixable=report.is_fixable(diagnostic)) + "\n")
        if report.show_reasons:
            out.writelines(f"  {line}\n" for line in reasons(diagnostic, everything=True))
    write_summary(report, out, style)


def write_statistics(report: Report, out: TextIO, style: Style) -> None:
    """Write one line for each rule, and the summary."""
    width = max((len(str(count)) for _, _, count in report.statistics), default=0)
    out.writelines(f"{count:>{width}}  {style.bold(code)}  {name}\n" for code, name, count in report.statistics)
    if style.summary:
        out.write(report.summary + "\n")


def write_summary(report: Report, out: TextIO, style: Style) -> None:
    """Write what was fixed, and, if that is wanted, what there is to say of the whole run."""
    out.writelines(report.fixes)
    if style.summary:
        out.writelines(line + "\n" for line in (report.summary, report.fixable) if line)


def headline(diagnostic: Diagnostic, style: Style, *, fixable: bool = False) -> str:
    """Return the line that says what was found and where, with a mark where it can be fixed."""
    place = f"{style.bold(one_line(diagnostic.filename))}:{diagnostic.location}"
    return f"{place}: {described(diagnostic, style, fixable=fixable)}"


def described(diagnostic: Diagnostic, style: Style, *, fixable: bool = False) -> str:
    """Return what was found, in a line without its place."""
    message = " ".join(diagnostic.message.split())
    mark = style.bold("[*]") + " " if fixable else ""
    return f"{style.severe(diagnostic.severity, diagnostic.code)} {mark}{message}"
