"""Which Python values decide what a compiled program looks like, so that each of them needs a program of its own."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Function, Loop, last_name, within

_DEEPEST = 3
_MAKERS = frozenset(
    "zeros ones full empty eye arange linspace normal uniform randint bernoulli truncated_normal rand randn".split()
)
"""Functions that are told the size of the array that they make."""
_PLAIN = frozenset("int len range min max abs round str sorted set list tuple dict reversed".split())
"""Builtins whose values are as plain as what they are given."""


class Structure:
    """Follows Python values through the functions of one module."""

    def __init__(self, names: Names, calls: Calls) -> None:
        self._names = names
        self._calls = calls

    def decides(self, name: str, code: cst.CSTNode, depth: int = _DEEPEST) -> bool:
        """Whether a number of that name is a size, a slice's bound, or how often a Python loop runs, in some code."""
        return self._decides({name}, code, depth)

    def decides_in(self, function: Function, name: str, depth: int = _DEEPEST) -> bool:
        """Whether a parameter decides it in its function, or in those that it goes on to."""
        return self._decides({name}, function.node.body, depth)

    def _decides(self, known: set[str], code: cst.CSTNode, depth: int) -> bool:
        known = self._derived(known, code)
        return any(self._is_decided(node, known, depth) for node in within(code))

    def _is_decided(self, node: cst.CSTNode, known: set[str], depth: int) -> bool:
        if isinstance(node, cst.Slice):
            return any(bound is not None and _mentions(bound, known) for bound in (node.lower, node.upper))
        if not isinstance(node, cst.Call) or not any(_mentions(arg.value, known) for arg in node.args):
            return False
        return self._makes(node) or (depth > 0 and self._goes_on(node, known, depth))

    def _makes(self, node: cst.Call) -> bool:
        """Whether a call makes an array or a range of the size that it is told, or works over axes that it is told."""
        name = last_name(node.func)
        if any(n in arrays.COLLECTIVES for n in self._names.externals(node.func)):
            return True  # over other axes
        of_arrays = any(n.startswith(("jax.", "numpy.")) for n in self._names.externals(node.func))
        return name in ("range", "reshape") or (of_arrays and name in _MAKERS)

    def _goes_on(self, node: cst.Call, known: set[str], depth: int) -> bool:
        return any(
            (given := argument_of(node, parameter, bound=site.bound)) is not None
            and _is_plain(given, known)
            and self.decides_in(site.function, parameter.name, depth - 1)
            for site in self._calls.of_node.get(id(node), ())
            for parameter in site.function.parameters
        )

    @staticmethod
    def _derived(known: Iterable[str], code: cst.CSTNode) -> set[str]:
        """Return known names, and those of the numbers that some code computes from them."""
        found = set(known)
        while True:
            before = len(found)
            for node in within(code):
                if isinstance(node, cst.Assign) and _is_plain(node.value, found):
                    found.update(t.target.value for t in node.targets if isinstance(t.target, cst.Name))
            if len(found) == before:
                return found

    # Loops

    def variants(self, loop: Loop) -> set[str]:
        """Return the names of plain Python values that differ between the iterations of a loop and those around it."""
        found = set[str]()
        for around in (loop, *loop.around):
            if isinstance(around.node, (cst.For, cst.CompFor)):
                found.update(part.value for part in within(around.node.target) if isinstance(part, cst.Name))
        body = loop.node.body if isinstance(loop.node, (cst.For, cst.While)) else None
        if body is None:
            return found
        for node in within(body):
            if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name) and _is_number(node.value):
                found.add(node.target.value)
        return self._derived(found, body)

    def is_told_otherwise(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a call in a loop gets a container in which the loop has put what differs, `config[name] = value`."""
        if not isinstance(loop.node, (cst.For, cst.While)):
            return False
        names = self.variants(loop)
        changed = {
            target.target.value.value
            for node in within(loop.node.body)
            if isinstance(node, cst.Assign)
            for target in node.targets
            if isinstance(target.target, cst.Subscript) and isinstance(target.target.value, cst.Name)
            if _mentions(target.target, names) or _mentions(node.value, names)
        }
        return any(isinstance(arg.value, cst.Name) and arg.value.value in changed for arg in call.args)

    def gets_another_object(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a call in a loop gets an object that an iteration makes of what differs, `model = Model(config)`."""
        if not isinstance(loop.node, (cst.For, cst.While)):
            return False
        names = made_of(self.variants(loop), loop)
        return any(
            isinstance(node, cst.Assign)
            and isinstance(node.value, cst.Call)
            and last_name(node.value.func)[:1].isupper()
            and _mentions(node.value, names)
            and any(_mentions(arg.value, {last_name(target.target)}) for target in node.targets for arg in call.args)
            for node in within(loop.node.body)
        )

    def differs(self, root: Function, loop: Loop) -> bool:
        """Whether a function that a loop defines has another structure in each iteration, by what differs in it."""
        names = self.variants(loop)
        own = {parameter.name for parameter in root.parameters}
        if self._decides(names - own, root.node.body, _DEEPEST):
            return True
        return any(
            parameter.default is not None
            and _is_plain(parameter.default, names)
            and self.decides_in(root, parameter.name)
            for parameter in root.parameters
        )

    def differs_by_arguments(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a call in a loop gets plain values that differ, and nothing visible says that no structure does."""
        names = self.variants(loop)
        given = [arg for arg in call.args if _is_plain(arg.value, names)]
        sites = self._calls.of_node.get(id(call), ())
        if not given or not sites:
            return bool(given)
        return any(
            (value := argument_of(call, parameter, bound=site.bound)) is not None
            and _is_plain(value, names)
            and self.decides_in(site.function, parameter.name)
            for site in sites
            for parameter in site.function.parameters
        )


def made_of(names: set[str], loop: Loop) -> set[str]:
    """Return some names, and those of whatever a loop makes of them."""
    found = set(names)
    while True:
        before = len(found)
        for node in within(loop.node.body) if isinstance(loop.node, (cst.For, cst.While)) else ():
            if isinstance(node, cst.Assign) and _mentions(node.value, found):
                targets = (part for target in node.targets for part in within(target.target))
                found.update(part.value for part in targets if isinstance(part, cst.Name))
        if len(found) == before:
            return found


def _is_number(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Integer, cst.Float))


def _is_plain(node: cst.CSTNode, known: Iterable[str]) -> bool:
    """Whether an expression is computed from known names as plain Python computes: no call but of builtins."""
    names = set(known)
    mentioned = False
    for part in within(node):
        if isinstance(part, cst.Call) and not (isinstance(part.func, cst.Name) and part.func.value in _PLAIN):
            return False
        mentioned = mentioned or (isinstance(part, cst.Name) and part.value in names)
    return mentioned


def _mentions(node: cst.CSTNode, known: set[str]) -> bool:
    return any(isinstance(part, cst.Name) and part.value in known for part in within(node))
