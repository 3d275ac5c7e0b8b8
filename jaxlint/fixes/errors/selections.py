"""A selection by a mask becomes one of fixed shape: `jnp.where`, or a reduction with `where=`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import Expression
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.moved_code.purity import is_none
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.errors.staged import DataShape
    from jaxlint.facts.module import ModuleFacts

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
    *ahead, last = (element.slice for element in node.slice)
    if not isinstance(last, cst.Index) or not all(isinstance(part, cst.Slice) for part in ahead):
        raise NoFixError("an index of several parts")
    if isinstance(node.value, cst.Attribute) and node.value.attr.value == "at":
        return _updated(facts, node, node.value.value, last.value)
    if ahead:
        raise NoFixError("an index of several parts")
    return _reduced(facts, node, last.value)


def _updated(facts: ModuleFacts, node: cst.Subscript, base: cst.BaseExpression, mask: cst.BaseExpression) -> Fix | None:
    """Write `x.at[mask].set(v)` as `jnp.where(mask, v, x)`, and `x.at[:4, mask].set(v)` so that it sets `x[:4]`."""
    method = facts.tree.parent(node)
    call = facts.tree.parent(method) if method is not None else None
    if not isinstance(method, cst.Attribute) or not isinstance(call, cst.Call) or call.func is not method:
        raise NoFixError("not an update")
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword is not None:
        raise NoFixError("an update with options")
    ahead = len(node.slice) - 1
    covers = isinstance(base, cst.Name) and _covers(facts, mask, base, _DEPTH, ahead)
    if not isinstance(base, cst.Name) or not (covers or (not ahead and _spans(facts, mask, base))):
        raise NoFixError("the mask may be of another shape")
    draft, value, name = Draft(facts), call.args[0].value, method.attr.value
    part = ", ".join(draft.code(element.slice) for element in node.slice[:ahead])
    x, v, m = draft.code(base), draft.code(value), draft.code(mask)
    target, x = (f"{x}.at[{part}]", f"{x}[{part}]") if ahead else ("", x)
    if name != "set":
        operator = _OPERATORS.get(name)
        if operator is None:
            raise NoFixError("an update that is no arithmetic")
        v = f"{x} {operator} {v if _is_atom(value) else f'({v})'}"
    selected = f"{draft.name('jax.numpy.where', call)}({m}, {v}, {x})"
    draft.replace(call, f"{target}.set({selected})" if ahead else selected)
    level = Applicability.UNSAFE if _is_number(facts, value) else Applicability.DISPLAY
    return draft.fix(level, "Select with `jnp.where`", "the mask must have the shape of the array")


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
        return draft.fix(Applicability.UNSAFE, f"Reduce with `jnp.{function}(..., where=...)`", ROUNDING)
    call = facts.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        raise NoFixError("not a plain reduction")
    names = facts.names.externals(call.func)
    if not names or any(name.removeprefix("jax.numpy.") not in _REDUCTIONS for name in names):
        raise NoFixError("not a plain reduction")
    draft.replace(node, f"{x}, where={m}")
    return draft.fix(Applicability.UNSAFE, "Reduce with `where=`", ROUNDING)


def _sized(facts: ModuleFacts, node: cst.Call) -> Fix | None:
    """Give `size=` to `nonzero` and similar functions: as many as there may be at most, which pads the result."""
    names = facts.names.externals(node.func)
    if not names or any(name.removeprefix("jax.numpy.") not in _SIZED for name in names) or len(node.args) != 1:
        raise NoFixError("no size is known")
    value = node.args[0].value
    if not isinstance(value, cst.Name):
        raise NoFixError("no size is known")
    draft = Draft(facts)
    end = draft.span(value).end
    draft.replace(Span(end, end), f", size={value.value}.size, fill_value=0")
    return draft.fix(Applicability.DISPLAY, "Pass `size=`, to which the result is padded")


def _covers(facts: ModuleFacts, node: cst.CSTNode, base: cst.Name, depth: int, without: int = 0) -> bool:
    """Whether a mask is computed element by element from the array that it selects from, so that it has its shape.

    Or the shape `without` as many of the first axes, as `x[0]` has it without one.
    """
    if depth == 0:
        return False
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and node.value.value == base.value:
        numbers = [facts.constants.integer(e.slice.value) for e in node.slice if isinstance(e.slice, cst.Index)]
        one_each = len(numbers) == len(node.slice) == without and None not in numbers
        return one_each and facts.names.bindings(node.value) == facts.names.bindings(base)
    if isinstance(node, cst.Name):
        if node.value == base.value:
            return not without and facts.names.bindings(node) == facts.names.bindings(base)
        values = facts.names.values(node)
        inner = values[0].node if len(values) == 1 and isinstance(values[0], Expression) else None
        return inner is not None and inner is not node and _covers(facts, inner, base, depth - 1, without)
    if isinstance(node, cst.Comparison):
        parts = [node.left, *(target.comparator for target in node.comparisons)]
        return any(_covers(facts, part, base, depth, without) for part in parts)
    if isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, cst.MatrixMultiply):
            return False
        return _covers(facts, node.left, base, depth, without) or _covers(facts, node.right, base, depth, without)
    if isinstance(node, cst.UnaryOperation):
        return _covers(facts, node.expression, base, depth, without)
    if isinstance(node, cst.Call):
        names = facts.names.externals(node.func)
        plain = all(
            arrays.makes_array(name) and name.rpartition(".")[2] in _ELEMENTWISE and name.startswith("jax.numpy.")
            for name in names
        )
        return bool(names) and plain and any(_covers(facts, arg.value, base, depth, without) for arg in node.args)
    return False


def _spans(facts: ModuleFacts, node: cst.CSTNode, base: cst.Name) -> bool:
    """Whether a mask is made over the axes of an array: `jnp.arange(x.shape[1])[None, :] < lengths[:, None]`.

    Places along the last axis of the mask are compared with what has a value for each of the others, and nothing
    mentions further axes of the array.
    """
    values = facts.names.values(node)
    mask = values[0].node if len(values) == 1 and isinstance(values[0], Expression) else node
    if not isinstance(mask, cst.Comparison) or len(mask.comparisons) != 1:
        return False
    parts = (mask.left, mask.comparisons[0].comparator)
    axes = {part: _new_axes(part) for part in parts}
    ranks = {len(found) for found in axes.values()}
    if len(ranks) != 1 or not all(sum(found) == 1 for found in axes.values()):
        return False
    rank = ranks.pop()
    places = [part for part in parts if axes[part][-1] and _length_of(facts, part, base) == rank - 1]
    return rank > 1 and len(places) == 1 and _axes_in_sight(facts, base) <= rank


def _new_axes(node: cst.BaseExpression) -> list[bool]:
    """Return for `x[None, :]` which of the axes are those of x, nothing for what is no such expression."""
    found = []
    for element in node.slice if isinstance(node, cst.Subscript) else ():
        part = element.slice
        if isinstance(part, cst.Slice):
            if part.lower is not None or part.upper is not None or part.step is not None:
                return []
            found.append(True)
        elif isinstance(part, cst.Index) and (is_none(part.value) or _is_newaxis(part.value)):
            found.append(False)
        else:
            return []
    return found


def _is_newaxis(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "newaxis"


def _length_of(facts: ModuleFacts, part: cst.BaseExpression, base: cst.Name) -> int | None:
    """Return the axis of the array along which `jnp.arange(x.shape[axis])[...]` counts, None for what does not."""
    values = facts.names.values(part.value) if isinstance(part, cst.Subscript) else ()
    call = values[0].node if len(values) == 1 and isinstance(values[0], Expression) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        return None
    if facts.names.externals(call.func) != ("jax.numpy.arange",):
        return None
    lengths = facts.names.values(call.args[0].value)
    length = lengths[0].node if len(lengths) == 1 and isinstance(lengths[0], Expression) else None
    if not isinstance(length, cst.Subscript) or not isinstance(length.value, cst.Attribute):
        return None
    array, index = length.value.value, length.slice[0].slice
    same = isinstance(array, cst.Name) and facts.names.bindings(array) == facts.names.bindings(base)
    if not same or length.value.attr.value != "shape" or not isinstance(index, cst.Index):
        return None
    return facts.constants.integer(index.value)


def _axes_in_sight(facts: ModuleFacts, base: cst.Name) -> int:
    """Return how many axes of an array the code around it mentions."""
    most = 0
    for use in (use for binding in facts.names.bindings(base) for use in facts.names.uses(binding)):
        above = facts.tree.parent(use)
        if isinstance(above, cst.Subscript) and above.value is use:
            most = max(most, len(above.slice))
        elif isinstance(above, cst.Attribute) and above.attr.value in ("shape", "ndim"):
            of_shape = facts.tree.parent(above)
            index = of_shape.slice[0].slice if isinstance(of_shape, cst.Subscript) else None
            number = facts.constants.integer(index.value) if isinstance(index, cst.Index) else None
            if above.attr.value == "shape" and number is not None and number >= 0:
                most = max(most, number + 1)
    return most


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
