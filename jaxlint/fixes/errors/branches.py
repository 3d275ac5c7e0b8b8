"""Python asks for the value of traced data: the choice becomes one of jax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.moved_code.purity import Gives, Purity
from jaxlint.fixes.moved_code.shapes import shape_of
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.errors.demands import Demand
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Function

_NO_ARRAYS = (cst.Tuple, cst.List, cst.Dict, cst.Set, cst.Lambda, cst.SimpleString, cst.FormattedString)
_ORDERS = {"max": "maximum", "min": "minimum"}

_BOTH = "both branches are computed"


def chosen_by_jax(facts: ModuleFacts, demand: Demand) -> Fix | None:
    """Return a version that asks jax instead of Python.

    Raises:
        NoFixError: none is known that gives the same.
    """
    if demand.use == "test":
        return _where(facts, demand)
    if demand.use == "order":
        return _larger(facts, demand)
    raise NoFixError("no such use")


def _where(facts: ModuleFacts, demand: Demand) -> Fix | None:
    parent = facts.tree.parent(demand.node)
    if isinstance(demand.node, cst.Comparison) and len(demand.node.comparisons) > 1:
        raise NoFixError("Python joins several comparisons by `and`")
    if isinstance(parent, cst.IfExp) and parent.test is demand.node:
        return _of_expression(facts, demand, parent)
    if isinstance(parent, cst.If) and parent.test is demand.node:
        return _of_statement(facts, demand, parent)
    raise NoFixError("a test of several parts")


def _of_expression(facts: ModuleFacts, demand: Demand, node: cst.IfExp) -> Fix | None:
    """Write `a if test else b` as `jnp.where(test, a, b)`."""
    draft = Draft(facts)
    level = _level(facts, demand.function, node.body, node.orelse)
    parts = ", ".join(draft.code(part) for part in (node.test, node.body, node.orelse))
    draft.replace(node, f"{draft.name('jax.numpy.where', node)}({parts})")
    return draft.fix(level, "Select with `jnp.where`", _BOTH)


def _of_statement(facts: ModuleFacts, demand: Demand, node: cst.If) -> Fix | None:
    """Write two `return`s, one for each answer, as one of `jnp.where`."""
    first = _returned(node.body)
    if node.orelse is None:
        second, last = _following(facts, node)
    elif isinstance(node.orelse, cst.Else):
        second, last = _returned(node.orelse.body), node
    else:
        raise NoFixError("a test of several parts")
    draft = Draft(facts)
    level = _level(facts, demand.function, first, second)
    span = Span(draft.span(node).start, draft.span(last).end)
    if "#" in draft.source.text[span.start : span.end]:
        raise NoFixError("a comment would be lost")
    parts = ", ".join(draft.code(part) for part in (node.test, first, second))
    draft.replace(span, f"return {draft.name('jax.numpy.where', node)}({parts})")
    return draft.fix(level, "Select with `jnp.where`", _BOTH)


def _returned(block: cst.BaseSuite) -> cst.BaseExpression:
    statements = list(block.body)
    line = statements[0] if len(statements) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    if not isinstance(small, cst.Return) or small.value is None:
        raise NoFixError("a branch that does more than return")
    return small.value


def _following(facts: ModuleFacts, node: cst.If) -> tuple[cst.BaseExpression, cst.CSTNode]:
    """Return what the statement behind an `if` returns, and that statement."""
    block = facts.tree.parent(node)
    if not isinstance(block, cst.IndentedBlock):
        raise NoFixError("nothing is returned behind the branch")
    statements = list(block.body)
    index = next(i for i, statement in enumerate(statements) if statement is node) + 1
    line = statements[index] if index < len(statements) else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    if not isinstance(small, cst.Return) or small.value is None:
        raise NoFixError("nothing is returned behind the branch")
    return small.value, small


def _level(facts: ModuleFacts, function: Function, *parts: cst.BaseExpression) -> Applicability:
    """Say what may be claimed of choosing between values that are then both computed.

    Raises:
        NoFixError: computing one of them may fail, or do more than compute.
    """
    if any(isinstance(part, _NO_ARRAYS) for part in parts):
        raise NoFixError("a choice between other things than arrays")
    gives = [Purity(facts).of_expression(part, function) for part in parts]
    if max(gives) > Gives.NUMBERS:
        raise NoFixError("a branch that does more than compute")
    names = {parameter.name for parameter in function.parameters}
    shapes = {shape_of(facts, part, names) for part in parts}
    return Applicability.UNSAFE if len(shapes) == 1 and "" not in shapes else Applicability.DISPLAY


def _larger(facts: ModuleFacts, demand: Demand) -> Fix | None:
    """Write `max(a, b)` as `jnp.maximum(a, b)`."""
    arg = facts.tree.parent(demand.node)
    call = facts.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name) or call.func.value not in _ORDERS:
        raise NoFixError("no comparison of two values")
    if len(call.args) != 2 or any(arg.star or arg.keyword is not None for arg in call.args):
        raise NoFixError("no comparison of two values")
    draft, name = Draft(facts), _ORDERS[call.func.value]
    draft.replace(call.func, draft.name(f"jax.numpy.{name}", call))
    return draft.fix(Applicability.UNSAFE, f"Compare with `jnp.{name}`", "both must be arrays or numbers")
