"""The verdict on a finding: what a user is told, made of what was judged."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.verify.judge import NOTHING, Evidence, Judgement
from jaxlint.verify.sources import kind_of

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.finding import Applicability


class Verdict(enum.StrEnum):
    """What running the code said of a finding."""

    CONFIRMED = "confirmed"
    """The effect shows."""
    REFUTED = "refuted"
    """The place ran, and the effect does not show."""
    NOT_RUN = "not-run"
    """The place could not be run, or running it decided nothing."""


@dataclass(frozen=True, slots=True)
class FixVerdict:
    """What running the code said of the fix of a finding.

    `confirmed`: both versions give the same, and the effect is gone; `refuted`: one of the two does not hold.
    `same_output` is None where the original gives nothing that could be kept.  `before` is what was measured of the
    original in the same way as `evidence` of the fixed code.
    """

    verdict: Verdict
    reason: str
    message: str
    applicability: Applicability
    same_output: bool | None = None
    evidence: Evidence = NOTHING
    before: Evidence = NOTHING
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A finding with its verdict.

    `reason` is one sentence.  `tier` says how it was measured: `abstract` (traced, nothing computed) or `concrete`
    (run); a third, `observed`, is for what a program of the user's was seen to do.  It is None where nothing was.
    `targets` are the functions that may be called for its place to run, the best first.
    """

    diagnostic: Diagnostic
    verdict: Verdict
    reason: str
    tier: str | None = None
    evidence: Evidence = NOTHING
    targets: tuple[str, ...] = ()
    fix: FixVerdict | None = None

    @classmethod
    def of(cls, diagnostic: Diagnostic, judgement: Judgement) -> Result:
        """Return what a judgement means for a finding."""
        verdict = {True: Verdict.CONFIRMED, False: Verdict.REFUTED, None: Verdict.NOT_RUN}[judgement.shown]
        reason = " ".join(judgement.evidence.split())
        kind = kind_of(Path(diagnostic.filename), judgement.figures.target)
        if kind and verdict is Verdict.CONFIRMED:
            # Whether that matters depends on whether it is like what is run in earnest.
            reason = f"{reason}; in a {kind}"
        if verdict is Verdict.NOT_RUN:
            return cls(diagnostic, verdict, reason, None, judgement.figures)
        return cls(diagnostic, verdict, reason, judgement.tier, judgement.figures)

    @classmethod
    def not_run(cls, diagnostic: Diagnostic, reason: str) -> Result:
        """Return the result for a finding that nothing was measured of."""
        return cls(diagnostic, Verdict.NOT_RUN, " ".join(reason.split()))
