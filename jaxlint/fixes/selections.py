"""A selection by a mask becomes one of fixed shape: `jnp.where`, or a reduction with `where=`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts import arrays
from jaxlint.facts.names import Expression
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.edits import Draft
from jaxlint.fixes.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.staged import DataShape

_REDUCTIONS = frozenset({"sum", "mean", "prod", "any", "all", "std", "var"})
"""Reductions that take `where=` without a value to start from."""
_SIZED = frozenset({"nonzero", "flatnonzero", "argwhere", "unique"})
_OPERATORS = {"add": "+", "multiply": "*", "mul": "*", "subtract": "-", "divide": "/"}
_NOT_ELEMENTWISE = frozenset("sum mean prod any all max min std var argmax argmin dot matmul sort take".split())
_DEPTH = 4


def of_fixed_shape(facts: ModuleFacts, shape: DataShape) -> Fix | None:
    """Return a version of a selection whose shape does not depend on data.

    Raises:
        NoFixError: none is known that gives the same.
    """
    node = shape.node
    if shape.kind == "function" and isinstance(node, cst.Call):
        return _sized(facts, node)
    if shape.kind != "mask" or not isinstance(node, cst.Subscript):
        raise NoFixError("no selection by a mask")
    if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
        raise NoFixError("an index of several parts")
    mask = node.slice[0].slice.value
    if isinstance(node.value, cst.Attribute) and node.value.attr.value == "at":
        return _updated(facts, node, node.value.value, mask)
    return _reduced(facts, node, mask)


def _updated(facts: ModuleFacts, node: cst.Subscript, base: cst.BaseExpression, mask: cst.BaseExpression) -> Fix | None:
    """Write `x.at[mask].set(v)` as `jnp.where(mask, v, x)`."""
    method = facts.tree.parent(node)
    call = facts.tree.parent(method) if method is not None else None
    if not isinstance(method, cst.Attribute) or not isinstance(call, cst.Call) or call.func is not method:
        raise NoFixError("not an update")
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword is not None:
        raise NoFixError("an update with options")
    if not isinstance(base, cst.Name) or not _covers(facts, mask, base, _DEPTH):
        raise NoFixError("the mask may be of another shape")
    draft, value, name = Draft(facts), call.args[0].value, method.attr.value
    x, v, m = draft.code(base), draft.code(value), draft.code(mask)
    if name != "set":
        operator = _OPERATORS.get(name)
        if operator is None:
            raise NoFixError("an update that is no arithmetic")
        v = f"{x} {operator} {v if _is_atom(value) else f'({v})'}"
    draft.replace(call, f"{draft.name('jax.numpy.where', call)}({m}, {v}, {x})")
    level = Applicability.UNSAFE if _is_number(facts, value) else Applicability.DISPLAY
    return draft.fix(level, "Choose with `jnp.where`")


def _reduced(facts: ModuleFacts, node: cst.Subscript, mask: cst.BaseExpression) -> Fix | None:
    """Write `x[mask].sum()` and `jnp.sum(x[mask])` with `where=`."""
    base, parent = node.value, facts.tree.parent(node)
    if not isinstance(base, cst.Name) or not _covers(facts, mask, base, _DEPTH):
        raise NoFixError("the mask may be of another shape")
    draft = Draft(facts)
    x, m = draft.code(base), draft.code(mask)
    if isinstance(parent, cst.Attribute):
        call, function = facts.tree.parent(parent), parent.attr.value
        if not isinstance(call, cst.Call) or call.func is not parent or call.args or function not in _REDUCTIONS:
            raise NoFixError("not a plain reduction")
        draft.replace(call, f"{draft.name(f'jax.numpy.{function}', call)}({x}, where={m})")
        return draft.fix(Applicability.UNSAFE, f"Reduce with `jnp.{function}(..., where=...)`")
    call = facts.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        raise NoFixError("not a plain reduction")
    names = facts.names.externals(call.func)
    if not names or any(name.removeprefix("jax.numpy.") not in _REDUCTIONS for name in names):
        raise NoFixError("not a plain reduction")
    draft.replace(node, f"{x}, where={m}")
    return draft.fix(Applicability.UNSAFE, "Reduce with `where=`")


def _sized(facts: ModuleFacts, node: cst.Call) -> Fix | None:
    """Give `size=` to `nonzero` and its kin: as many as there may be at most, which pads the result."""
    names = facts.names.externals(node.func)
    if not names or any(name.removeprefix("jax.numpy.") not in _SIZED for name in names) or len(node.args) != 1:
        raise NoFixError("no size is known")
    value = node.args[0].value
    if not isinstance(value, cst.Name):
        raise NoFixError("no size is known")
    draft = Draft(facts)
    end = draft.span(value).end
    draft.replace(Span(end, end), f", size={value.value}.size, fill_value=0")
    return draft.fix(Applicability.DISPLAY, "Give `size=`, up to which the result is filled")


def _covers(facts: ModuleFacts, node: cst.CSTNode, base: cst.Name, depth: int) -> bool:
    """Whether a mask is computed element by element from the array that it selects from, so that it has its shape."""
    if depth == 0:
        return False
    if isinstance(node, cst.Name):
        if node.value == base.value:
            return facts.names.bindings(node) == facts.names.bindings(base)
        values = facts.names.values(node)
        inner = values[0].node if len(values) == 1 and isinstance(values[0], Expression) else None
        return inner is not None and inner is not node and _covers(facts, inner, base, depth - 1)
    if isinstance(node, cst.Comparison):
        parts = [node.left, *(target.comparator for target in node.comparisons)]
        return any(_covers(facts, part, base, depth) for part in parts)
    if isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, cst.MatrixMultiply):
            return False
        return _covers(facts, node.left, base, depth) or _covers(facts, node.right, base, depth)
    if isinstance(node, cst.UnaryOperation):
        return _covers(facts, node.expression, base, depth)
    if isinstance(node, cst.Call):
        names = facts.names.externals(node.func)
        plain = all(
            arrays.makes_array(name) and name.rpartition(".")[2] in _ELEMENTWISE and name.startswith("jax.numpy.")
            for name in names
        )
        return bool(names) and plain and any(_covers(facts, arg.value, base, depth) for arg in node.args)
    return False


_ELEMENTWISE = frozenset(
    "abs absolute isnan isinf isfinite isclose logical_and logical_or logical_not logical_xor greater greater_equal "
    "less less_equal equal not_equal sign square sqrt exp log maximum minimum mod".split()
)


def _is_atom(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Name, cst.Integer, cst.Float, cst.Call, cst.Subscript, cst.Attribute))


def _is_number(facts: ModuleFacts, node: cst.BaseExpression) -> bool:
    """Whether a value is a number for certain: one that is written out, or what reduces an array to one."""
    if isinstance(facts.constants.of(node), (int, float)):
        return True
    if isinstance(node, cst.Call) and len(node.args) == 1:
        names = facts.names.externals(node.func)
        reductions = _NOT_ELEMENTWISE - {"dot", "matmul", "sort", "take"} | {f"nan{name}" for name in _REDUCTIONS}
        return bool(names) and all(name.removeprefix("jax.numpy.") in reductions for name in names)
    return False
