"""How often a loop runs and what its iterations do, as intervals with reasons: the one place where they are multiplied.

`runs` is the product of what bounds a loop and the loops around it, `work` what one iteration dispatches.  A high end
of None says that nothing visible limits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.syntax.tree import Function, Loop
from jaxlint.facts.values.bounds import Bound, BoundKind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


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

    def plus(self, other: Quantity) -> Quantity:
        """Return the sum of two quantities."""
        high = None if self.high is None or other.high is None else self.high + other.high
        return Quantity(self.low + other.low, high, (*self.reasons, *other.reasons))

    def is_below(self, limit: int) -> bool:
        """Whether it is below a limit for sure."""
        return self.high is not None and self.high < limit


_ONCE = Quantity(1, 1)


class Quantities:
    """Answers for the loops of one module that run eagerly."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._loops = facts.loops
        self._arrays = facts.eager_arrays
        self._calls = facts.calls
        self._incoming = facts.incoming
        self._travels = facts.contexts.travels
        self._known: dict[int, Quantity] = {}

    def runs(self, loop: Loop) -> Quantity:
        """Return how often the body of a loop runs in one call of its function."""
        total = _of_bound(self._loops.bounds.of(loop))
        for outer in loop.around:
            total = total.times(_of_bound(self._loops.bounds.of(outer)))
        return total

    def calls(self, function: Function | None) -> Quantity:
        """Return how often a function is called in a run of the program, once where no call of it is visible."""
        if function is None or self._calls is None:
            return _ONCE
        known = self._known.get(id(function))
        if known is None:
            self._known[id(function)] = Quantity(1, None, ("it calls itself",))
            known = self._known[id(function)] = self._of_calls(function, self._calls)
        return known

    def _of_calls(self, function: Function, calls: Calls) -> Quantity:
        outside = self._incoming.functions.get(function.qualname)
        sites = calls.of(function)
        if outside is not None and (outside.repeated or outside.called):
            return Quantity(1, None, ("other files call it, with arguments of their own",))
        if self._travels(function):
            return Quantity(1, None, ("it is passed to others, who call it",))
        if not sites:
            return _ONCE
        total = Quantity(0, 0)
        for site in sites:
            around = self.calls(site.context.function)
            if site.context.loop is not None:
                around = around.times(self.runs(site.context.loop))
            total = total.plus(around)
        return total

    def runs_in_all(self, loop: Loop) -> Quantity:
        """Return how often the body of a loop runs, all visible calls of its function together."""
        return self.runs(loop).times(self.calls(loop.context.function))

    def in_all(self, loop: Loop) -> Quantity:
        """Return how many array operations a loop dispatches, all visible calls of its function together."""
        return self.runs_in_all(loop).times(self.work(loop))

    def work(self, loop: Loop) -> Quantity:
        """Return how many array operations an iteration dispatches, those of loops within as often as they run."""
        inner = self._loops.directly_within(loop)
        direct = max(self._once(loop) - sum(map(self._once, inner)), 0)
        total = Quantity(direct, direct, (f"{direct} array operations in an iteration",))
        for other in inner:
            total = total.plus(_of_bound(self._loops.bounds.of(other)).times(self.work(other)))
        return total

    def _once(self, loop: Loop) -> int:
        """Return how many array operations an iteration dispatches, where loops within run once."""
        return sum(self._arrays.operations(part) for part in self._loops.parts_of_turn(loop))

    def dispatches(self, loop: Loop) -> Quantity:
        """Return how many array operations a loop dispatches in one call of its function."""
        return self.runs(loop).times(self.work(loop))


def _of_bound(bound: Bound) -> Quantity:
    if bound.kind is BoundKind.CONSTANT:
        return Quantity(bound.low, bound.high, (f"{bound.high} iterations",))
    if bound.high is not None:
        return Quantity(1, bound.high, (f"`{bound.name}` is up to {bound.high} in the code jaxlint sees",))
    return Quantity(1, None, (f"bounded by: {bound.kind.value}",))
