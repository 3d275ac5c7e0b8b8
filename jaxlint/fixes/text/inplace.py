"""Where code changes an object in place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jaxlint.fixes.text.scopes import FUNCTIONS
from jaxlint.fixes.text.syntax import Syntax

_CHANGING = frozenset({"pop", "popitem", "popleft", "setdefault", "__setitem__", "__delitem__", "__setstate__"})
_CHANGING_AS_STATEMENTS = frozenset(
    "append extend insert remove clear update add discard sort reverse appendleft fill write delete".split()
)
"""Methods that change their object, and return nothing; `update` of an optimizer returns what is new."""
_SETTERS = ("setattr", "delattr")
_OBJECT_SETTERS = {"__setattr__": 3, "__delattr__": 2}
"""Methods of `object` that take the object first, with the number of their arguments; no frozen class stops them."""


def root_of(node: ast.AST) -> ast.AST:
    """Return what a chain of attributes and indices starts with."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def changes(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yield what `nodes` change in place, as an expression, and where."""
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield node.value, node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            if isinstance(func, ast.Attribute) and func.attr in _CHANGING_AS_STATEMENTS:
                yield func.value, node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            yield node.func.value, node
        elif isinstance(node, ast.Call) and _sets(node):
            yield node.args[0], node


def _sets(node: ast.Call) -> bool:
    """Whether a call sets or deletes an attribute of its first argument by the attribute's name."""
    if isinstance(node.func, ast.Name):
        return bool(node.args) and node.func.id in _SETTERS
    return isinstance(node.func, ast.Attribute) and len(node.args) == _OBJECT_SETTERS.get(node.func.attr)


def changes_in_function(syntax: Syntax, function: ast.AST, text: str) -> list[ast.AST]:
    """Return the places in the outermost function around a function where something of that `text` changes in place."""
    outermost = function
    for around in syntax.around(function):
        if isinstance(around, FUNCTIONS):
            outermost = around
    return [place for value, place in changes(ast.walk(outermost)) if ast.unparse(value) == text]
