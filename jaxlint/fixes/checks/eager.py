"""What code must meet that was not compiled and is: no type that JAX cannot take, and rounding that stays the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.text.scopes import DEFS, Scopes, scopes_of

if TYPE_CHECKING:
    from jaxlint.fixes.text.syntax import Syntax

ROUNDING = "results may differ in the last digits"
"""Operations that are compiled together may be fused, so that what is between them is not rounded."""
_STATIC_DATA = "a tree may hold static data that has no hash"
_REGISTERING = frozenset(
    "register_pytree_node register_pytree_node_class register_pytree_with_keys register_pytree_with_keys_class "
    "register_dataclass register_static tree_flatten tree_flatten_with_keys pytree_node static_field pytree_dataclass "
    "aux_data Partial".split()
)
"""Words of files that define pytrees of their own, whose static data a jitted function compares."""
_WATCHING = frozenset(
    {"jax_debug_nans", "debug_nans", "jax_debug_infs", "debug_infs", "jax_log_compiles", "log_compiles"}
)
"""Words of files in which JAX says more of an operation by itself than of one in a program."""
_CLASSES = ("equinox.Module", "flax.struct.dataclass", "flax.struct.PyTreeNode", "flax.nnx.Module")
_EXACT = frozenset(
    "abs all any argmax argmin argsort array asarray astype bool_ broadcast_to ceil clip concatenate conj copy equal "
    "expand_dims eye flatten flip floor full full_like greater greater_equal imag int32 isfinite isinf isnan "
    "isinstance len less less_equal logical_and logical_not logical_or logical_xor max maximum min minimum moveaxis "
    "negative not_equal ones ones_like pad ravel real relu repeat reshape rint roll round select sign sort "
    "split squeeze stack stop_gradient swapaxes take tile transpose type uint32 where zeros zeros_like".split()
)
"""Functions and methods that round nothing."""
_TAKING_MORE = ("jax.numpy.asarray", "jax.numpy.array")
"""Functions that take what is no valid JAX type as well, such as sequences and the tensors of other libraries."""
_EXACT_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_MANY = 2


def reason(syntax: Syntax, *nodes: ast.AST) -> str:
    """Say why code may give something else when it is compiled; empty where it gives the same."""
    if not _WATCHING.isdisjoint(syntax.words):
        return "operations are watched one by one"
    if may_hold_static_data(syntax):
        return _STATIC_DATA
    scopes = scopes_of(syntax)
    for node in nodes:
        for inner in ast.walk(_definition(scopes, node)):
            if isinstance(inner, (ast.Attribute, ast.Name)) and (name := dotted(scopes, inner)) in _TAKING_MORE:
                return f"`{name}` takes more types than a jitted function"
    return ROUNDING if sum(roundings(syntax, node) for node in nodes) >= _MANY else ""


def may_hold_static_data(syntax: Syntax) -> bool:
    """Whether the file mentions pytrees of its own, which may have static data that cannot be compared."""
    if not _REGISTERING.isdisjoint(syntax.words):
        return True
    scopes = scopes_of(syntax)
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.ClassDef):
            parts = (*node.bases, *node.decorator_list)
            known = [dotted(scopes, part.func if isinstance(part, ast.Call) else part) for part in parts]
            if any(name in _CLASSES for name in known):
                return True
    return False


def roundings(syntax: Syntax, node: ast.AST, depth: int = 3) -> int:
    """Return how many operations of code round, as far as that matters: none, one, or more."""
    scopes = scopes_of(syntax)
    node = _definition(scopes, node)
    found = 0
    for inner in ast.walk(node):
        if isinstance(inner, (ast.BinOp, ast.AugAssign)):
            found += not (isinstance(inner.op, _EXACT_OPERATORS) or _is_of_numbers(inner))
        elif isinstance(inner, ast.Call):
            found += _of_call(syntax, scopes, inner, node, depth)
    if isinstance(node, (ast.Attribute, ast.Name)):
        found += _last(node) not in _EXACT
    return found


def _of_call(syntax: Syntax, scopes: Scopes, call: ast.Call, around: ast.AST, depth: int) -> int:
    inner = _definition(scopes, call.func)
    if isinstance(inner, (*DEFS, ast.Lambda)):
        return roundings(syntax, inner, depth - 1) if depth and inner is not around else _MANY
    return int(_last(call.func) not in _EXACT)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _definition(scopes: Scopes, node: ast.AST) -> ast.AST:
    """Return the function that a name represents, anything else as it is."""
    if not isinstance(node, ast.Name):
        return node
    scope = scopes.binder(node.id, scopes.of(node))
    bindings = scopes.bindings(node.id, scope) if scope is not None else []
    return bindings[0] if len(bindings) == 1 and isinstance(bindings[0], DEFS) else node


def _is_of_numbers(node: ast.AST) -> bool:
    if not isinstance(node, ast.BinOp):
        return False
    return all(isinstance(part, ast.Constant) or _is_of_numbers(part) for part in (node.left, node.right))
