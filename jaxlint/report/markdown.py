"""For comments and summaries on GitHub and GitLab: a table in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

from jaxlint.report import count, one_line, reasons
from jaxlint.report._places import Places, valid
from jaxlint.rules import rules

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style

MOST_ROWS = 500
"""GitHub takes one megabyte for the summary of a step, and readers take less."""

_CODE = re.compile(r"(`+)(.+?)\1")
_SPECIAL = re.compile(r"([\\`*_~\[\]<>&#@|])")


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write a heading, one line for each finding, and how to go on."""
    out.write(f"### jaxlint\n\n{report.summary}\n")
    if report.diagnostics:
        places = Places(report.folder)
        verified = any(diagnostic.verdict is not None for diagnostic in report.diagnostics)
        last, line = (" verdict |", "---|") if verified else ("", "")
        out.write(f"\n| place | rule | finding | confidence |{last}\n|---|---|---|---|{line}\n")
        out.writelines(
            _row(diagnostic, places, reasons(diagnostic, everything=report.show_reasons))
            for diagnostic in report.diagnostics[:MOST_ROWS]
        )
    left = len(report.diagnostics) - MOST_ROWS
    if left > 0:
        out.write(f"\n{count(left, 'finding')} more are not shown.\n")
    if report.fixable:
        out.write(f"\n{_text(report.fixable)}\n")


def write_statistics(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write a heading, and one line for each rule."""
    out.write(f"### jaxlint\n\n{report.summary}\n")
    if report.statistics:
        out.write("\n| rule | name | findings |\n|---|---|---|\n")
        out.writelines(f"| {_rule(code)} | {name} | {number} |\n" for code, name, number in report.statistics)


def _row(diagnostic: Diagnostic, places: Places, why: list[str]) -> str:
    place = f"{one_line(valid(places.shown(diagnostic.filename)))}:{_row_of(diagnostic)}"
    message = " ".join(valid(diagnostic.message).split())
    told = "<br>".join(_text(valid(line)) for line in (message, *why))
    cells = [_code(place), _rule(diagnostic.code), told, diagnostic.confidence.label]
    return f"| {' | '.join(cells)} |{_verdict(diagnostic)}\n"


def _verdict(diagnostic: Diagnostic) -> str:
    if diagnostic.verdict is None:
        return ""
    verdict, reason = diagnostic.verdict
    return f" **{verdict}**: {_text(' '.join(valid(reason).split()))} |"


def _row_of(diagnostic: Diagnostic) -> str:
    cell = diagnostic.location.cell
    return f"{diagnostic.location.row}" if cell is None else f"cell {cell}:{diagnostic.location.row}"


def _rule(code: str) -> str:
    url = rules()[code].url
    return f"[{code}]({url})" if url else code


def _text(text: str) -> str:
    """Escape what Markdown would take for more than text, but for code between backticks, which stays code."""
    parts = []
    end = 0
    for match in _CODE.finditer(text):
        parts += [_SPECIAL.sub(r"\\\1", text[end : match.start()]), _code(match[2])]
        end = match.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\1", text[end:])])


def _code(text: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    # A bar ends a cell even in code.
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")
