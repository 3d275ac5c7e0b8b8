"""Which values depend on random numbers that Python draws: each iteration of a loop has others."""

from __future__ import annotations

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.syntax.constants import Constants
from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Loop, Parameter, Tree, within
from jaxlint.facts.values.sizes import Sizes, draws, is_generator

_BOUNDS = 2
_DEEPEST = 4


class Drawn:
    """Tells them apart, within one module."""

    def __init__(self, tree: Tree, names: Names, calls: Calls, constants: Constants, sizes: Sizes) -> None:
        self._tree = tree
        self._names = names
        self._calls = calls
        self._constants = constants
        self._sizes = sizes

    def shape(self, call: cst.Call) -> cst.BaseExpression | None:
        """Return the shape that a random draw of NumPy is given, None where it is no such draw."""
        name = self._function(call)
        return self._sizes.shape_of_draw(call, name.rpartition(".")[2], numpy=True) if draws(name) else None

    def decides(self, node: cst.CSTNode, loop: Loop, depth: int = _DEEPEST) -> bool:
        """Whether an expression depends on a number that each iteration of a loop draws, one of many."""
        for part in within(node):
            if isinstance(part, cst.Call) and self._is_in(part, loop) and draws(self._function(part)):
                return not self._has_few_values(part)
            for binding in self._names.bindings(part) if isinstance(part, cst.Name) and depth else ():
                inner = binding.context.loop
                again = inner is not None and loop.inside(inner) and binding.kind == "assign"
                if again and isinstance(binding.value, cst.CSTNode) and self.decides(binding.value, loop, depth - 1):
                    return True
        return False

    def _is_in(self, node: cst.CSTNode, loop: Loop) -> bool:
        inner = self._tree.context(node).loop
        return inner is not None and loop.inside(inner)

    def _has_few_values(self, call: cst.Call) -> bool:
        """Whether the literal bounds of a draw are close to each other."""
        bounds = [self._constants.integer(arg.value) for arg in call.args[:_BOUNDS]]
        known = [bound for bound in bounds if bound is not None]
        return bool(known) and len(known) == len(bounds) and max(known) - min(0, *known) <= SHORT

    def _function(self, call: cst.Call) -> str:
        """Return the dotted name of what a call draws with; the methods of a generator have that of NumPy's module."""
        func = call.func
        if isinstance(func, cst.Attribute) and self._is_generator(func.value):
            return f"numpy.random.{func.attr.value}"
        return next((name for name in self._names.externals(func) if draws(name)), "")

    def _is_generator(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a generator of NumPy, or a parameter that all visible calls give one."""
        values = self._names.values(node)
        only = values[0] if len(values) == 1 else None
        given = (
            [argument_of(site.node, only, bound=site.bound) for site in self._calls.of(only.function)]
            if isinstance(only, Parameter)
            else []
        )
        return all(one is not None and is_generator(self._names, one) for one in given or [node])
