"""Verdicts as people and programs read them: a short card each, or the JSON of a finding with what was measured."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from jaxlint.report import Style, count
from jaxlint.report.concise import headline
from jaxlint.report.json import finding
from jaxlint.verify.verdict import Result, Verdict

FORMATS = ("text", "json")


def write(results: Sequence[Result], out: TextIO, style: Style, form: str) -> None:
    """Write results in one of the `FORMATS`."""
    if form == "json":
        _write_json(results, out)
    else:
        _write_text(results, out, style)


def summary(results: Sequence[Result]) -> dict[str, int]:
    """Return how many results have each verdict."""
    counted = Counter(result.verdict for result in results)
    return {verdict.value: counted[verdict] for verdict in Verdict}


# --- text ------------------------------------------------------------------------------------------------------------


def _write_text(results: Sequence[Result], out: TextIO, style: Style) -> None:
    for result in results:
        out.write(headline(result.diagnostic, style) + "\n")
        bar = style.faint("|")
        out.writelines(f"  {bar} {line}\n" for line in card(result, style))
        out.write("\n")
    if style.summary:
        parts = [f"{number} {verdict}" for verdict, number in summary(results).items()]
        out.write(f"Verified {count(len(results), 'finding')}: {', '.join(parts)}.\n")


def card(result: Result, style: Style) -> list[str]:
    """Return the lines that say what came of running a finding's code."""
    evidence = result.evidence
    lines = [f"{style.bold(result.verdict.value)}: {_says(result)}"]
    if result.verdict is not Verdict.NOT_RUN and evidence.target:
        given = f" with {evidence.inputs}" if evidence.inputs else ""
        lines.append(f"called {evidence.target}{given}")
    if result.verdict is Verdict.CONFIRMED and evidence.seconds and evidence.compiles is not None:
        lines.append(f"{evidence.seconds:.2g} s to compile, each time")
    return lines


def _says(result: Result) -> str:
    evidence = result.evidence
    every_call = result.diagnostic.impact == "every-call"
    if result.verdict is Verdict.CONFIRMED and every_call and evidence.target:
        times = evidence.traces if evidence.compiles is None else evidence.compiles
        word = "traces" if evidence.compiles is None else "compiles"
        series = "/".join(map(str, times or ()))
        calls = count(len(times or ()), "synthetic call")
        return f"compiles again on each call of {evidence.target} ({calls}: {series} {word})"
    if result.verdict is Verdict.CONFIRMED and evidence.equations is not None and evidence.seconds:
        return f"{result.reason} (some {evidence.seconds:.2g} s to compile)"
    return result.reason


# --- JSON ------------------------------------------------------------------------------------------------------------


def _write_json(results: Sequence[Result], out: TextIO) -> None:
    # As elsewhere: one item a line, escaped to ASCII.
    items = ",".join("\n  " + json.dumps(as_json(result)) for result in results)
    out.write('{"results": [' + items + ("\n" if results else "") + f'], "summary": {json.dumps(summary(results))}}}\n')


def as_json(result: Result) -> dict[str, Any]:
    """Return the object that stands for a result; what was not measured is left out of its evidence."""
    measured = {name: value for name, value in asdict(result.evidence).items() if value not in (None, "")}
    return {
        **finding(result.diagnostic),
        "verdict": result.verdict,
        "reason": result.reason,
        "tier": result.tier,
        "evidence": {"calls": "synthetic", **measured} if result.tier is not None else measured,
    }
