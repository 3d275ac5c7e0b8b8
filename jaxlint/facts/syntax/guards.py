"""Tests that tell traced values from concrete ones: what is behind them runs in one of the two cases only."""

from __future__ import annotations

import itertools

import libcst as cst

from jaxlint.facts.jax_api.name_priors import COMPILE_OPTIONS
from jaxlint.facts.syntax.tree import Tree, kinds, last_name, within

_GUARDS = frozenset(
    {"isinstance", "is_scalar", "isscalar", "disable_jit", "jax_disable_jit", "ensure_compile_time_eval"}
)
_JAX_LOOPS = frozenset({"scan", "fori_loop", "while_loop", "associative_scan"})
_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break)


EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})
"""What a `with` calls that expects an error, and goes on."""
_TRACE_ERRORS = ("Tracer", "Concretization", "NonConcrete", "UnexpectedTracer")
"""How the names of the errors begin that JAX raises under trace."""


def is_caught(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a `try` of the same function catches what happens at a place."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.Try, cst.TryStar)) and parent.handlers:
            if child is not parent.body and child is not parent.orelse:
                child = parent
                continue
            return True  # an `else` is reached where the `try` has not failed
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        child = parent
    return False


def ends_in_error(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether an arm of an `if` around a place ends with a `raise`: a program gets there once, and no further."""
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        last = parent.body[-1] if isinstance(parent, cst.IndentedBlock) and parent.body else None
        if isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Raise):
            return isinstance(tree.parent(parent), (cst.If, cst.Else))
    return False


_TESTING = kinds(cst.If, cst.IfExp, cst.While)
_FUNCTIONS = kinds(cst.FunctionDef, cst.Lambda)


def keeps_traces_out(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a test for tracers decides if a place of a function is reached, by being around or before it."""
    child = node
    for parent in tree.ancestors(node):
        kind = parent.__class__
        if kind in _TESTING:
            if parent.test is not child and asks(parent.test):  # type: ignore[attr-defined]
                return True
        elif kind is cst.BooleanOperation:
            if parent.right is child and asks(parent.left):  # type: ignore[attr-defined]
                return True
        elif kind is cst.With:
            if any(asks(item.item) for item in parent.items):  # type: ignore[attr-defined]
                return True
        elif kind is cst.IndentedBlock:
            if _is_left_before(tree, parent, child):  # type: ignore[arg-type]
                return True
        elif kind in _FUNCTIONS:
            return False
        child = parent
    return False


def is_always_reached(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether each call of a function that does not fail comes to a place: no test, loop or `try` decides."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return True
        if isinstance(parent, _DECIDED):
            return False
        if isinstance(parent, cst.IndentedBlock):
            before = itertools.takewhile(lambda statement: statement is not child, parent.body)  # noqa: B023
            if any(isinstance(statement, cst.If) and leaves(statement.body) for statement in before):
                return False
        child = parent
    return False


_DECIDED = (cst.If, cst.IfExp, cst.BooleanOperation, cst.For, cst.While, cst.CompFor, cst.Try, cst.TryStar)


def is_left_eager(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether an option decides that a place of a function is not compiled: `if use_jit: ... else: ...`."""
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, cst.If) and any(
            COMPILE_OPTIONS.fullmatch(last_name(part)) for part in within(parent.test)
        ):
            return True
    return False


def has_loop_of_jax_instead(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether the other arm of an `if` around a place has a loop of jax, so that an option chooses between the two.

    An arm that leaves the function before the place is reached is such an arm as well.
    """
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, cst.If) and parent.test is not child and parent.orelse is not None:
            other = parent.orelse if parent.body is child else parent.body
            if _has_loop_of_jax(other):
                return True
        if isinstance(parent, cst.IndentedBlock):
            earlier = itertools.takewhile(lambda statement: statement is not child, parent.body)  # noqa: B023
            if any(isinstance(s, cst.If) and leaves(s.body) and _has_loop_of_jax(s.body) for s in earlier):
                return True
        child = parent
    return False


def _has_loop_of_jax(node: cst.CSTNode) -> bool:
    return any(isinstance(part, cst.Call) and last_name(part.func) in _JAX_LOOPS for part in within(node))


def is_for_scalars(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a place of a function is reached for scalars only: `if x.ndim == 0: ...`."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, (cst.If, cst.IfExp)) and parent.body is child and _asks_for_scalar(parent.test):
            return True
        child = parent
    return False


def decides_on_error(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a test decides that an error is raised: `assert ok`, `if bad: raise ...`."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.Assert):
            return True
        if isinstance(parent, cst.If) and parent.test is child:
            return _raises(parent.body)
        if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            return False
        child = parent
    return False


def is_for_compile_time(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a place runs eagerly on purpose: under `with jax.ensure_compile_time_eval()`."""
    return any(
        isinstance(parent, cst.With)
        and any(
            isinstance(item.item, cst.Call) and last_name(item.item.func) == "ensure_compile_time_eval"
            for item in parent.items
        )
        for parent in tree.ancestors(node)
    )


def asks(test: cst.BaseExpression) -> bool:
    """Whether a test asks if something is traced or concrete, or of what type it is."""
    return any(last_name(node) in _GUARDS or _speaks_of_traces(node) for node in within(test))


def _asks_for_scalar(test: cst.BaseExpression) -> bool:
    if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, cst.Equal):
        return False
    with_what = test.comparisons[0].comparator
    empty = isinstance(with_what, cst.Tuple) and not with_what.elements
    zero = isinstance(with_what, cst.Integer) and with_what.value == "0"
    return (zero and last_name(test.left) == "ndim") or (empty and last_name(test.left) == "shape")


def _is_left_before(tree: Tree, block: cst.IndentedBlock, statement: cst.CSTNode) -> bool:
    """Whether an `if isinstance(x, Tracer): return ...` is before a statement of the same block."""
    if id(block) not in tree.left_before:
        asked = (
            number
            for number, part in enumerate(block.body)
            if type(part) is cst.If and any(map(_speaks_of_traces, within(part.test))) and leaves(part.body)
        )
        first = next(asked, len(block.body))
        tree.left_before[id(block)] = frozenset(map(id, block.body[first + 1 :]))
    return id(statement) in tree.left_before[id(block)]


def leaves(body: cst.BaseSuite) -> bool:
    """Whether a block ends by leaving what is around it: a return, a raise, a break, a continue."""
    last = body.body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, _LEAVES)


def _raises(body: cst.BaseSuite) -> bool:
    last = body.body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Raise)


def _speaks_of_traces(node: cst.CSTNode) -> bool:
    name = last_name(node).lower()
    return "tracer" in name or "concrete" in name


def is_expected_to_fail(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether a block around a place is there for its error: `with pytest.raises(...)`, or `except TracerBool...`."""
    child = node
    for parent in tree.ancestors(node):
        if isinstance(parent, cst.With) and any(
            isinstance(item.item, cst.Call) and last_name(item.item.func) in EXPECTING for item in parent.items
        ):
            return True
        if isinstance(parent, cst.Try) and parent.body is child:
            caught = (last_name(part) for handler in parent.handlers if handler.type for part in within(handler.type))
            if any(name.startswith(_TRACE_ERRORS) for name in caught):
                return True
        child = parent
    return False
