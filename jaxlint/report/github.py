"""For GitHub Actions: annotations on the lines of a change, and a table in the summary of the job's step.

The worst come first, as GitHub shows but ten errors, ten warnings and ten notices of a step.  Where the variable
GITHUB_STEP_SUMMARY names a file, the findings are added to it as a table.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from jaxlint.report import markdown, reasons
from jaxlint.report._places import Places, valid

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style

SHOWN = 10
"""How many annotations of one kind GitHub shows for a step."""

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_BAD_FIRST = list(_COMMANDS)


def write(report: Report, out: TextIO, style: Style) -> None:
    """Write one workflow command for each finding, and add to the summary of the step."""
    places = Places(report.folder)
    out.writelines(
        _annotation(diagnostic, places, reasons(diagnostic, everything=report.show_reasons)) + "\n"
        for diagnostic in sorted(report.diagnostics, key=_rank)
    )
    counted = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    if any(count > SHOWN for count in counted.values()):
        text = f"{report.summary} GitHub shows no more than {SHOWN} of a kind; the log of this step has all."
        out.write(_command("notice", {"title": "jaxlint"}, text) + "\n")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with open(summary, "a", encoding="utf-8", errors="replace", newline="\n") as file:
                markdown.write(report, file, style)
        except OSError as error:
            text = f"the summary of the step cannot be written: {error}"
            out.write(_command("warning", {"title": "jaxlint"}, text) + "\n")


def _rank(diagnostic: Diagnostic) -> tuple[int, int]:
    return _BAD_FIRST.index(diagnostic.severity), -diagnostic.confidence


def _annotation(diagnostic: Diagnostic, places: Places, why: list[str]) -> str:
    start, end = diagnostic.location, diagnostic.end_location
    properties = {"file": places.shown(diagnostic.filename), "line": str(start.line), "endLine": str(end.line)}
    message = diagnostic.message
    if start.cell is not None:
        # The lines are those of the file, which is JSON: there are no columns to mention.
        message = f"{start}: {message}"
    elif start.row == end.row:
        # GitHub takes columns where they are on one line only.
        properties |= {"col": str(start.column), "endColumn": str(end.column)}
    properties["title"] = f"{diagnostic.code} {diagnostic.name}"
    fixes = [f"fix: {fix.described}" for fix in diagnostic.fixes[:1]]
    return _command(_COMMANDS[diagnostic.severity], properties, "\n".join([message, *why, *fixes]))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    """Return a command to the runner; what would end the line, or a property, is escaped as it undoes it."""
    listed = ",".join(f"{key}={_escaped(valid(value), _IN_PROPERTIES)}" for key, value in properties.items())
    return f"::{name} {listed}::{_escaped(valid(message), _IN_MESSAGES)}"


# The percent sign comes first, or it would escape the others' escapes.
_IN_MESSAGES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_IN_MESSAGES, ":": "%3A", ",": "%2C"}


def _escaped(text: str, table: dict[str, str]) -> str:
    for char, escape in table.items():
        text = text.replace(char, escape)
    return text
