"""A function moves only with all that refers to it: what belongs to one function object stays behind otherwise."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.fixes.checks import KnownToDifferError, known
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.text.scopes import DEFS

if TYPE_CHECKING:
    from jaxlint.fixes.checks.change import Change
    from jaxlint.fixes.text.syntax import Syntax

_READING = frozenset({"lower", "trace", "eval_shape", "__doc__", "__wrapped__", "__call__"})
"""Attributes of functions and jitted functions that say no more than what the function does."""
_RULES = frozenset(
    "defvjp defjvp defjvps defvmap def_vmap def_fwd def_bwd def_jvp def_transpose def_partition register".split()
)
"""Methods that give a function rules of its own."""
_CUSTOM = ("jax.custom_", "equinox.filter_custom_", "flax.nnx.custom_")
_FRAMES = frozenset(
    "extract_tb extract_stack walk_tb walk_stack getframeinfo getouterframes getinnerframes currentframe "
    "_getframe".split()
)
"""Functions that say in which functions something ran."""
_DEPTH = 3
_STATELESS_CALLS = frozenset({"callable", "map", "isinstance", "print", "repr"})


def reason(change: Change) -> str:
    """Say what refers to a function that moves and stays behind; empty where nothing does.

    Raises:
        KnownToDifferError: something does for certain that the meaning of the code hangs on.
    """
    found = _of_names_read(change)
    place = change.place
    decorates = place is not None and isinstance(change.syntax.parents.get(place), DEFS)
    if change.inserted and isinstance(place, ast.Call) and not decorates and _makes_function(change, place):
        found = found or _of_use(change, "the jitted function", place)
    for name, scope in _names(change):
        for load in change.scopes.loads(name, scope):
            found = found or _of_use(change, name, load)
    for function in change.moved_functions():
        for decorator in function.decorator_list:
            found = found or _of_decorator(change, function, decorator)
    return found


def _of_names_read(change: Change) -> str:
    """Say what shows that a function has another name, or that the module has one more.

    Raises:
        KnownToDifferError: a name means something else outside of its class.
    """
    syntax, place = change.syntax, change.place
    if place is not None and any(isinstance(node, ast.ClassDef) for node in syntax.around(place)):
        names = (text for node in change.inserted for part in ast.walk(node) for text in _texts(part))
        if any(text.startswith("__") and not text.endswith("__") for text in names):
            raise KnownToDifferError("a name with two leading underscores is another one outside of its class")
    if change.inserted and not _FRAMES.isdisjoint(syntax.identifiers):
        return "the file reads the names of functions that run"
    return "the file walks over its own names" if change.inserted and walks_over_names(syntax) else ""


def _texts(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "arg", "name"):
        if isinstance(text := getattr(node, field, None), str):
            yield text


@functools.lru_cache(maxsize=4)
def walks_over_names(syntax: Syntax) -> bool:
    """Whether the file takes all that the module binds, so that one more name would show."""
    if {"getmembers", "modules"} <= set(syntax.identifiers):
        return True
    for node in ast.walk(syntax.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            continue
        function = next((n for n in syntax.around(node) if isinstance(n, (*DEFS, ast.Lambda))), None)
        parent = syntax.parents[node]
        if node.func.id == "globals" or (node.func.id in ("vars", "dir", "locals") and function is None):
            asked = isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Compare) and parent.left is not node)
            if not asked and getattr(parent, "attr", "") not in _OF_ONE:
                return True
    return False


_OF_ONE = frozenset({"get", "update", "setdefault", "pop"})
"""Methods of a dictionary that are about names that are given."""


def _names(change: Change) -> Iterator[tuple[str, ast.AST]]:
    """Yield the local names whose function moves, or whose assignment goes, with the scopes that bind them."""
    for node in change.gone:
        if not change.local(node):
            continue
        if isinstance(node, DEFS):
            yield node.name, change.scopes.of(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            if not _makes_function(change, node.value):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, change.scopes.frame(target)


def _makes_function(change: Change, node: ast.expr) -> bool:
    """Whether an expression makes a function, by itself, by a wrapper, or by a factory of the module."""
    if isinstance(node, ast.Lambda):
        return True
    if not isinstance(node, ast.Call):
        return False
    row = table(change.facts.settings).get(dotted(change.scopes, node.func))
    if row is not None:
        return row.makes_callable
    bindings = change.scopes.bindings(node.func.id, change.scopes.module) if isinstance(node.func, ast.Name) else []
    return any(isinstance(bound, DEFS) for bound in bindings)


def _of_use(change: Change, name: str, load: ast.expr, depth: int = _DEPTH) -> str:
    parent, shown = change.syntax.parents[load], f"`{name}`" if name.isidentifier() else name
    if isinstance(parent, ast.Call) and parent.func is load:
        return ""
    if isinstance(parent, ast.Attribute):
        if parent.attr in _READING and isinstance(parent.ctx, ast.Load):
            return ""
        function = any(isinstance(node, DEFS) and node.name == name for node in change.gone)
        if function and (not isinstance(parent.ctx, ast.Load) or parent.attr in _RULES or _is_stored(change, parent)):
            raise KnownToDifferError(f"`{name}.{parent.attr}` belongs to the function of each call")
        return f"{shown}.{parent.attr} belongs to the function of each call"
    if isinstance(parent, ast.keyword):
        parent = change.syntax.parents[parent]
    if isinstance(parent, ast.Call) and (_only_calls(change, parent) or _is_only_used(change, parent, load, depth)):
        return ""
    if isinstance(parent, ast.Assign) and all(isinstance(target, ast.Name) for target in parent.targets):
        return "" if parent in change.gone else _of_names(change, parent, depth)
    if isinstance(parent, (*DEFS, ast.ClassDef)):
        return f"`{name}` decorates a function"
    return f"{shown} is passed on, and would be the same function on each call"


def _of_names(change: Change, node: ast.Assign, depth: int) -> str:
    """Judge the uses of the names that something is assigned to, where the assignment stays."""
    for target in (target for target in node.targets if isinstance(target, ast.Name)):
        scope = change.scopes.binder(target.id, change.scopes.of(target))
        for load in change.scopes.loads(target.id, scope) if scope is not None else ():
            if depth and (found := _of_use(change, target.id, load, depth - 1)):
                return found
    return ""


def _is_only_used(change: Change, call: ast.Call, given: ast.expr, depth: int) -> bool:
    """Whether a call is of a function of the module that does no more with what it is given than to call it."""
    scopes, func = change.scopes, call.func
    bindings = scopes.bindings(func.id, scopes.module) if isinstance(func, ast.Name) else []
    node = bindings[0] if len(bindings) == 1 else None
    if not depth or not isinstance(node, ast.FunctionDef) or any(isinstance(a, ast.Starred) for a in call.args):
        return False
    positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    named = [keyword.arg for keyword in call.keywords if keyword.value is given]
    place = call.args.index(given) if given in call.args else len(positional)
    parameter = named[0] if named else positional[place] if place < len(positional) else None
    if parameter is None or len(scopes.bindings(parameter, node)) != 1:
        return False
    return not any(_of_use(change, parameter, load, depth - 1) for load in scopes.loads(parameter, node))


def _is_stored(change: Change, read: ast.Attribute) -> bool:
    """Whether the file sets an attribute of that name on something of the same name."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == read.attr
        and not isinstance(node.ctx, ast.Load)
        and ast.unparse(node.value) == ast.unparse(read.value)
        for node in ast.walk(change.syntax.top_of(read))
    )


def _only_calls(change: Change, call: ast.Call) -> bool:
    """Whether a call does no more with a function that it is given than to call it, or to make another of it."""
    name = dotted(change.scopes, call.func)
    if name.startswith(_CUSTOM):
        return False
    if name in table(change.facts.settings) or known.only_computes(name):
        return True
    func = call.func
    if isinstance(func, ast.Name) and func.id in _STATELESS_CALLS:
        return change.scopes.binder(func.id, change.scopes.of(func)) is None
    if isinstance(func, ast.Call):  # `jax.vmap(...)(f)`, `partial(jax.jit, ...)(f)`
        inner = dotted(change.scopes, func.func)
        return not inner.startswith(_CUSTOM) and inner in table(change.facts.settings)
    return False


def _of_decorator(change: Change, function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> str:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = dotted(change.scopes, func)
    if name.startswith(_CUSTOM) and not name.endswith("custom_gradient"):
        raise KnownToDifferError(f"the rules of `{function.name}` stay behind")
    if not name and isinstance(func, ast.Attribute) and func.attr in _RULES:
        raise KnownToDifferError(f"`{function.name}` is a rule of another function")
    return ""
