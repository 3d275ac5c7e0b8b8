"""What a value is behind the functions that make it: through calls of visible functions and the tuples they return."""

from __future__ import annotations

import libcst as cst

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.syntax.names import Expression, Item, Names, Value
from jaxlint.facts.syntax.tree import Class

_DEEPEST = 4
_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple", "collections.namedtuple"})


class Behind:
    """Follows values to where they are made, within one module."""

    def __init__(self, names: Names, calls: Calls) -> None:
        self._names = names
        self._calls = calls

    def values(self, node: cst.CSTNode, depth: int = _DEEPEST) -> list[Value]:
        """Return what an expression may represent; a call that nothing explains further represents itself."""
        found: list[Value] = []
        for value in self._names.values(node):
            found.extend(self.followed(value, depth))
        return found

    def followed(self, value: Value, depth: int = _DEEPEST) -> list[Value]:
        """Return what one value is behind the visible functions that make it, itself where nothing explains it."""
        if depth > 0 and isinstance(value, Item) and isinstance(value.node, cst.Call) and value.index is not None:
            parts = [self.part(returned, value.index) for returned in self.returned(value.node, depth - 1)]
            if parts and all(part is not None for part in parts):
                return [found for part in parts if part is not None for found in self.values(part, depth - 1)]
        if depth > 0 and isinstance(value, Expression) and isinstance(value.node, cst.Call):
            found = [v for returned in self._returns(value.node) for v in self.values(returned, depth - 1)]
            if found:
                return found
        return [value]

    def returned(self, call: cst.Call, depth: int = _DEEPEST) -> list[cst.CSTNode]:
        """Return the expressions that a call of a visible function gives, through the functions that it calls."""
        found: list[cst.CSTNode] = []
        for returned in self._returns(call):
            values = self.values(returned, depth) if depth > 0 else []
            found.extend(value.node if isinstance(value, Expression) else returned for value in values)
        return found

    def _returns(self, call: cst.Call) -> list[cst.BaseExpression]:
        """Return what the one visible function behind a callee returns, that of a factory in between included."""
        functions = [f for f, _ in self._calls.callees(call)]
        if not functions:
            functions = [f for v in self._unpacked(call.func) for f in self._names.functions(v)]
        if len(functions) != 1 or functions[0].yields or functions[0].name in CONSTRUCTORS:
            return []
        return [] if self._names.decorator_names(functions[0]) else functions[0].returns

    def _unpacked(self, func: cst.CSTNode) -> list[cst.CSTNode]:
        """Return what a name is unpacked from: the `init` of `init, update = make()`."""
        parts = [
            self.part(returned, value.index)
            for value in self._names.values(func)
            if isinstance(value, Item) and isinstance(value.node, cst.Call) and value.index is not None
            for callee, _ in self._calls.callees(value.node)
            for returned in callee.returns
        ]
        return [part for part in parts if part is not None]

    @staticmethod
    def part(node: cst.CSTNode, index: int) -> cst.BaseExpression | None:
        """Return one element of a literal tuple or list."""
        if not isinstance(node, (cst.Tuple, cst.List)) or index >= len(node.elements):
            return None
        element = node.elements[index]
        return None if isinstance(element, cst.StarredElement) else element.value

    def parts(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        """Return what a literal tuple, or a call of a NamedTuple, holds."""
        if isinstance(node, cst.Tuple):
            return [element.value for element in node.elements]
        if isinstance(node, cst.Call) and self.is_named_tuple(node):
            return [arg.value for arg in node.args if not arg.star]
        return []

    def is_named_tuple(self, call: cst.Call) -> bool:
        """Whether a call makes a NamedTuple."""
        for value in self._names.values(call.func):
            if isinstance(value, Class) and not _TUPLES.isdisjoint(self._names.base_names(value)):
                return True
            made = value.node if isinstance(value, Expression) else None
            if isinstance(made, cst.Call) and not _TUPLES.isdisjoint(self._names.externals(made.func)):
                return True
        return False
