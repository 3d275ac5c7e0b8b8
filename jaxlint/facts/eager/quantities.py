"""How often a loop runs and what its iterations do, as intervals with reasons: the one place where they are multiplied.

`runs` is the product of what bounds a loop and the loops around it, `work` what one iteration dispatches.  A high end
of None says that nothing visible limits it.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.facts.eager.operations import EagerArrays
from jaxlint.facts.syntax.tree import Loop
from jaxlint.facts.values.bounds import Bound, BoundKind
from jaxlint.facts.values.loops import Loops


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number between two ends, and why."""

    low: int
    high: int | None
    reasons: tuple[str, ...] = ()

    def times(self, other: Quantity) -> Quantity:
        """Return the product of two quantities."""
        high = None if self.high is None or other.high is None else self.high * other.high
        return Quantity(self.low * other.low, high, (*self.reasons, *other.reasons))

    def is_below(self, limit: int) -> bool:
        """Whether it is below a limit for sure."""
        return self.high is not None and self.high < limit


class Quantities:
    """Answers for the loops of one module that run eagerly."""

    def __init__(self, loops: Loops, arrays: EagerArrays) -> None:
        self._loops = loops
        self._arrays = arrays

    def runs(self, loop: Loop) -> Quantity:
        """Return how often the body of a loop runs in one call of its function."""
        total = _of_bound(self._loops.bounds.of(loop))
        for outer in loop.around:
            total = total.times(_of_bound(self._loops.bounds.of(outer)))
        return total

    def work(self, loop: Loop) -> Quantity:
        """Return how many array operations an iteration dispatches, loops within counted once."""
        count = sum(self._arrays.operations(part) for part in self._loops.parts_of_turn(loop))
        return Quantity(count, count, (f"{count} array operations in an iteration",))

    def dispatches(self, loop: Loop) -> Quantity:
        """Return how many array operations a loop dispatches in one call of its function."""
        return self.runs(loop).times(self.work(loop))


def _of_bound(bound: Bound) -> Quantity:
    if bound.kind is BoundKind.CONSTANT:
        return Quantity(bound.low, bound.high, (f"{bound.high} iterations",))
    if bound.high is not None:
        return Quantity(1, bound.high, (f"`{bound.name}` is up to {bound.high} in the code jaxlint sees",))
    return Quantity(1, None, (f"bounded by: {bound.kind.value}",))
