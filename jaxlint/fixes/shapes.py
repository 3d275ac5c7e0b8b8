"""What the source shows of shapes in the turns of a loop: which names keep theirs from turn to turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.tree import children

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

SCALAR = "()"
CHANGED = "changed"

_ELEMENTWISE = frozenset(
    "sin cos tan tanh sinh cosh exp expm1 log log1p sqrt rsqrt cbrt square abs absolute fabs sign floor ceil round "
    "rint maximum minimum fmax fmin where clip add subtract multiply divide true_divide floor_divide power mod "
    "remainder negative positive reciprocal arctan arctan2 arcsin arccos logical_and logical_or logical_not isnan "
    "relu sigmoid gelu silu swish softplus elu leaky_relu softmax log_softmax roll flip sort cumsum cumprod "
    "zeros_like ones_like stop_gradient nan_to_num conj real imag astype copy".split()
)
_REDUCTIONS = frozenset("sum mean max min prod std var any all dot vdot norm median logsumexp argmax argmin".split())
_RESHAPING = frozenset(
    "concatenate append stack hstack vstack dstack column_stack reshape ravel flatten expand_dims squeeze repeat tile "
    "pad insert delete resize diff outer kron".split()
)


def shape_of(facts: ModuleFacts, node: cst.CSTNode, names: Collection[str]) -> str:
    """Return `()` for a number, the one of `names` whose shape an expression has, or an empty text."""
    found = Shapes(facts, "", list(names), {}).of(node)
    return "" if found == CHANGED else found


class Shapes:
    """What the source shows of shapes, relative to those with which a turn starts."""

    def __init__(
        self, facts: ModuleFacts, variable: str, carried: list[str], written: Mapping[str, list[cst.CSTNode]]
    ) -> None:
        self._facts = facts
        self._variable = variable
        self._carried = set(carried)
        self._passing = {name: values[0] for name, values in written.items() if len(values) == 1}

    def is_number(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a number of Python's, or one that a library has a name for."""
        if not isinstance(node, cst.BaseExpression):
            return False
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            node = node.expression
        if isinstance(self._facts.constants.of(node), (int, float, complex)):
            return True
        names = self._facts.names.externals(node)
        return bool(names) and all(name.rpartition(".")[2] in ("inf", "nan", "pi", "e") for name in names)

    def of(self, node: cst.CSTNode) -> str:
        """Return `()`, the carried name whose shape it is, `changed`, or an empty text where nothing is known."""
        if isinstance(node, cst.AugAssign):
            if isinstance(node.operator, cst.MatrixMultiplyAssign):
                return ""
            return self._joined(node.target, node.value)
        if isinstance(node, cst.Name):
            if node.value in self._carried:
                return node.value
            if node.value in self._passing:
                return self.of(self._passing.pop(node.value))
            return SCALAR if node.value == self._variable or self.is_number(node) else ""
        if self.is_number(node):
            return SCALAR
        if isinstance(node, cst.BinaryOperation):
            return "" if isinstance(node.operator, cst.MatrixMultiply) else self._joined(node.left, node.right)
        if isinstance(node, cst.UnaryOperation):
            return self.of(node.expression)
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return ""

    def _joined(self, *parts: cst.CSTNode) -> str:
        found = {self.of(part) for part in parts} - {SCALAR}
        if not found:
            return SCALAR
        return found.pop() if len(found) == 1 else ""

    def _of_subscript(self, node: cst.Subscript) -> str:
        base = self.of(node.value)
        sliced = any(isinstance(element.slice, cst.Slice) for element in node.slice)
        return CHANGED if base in self._carried and (sliced or len(node.slice) == 1) else ""

    def _of_call(self, node: cst.Call) -> str:
        func = node.func
        if isinstance(func, cst.Attribute) and self._facts.values.is_update(func):
            base = func.value
            at = base.value if isinstance(base, cst.Subscript) else None
            return self.of(at.value) if isinstance(at, cst.Attribute) else ""
        names = self._facts.names.externals(func)
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if names:
            last = names[0].rpartition(".")[2] if names[0].startswith("jax.") else ""
            if last == "where" and len(given) == 3:
                return self._joined(*given)
        elif isinstance(func, cst.Attribute) and self._facts.values.kind(func.value).traced:
            last, given = func.attr.value, [func.value, *given]
        else:
            return ""
        if last in _ELEMENTWISE and given:
            return self._joined(given[0]) if last in ("roll", "astype", "sort", "cumsum") else self._joined(*given)
        whole = len(given) == 1 and not any(a.keyword is not None and a.keyword.value == "axis" for a in node.args)
        if last in _REDUCTIONS and given:
            return SCALAR if whole else ""
        if last in _RESHAPING and any(self._mentions_carried(value) for value in given):
            return CHANGED if last != "reshape" else ""
        return ""

    def _mentions_carried(self, node: cst.CSTNode) -> bool:
        parts = [e.value for e in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
        return any(self.of(part) in self._carried for part in parts)


def nodes_in(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes of a piece of code, names of attributes and of keyword arguments left out."""
    work = [node]
    while work:
        current = work.pop()
        yield current
        if isinstance(current, (cst.Attribute, cst.Arg)):
            work.append(current.value)
        else:
            work.extend(children(current))


def mentions(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether a piece of code uses one of these names."""
    return any(isinstance(inner, cst.Name) and inner.value in names for inner in nodes_in(node))
