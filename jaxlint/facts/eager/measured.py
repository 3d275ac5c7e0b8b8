"""Which code is there to be timed, or to be compared with the compiled form of itself: its cost is its purpose."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api.name_priors import BASELINES, BENCHMARKS
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Function, Loop, last_name, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "perf_counter_ns", "time_ns", "timer"})
_FAST = ("jax.vmap", "jax.jit", "equinox.filter_jit", "equinox.filter_vmap", "flax.nnx.jit", "flax.nnx.vmap")


_AROUND_ONE = 3
"""Statements of a block that times one thing: a look at the clock, what is timed, and another look."""


class Measured:
    """Tells it for loops and functions."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls

    def is_measured(self, loop: Loop, parts: list[cst.CSTNode]) -> bool:
        """Whether a loop, what it calls, or all visible calls of its function are there to be timed.

        A loop between two looks at a clock trains as well; it is a measurement where each iteration does the same work
        on the same values, or where the file compiles what the loop calls, to be timed in its iteration.
        """
        function = loop.context.function
        if self.is_benchmark(function) or any(self._times_statements(part) for part in parts):
            return True
        if self._is_between_clocks(loop.node) and (self._does_the_same(loop) or self._is_compiled_too(parts)):
            return True
        sites = self._calls.of(function) if function is not None else []
        return bool(sites) and all(self._is_timed_call(site.node) for site in sites)

    def is_benchmark(self, function: Function | None) -> bool:
        """Whether a function times others, by its name."""
        while function is not None:
            if BENCHMARKS.fullmatch(function.name.strip("_")):
                return True
            function = function.outer
        return False

    def is_baseline(self, function: Function | None) -> bool:
        """Whether a function is the slow form of what the file does by a jitted or mapped function too, by its name."""
        if function is None or not BASELINES.fullmatch(function.name.strip("_")):
            return False
        return any(wrapped.wrapper.name in _FAST for wrapped in self._wrappings.calls.values())

    def is_only_timed(self, function: Function) -> bool:
        """Whether all visible calls of a jitted function discard what it gives: they warm it up, or time it."""
        sites = self._calls.of(function)
        return bool(sites) and all(self._is_discarded(site.node) for site in sites)

    def _is_discarded(self, node: cst.CSTNode | None) -> bool:
        """Whether a statement is no more than a call, waited for: `f(x).block_until_ready()`."""
        parent = self._tree.parent(node) if node is not None else None
        if isinstance(parent, cst.Attribute) and parent.attr.value == "block_until_ready":
            return self._is_discarded(self._tree.parent(parent))
        if isinstance(parent, cst.Arg):
            call = self._tree.parent(parent)
            waits = isinstance(call, cst.Call) and last_name(call.func) == "block_until_ready"
            return waits and self._is_discarded(call)
        return isinstance(parent, cst.Expr)

    def _times_statements(self, part: cst.CSTNode) -> bool:
        """Whether a block times things whose results it discards: two or more in turn, or one and nothing else."""
        if not isinstance(part, cst.IndentedBlock):
            return False
        found = sum(
            isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Expr)
            for statement in self._timed(part)
        )
        return found > 1 or (found == 1 and len(part.body) <= _AROUND_ONE)

    def _timed(self, block: cst.IndentedBlock) -> Iterator[cst.CSTNode]:
        """Yield the statements of a block that are alone between two looks at a clock."""
        lines = list(block.body)
        for before, statement, after in zip(lines, lines[1:], lines[2:], strict=False):
            if _looks_at_clock(before) and _looks_at_clock(after) and not _looks_at_clock(statement):
                yield statement

    def _is_timed_call(self, call: cst.Call) -> bool:
        """Whether a call is alone between two looks at a clock, and what it gives is discarded."""
        for parent in self._tree.ancestors(call):
            if isinstance(parent, cst.SimpleStatementLine):
                return isinstance(parent.body[0], cst.Expr) and self._is_between_clocks(parent)
            if isinstance(parent, cst.BaseCompoundStatement):
                return False
        return False

    def _is_between_clocks(self, node: cst.CSTNode) -> bool:
        block = self._tree.parent(node)
        lines = list(block.body) if isinstance(block, (cst.IndentedBlock, cst.Module)) else []
        for number, line in enumerate(lines):
            if line is node:
                before = lines[max(number - 2, 0) : number]
                after = lines[number + 1 : number + 3]
                return any(map(_looks_at_clock, before)) and any(map(_looks_at_clock, after))
        return False

    def _does_the_same(self, loop: Loop) -> bool:
        """Whether no iteration uses what another has made, nor its own number: it repeats one calculation."""
        node = loop.node
        if not isinstance(node, cst.For) or not isinstance(node.iter, cst.Call):
            return False
        made = {part.value for part in within(node.target) if isinstance(part, cst.Name)}
        for part in within(node.body):
            if isinstance(part, (cst.Assign, cst.AugAssign, cst.NamedExpr, cst.For)):
                targets = [t.target for t in part.targets] if isinstance(part, cst.Assign) else [part.target]
                made |= {name.value for target in targets for name in within(target) if isinstance(name, cst.Name)}
            if isinstance(part, cst.AugAssign):
                return False
        return not any(
            (
                isinstance(part, cst.Call)
                and (isinstance(part.func, cst.Attribute) and not self._names.externals(part.func))
            )
            or (isinstance(part, cst.Arg) and _mentions_any(part.value, made))
            for part in within(node.body)
        )

    def _is_compiled_too(self, parts: list[cst.CSTNode]) -> bool:
        """Whether the file compiles a function of the name of one that an iteration calls."""
        calls = [part for root in parts for part in within(root) if isinstance(part, cst.Call)]
        called = {last_name(call.func) for call in calls} | {name for call in calls for name in self._behind(call)}
        compiled = {
            self._written(wrapped.targets[0])
            for wrapped in self._wrappings.calls.values()
            if wrapped.wrapper.compiles and wrapped.targets
        }
        return not (compiled | self._redefined | self._compiled_names).isdisjoint(called)

    @functools.cached_property
    def _compiled_names(self) -> set[str]:
        """The names that hold something compiled somewhere in the file: `step = jax.jit(step)`."""
        found = set()
        for wrapped in self._wrappings.calls.values():
            parent = self._tree.parent(wrapped.node) if wrapped.wrapper.compiles else None
            if isinstance(parent, cst.Assign):
                found |= {last_name(target.target) for target in parent.targets}
        return found - {""}

    def _behind(self, call: cst.Call) -> set[str]:
        """Return the names of the functions that a call runs, by way of transforms, and what these make of them."""
        return {function.name for function in self._names.functions(call.func) if function.name} | {
            self._written(value.node) for value in self._names.values(call.func) if isinstance(value, Expression)
        }

    def _written(self, node: cst.CSTNode) -> str:
        """Return the name of a function, after the transforms that are taken of it: `jax.grad loss`."""
        wrapped = self._wrappings.of(node)
        return last_name(node) if wrapped is None else f"{wrapped.wrapper.name} {self._written(wrapped.targets[0])}"

    @functools.cached_property
    def _redefined(self) -> set[str]:
        """The names of the functions that are compiled where they are defined, and defined twice."""
        seen: dict[str, list[bool]] = {}
        for function in self._tree.functions:
            compiles = any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(function))
            seen.setdefault(function.name, []).append(compiles)
        return {name for name, found in seen.items() if len(found) > 1 and any(found)}


def _looks_at_clock(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    return any(isinstance(part, cst.Call) and last_name(part.func) in _CLOCKS for part in within(node))


def _mentions_any(node: cst.CSTNode, names: set[str]) -> bool:
    return any(isinstance(part, cst.Name) and part.value in names for part in within(node))
