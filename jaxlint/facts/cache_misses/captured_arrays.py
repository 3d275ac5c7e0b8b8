"""Large arrays that jitted functions close over: they become constants of the program."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.jax_api.arrays import ATTRIBUTES_OF_PYTHON, makes_array
from jaxlint.facts.syntax.constants import Constants
from jaxlint.facts.syntax.tree import Binding, Function
from jaxlint.facts.values.sizes import Size, Sizes
from jaxlint.facts.values.values import Kind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


LARGE = 4_000_000
"""Bytes of a captured array, such as a million float32, from which compiling takes 0.1 to 0.7 s longer (measured with
jax 0.10.2 on a CPU; 64 MB take 3 s in a product of matrices, and 27 s in a sum that XLA works out while compiling)."""

_NO_READS = frozenset({"len", "isinstance", "type", "id", "hasattr"})


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """An array that a jitted function reads without being given it.

    `use` is where it is first read, `name` how, and `made` where the array is made.  `sure` says that the text shows it
    to be large.
    """

    use: cst.BaseExpression
    name: str
    function: Function
    made: cst.CSTNode
    size: Size
    binding: Binding | None
    sure: bool


class CapturedArrays:
    """Finds them."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._calls = facts.calls
        self._behind = facts.behind
        self._by_default = Sizes(facts.names, Constants(facts.names, defaults=True))
        self._tree = facts.tree
        self._names = facts.names
        self._tracing = facts.tracing
        self._values = facts.values
        self._sizes = facts.sizes

    @functools.cached_property
    def found(self) -> list[Captured]:
        """All of them, one an array and function."""
        if not any(self._is_compiled(function) for function in self._tree.functions):
            return []
        found = [*self._names_used(), *self._attributes_used()]
        return sorted(found, key=lambda captured: self._tree.context(captured.use).order)

    def _is_compiled(self, function: Function | None) -> bool:
        trace = self._tracing.trace(function)
        return trace is not None and trace.compiled

    def _names_used(self) -> Iterator[Captured]:
        for binding in self._bindings():
            if not isinstance(binding.value, cst.CSTNode):
                continue
            size = self._large(binding.value)
            if size is None:
                continue
            seen: set[int] = set()
            for use in self._names.uses(binding):
                function = self._tree.context(use).function
                if function is None or id(function) in seen or not self._is_compiled(function):
                    continue
                if len(self._names.bindings(use)) == 1 and self._reads(use, size):
                    seen.add(id(function))
                    sure = not size.loaded
                    yield Captured(use, binding.name, function, binding.value, size, binding, sure)

    def _bindings(self) -> Iterator[Binding]:
        """Yield what is assigned to names outside any jitted function."""
        scopes = [self._tree.module_scope]
        scopes += [function.scope for function in self._tree.functions if not self._is_compiled(function)]
        for scope in scopes:
            for bindings in scope.bindings.values():
                yield from (binding for binding in bindings if binding.kind == "assign")

    def _attributes_used(self) -> Iterator[Captured]:
        """Yield the attributes of `self` that compiled methods read where the instance is no argument."""
        for function in self._tree.functions:
            if function.cls is None or not function.parameters or not self._is_compiled(function):
                continue
            instance = function.parameters[0]
            if self._values.parameter(instance) not in (Kind.STATIC, Kind.PYTHON):
                continue
            seen: set[str] = set()
            for node in self._tree.body(function):
                if not isinstance(node, cst.Attribute) or node.attr.value in seen:
                    continue
                if not any(value is instance for value in self._names.values(node.value)):
                    continue
                stores = self._names.stores(function.cls, node.attr.value)
                size = self._large(stores[0][0]) if len(stores) == 1 else None
                if size is not None and not size.loaded and self._reads(node, size):
                    seen.add(node.attr.value)
                    yield Captured(node, f"self.{node.attr.value}", function, stores[0][0], size, None, sure=True)

    def _large(self, node: cst.CSTNode) -> Size | None:
        if isinstance(node, (cst.AugAssign, cst.Integer, cst.Float, cst.BaseString, cst.Lambda)):
            return None
        size = self._sizes.of(node) or self._of_container(node, self._sizes) or self._of_function(node)
        return size if size is not None and (size.loaded or size.bytes >= LARGE) else None

    def _of_container(self, node: cst.CSTNode, sizes: Sizes) -> Size | None:
        """Return the size of the largest array in a literal dictionary, tuple or list."""
        if not isinstance(node, (cst.Dict, cst.Tuple, cst.List)):
            return None
        found = [sizes.of(element.value) for element in node.elements]
        large = [size for size in found if size is not None and size.bytes >= LARGE and not size.numpy]
        return max(large, key=lambda size: size.bytes, default=None)

    def _of_function(self, node: cst.CSTNode) -> Size | None:
        """Return the size of what a call of a visible function gives, where it leaves all defaults as they are."""
        if not isinstance(node, cst.Call):
            return None
        callees = self._calls.callees(node)
        if len(callees) != 1 or any(arg.star for arg in node.args):
            return None
        function, bound = callees[0]
        given = [p for p in function.parameters if argument_of(node, p, bound=bound) is not None]
        if any(parameter.default is not None for parameter in given):
            return None
        found = [
            self._by_default.of(returned) or self._of_container(returned, self._by_default)
            for returned in self._behind.returned(node)
        ]
        return found[0] if len(found) == 1 and found[0] is not None and not found[0].loaded else None

    def _reads(self, use: cst.CSTNode, size: Size) -> bool:
        """Whether a use takes all of the array into the program, not its shape, nor what NumPy computes of it."""
        parent = self._tree.parent(use)
        if isinstance(parent, cst.Attribute):
            known = parent.attr.value in ATTRIBUTES_OF_PYTHON
            return not known and (not size.numpy or parent.attr.value in ("T", "mT"))
        if isinstance(parent, cst.Subscript):
            return parent.value is use and not size.numpy
        if isinstance(parent, cst.Arg):
            call = self._tree.parent(parent)
            if not isinstance(call, cst.Call):
                return False
            if isinstance(call.func, cst.Name) and call.func.value in _NO_READS:
                return False
            names = self._names.externals(call.func)
            if size.numpy:
                # NumPy's functions give something else, which may be small.
                return any(makes_array(name) for name in names) or bool(self._names.functions(call.func))
            return not any(name.rpartition(".")[2] in ("zeros_like", "ones_like", "shape", "ndim") for name in names)
        return isinstance(parent, (cst.BinaryOperation, cst.Return, cst.UnaryOperation, cst.Element))
