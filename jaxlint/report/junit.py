"""For test reports: JUnit XML, with one test suite for each file that has findings and one failure for each finding."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, TextIO
from xml.sax.saxutils import escape, quoteattr

from jaxlint.report import reasons
from jaxlint.report._places import Places, valid

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.report import Report, Style

# What XML 1.0 cannot hold, however it is written.
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write the document; one test that passes represents a run without findings."""
    places = Places(report.folder)
    # In ASCII alone, so that it is right whatever encoding the stream has.
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    errors = sum(map(_is_error, report.diagnostics))
    failures = len(report.diagnostics) - errors
    tests = len(report.diagnostics) or 1
    out.write(f'<testsuites name="jaxlint" tests="{tests}" failures="{failures}" errors="{errors}">\n')
    for filename, diagnostics in itertools.groupby(report.diagnostics, key=lambda diagnostic: diagnostic.filename):
        _write_suite(places.shown(filename), list(diagnostics), out, everything=report.show_reasons)
    if not report.diagnostics:
        out.write('  <testsuite name="jaxlint" tests="1" failures="0" errors="0">\n')
        out.write(f'    <testcase name="no findings" classname={_attribute(report.summary)}/>\n  </testsuite>\n')
    out.write("</testsuites>\n")


def _write_suite(path: str, diagnostics: list[Diagnostic], out: TextIO, *, everything: bool) -> None:
    errors = sum(map(_is_error, diagnostics))
    out.write(
        f'  <testsuite name={_attribute(path)} tests="{len(diagnostics)}" '
        f'failures="{len(diagnostics) - errors}" errors="{errors}">\n'
    )
    for diagnostic in diagnostics:
        place = str(diagnostic.location)
        name = f"{diagnostic.code} {diagnostic.name} ({place})"
        message = " ".join(diagnostic.message.split())
        body = "\n".join([f"{path}:{place}: {message}", *reasons(diagnostic, everything=everything)])
        kind = "error" if _is_error(diagnostic) else "failure"
        out.write(
            f"    <testcase name={_attribute(name)} classname={_attribute(path)}>\n"
            f"      <{kind} type={_attribute(diagnostic.severity)} message={_attribute(message)}>"
            f"{_ascii(escape(_possible(body)))}</{kind}>\n"
            "    </testcase>\n"
        )
    out.write("  </testsuite>\n")


def _is_error(diagnostic: Diagnostic) -> bool:
    """Tell whether the file could not be linted, which JUnit tells from a test that failed."""
    return diagnostic.impact is None


def _attribute(text: str) -> str:
    return _ascii(quoteattr(_possible(text)))


def _possible(text: str) -> str:
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", valid(text))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()
