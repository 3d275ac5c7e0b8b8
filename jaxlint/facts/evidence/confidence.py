"""How sure a finding is: one function of the evidence, the same for every rule.

No rule sets a confidence.  It says what it saw; what that is worth is decided here, from what 592 labelled places in
real code showed (a naive "jit inside a function" is right 12% of the time in libraries, 5% in scripts, never in tests).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from jaxlint.facts.evidence.calibration import said
from jaxlint.finding import Confidence


class Doubt(enum.Enum):
    """Something visible that suggests that the place is fine."""

    REUSED = "the object is created once and used several times in the same call"
    PASSED_ON = "the object is passed to a function that is not visible"
    ONE_SHOT = "it is an initialization, which runs once"
    OWN_PROGRAM = "each iteration needs its own program anyway"
    UNSEEN = "the jitted function is not visible"
    SOMETIMES = "only some branches create a new function"
    CALLED_ONCE = "all visible callers call it once"
    EAGER_TOO = "a visible call also runs the function outside any trace"
    FAR = "only another module traces it, and its arguments there are not visible"
    OMITTED = "no visible caller passes the argument"
    EAGERNESS = "nothing visible shows that this runs outside a trace"
    OPTION = "an option of the code turns compilation off here"
    MEASURED = "it exists to be timed or compared, or its loop measures compilation"
    NOT_STAGED = "nothing visible compiles it, though its users may"
    SETTING = "the loop length is a setting, and nothing visible shows that it is large"
    LENGTH = "nothing visible shows how long the axis is, and it may be short"
    LIGHT = "it is a single operation that no loop repeats"
    SET_UP = "the change likely happens before the first call"
    FEW = "an iteration dispatches so few operations that something else may dominate its time"
    UNCOUNTED = "nothing visible shows that the loop has many iterations"
    IMMATERIAL = "the code shows how often it runs, and that is too few operations to matter"
    BESIDE = "something else does the work of an iteration, and these operations are little beside it"
    SHAPES = "iterations have different shapes, so no single program fits all of them"
    OUTSIDE = "each iteration reads or writes a file, plots, or waits for somebody"
    LIBRARY = "each iteration works with a library of the host"
    OBJECT = "each iteration steps an object of Python that keeps its own state, such as an environment"
    ON_PURPOSE = "iterations wait for their results, differ in shape, or only slice the input of a step"
    SCALARS = "it is in a branch for scalars, which a trace may never enter"
    INTERRUPTED = "Python or NumPy uses values between the array operations"
    SIZE = "nothing visible shows how large the array is"
    CASES = "the visible loops that run it go through cases, and each may need its own program"
    GIVEN = "it compiles a function that the caller passes, and each function needs its own program"
    UNREPEATED = "nothing visible shows that it runs more than once"
    SHOWN = "other modules use it, and only the main block of its own runs it again and again"
    COLLECTED = "it grows by what its users add, and nothing visible shows that they do so often"
    MAY_BE_LIST = "the loop may run over a list of a few arrays"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rule saw at one place.

    `in_loop`: the place itself runs once per iteration of a loop.  `repeated`: its function is called in a loop, or by
    several callers, visible.  `run_once`: its function runs once per process.  `test`: a test or a benchmark.
    `traced`: it is reached from a trace.  `error`: it fails where it runs, however often that is.
    """

    in_loop: bool = False
    repeated: bool = False
    run_once: bool = False
    test: bool = False
    traced: bool = False
    error: bool = False
    doubts: frozenset[Doubt] = frozenset()


def confidence(evidence: Evidence, code: str = "") -> Confidence | None:
    """Return how sure a finding of a rule is, in a word that holds; None where nothing is wrong."""
    found = graded(evidence)
    return None if found is None else said(code, found)


def graded(evidence: Evidence) -> Confidence | None:
    """Return how much the evidence says by itself, None where it says that nothing is wrong."""
    if evidence.traced:
        return None
    doubts = evidence.doubts
    if evidence.repeated:
        # That its function runs in a loop that is visible outweighs the reuse within one run of it.
        doubts = doubts - {Doubt.REUSED}
    if doubts or (evidence.test and not evidence.error):
        return Confidence.LOW
    if evidence.error or evidence.in_loop or evidence.repeated:
        return Confidence.HIGH
    return Confidence.LOW if evidence.run_once else Confidence.MEDIUM
