"""`jaxlint check` whose JSON says as well what each finding rests on: its evidence, and the function it is in.

    python lintcheck/evidence.py check --output-format json ...

It takes what `check` takes.  What confidence is made of does not leave `jaxlint.linter`, so this wraps the one function
there that sees both, and hands the evidence on within the message; with several processes it would be lost, so there is
one only.
"""

from __future__ import annotations

import contextlib
import enum
import json
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from types import SimpleNamespace
from typing import Any

from jaxlint import linter
from jaxlint.doors.cli import main
from jaxlint.facts.evidence.confidence import confidence, graded
from lintcheck.marks import Marks

MARK = "\x1e"
"""What separates a message from the evidence for it; no message holds it."""


def features(evidence: object) -> list[str]:
    """Return in words what evidence says: `in_loop` for what is true, `loops=3` for numbers, the names of members."""
    if not is_dataclass(evidence):
        return []
    found: list[str] = []
    for field in fields(evidence):
        found += _words(field.name, getattr(evidence, field.name))
    return sorted(found)


def _words(name: str, value: Any) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, enum.Enum):
        return [value.name.lower()]
    if isinstance(value, set | frozenset | tuple | list):
        return [word for item in value for word in _words(name, item)]
    return [f"{name}={value}"]


def split(message: str) -> tuple[str, str, list[str]]:
    """Return a message without what was handed on in it, the qualified name around the place, and the evidence."""
    text, _, rest = message.partition(MARK)
    context, evidence = json.loads(rest) if rest else ("", [])
    return text, context, evidence


@contextlib.contextmanager
def handed_on() -> Iterator[None]:
    """Let the findings of this process say in their messages what they rest on."""
    original = linter._findings

    def findings(module: Any, facts: Any, *rest: Any) -> Any:
        reports: list[Any] = []

        def check(facts: Any) -> list[Any]:
            reports.extend(module.check(facts))
            return reports

        found = original(SimpleNamespace(RULE=module.RULE, check=check), facts, *rest)
        # In the order of the reports; a failure of jaxlint's own comes between.
        left = iter([report for report in reports if confidence(report.evidence) is not None])
        return [item if item.code == "JAX000" else _with_evidence(item, next(left), facts) for item in found]

    linter._findings = findings  # type: ignore[assignment]
    try:
        yield
    finally:
        linter._findings = original


def _with_evidence(finding: Any, report: Any, facts: Any) -> Any:
    grade = graded(report.evidence)
    words = [f"grade={grade.label}"] if grade is not None else []
    words += features(report.evidence) + sorted(f"mark={mark.name.lower()}" for mark in Marks(facts).of(report.node))
    told = json.dumps([finding.context, words])
    return replace(finding, message=f"{finding.message}{MARK}{told}")


if __name__ == "__main__":
    with handed_on():
        sys.exit(main([*sys.argv[1:], "--jobs", "1"]))
