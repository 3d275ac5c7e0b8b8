"""For reading: each finding with its line of code and carets below, other places that matter, and what it costs."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, TextIO

from jaxlint.finding import Applicability
from jaxlint.report import one_line, reasons
from jaxlint.report.concise import headline, write_statistics, write_summary

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style

__all__ = ["write", "write_statistics"]

_FIXES = {Applicability.SAFE: "fix", Applicability.UNSAFE: "unsafe fix", Applicability.DISPLAY: "suggestion"}


def write(report: Report, out: TextIO, style: Style) -> None:
    """Write a paragraph for each finding, and the summary."""
    for diagnostic in report.diagnostics:
        out.write(headline(diagnostic, style, fixable=report.is_fixable(diagnostic)) + "\n")
        out.writelines(line + "\n" for line in _details(diagnostic, style, everything=report.show_reasons))
        out.write("\n")
    write_summary(report, out, style)


def _details(diagnostic: Diagnostic, style: Style, *, everything: bool) -> list[str]:
    row = str(diagnostic.location.row)
    margin = " " * len(row)
    bar = style.faint("|")
    lines: list[str] = []
    if diagnostic.excerpt:
        margin, lines = _over_several(diagnostic, style)
    elif diagnostic.line.strip():
        start = diagnostic.location.column - 1
        same_row = diagnostic.end_location.row == diagnostic.location.row
        end = diagnostic.end_location.column - 1 if same_row else len(diagnostic.line.rstrip())
        indent = _blank(diagnostic.line[:start])
        carets = "^" * max(1, _width(diagnostic.line[start:end]))
        lines = [
            f"{margin} {bar}",
            f"{style.faint(row)} {bar} {_printable(diagnostic.line)}".rstrip(),
            f"{margin} {bar} {indent}{style.severe(diagnostic.severity, carets)}",
        ]
    for note in diagnostic.related:
        place = f"{one_line(diagnostic.filename)}:{note.location}"
        lines.append(f"{margin} {style.faint('=')} {place}: {note.message}")
    lines += [f"{margin} {style.faint('=')} {line}" for line in reasons(diagnostic, everything=everything)]
    for fix in diagnostic.fixes:
        kind = _FIXES[fix.applicability]
        condition = f" ({fix.condition})" if fix.condition else ""
        lines.append(f"{margin} {style.faint('=')} {kind}: {' '.join((fix.message + condition).split())}")
    if diagnostic.impact is not None:
        lines.append(f"{margin} {style.faint('=')} {diagnostic.impact}, {diagnostic.confidence.label} confidence")
    return lines


def _over_several(diagnostic: Diagnostic, style: Style) -> tuple[str, list[str]]:
    """Return code over several lines, with a line at its side from where it starts to where it ends."""
    width = len(str(diagnostic.excerpt[-1][0]))
    bar, margin = style.faint("|"), " " * width
    before = first = diagnostic.excerpt[0][0]
    lines = [f"{margin} {bar}"]
    for row, text in diagnostic.excerpt:
        if row > before + 1:
            lines.append(f"{margin} {bar} {style.severe(diagnostic.severity, '|')} ...")
        side = " " if row == first else style.severe(diagnostic.severity, "|")
        lines.append(f"{style.faint(str(row).rjust(width))} {bar} {side} {_untabbed(text)}".rstrip())
        if row == first:
            reach = "_" * (_width(_untabbed(text[: diagnostic.location.column - 1])) + 1)
            lines.append(f"{margin} {bar} {style.severe(diagnostic.severity, ' ' + reach + '^')}")
        before = row
    end = _untabbed(diagnostic.excerpt[-1][1][: diagnostic.end_location.column - 1])
    reach = "_" * max(0, _width(end))
    lines.append(f"{margin} {bar} {style.severe(diagnostic.severity, '|' + reach + '^')}")
    return margin, lines


def _untabbed(text: str) -> str:
    """Return a line as it is shown where blanks have to be counted."""
    return _printable(text).expandtabs(4)


def _printable(text: str) -> str:
    """Replace what would move a terminal's cursor or change its colours."""
    return "".join(" " if unicodedata.category(char) == "Cc" and char != "\t" else char for char in text)


def _blank(text: str) -> str:
    """Return blanks as wide as a text; tabs stay, as their width is the terminal's to choose."""
    return "".join("\t" if char == "\t" else " " * _width(char) for char in text)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes up."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
