"""Verdicts as people and programs read them: a short card each, or the JSON of a finding with what was measured."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

from jaxlint.report import Report, Style, count, load
from jaxlint.report.concise import headline
from jaxlint.report.json import finding
from jaxlint.verify.judge import Evidence
from jaxlint.verify.sources import kind_of
from jaxlint.verify.verdict import FixVerdict, Result, Verdict

FORMATS = ("text", "json", "sarif", "rdjson", "markdown")


def write(results: Sequence[Result], out: TextIO, style: Style, form: str, *, shown: int = 0) -> None:
    """Write results in one of the `FORMATS`; as text, the first ones that are `shown` already are skipped."""
    if form == "json":
        _write_json(results, out)
    elif form == "text":
        for result in results[shown:]:
            write_card(result, out, style)
        if style.summary:
            out.write(_sum(results))
    else:
        found = (replace(r.diagnostic, verdict=(r.verdict.value, r.reason)) for r in results)
        files = {result.diagnostic.filename for result in results}
        load(form).write(Report(tuple(found), len(files)), out, style)


def write_card(result: Result, out: TextIO, style: Style) -> None:
    """Write one result as text."""
    out.write(headline(result.diagnostic, style) + "\n")
    bar = style.faint("|")
    out.writelines(f"  {bar} {line}\n" for line in card(result, style))
    out.write("\n")


def summary(results: Sequence[Result]) -> dict[str, int]:
    """Return how many results have each verdict."""
    counted = Counter(result.verdict for result in results)
    return {verdict.value: counted[verdict] for verdict in Verdict}


# --- text ------------------------------------------------------------------------------------------------------------


def _sum(results: Sequence[Result]) -> str:
    parts = [f"{number} {verdict}" for verdict, number in summary(results).items()]
    fixed = sum(result.fix is not None and result.fix.applied for result in results)
    more = f" Fixed {fixed}." if fixed else ""
    return f"Verified {count(len(results), 'finding')}: {', '.join(parts)}.{more}\n"


def card(result: Result, style: Style) -> list[str]:
    """Return the lines that say what came of running a finding's code."""
    evidence = result.evidence
    lines = [f"{style.bold(result.verdict.value)}: {_says(result)}"]
    if result.verdict is not Verdict.NOT_RUN and evidence.target:
        given = f" with {evidence.inputs}" if evidence.inputs else ""
        lines.append(f"called {evidence.target}{given}")
    own = result.tier != "observed"
    if result.verdict is Verdict.CONFIRMED and own and evidence.seconds and evidence.compiles is not None:
        lines.append(f"{evidence.seconds:.2g} s to compile, each time")
    if result.fix is not None:
        lines += _fix_card(result.fix, style)
    return lines


def _fix_card(fix: FixVerdict, style: Style) -> list[str]:
    """Return the lines on a fix: what it is, and what was measured before and after."""
    if fix.verdict is not Verdict.CONFIRMED:
        how = "does not hold" if fix.verdict is Verdict.REFUTED else "was not proven"
        return [f"{style.bold('not fixed')}: {fix.message}", f"it {how}: {fix.reason}"]
    lines = [f"{style.bold('fixed')}: {fix.message}"]
    before, after = _measured(fix.before), _measured(fix.evidence)
    if after:
        lines.append(f"before: {before}; after: {after}" if before else f"after: {after}")
    lines.append("the results are the same" if fix.same_output else "it runs, where the original raises")
    return lines


def _measured(evidence: Evidence) -> str:
    if evidence.exception is not None:
        return f"raises {evidence.exception}"
    if evidence.equations is not None:
        return count(evidence.equations, "equation")
    if evidence.compiles is None:
        return ""
    took = f", {evidence.seconds:.2g} s" if evidence.seconds else ""
    return f"compiles in {count(len(evidence.compiles), 'call')}: {'/'.join(map(str, evidence.compiles))}{took}"


def _says(result: Result) -> str:
    evidence = result.evidence
    every_call = result.diagnostic.impact == "every-call"
    times = (evidence.traces if evidence.compiles is None else evidence.compiles) or ()
    if result.verdict is Verdict.CONFIRMED and every_call and evidence.target and any(times):
        word = "traces" if evidence.compiles is None else "compiles"
        series = "/".join(map(str, times))
        calls = count(len(times), "synthetic call")
        kind = kind_of(Path(result.diagnostic.filename), evidence.target)
        where = f", in a {kind}" if kind else ""
        return f"compiles again on each call of {evidence.target} ({calls}: {series} {word}){where}"
    if result.verdict is Verdict.CONFIRMED and evidence.equations is not None and evidence.seconds:
        return f"{result.reason} (some {evidence.seconds:.2g} s to compile)"
    return result.reason


# --- JSON ------------------------------------------------------------------------------------------------------------


def _write_json(results: Sequence[Result], out: TextIO) -> None:
    # As elsewhere: one item a line, escaped to ASCII.
    items = ",".join("\n  " + json.dumps(as_json(result)) for result in results)
    out.write('{"results": [' + items + ("\n" if results else "") + f'], "summary": {json.dumps(summary(results))}}}\n')


def as_json(result: Result) -> dict[str, Any]:
    """Return the object that represents a result; what was not measured is skipped of its evidence."""
    measured = _figures(result.evidence)
    shown = {
        **finding(result.diagnostic),
        "verdict": result.verdict,
        "reason": result.reason,
        "tier": result.tier,
        "evidence": {"calls": _CALLS.get(result.tier, "synthetic"), **measured}
        if result.tier is not None
        else measured,
    }
    return shown if result.fix is None else {**shown, "fix_verdict": _fix_as_json(result.fix)}


_CALLS = {"observed": "observed"}
"""Whose calls a tier mentions: verify's own, unless it is this."""


def _fix_as_json(fix: FixVerdict) -> dict[str, Any]:
    return {
        "verdict": fix.verdict,
        "reason": fix.reason,
        "message": fix.message,
        "applicability": fix.applicability,
        "applied": fix.applied,
        "same_output": fix.same_output,
        "evidence": _figures(fix.evidence),
        "before": _figures(fix.before),
    }


def _figures(evidence: Evidence) -> dict[str, Any]:
    """Return what was measured; what was not is skipped."""
    return {name: value for name, value in asdict(evidence).items() if value not in (None, "")}
