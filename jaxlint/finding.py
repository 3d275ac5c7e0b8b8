"""What jaxlint reports: a finding, where it is, how sure it is, and the edits that would fix it.

These are plain values.  They know nothing of files, of doors (flake8, command line, editors) or of LibCST.  Offsets
are code points into `Source.text`; lines and columns exist only where a door prints them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple


class Severity(enum.StrEnum):
    """How SARIF, GitHub, GitLab, reviewdog and editors rank a finding."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Impact(enum.StrEnum):
    """What the code that a rule reports costs."""

    EVERY_CALL = "every-call"
    """Compiles again on each call."""
    PER_VALUE = "per-value"
    """Compiles again for each new value or shape."""
    FIRST_CALL = "first-call"
    """A flood of tiny programs, once."""
    COMPILE_TIME = "compile-time"
    """One huge program."""
    ERROR = "error"
    """Raises under trace."""
    STALE = "stale"
    """Silently uses an old value."""
    UNCOMPILED = "uncompiled"
    """Never compiled as one program."""
    DISPATCH = "dispatch"
    """Slower dispatch only."""

    @property
    def severity(self) -> Severity:
        """The severity that goes with this impact."""
        if self in (Impact.ERROR, Impact.STALE):
            return Severity.ERROR
        if self in (Impact.EVERY_CALL, Impact.PER_VALUE, Impact.COMPILE_TIME):
            return Severity.WARNING
        return Severity.NOTE


class Confidence(enum.IntEnum):
    """How sure a finding is; ordered, so that a minimum can be asked for."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def label(self) -> str:
        """The word used on the command line and in reports: `low`, `medium` or `high`."""
        return self.name.lower()

    @classmethod
    def from_label(cls, label: str) -> Confidence:
        """Return the confidence named `label`.

        Raises:
            ValueError: `label` is not `low`, `medium` or `high`.
        """
        try:
            return cls[label.upper()]
        except KeyError:
            raise ValueError(f"{label!r} is not a confidence: use low, medium or high") from None


class Applicability(enum.StrEnum):
    """What may be done with a fix without asking."""

    SAFE = "safe"
    """Keeps the meaning; may be applied unseen."""
    UNSAFE = "unsafe"
    """Keeps the meaning as far as can be told; needs judgement."""
    DISPLAY = "display"
    """A suggestion to read; never applied."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of `Source.text`, `start` included, `end` not, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` by `text`; an empty span inserts, an empty text deletes."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a finding: edits against the text that was linted, none overlapping another.

    `condition` says what the code must meet for it to mean the same after a fix that is not safe: a few words.
    """

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]
    condition: str = ""

    @property
    def described(self) -> str:
        """What it does, and on what condition: one line, for somebody who has to decide about it."""
        return described(self.applicability, self.message, self.condition)


def described(applicability: Applicability, message: str, condition: str) -> str:
    """Say what a fix does, and on what condition."""
    if applicability is Applicability.UNSAFE:
        return f"{message} (unsafe: {condition or 'it may change what the code does'})"
    return f"{message} ({condition})" if condition else message


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that helps to understand a finding, in the same file."""

    message: str
    span: Span


class Place(NamedTuple):
    """A line of another file; the path is relative to the folder of the file that is told of it, with slashes."""

    path: str
    row: int


@dataclass(frozen=True, slots=True)
class Reason:
    """What supports a finding or against it, in a few words, and where that shows: here, in another file, nowhere."""

    message: str
    speaks_for: bool
    at: Span | Place | None = None

    @property
    def worded(self) -> str:
        """The message, where it is beside places that are just of interest."""
        return self.message if self.speaks_for else f"against: {self.message}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that one rule reports.

    `impact` is None for JAX000 and JAX001 only.  `context` is the qualified name of the enclosing function or class,
    empty at module level.  `fingerprint` survives line moves: it is made of the code, the text of the line without its
    indentation, `context` and an ordinal among findings that agree in all three.
    """

    code: str
    name: str
    message: str
    span: Span
    confidence: Confidence
    impact: Impact | None
    context: str = ""
    fingerprint: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def severity(self) -> Severity:
        """The severity that goes with the impact; errors of the tool or of the syntax are errors."""
        return self.impact.severity if self.impact else Severity.ERROR
