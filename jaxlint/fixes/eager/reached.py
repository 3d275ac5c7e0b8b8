"""What a step reads and does by way of the functions that it calls: what the loop changes, a trace would keep.

A jitted step sees what its functions capture as it was when the step was traced.  So nothing that the loop changes may
be reached that way, by whatever name, and the functions must do nothing but compute.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.moved_code.quiet import Quiet
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax, own_bindings

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Function

PURE_METHODS = frozenset({"apply", "init", "update", "apply_fn"})
"""Methods of models and optimizers that leave their object as it is."""
_OF_SHAPES = arrays.ATTRIBUTES_OF_PYTHON | frozenset({"T", "at"})
_LIBRARIES = ("jax.", "functools.", "equinox.", "flax.", "chex.", "jaxtyping.")
_DEPTH = 6


def changing_names(loop: ast.AST) -> set[str]:
    """Return the names that a loop binds: by assignments, definitions, imports, handlers."""
    return {name for node in ast.walk(loop) for name, _ in own_bindings(node)}


class Reached:
    """The functions of the file that a step reaches, by the calls in its statements."""

    def __init__(
        self, facts: ModuleFacts, syntax: Syntax, run: Collection[ast.stmt], start: Iterable[Function]
    ) -> None:
        self._facts, self._syntax, self._scopes = facts, syntax, scopes_of(syntax)
        self._inside = {inner for statement in run for inner in ast.walk(statement)}
        self.functions: list[Function] = []
        work = list(start)
        while work:
            function = work.pop()
            if any(function is known for known in self.functions):
                continue
            self.functions.append(function)
            for call in facts.tree.body(function):
                if isinstance(call, cst.Call):
                    work.extend(callee for callee, _ in facts.calls.callees(call))
        found = (self._definition(function) for function in self.functions)
        self._nodes = [node for node in found if node is not None]

    def _definition(self, function: Function) -> ast.AST | None:
        try:
            node = self._syntax.at(self._facts.span(function.node), *FUNCTIONS)
        except NoFixError:
            raise NoFixError("a function that is not found in the file") from None
        return None if node in self._inside else node

    def check(self, changing: Collection[str]) -> bool:
        """Tell whether nothing is doubtful.

        Raises:
            NoFixError: what they read changes with the loop, or they do more than compute.
        """
        for node in self._nodes:
            self._refuse_what_changes(node, changing)
            for decorator in getattr(node, "decorator_list", ()):
                self._refuse_decorator(decorator)
        for function in self.functions:
            self._refuse_actions(function)
        doubtful = bool(self._nodes) and refuse_or_doubt(self._facts, self._syntax, *self._nodes)
        return not doubtful

    def _refuse_what_changes(self, node: ast.AST, changing: Collection[str]) -> None:
        own = set(ast.walk(node))
        for name in own:
            if not isinstance(name, ast.Name) or not isinstance(name.ctx, ast.Load):
                continue
            scope = self._scopes.binder(name.id, self._scopes.of(name))
            if scope is None or scope in own:
                continue
            if name.id in changing:
                raise NoFixError(f"{name.id} changes in the loop, and a function that the step calls reads it")
            refuse_bound_elsewhere(self._syntax, name)
            if any(isinstance(bound, (ast.Name, ast.arg)) for bound in self._scopes.bindings(name.id, scope)):
                refuse_attribute(self._syntax, name)

    def _refuse_decorator(self, node: ast.expr) -> None:
        func = node.func if isinstance(node, ast.Call) else node
        if not dotted(self._scopes, func).startswith(_LIBRARIES):
            raise NoFixError("a decorator that may do more than compute")

    def _refuse_actions(self, function: Function) -> None:
        """Refuse calls that do more than compute: of libraries, of builtins, of methods of what is captured."""
        quiet = Quiet(self._facts)
        quiet.check_function(function, _DEPTH)
        for node in self._facts.tree.body(function):
            if not isinstance(node, cst.Call):
                continue
            func = node.func
            local = isinstance(func, cst.Attribute) and not self._facts.names.externals(func)
            named = isinstance(func, cst.Name) and bool(self._facts.names.bindings(func))
            if not local and not named:
                quiet.check_call(node)


def refuse_bound_elsewhere(syntax: Syntax, name: ast.Name) -> None:
    """Refuse a name that a function binds by `global` or `nonlocal`.

    Raises:
        NoFixError: one does.
    """
    scopes = scopes_of(syntax)
    scope = scopes.binder(name.id, scopes.of(name))
    if scope is None:
        return
    for bound in scopes.bindings(name.id, scope):
        home = scopes.frame(bound)
        if home is not scope and not isinstance(bound, DEFS):
            raise NoFixError(f"a function binds {name.id} again")


def refuse_attribute(syntax: Syntax, name: ast.Name) -> None:
    """Refuse an attribute or an item of what a step captures, unless it is a method that leaves its object as it is.

    Raises:
        NoFixError: it may change while the loop runs.
    """
    node: ast.AST = name
    parent = syntax.parents.get(node)
    while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node:
        node, parent = parent, syntax.parents.get(parent)
    if node is name:
        return
    if isinstance(node, ast.Attribute):
        called = isinstance(parent, ast.Call) and parent.func is node
        if (node.attr in PURE_METHODS and (called or isinstance(parent, ast.Call))) or node.attr in _OF_SHAPES:
            return
    raise NoFixError(f"what {name.id} holds may change while the loop runs")
