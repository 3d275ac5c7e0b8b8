"""Jitted functions that nothing uses: discarded, or under a name that nobody reads."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.tree import Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


@dataclass(frozen=True, slots=True, eq=False)
class Discarded:
    """A jitted function or a wrapper that nothing uses; `function` is the `def` right below a wrapper."""

    node: cst.BaseExpression
    function: Function | None


@dataclass(frozen=True, slots=True, eq=False)
class UnusedName:
    """A jitted function under a name that nothing uses, beside calls of the raw function."""

    node: cst.BaseExpression
    name: str
    function: Function
    call: cst.Call


class UnusedCompiled:
    """Finds them."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing

    @functools.cached_property
    def discarded(self) -> list[Discarded]:
        """The expression statements that make a jitted function, or a compiling wrapper, and use it for nothing."""
        found = []
        for statement in self._tree.expression_statements:
            node = statement.value
            wrapping = self._wrappings.wrapping(node)
            wrapped = self._wrappings.of(node)
            if wrapping is not None and wrapping.wrapper.compiles:
                function = self._function_below(statement)
            elif wrapped is not None and wrapped.wrapper.compiles:
                function = None
            else:
                continue
            found.append(Discarded(node, function))
        return found

    def _function_below(self, statement: cst.Expr) -> Function | None:
        line = self._tree.parent(statement)
        block = self._tree.parent(line) if line is not None else None
        siblings: Sequence[cst.CSTNode] = getattr(block, "body", ())
        for here, below in itertools.pairwise(siblings):
            if here is line:
                return self._tree.function_of.get(id(below))
        return None

    @functools.cached_property
    def names(self) -> list[UnusedName]:
        """The jitted functions under private or local names that nothing uses."""
        return [found for wrapped in self._wrappings.calls.values() if (found := self._unused(wrapped)) is not None]

    def _unused(self, wrapped: Wrapped) -> UnusedName | None:
        parent = self._tree.parent(wrapped.node)
        if not wrapped.wrapper.compiles or not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
            return None
        target = parent.targets[0].target
        context = self._tree.context(wrapped.node)
        if not isinstance(target, cst.Name) or context.scope.frame.kind == "class":
            return None
        if context.function is None and not target.value.startswith("_"):
            return None
        bindings = context.scope.frame.bindings.get(target.value, ())
        if len(bindings) != 1 or self._tree.loads.get(target.value):
            return None
        for function in self._names.functions(wrapped.targets[0]):
            for site in self._calls.of(function):
                if not site.wrapped and not self._tracing.is_traced(site.context.function):
                    return UnusedName(wrapped.node, target.value, function, site.node)
        return None
