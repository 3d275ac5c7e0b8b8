"""Paths that no visible traced call of a function takes: branches on flags that all of them leave off."""

from __future__ import annotations

from typing import Any, TypeAlias

import libcst as cst

from jaxlint.facts.context.calls import Calls, CallSite, argument_of
from jaxlint.facts.context.tracing import Tracing
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.constants import UNKNOWN, Constants
from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Function, Parameter, Tree

_DEEPEST = 3
_GIVEN = {"jax.lax.while_loop": 1, "jax.lax.fori_loop": 2, "jax.lax.scan": 2, "jax.lax.map": 1}
"""How many arguments the loops of JAX give their bodies; what is behind them has its default."""


_Site: TypeAlias = CallSite | Wrapped | None
"""What runs a function: a call, a loop of JAX that it is the body of, or (None) another module, whose call is far."""


class Reached:
    """Tells what all visible traced calls of a function skip."""

    def __init__(self, tree: Tree, names: Names, calls: Calls, tracing: Tracing, constants: Constants) -> None:
        self._tree = tree
        self._names = names
        self._calls = calls
        self._tracing = tracing
        self._constants = constants
        self._busy: set[int] = set()

    def is_left_out(self, node: cst.CSTNode) -> bool:
        """Whether no traced call comes to a place, as far as constants and defaults tell."""
        function = self._tree.context(node).function
        if function is None or id(function) in self._busy:
            return False
        sites: list[_Site] = [*self._traced_calls(function)]
        direct = self._tracing.direct(function)
        if direct and all(wrapped.wrapper.name in _GIVEN for wrapped in direct):
            sites += direct
        elif direct:
            return bool(sites) and all(self._is_off(node, function, site) for site in sites)
        elif not sites and all(trace.far for trace in self._tracing.traces(function)):
            sites.append(None)
        self._busy.add(id(function))
        try:
            return bool(sites) and all(
                self._is_off(node, function, site) or (isinstance(site, CallSite) and self.is_left_out(site.node))
                for site in sites
            )
        finally:
            self._busy.discard(id(function))

    def _traced_calls(self, function: Function) -> list[CallSite]:
        return [
            site for site in self._calls.of(function) if site.wrapped or self._tracing.is_traced(site.context.function)
        ]

    def _is_off(self, node: cst.CSTNode, function: Function, site: _Site) -> bool:
        child = node
        for parent in self._tree.ancestors(node):
            if parent is function.node:
                return False
            if isinstance(parent, (cst.If, cst.IfExp)) and parent.test is not child:
                if self._answer(parent.test, site, _DEEPEST) is (parent.body is not child):
                    return True
            elif isinstance(parent, cst.BooleanOperation) and parent.right is child:
                if self._answer(parent.left, site, _DEEPEST) is isinstance(parent.operator, cst.Or):
                    return True
            elif isinstance(parent, cst.IndentedBlock):
                for earlier in parent.body:
                    if earlier is child:
                        break
                    leaving = earlier if isinstance(earlier, cst.If) and guards.leaves(earlier.body) else None
                    if leaving is not None and self._answer(leaving.test, site, _DEEPEST) is True:
                        return True
            child = parent
        return False

    def _answer(self, test: cst.BaseExpression, site: _Site, depth: int) -> bool | None:
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            inner = self._answer(test.expression, site, depth)
            return None if inner is None else not inner
        if isinstance(test, cst.BooleanOperation):
            sides = [self._answer(side, site, depth) for side in (test.left, test.right)]
            decides = isinstance(test.operator, cst.Or)
            if decides in sides:
                return decides
            return None if None in sides else not decides
        if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
            operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
            if not isinstance(operator, (cst.Is, cst.IsNot)) or getattr(other, "value", "") != "None":
                return None
            value = self._value(test.left, site, depth)
            return None if value is UNKNOWN else (value is None) is isinstance(operator, cst.Is)
        value = self._value(test, site, depth)
        return None if value is UNKNOWN else bool(value)

    def _value(self, node: cst.BaseExpression, site: _Site, depth: int) -> Any:
        """Return the constant that an expression of the called function has in one call, or UNKNOWN."""
        if not isinstance(node, cst.Name):
            return UNKNOWN
        values = self._names.values(node)
        parameter = values[0] if len(values) == 1 else None
        if not isinstance(site, CallSite):
            return self._default(parameter, site)
        if not isinstance(parameter, Parameter) or parameter.function is not site.function or parameter.star:
            return UNKNOWN
        if any(arg.star for arg in site.node.args):
            return UNKNOWN
        given = argument_of(site.node, parameter, bound=site.bound)
        if given is None:
            return UNKNOWN if parameter.default is None else self._constants.of(parameter.default)
        known = self._constants.of(given)
        if known is not UNKNOWN:
            return UNKNOWN if site.wrapped else known  # what a jitted function is given is traced, unless static
        return self._handed_on(given, depth)

    def _default(self, parameter: object, body: Wrapped | None) -> Any:
        """Return the default of a parameter that a loop of JAX, or all that is visible, leaves to it, or UNKNOWN."""
        if not isinstance(parameter, Parameter) or parameter.default is None:
            return UNKNOWN
        given = 0 if body is None else _GIVEN[body.wrapper.name]
        behind = parameter.position is None or parameter.position >= given
        return self._constants.of(parameter.default) if behind else UNKNOWN

    def _handed_on(self, given: cst.BaseExpression, depth: int) -> Any:
        """Return what all traced calls of the caller give it, where it passes on one of its parameters."""
        caller = self._tree.context(given).function
        sites = self._traced_calls(caller) if caller is not None and depth > 0 else []
        found = [self._value(given, site, depth - 1) for site in sites]
        same = bool(found) and all(value is not UNKNOWN and value == found[0] for value in found)
        return found[0] if same else UNKNOWN
