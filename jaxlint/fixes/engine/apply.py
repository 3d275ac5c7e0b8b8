"""Applying fixes: a text and its findings in; a new text, what was applied and what was dropped out.

Nothing is trusted here, neither a rule nor the builder of a fix: after each round the text must compile, what was
fixed must be gone, nothing may have been found that was not there, and no comment may be lost.  A fix that breaks
this is dropped, and the next alternative is tried.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from jaxlint.editing import EditError
from jaxlint.finding import Applicability, Confidence, Edit, Finding, Fix, Impact
from jaxlint.source import Source

ROUNDS = 100
"""After so many rounds, what is left is left."""

Lint = Callable[[Source], list[Finding]]
Choose = Callable[[Source, Sequence[Finding]], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that is in the text; `row` is where its finding was, in the text of that round."""

    code: str
    name: str
    row: int
    applicability: Applicability
    message: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """A finding that has a fix and was not fixed; `row` is in the text that came out, `reason` one sentence.

    In a notebook, `cell` is the number of the cell, and the line counts from its start.
    """

    code: str
    name: str
    row: int
    reason: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Mended:
    """What came of a text; `findings` are all that `lint` has on the new text."""

    source: Source
    findings: tuple[Finding, ...]
    applied: tuple[Applied, ...] = ()
    dropped: tuple[Dropped, ...] = ()


def usable(finding: Finding, *, unsafe: bool) -> tuple[Fix, ...]:
    """Return the fixes of a finding that may be applied, the preferred one first.

    Args:
        finding: the finding.
        unsafe: whether the user takes fixes that need judgement.
    """
    wanted = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    return tuple(fix for fix in finding.fixes if fix.applicability in wanted and fix.edits)


def mend(
    source: Source,
    lint: Lint,
    choose: Choose,
    *,
    unsafe: bool = False,
    rounds: int = ROUNDS,
    trial: Lint | None = None,
) -> Mended:
    """Apply fixes until none is left that can be applied.

    Args:
        source: the text to start from.
        lint: gives all findings of a text, down to confidence `low`: what fixes are measured by.
        choose: picks from them the findings that are to be fixed.
        unsafe: whether fixes that need judgement are applied as well.
        rounds: how often to lint and apply at most.
        trial: gives the same findings without their fixes, for texts of which it is only asked what is found.
    """
    run = _Run(source, lint, choose, unsafe, trial)
    for _ in range(rounds):
        batch = _compatible(run.source, run.candidates())
        if not batch:
            return run.result()
        run.round(batch)
    return run.result(f"there were still fixes to apply after {rounds} rounds")


# --- one run ---------------------------------------------------------------------------------------------------------

Key = tuple[str, str, str]
"""What a finding is known by from one round to the next: code, line of text, and the function around it."""

_Trial = tuple[Source, list[Finding]]
"""A text that holds, and what is found in it."""


@dataclass
class _Candidate:
    finding: Finding
    key: Key
    row: int
    fixes: list[Fix]


@dataclass
class _Run:
    source: Source
    lint: Lint
    choose: Choose
    unsafe: bool
    trial: Lint | None = None
    found: list[Finding] = field(init=False)
    applied: list[Applied] = field(default_factory=list)
    refused: dict[tuple[Key, Fix | str], str] = field(default_factory=dict)
    """Why a fix, known by its message, is not tried again."""

    def __post_init__(self) -> None:
        self.found = self.lint(self.source)

    def candidates(self) -> list[_Candidate]:
        """Return the findings to fix that have a fix which was not refused, in the order of their places."""
        candidates = []
        for finding in self.choose(self.source, self.found):
            key = key_of(self.source, finding)
            fixes = [fix for fix in usable(finding, unsafe=self.unsafe) if (key, fix.message) not in self.refused]
            if fixes:
                candidates.append(_Candidate(finding, key, self.source.position(finding.span.start)[0], fixes))
        return candidates

    def round(self, batch: Sequence[_Candidate]) -> None:
        """Apply the first fix of each candidate, or, where that does not hold, as many fixes as hold together."""
        together = [(candidate, candidate.fixes[0]) for candidate in batch]
        trial: _Trial | str | None = self._try(together)
        if isinstance(trial, str):
            together, trial = self._one_by_one(batch)
        if trial is None:
            return
        self.source, self.found = trial
        if self.trial is not None:
            self.found = self.lint(self.source)
        self.applied += [
            Applied(c.finding.code, c.finding.name, c.row, fix.applicability, fix.described) for c, fix in together
        ]

    def _one_by_one(self, batch: Sequence[_Candidate]) -> tuple[list[tuple[_Candidate, Fix]], _Trial | None]:
        accepted: list[tuple[_Candidate, Fix]] = []
        last: _Trial | None = None
        for candidate in batch:
            for fix in candidate.fixes:
                if _collides(self.source, fix, [other for _, other in accepted]):
                    # It has its iteration in the next round.
                    break
                trial = self._try([*accepted, (candidate, fix)])
                if not isinstance(trial, str):
                    accepted.append((candidate, fix))
                    last = trial
                    break
                self.refused[candidate.key, fix.message] = trial
        return accepted, last

    def _try(self, chosen: Sequence[tuple[_Candidate, Fix]]) -> _Trial | str:
        """Return what comes of these fixes together, or why they must not be applied."""
        edits = [edit for _, fix in chosen for edit in fix.edits]
        problem = _misplaced(self.source, edits)
        if problem:
            return problem
        try:
            source = self.source.edited(edits)
        except EditError as error:
            return str(error)
        problem = _broken(self.source, source)
        if problem:
            return problem
        found = (self.trial or self.lint)(source)
        return _worse(self, source, found, [candidate for candidate, _ in chosen]) or (source, found)

    def result(self, reason: str = "") -> Mended:
        dropped = []
        for finding in self.choose(self.source, self.found):
            key = key_of(self.source, finding)
            why = [self.refused.get((key, fix.message), reason) for fix in usable(finding, unsafe=self.unsafe)]
            if why and why[0]:
                cell, row = self.source.place(finding.span.start)
                dropped.append(Dropped(finding.code, finding.name, row, why[0], cell))
        return Mended(self.source, tuple(self.found), tuple(self.applied), tuple(dropped))


def key_of(source: Source, finding: Finding) -> Key:
    """Return what a finding is known by from one text to the next."""
    row, _ = source.position(finding.span.start)
    return finding.code, " ".join(source.line(row).split()), finding.context


# --- which fixes go together -----------------------------------------------------------------------------------------


def _compatible(source: Source, candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Return those whose first fixes can be applied together; where two cannot, the one that comes first is in."""
    batch: list[_Candidate] = []
    taken: list[Edit] = []
    words: set[str] = set()
    known: set[str] | None = None
    for candidate in candidates:
        fix = candidate.fixes[0]
        if known is None:
            known = set(_WORD.findall(source.text))
        new = _words(fix) - known
        if not _overlap(fix.edits, taken) and words.isdisjoint(new):
            batch.append(candidate)
            taken += fix.edits
            words |= new
    return batch


_WORD = re.compile(r"\w+")


def _words(fix: Fix) -> set[str]:
    return {word for edit in fix.edits for word in _WORD.findall(edit.text) if not keyword.iskeyword(word)}


def _collides(source: Source, fix: Fix, others: Sequence[Fix]) -> bool:
    """Tell whether a fix touches what others touch, or brings a word that they bring too.

    Two fixes, each made without knowing the other, may both have chosen one name for something of their own.
    """
    if _overlap(fix.edits, [edit for other in others for edit in other.edits]):
        return True
    new = _words(fix).difference(_WORD.findall(source.text))
    return any(new & _words(other) for other in others)


def _overlap(edits: Sequence[Edit], taken: Sequence[Edit]) -> bool:
    return any(
        a.span.start == b.span.start or (a.span.start < b.span.end and b.span.start < a.span.end)
        for a in edits
        for b in taken
    )


# --- edits -----------------------------------------------------------------------------------------------------------


def _misplaced(source: Source, edits: Sequence[Edit]) -> str:
    ordered = sorted(edits, key=lambda edit: edit.span)
    outside = any(not 0 <= edit.span.start <= edit.span.end <= len(source.text) for edit in ordered)
    crossing = any(one.span.end > other.span.start for one, other in pairwise(ordered))
    return "its edits do not fit the text" if outside or crossing else ""


# --- what a fix must not do ------------------------------------------------------------------------------------------


def _broken(before: Source, after: Source) -> str:
    """Say in what a text is no longer one that Python takes, or holds less than it should; empty where it is fine."""
    try:
        data = after.to_bytes(after.text)
    except UnicodeError:
        return f"the fixed text cannot be written in the encoding {after.encoding}"
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if after.cells else 0
    problem = _refused_by_python(data, flags)
    if problem and not _refused_by_python(before.to_bytes(before.text), flags):
        return f"the fixed text does not compile: {problem}"
    if problem and _unparsable(data):
        return f"the fixed text does not parse: {problem}"
    lost = comments(before.text) - comments(after.text)
    return f"it would lose a comment: {min(lost)}" if lost else ""


def _refused_by_python(data: bytes, flags: int = 0) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "<fixed>", "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    return ""


def _unparsable(data: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def comments(text: str) -> Counter[str]:
    """Return the comments of a text with their numbers; none where Python's tokenizer does not get through."""
    found: Counter[str] = Counter()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline=None).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.rstrip()] += 1
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return found


def _worse(run: _Run, after: Source, found: Sequence[Finding], mended: Sequence[_Candidate]) -> str:
    """Say which finding is not gone, or new; empty where the text is better for it.

    A finding that is still there at a lower confidence is as good as gone: a jitted function that is made above a
    loop, not in it, compiles once a call.
    """
    due = Counter(candidate.key for candidate in mended)
    level = {candidate.key: candidate.finding.confidence for candidate in mended}
    old = Counter(key_of(run.source, finding) for finding in run.found)
    new = Counter(key_of(after, finding) for finding in found)
    same = Counter(key for f in found if (key := key_of(after, f)) in level and f.confidence >= level[key])
    left = next((key for key in due if same[key] > max(old[key] - due[key], 0)), None)
    if left is not None:
        return f"{left[0]} would still be found"
    gone = Counter({key: count - max(new[key] - max(old[key] - count, 0), 0) for key, count in due.items()})
    # Lines and the functions around them may change with a fix; how many findings a rule has must not grow, at no
    # confidence.
    codes = Counter(code for code, _, _ in gone.elements())
    for minimum in Confidence:
        before_counts = Counter(f.code for f in run.found if f.confidence >= minimum)
        after_counts = Counter(f.code for f in found if f.confidence >= minimum)
        if minimum is min(Confidence):
            before_counts -= codes
        grown = after_counts - before_counts
        grown -= Counter({f.code for f in found if f.confidence >= minimum and _is_left_of(f, mended)})
        if minimum is min(Confidence):
            grown -= _softened(grown, found, mended)
        grown -= _uncovered(grown, found, mended)
        if grown:
            return f"{min(grown)} would be found that was not there"
    return ""


def _softened(grown: Counter[str], found: Sequence[Finding], mended: Sequence[_Candidate]) -> Counter[str]:
    """Return how many findings of which rules may be new at `low`: they say of what was fixed that it is likely fine.

    An object that compiles in `__init__`, and no longer in each call, still does so for each object: another rule says
    so, at `low` where there is likely one.  So does a step that was not compiled at all, and now is once a call.
    """
    low = min(Confidence)
    worse = (Impact.EVERY_CALL, Impact.UNCOMPILED)
    surer = sum(c.finding.impact in worse and c.finding.confidence > low for c in mended)
    codes = {f.code for f in found if f.impact is Impact.EVERY_CALL and f.confidence is low}
    return Counter([code for code in sorted(grown.elements()) if code in codes][:surer])


def _uncovered(grown: Counter[str], found: Sequence[Finding], mended: Sequence[_Candidate]) -> Counter[str]:
    """Return how many findings of which rules may be new because code runs that raised: they say what it costs."""
    raised = sum(c.finding.impact is Impact.ERROR for c in mended)
    codes = {f.code for f in found if f.impact is Impact.EVERY_CALL}
    return Counter([code for code in sorted(grown.elements()) if code in codes][:raised])


def _is_left_of(finding: Finding, mended: Sequence[_Candidate]) -> bool:
    """Whether a loop that ran a step eagerly has only other operations left, which another rule reports."""
    return finding.impact is Impact.UNCOMPILED and any(
        c.finding.impact is Impact.UNCOMPILED
        and c.finding.context == finding.context
        and c.finding.confidence >= finding.confidence
        for c in mended
    )
