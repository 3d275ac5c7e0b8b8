"""Constants that the source shows: numbers, strings and tuples, through names, arithmetic and `len` of literals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.facts.syntax.names import Expression, Item, Names
from jaxlint.facts.syntax.tree import Parameter

UNKNOWN = object()
"""What `Constants.of` returns for an expression whose value the source does not show."""

_OPERATORS: dict[type[cst.CSTNode], Callable[[Any, Any], Any]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
    cst.Divide: operator.truediv,
}


class Constants:
    """Evaluates expressions whose value is fixed by the text."""

    def __init__(self, names: Names, *, defaults: bool = False) -> None:
        """Take parameters for their defaults where `defaults` says so, as in a call that leaves them out."""
        self._names = names
        self._defaults = defaults
        self._known: dict[int, Any] = {}
        self._lengths: dict[int, int | None] = {}

    def of(self, node: cst.CSTNode | None) -> Any:
        """Return the value of an expression, `UNKNOWN` where it is not fixed; tuples and lists come as tuples."""
        if node is None:
            return UNKNOWN
        key = id(node)
        if key not in self._known:
            self._known[key] = UNKNOWN  # a name defined through itself ends here
            try:
                self._known[key] = self._evaluate(node)
            except (ArithmeticError, TypeError, ValueError):
                self._known[key] = UNKNOWN
        return self._known[key]

    def is_dead(self, node: cst.CSTNode) -> bool:
        """Whether a place is in the arm of an `if` that a constant never takes, as that of a mode."""
        child = node
        for parent in self._names.tree.ancestors(node):
            arm = isinstance(parent, (cst.If, cst.IfExp)) and child is not parent.test
            if arm and self._answer(parent.test) is (child is not parent.body):  # type: ignore[attr-defined]
                return True
            child = parent
        return False

    def _answer(self, test: cst.BaseExpression) -> Any:
        """Return the value of a test where jax is there, which `HAS_JAX` tells that an `except ImportError` unsets."""
        value = self.of(test)
        if value is not UNKNOWN or not isinstance(test, cst.Name):
            return value
        found = [b for b in self._names.bindings(test) if not self._names.needs_no_jax(b.context)]
        return self.of(found[0].value) if len(found) == 1 and found[0].kind == "assign" else UNKNOWN  # type: ignore[arg-type]

    def integer(self, node: cst.CSTNode | None) -> int | None:
        """Return the value of an expression that is a fixed integer, None for any other."""
        value = self.of(node)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def length(self, node: cst.CSTNode | None) -> int | None:
        """Return the length of a literal list, tuple, set, dict or string, or of a slice of one, through names."""
        if node is None:
            return None
        key = id(node)
        if key not in self._lengths:
            self._lengths[key] = None  # `rest = rest[1:]` in a loop ends here
            self._lengths[key] = self._length(node)
        return self._lengths[key]

    def _length(self, node: cst.CSTNode) -> int | None:
        lengths = set()
        for value in self._names.values(node):
            inner = value.node if isinstance(value, Expression) else None
            if isinstance(inner, (cst.List, cst.Tuple, cst.Set, cst.Dict)):
                starred = any(isinstance(e, (cst.StarredElement, cst.StarredDictElement)) for e in inner.elements)
                lengths.add(None if starred else len(inner.elements))
            elif isinstance(inner, cst.SimpleString):
                lengths.add(len(str(inner.evaluated_value)))
            elif isinstance(inner, cst.BinaryOperation) and isinstance(inner.operator, cst.Multiply):
                length, count = self.length(inner.left), self.integer(inner.right)
                lengths.add(None if length is None or count is None else length * count)
            elif isinstance(inner, cst.Subscript):
                lengths.add(self._slice_length(inner))
            else:
                lengths.add(None)
        return lengths.pop() if len(lengths) == 1 else None

    def _slice_length(self, node: cst.Subscript) -> int | None:
        """Return the length of `sizes[:-1]` where that of `sizes` is known, and so are the bounds."""
        index = node.slice[0].slice
        length = self.length(node.value) if len(node.slice) == 1 and isinstance(index, cst.Slice) else None
        if length is None or not isinstance(index, cst.Slice):
            return None
        given = (index.lower, index.upper, index.step)
        bounds = [self.integer(bound) for bound in given]
        known = all(bound is None or value is not None for bound, value in zip(given, bounds, strict=True))
        return len(range(length)[slice(*bounds)]) if known and bounds[2] != 0 else None

    def strings(self, node: cst.CSTNode | None) -> list[str] | None:
        """Return the string, or the sequence of strings, that an expression is; None where that is not known."""
        value = self.of(node)
        if isinstance(value, str):
            return [value]
        if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
            return list(value)
        return None

    def integers(self, node: cst.CSTNode | None) -> list[int] | None:
        """Return the integer, or the sequence of integers, that an expression is; None where that is not known."""
        value = self.of(node)
        if isinstance(value, int):
            return [value]
        if isinstance(value, tuple) and all(isinstance(item, int) for item in value):
            return list(value)
        return None

    def _evaluate(self, node: cst.CSTNode) -> Any:
        if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString, cst.ConcatenatedString)):
            return node.evaluated_value
        if isinstance(node, cst.Name) and node.value in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[node.value]
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            value = self.of(node.expression)
            return -value if isinstance(value, (int, float)) else UNKNOWN
        if isinstance(node, cst.BinaryOperation):
            return self._binary(node)
        if isinstance(node, (cst.Tuple, cst.List, cst.Set)):
            items = [self.of(element.value) for element in node.elements]
            starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
            return UNKNOWN if starred or UNKNOWN in items else tuple(items)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and len(node.args) == 1:
            return self._call(node.func.value, node.args[0].value)
        if isinstance(node, (cst.Name, cst.Attribute)):
            return self._of_name(node)
        return UNKNOWN

    def _binary(self, node: cst.BinaryOperation) -> Any:
        left, right = self.of(node.left), self.of(node.right)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        if isinstance(node.operator, cst.Power):
            small = isinstance(left, (int, float)) and isinstance(right, int) and abs(left) <= 1000 and 0 <= right <= 64
            return left**right if small else UNKNOWN
        function = _OPERATORS.get(type(node.operator))
        if function is None or isinstance(left, str) or isinstance(right, str):
            return UNKNOWN
        if isinstance(left, tuple) != isinstance(right, tuple) or (
            isinstance(left, tuple) and function is not operator.add
        ):
            return UNKNOWN
        return function(left, right)

    def _call(self, name: str, argument: cst.BaseExpression) -> Any:
        if name == "len":
            length = self.length(argument)
            return UNKNOWN if length is None else length
        if name in ("tuple", "list", "frozenset", "set", "sorted"):
            value = self.of(argument)
            return value if isinstance(value, tuple) else UNKNOWN
        if name == "int":
            value = self.of(argument)
            return int(value) if isinstance(value, (int, float)) else UNKNOWN
        return UNKNOWN

    def _of_name(self, node: cst.Name | cst.Attribute) -> Any:
        found = []
        for value in self._names.values(node):
            if isinstance(value, Expression) and value.node is not node:
                found.append(self.of(value.node))
            elif isinstance(value, Item) and value.index is not None:
                whole = self.of(value.node)
                found.append(whole[value.index] if isinstance(whole, tuple) and value.index < len(whole) else UNKNOWN)
            elif self._defaults and isinstance(value, Parameter) and value.default is not None:
                found.append(self.of(value.default))
            else:
                return UNKNOWN
        return found[0] if len(found) == 1 else UNKNOWN
