"""Whether a loop looks long, and whether its iterations do the same again or go through cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from jaxlint.facts.jax_api.glance import CASES, SHORT, is_step_name, is_stream
from jaxlint.facts.jax_api.name_priors import DATA, DATA_LENGTHS
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import DEFINITIONS, Loop, last_name, within

_SEARCHES = (cst.Is, cst.IsNot, cst.In, cst.NotIn)


def is_host_loop(loop: Loop) -> bool:
    """Whether a loop looks like one in which a program spends its time, and not one over a few parts of something."""
    node = loop.node
    if isinstance(node, cst.While):
        return not _is_search(node.test)
    if loop.is_comprehension:
        return False
    if isinstance(node.iter, cst.Call) and (given := list(_counts(node.iter))):
        return any(map(_may_be_long, given))
    return any(map(DATA.fullmatch, _names(node.iter)))


def _may_be_long(count: cst.BaseExpression) -> bool:
    """Whether a count may be large: a number above 8, a constant of the module, or a name of something long."""
    if isinstance(count, cst.Integer):
        return count.evaluated_value > SHORT
    names = list(_names(count))
    if any("ndim" in name for name in names):
        return False  # a number of dimensions
    return any(name.isupper() or DATA_LENGTHS.fullmatch(name) or is_step_name(name) for name in names)


def is_step_loop(loop: Loop | cst.For | cst.While) -> bool:
    """Whether each iteration does the same again: the loop counts, waits, or goes through a stream of data.

    A loop over a collection goes through cases: levels, files, strategies, each of which may need a program of its own.
    """
    node = loop.node if isinstance(loop, Loop) else loop
    if isinstance(node, cst.While):
        return not _is_search(node.test)
    iterable = node.iter
    if isinstance(iterable, cst.Call):
        if last_name(iterable.func) in CASES:
            return False
        if given := list(_counts(iterable)):
            return not any(map(_is_length_of_cases, given))
    return any(map(is_stream, _names(iterable)))


def counted_by(loop: Loop) -> frozenset[str]:
    """Return the names by which a loop counts, none where its bound is named after steps, epochs and the like."""
    if isinstance(loop.node, cst.While) or not isinstance(loop.node.iter, cst.Call):
        return frozenset()
    bounds = list(_counts(loop.node.iter))
    if not bounds or any(is_step_name(name) for bound in bounds for name in (*_names(bound), *_keys(bound))):
        return frozenset()
    names = _targets(loop)
    return frozenset() if any(map(is_step_name, names)) else names


def is_handed(call: cst.Call, names: Iterable[str]) -> bool:
    """Whether a call is given one of some names as it is."""
    known = frozenset(names)
    return any(isinstance(arg.value, cst.Name) and arg.value.value in known for arg in call.args)


def is_reached_rarely(names: Names, node: cst.CSTNode, loop: Loop | None = None) -> bool:
    """Whether a test lets few runs of what is around a place reach it: each hundredth, or the first of a loop.

    What is around is the loop, or else the function.
    """
    child = node
    for parent in names.tree.ancestors(node):
        if (loop is not None and parent is loop.node) or parent.__class__ in DEFINITIONS:
            return False
        if isinstance(parent, (cst.If, cst.IfExp)) and parent.body is child and _picks(names, parent.test, loop):
            return True
        child = parent
    return False


def _picks(names: Names, test: cst.BaseExpression, loop: Loop | None) -> bool:
    """Whether a test is passed each so many times, or by an iteration of a number of its own."""
    if isinstance(test, cst.BooleanOperation):
        sides = (_picks(names, side, loop) for side in (test.left, test.right))
        return any(sides) if isinstance(test.operator, cst.And) else all(sides)
    if isinstance(test, cst.UnaryOperation):
        return isinstance(test.operator, cst.Not) and _is_remainder(test.expression)
    if isinstance(test, cst.Name):
        made = [value.node for value in names.values(test) if isinstance(value, Expression)]
        return (
            bool(made)
            and not any(isinstance(node, cst.Name) for node in made)
            and all(isinstance(node, cst.BaseExpression) and _picks(names, node, loop) for node in made)
        )
    if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, cst.Equal):
        return False
    if _is_remainder(test.left):
        return True
    counted = _targets(loop)
    return isinstance(test.left, cst.Name) and test.left.value in counted


def _is_remainder(node: cst.BaseExpression) -> bool:
    """Whether an expression is what a division leaves, by a number that is not small."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Modulo):
        return False
    return not (isinstance(node.right, cst.Integer) and int(node.right.value, 0) <= SHORT)


def _targets(loop: Loop | None) -> frozenset[str]:
    if loop is None or isinstance(loop.node, cst.While):
        return frozenset()
    return frozenset(part.value for part in within(loop.node.target) if isinstance(part, cst.Name))


def _counts(node: cst.Call) -> Iterator[cst.BaseExpression]:
    if last_name(node.func) in ("range", "trange"):
        yield from (arg.value for arg in node.args)
        return
    for arg in node.args:
        if isinstance(arg.value, cst.Call):
            yield from _counts(arg.value)


def _is_length_of_cases(count: cst.BaseExpression) -> bool:
    if not isinstance(count, cst.Call) or last_name(count.func) != "len" or len(count.args) != 1:
        return False
    return not is_stream(last_name(count.args[0].value))


def _names(node: cst.CSTNode) -> Iterator[str]:
    for part in within(node):
        if isinstance(part, cst.Name):
            yield part.value
        elif isinstance(part, cst.Attribute):
            yield part.attr.value


def _keys(node: cst.CSTNode) -> Iterator[str]:
    for part in within(node):
        if isinstance(part, cst.SimpleString) and isinstance(part.evaluated_value, str):
            yield part.evaluated_value


def _is_search(test: cst.BaseExpression) -> bool:
    if isinstance(test, cst.BooleanOperation):
        return _is_search(test.left) and _is_search(test.right)
    if isinstance(test, cst.UnaryOperation):
        return _is_search(test.expression)
    if isinstance(test, cst.Call):
        return last_name(test.func) in ("isinstance", "hasattr", "callable")
    if not isinstance(test, cst.Comparison):
        return False
    if all(isinstance(part.operator, _SEARCHES) for part in test.comparisons):
        return True
    return isinstance(test.left, cst.Call) and last_name(test.left.func) == "len"
