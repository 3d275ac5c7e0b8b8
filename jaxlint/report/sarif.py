"""For code scanning on GitHub and for viewers: SARIF 2.1.0."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote

from jaxlint import __version__
from jaxlint.finding import Applicability, Confidence, Impact
from jaxlint.report._places import Places, valid
from jaxlint.report.json import dump_array
from jaxlint.rules import HOME, Rule, rules
from jaxlint.rules.page import page, status

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic, LocatedFix, Location
    from jaxlint.report import Report, Style

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_ROOT = "%SRCROOT%"
_LONGEST = 1024
"""The most characters that GitHub takes for a description."""
_RANKS = {Confidence.HIGH: 90.0, Confidence.MEDIUM: 60.0, Confidence.LOW: 20.0}
_PRECISIONS = {"stable": "high", "preview": "medium", "off by default": "low"}


def write(report: Report, out: TextIO, style: Style) -> None:  # noqa: ARG001
    """Write one log with one run, its results one after the other."""
    known = rules()
    run = {
        "tool": {"driver": _driver(known)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [{"executionSuccessful": all(diagnostic.code != "JAX000" for diagnostic in report.diagnostics)}],
    }
    out.write(f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{json.dumps(run)[:-1]}, "results": ')
    dump_array(_results(report, {code: index for index, code in enumerate(known)}), out, "  ")
    out.write("}]}\n")


def _driver(known: Mapping[str, Rule]) -> dict[str, Any]:
    return {
        "name": "jaxlint",
        **({"informationUri": HOME} if HOME else {}),
        "version": __version__,
        "semanticVersion": __version__,
        # All that there are, whatever ran: so a rule that finds nothing in one run is not another rule in the next.
        "rules": [_rule(rule) for rule in known.values()],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    level = rule.impact.severity.value if rule.impact is not None else "error"
    summary = rule.summary[:1].upper() + rule.summary[1:]
    text = page(rule)
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": summary.removesuffix(".") + "."},
        "fullDescription": {"text": _description(rule) or summary},
        "help": {"text": text, "markdown": text},
        **({"helpUri": rule.url} if rule.url else {}),
        "defaultConfiguration": {"level": level, "enabled": status(rule) == "stable"},
        "properties": {
            "tags": ["jax", "correctness" if level == "error" else "performance"],
            "precision": _PRECISIONS[status(rule)],
            "problem.severity": "recommendation" if level == "note" else level,
        },
    }


def _description(rule: Rule) -> str:
    """Return the first paragraph of *What it does*."""
    _, _, text = inspect.cleandoc(rule.doc).partition("## What it does\n")
    text = " ".join(text.split("\n\n", 1)[0].split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _results(report: Report, indices: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    places = Places(report.folder)
    for diagnostic in report.diagnostics:
        yield _result(diagnostic, indices[diagnostic.code], places)


def _result(diagnostic: Diagnostic, index: int, places: Places) -> dict[str, Any]:
    artifact = _artifact(diagnostic.filename, places)
    properties: dict[str, Any] = {
        "confidence": diagnostic.confidence.label,
        "precision": diagnostic.confidence.label,
    }
    if isinstance(diagnostic.impact, Impact):
        properties["impact"] = diagnostic.impact.value
    for key, speaks_for in (("for", True), ("against", False)):
        told = [valid(reason.message) for reason in diagnostic.reasons if reason.speaks_for is speaks_for]
        if told:
            properties[key] = told
    words = ""
    if diagnostic.verdict is not None:
        properties["verdict"], properties["verdictReason"] = diagnostic.verdict
        words = f" ({': '.join(diagnostic.verdict)})"
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity.value,
        "message": {"text": valid(diagnostic.message + words)},
        "locations": [_location(artifact, diagnostic.location, diagnostic.end_location)],
        # Under a name of its own: GitHub's action for uploads adds `primaryLocationLineHash`, and warns of each result
        # that has another one.
        "partialFingerprints": {"jaxlint/v1": diagnostic.fingerprint},
        "rank": _RANKS[diagnostic.confidence],
        "properties": properties,
    }
    if diagnostic.places:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": valid(note.message)},
                **_location(_artifact(note.filename, places) if note.filename else artifact, note.location),
            }
            for number, note in enumerate(diagnostic.places)
        ]
    fixes = [fix for fix in diagnostic.fixes if fix.edits and fix.applicability != Applicability.DISPLAY]
    if diagnostic.location.cell is not None:
        # The lines are those of the JSON text, in which an edit would have to be written otherwise.
        result["message"]["text"] = f"{diagnostic.location}: {result['message']['text']}"
        fixes = []
    if fixes:
        result["fixes"] = [_fix(fix, artifact) for fix in fixes]
    return result


def _artifact(filename: str, places: Places) -> dict[str, Any]:
    relative = places.in_repository(filename)
    if relative is None:
        return {"uri": Path(places.shown(filename)).as_uri()}
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": _ROOT}


def _location(artifact: dict[str, Any], start: Location, end: Location | None = None) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": artifact, "region": _region(start, end)}}


def _region(start: Location, end: Location | None = None) -> dict[str, int]:
    if start.cell is not None:
        return {"startLine": start.line} if end is None else {"startLine": start.line, "endLine": end.line}
    region = {"startLine": start.row, "startColumn": start.column}
    if end is not None:
        region |= {"endLine": end.row, "endColumn": end.column}
    return region


def _fix(fix: LocatedFix, artifact: dict[str, Any]) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(edit.location, edit.end_location),
            "insertedContent": {"text": valid(edit.content)},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": valid(fix.described)},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
    }
