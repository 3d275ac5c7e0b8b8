"""How sure a finding is: one function of the evidence, the same for every rule.

No rule sets a confidence.  It says what it saw; what that is worth is decided here, from what 592 labelled places in
real code showed (a naive "jit inside a function" is right 12% of the time in libraries, 5% in scripts, never in tests).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from jaxlint.finding import Confidence


class Doubt(enum.Enum):
    """Something in sight that says that the place is likely fine."""

    REUSED = "the object is made once and used several times in the same call"
    PASSED_ON = "the object goes to a function that is not in sight"
    ONE_SHOT = "what is compiled is an initialisation"
    OWN_PROGRAM = "each turn of the loop needs a program of its own anyway"
    UNSEEN = "what is compiled is not in sight"
    SOMETIMES = "only some branches make a new function"
    CALLED_ONCE = "all callers in sight call it once"
    EAGER_TOO = "a call in sight runs the function outside any trace as well"
    FAR = "only another module traces it: what it is given there is out of sight"
    OMITTED = "no caller in sight passes the argument"
    EAGERNESS = "nothing in sight shows that this runs outside a trace"
    OPTION = "an option of the code decides that it is not compiled here"
    MEASURED = "the loop clears JAX's caches: compilation is what it measures"
    NOT_STAGED = "nothing visible compiles it: who uses it may, or may not"
    SETTING = "how often the loop runs is a setting, of which nothing visible says that it is large"
    LENGTH = "nothing visible says how long the axis is: there, and under a mapped axis, it may be a handful"
    LIGHT = "it is a single operation that no loop repeats"
    SET_UP = "what is changed is likely set up before the first call"
    FEW = "a turn dispatches so few operations that something else may well take its time"
    UNCOUNTED = "nothing visible says that the loop has many iterations, and one of them is light work"
    ON_PURPOSE = "turns wait for their arrays, differ in shape, or only cut out what a step works on"
    SCALARS = "it stands in a branch for scalars, which may be dead under trace"
    INTERRUPTED = "Python or NumPy works on values between the array operations"
    SIZE = "nothing in sight says how large the array is"
    MAY_BE_LIST = "what is iterated over may be a list of a few arrays"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rule saw at one place.

    `in_loop`: the place itself runs once per turn of a loop.  `repeated`: its function is called in a loop, or by
    several callers, in sight.  `run_once`: its function runs once per process.  `test`: a test or a benchmark.
    `traced`: it is reached from a trace.  `error`: it fails where it runs, however often that is.
    """

    in_loop: bool = False
    repeated: bool = False
    run_once: bool = False
    test: bool = False
    traced: bool = False
    error: bool = False
    doubts: frozenset[Doubt] = frozenset()


def confidence(evidence: Evidence) -> Confidence | None:
    """Return how sure the evidence is, None where it says that nothing is wrong."""
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
