"""The pure core: a source and settings in, findings out.  Every door calls `lint` and nothing deeper."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import hashlib
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.finding import Confidence, Finding, Fix, Impact, Place, Reason, Related, Span
from jaxlint.settings import Settings
from jaxlint.source import Source

if TYPE_CHECKING:
    from jaxlint.facts.evidence.reasons import At
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.rules import Report, Rule, RuleModule


def lint(
    source: Source,
    settings: Settings | None = None,
    incoming: Incoming = NOTHING,
    *,
    fixes: bool = True,
    fixes_from: Confidence | None = None,
) -> list[Finding]:
    """Return the findings of one file, in the order of their places.

    `incoming` is what the rest of a project says about the file (`jaxlint.project`); alone, a file is judged by itself.
    Fixes cost more than all the rest, so whoever does not show them can do without, or have them from a confidence on.

    Never runs or imports the code, never opens a file, and never raises for what the text holds: a file that does not
    parse gives one JAX001, a failure of jaxlint itself a JAX000 beside what the other rules found.
    """
    from jaxlint.facts.syntax.parsing import UnreadableError

    settings = settings or Settings()
    rules = wanted(source, settings, incoming)
    if not rules:
        return []
    try:
        with deep_recursion(), uncollected(), contextlib.closing(_facts(source, settings, incoming)) as facts:
            least = (fixes_from or settings.min_confidence) if fixes else None
            found = fingerprinted(source, [*_unread(source), *_run(facts, rules, settings, least)])
        # Only now: a fingerprint must not depend on how sure a finding has to be.
        return [finding for finding in found if finding.confidence >= settings.min_confidence]
    except UnreadableError as error:
        return fingerprinted(source, [_syntax_error(error)])
    except Exception as error:  # noqa: BLE001  (a file that jaxlint fails on must not end the run)
        failures = _Failures()
        failures.add(error, "reading the file")
        return fingerprinted(source, failures.findings())


def wanted(source: Source, settings: Settings, incoming: Incoming = NOTHING) -> list[Rule]:
    """Return the rules that could find anything in a file, judged by the words of its text and by who uses it."""
    from jaxlint import triage
    from jaxlint.rules import rules

    enabled = [rule for rule in rules().values() if settings.enabled(rule)]
    return triage.wanted(source.text, enabled, settings.wrappers, incoming)


_RECURSION = 8000
"""Facts need up to nine frames of Python for each level at which code nests, and `nodes.DEEPEST` says how many levels
there may be.  Such frames take no room on the stack of the process."""

_lock = threading.Lock()
_limits: list[int] = []
"""The limit on recursion as it was, once for each run of `lint` that is under way."""


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Let Python recurse as deep as code may nest; the last of several threads to leave puts things back."""
    with _lock:
        _limits.append(_limits[0] if _limits else sys.getrecursionlimit())
        sys.setrecursionlimit(max(_limits[0], _RECURSION))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                sys.setrecursionlimit(limit)


_collecting: list[bool] = []
"""Whether Python collected garbage before, once for each `uncollected` block that is under way."""


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for cyclic garbage, which costs an eighth of a run: trees of code hold none.

    The last of several threads to leave puts things back.
    """
    with _lock:
        _collecting.append(_collecting[0] if _collecting else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            was = _collecting.pop()
            if not _collecting and was:
                gc.enable()


def _facts(source: Source, settings: Settings, incoming: Incoming) -> ModuleFacts:
    # LibCST is imported behind this line only: most files never get here.
    from jaxlint.facts.module import ModuleFacts

    return ModuleFacts.of(source, settings, incoming)


def _run(
    facts: ModuleFacts, rules: Iterable[Rule], settings: Settings, fixes_from: Confidence | None
) -> Iterator[Finding]:
    from jaxlint.rules import modules

    failures = _Failures()
    for rule in rules:
        try:
            yield from _findings(modules()[rule.code], facts, settings.min_confidence, fixes_from, failures)
        except Exception as error:  # noqa: BLE001  (the other rules go on)
            failures.add(error, rule.code)
    yield from failures.findings()


def _findings(
    module: RuleModule,
    facts: ModuleFacts,
    minimum: Confidence,
    fixes_from: Confidence | None,
    failures: _Failures,
) -> list[Finding]:
    """Return what a rule finds, at any confidence if any is at `minimum`, with fixes from a confidence on."""
    from jaxlint.facts.evidence.confidence import confidence

    rule = module.RULE
    found: list[Finding] = []
    levels = [(report, confidence(report.evidence, rule.code)) for report in module.check(facts)]
    if not any(level is not None and level >= minimum for _, level in levels):
        return found  # a place costs two parses of its block
    for report, level in levels:
        if level is None:
            continue
        try:
            # What will not be shown is found for the fingerprints' sake only.
            mended = fixes_from is not None and level >= fixes_from
            fixes = tuple(_placed(_judged(facts, rule, report), facts.source)) if mended else ()
        except Exception as error:  # noqa: BLE001  (a finding that cannot be fixed is still one)
            fixes = ()
            failures.add(error, f"fixes of {rule.code}")
        found.append(
            Finding(
                code=rule.code,
                name=rule.name,
                message=report.message,
                span=facts.span(report.node),
                confidence=level,
                impact=rule.impact,
                context=facts.context(report.node),
                related=_related(report, facts),
                fixes=fixes,
                reasons=_reasons(report, facts, rule) if level >= minimum else (),
            )
        )
    return found


def _placed(fixes: Iterable[Fix], source: Source) -> Iterator[Fix]:
    """Yield those fixes that can be made in the file."""
    for fix in fixes:
        edits = source.placed(fix.edits)
        if edits is not None:
            yield dataclasses.replace(fix, edits=edits) if edits is not fix.edits else fix


def _judged(facts: ModuleFacts, rule: Rule, report: Report) -> tuple[Fix, ...]:
    """Return the fixes of a finding, each with what may be claimed of it."""
    fixes = tuple(report.fixes())
    if not fixes:
        return ()
    # Here, because most findings are never fixed.
    from jaxlint.fixes.checks import judged
    from jaxlint.fixes.text.wrapping import wrapped

    length = facts.settings.line_length
    evidence = report.evidence
    if rule.impact is Impact.ERROR and not evidence.error:
        evidence = dataclasses.replace(evidence, error=True)
    known = (judged(facts, report.node, fix, evidence) for fix in fixes)
    return tuple(wrapped(facts.source, fix, length) for fix in known)


def _related(report: Report, facts: ModuleFacts) -> tuple[Related, ...]:
    return tuple(Related(message, facts.span(node)) for node, message in report.related)


def _reasons(report: Report, facts: ModuleFacts, rule: Rule) -> tuple[Reason, ...]:
    """Return what supports and weakens a finding; what is not shown does without, as places cost a parse."""
    return tuple(
        Reason(ground.message, ground.speaks_for, _placed_at(ground.at, facts))
        for ground in facts.reasons.of(report.node, report.evidence, rule.impact)
    )


def _placed_at(at: At, facts: ModuleFacts) -> Span | Place | None:
    return at if at is None or isinstance(at, Place) else facts.span(at)


def _syntax_error(error: Exception) -> Finding:
    offset = getattr(error, "offset", 0)
    return Finding("JAX001", "syntax-error", str(error), Span(offset, offset), Confidence.HIGH, None)


def _unread(source: Source) -> list[Finding]:
    """Return what says which parts of a file are not linted."""
    return [
        Finding("JAX001", "syntax-error", problem.message, Span(*[problem.offset] * 2), Confidence.HIGH, None)
        for problem in source.problems
    ]


class _Failures:
    """What failed while a file was linted: one finding for each cause, however many rules ask the fact that fails."""

    def __init__(self) -> None:
        self._where: dict[str, list[str]] = {}

    def add(self, error: BaseException, where: str) -> None:
        """Note an error, and the rule or the step that met it."""
        if isinstance(error, RecursionError):  # where it is met is chance
            self._where.setdefault("RecursionError: maximum recursion depth exceeded", []).append(where)
            return
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f" at {trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace else ""
        what = " ".join(str(error).split())[:200]
        self._where.setdefault(f"{type(error).__name__}: {what}{place}", []).append(where)

    def findings(self) -> Iterator[Finding]:
        """Yield a JAX000 for each cause."""
        for cause, where in self._where.items():
            steps = ", ".join(dict.fromkeys(where))
            message = f"jaxlint failed on this file ({steps}): {cause}; please report this"
            yield Finding("JAX000", "internal-error", message, Span(0, 0), Confidence.HIGH, None)


def fingerprinted(source: Source, findings: Iterable[Finding]) -> list[Finding]:
    """Sort by place and give each finding its fingerprint."""
    seen: Counter[tuple[str, str, str]] = Counter()
    out = []
    for finding in sorted(findings, key=lambda f: (f.span, f.code)):
        row, _ = source.position(finding.span.start)
        key = (finding.code, " ".join(source.line(row).split()), finding.context)
        text = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        out.append(dataclasses.replace(finding, fingerprint=digest))
    return out
