"""The verdict on a finding: what a user is told, made of what was judged."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.verify.judge import NOTHING, Evidence, Judgement

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic


class Verdict(enum.StrEnum):
    """What running the code said of a finding."""

    CONFIRMED = "confirmed"
    """The effect shows."""
    REFUTED = "refuted"
    """The place ran, and the effect does not show."""
    NOT_RUN = "not-run"
    """The place could not be run, or running it decided nothing."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finding with its verdict.

    `reason` is one sentence.  `tier` says how it was measured: `abstract` (traced, nothing computed) or `concrete`
    (run); a third, `observed`, is for what a program of the user's was seen to do.  It is None where nothing was.
    """

    diagnostic: Diagnostic
    verdict: Verdict
    reason: str
    tier: str | None = None
    evidence: Evidence = NOTHING

    @classmethod
    def of(cls, diagnostic: Diagnostic, judgement: Judgement) -> Result:
        """Return what a judgement means for a finding."""
        verdict = {True: Verdict.CONFIRMED, False: Verdict.REFUTED, None: Verdict.NOT_RUN}[judgement.shown]
        reason = " ".join(judgement.evidence.split())
        if verdict is Verdict.NOT_RUN:
            return cls(diagnostic, verdict, reason, None, judgement.figures)
        return cls(diagnostic, verdict, reason, judgement.tier, judgement.figures)

    @classmethod
    def not_run(cls, diagnostic: Diagnostic, reason: str) -> Result:
        """Return the result for a finding that nothing was measured of."""
        return cls(diagnostic, Verdict.NOT_RUN, " ".join(reason.split()))
