"""Loops that throw away, in each iteration, what was compiled for the next one."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.tree import Loop, last_name, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_ALL = frozenset({"jax.clear_caches", "jax.clear_backends", "jax.api.clear_caches"})
_OF_ONE = frozenset({"clear_cache", "_clear_cache"})
_TIMERS = frozenset(
    "time perf_counter perf_counter_ns monotonic process_time time_ns timeit timer default_timer".split()
)
_DEEPEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Cleared:
    """A call in a loop that empties caches; `again` is a call of the loop that then compiles again."""

    node: cst.Call
    loop: Loop
    again: cst.Call


class ClearedCaches:
    """Finds them, for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._calls = facts.calls
        self._compiled = facts.compiled

    @functools.cached_property
    def found(self) -> list[Cleared]:
        """All of them, in source order."""
        found = []
        for call in self._tree.calls:
            name = last_name(call.func)
            if name not in _OF_ONE and not (
                name.startswith("clear_") and _ALL.intersection(self._names.externals(call.func))
            ):
                continue
            for loop, place in self._loops(call):
                if self._is_timed(loop) or self._may_be_rare(call, loop) or self._may_be_rare(place, loop):
                    break
                inside = list(self._within(loop))
                again = self._compiled_again(call, inside)
                if again is not None:
                    found.append(Cleared(call, loop, again))
                    break
        return found

    def _loops(self, call: cst.Call) -> Iterator[tuple[Loop, cst.Call]]:
        """Yield the loop around a call, or that around the calls of its function, with the call that is in the loop."""
        context = self._tree.context(call)
        loop = context.loop
        if loop is not None:
            yield loop, call
        elif context.function is not None:
            for site in self._calls.of(context.function):
                if site.context.loop is not None:
                    yield site.context.loop, site.node

    def _within(self, loop: Loop) -> Iterator[cst.Call]:
        """Yield the calls of a loop's body and of what it calls, the nearest first."""
        if isinstance(loop.node, cst.CompFor):
            return
        work: list[tuple[cst.CSTNode, int]] = [(loop.node.body, _DEEPEST)]
        seen = set[int]()
        while work:
            root, depth = work.pop(0)
            for node in within(root):
                if not isinstance(node, cst.Call):
                    continue
                yield node
                for site in self._calls.of_node.get(id(node), ()):
                    if id(site.function) not in seen and depth > 0:
                        seen.add(id(site.function))
                        work.append((site.function.node.body, depth - 1))

    def _is_timed(self, loop: Loop) -> bool:
        """Whether a timer in the loop, in what it calls, or in what its function returns says that it measures."""
        function = loop.context.function
        returned = [part for node in (function.returns if function is not None else ()) for part in within(node)]
        called = [*self._within(loop), *(part for part in returned if isinstance(part, cst.Call))]
        return any(last_name(call.func) in _TIMERS for call in called)

    def _may_be_rare(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a test between the loop and the call says when to clear, or an exception does."""
        for around in self._tree.ancestors(call):
            if around is loop.node:
                return False
            if isinstance(around, (cst.If, cst.ExceptHandler, cst.IfExp)):
                return True
            if isinstance(around, cst.FunctionDef):
                return False
        return False

    def _compiled_again(self, call: cst.Call, inside: list[cst.Call]) -> cst.Call | None:
        """Return what the next iteration compiles once more."""
        compiled = {id(found.node): found for found in self._compiled.calls}
        if last_name(call.func) in _OF_ONE and isinstance(call.func, cst.Attribute):
            names = self._names.values(call.func.value)
            for other in inside:
                same = isinstance(other, cst.Call) and self._names.values(other.func) == names
                if same and id(other) in compiled and other is not call:
                    return other
            return None
        # What single operations compile again takes milliseconds.
        return next((other for other in inside if id(other) in compiled), None)
