"""Passing a large array to a jitted function that closes over it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.inplace import changes_in_function
from jaxlint.fixes.text.moving import comments_in
from jaxlint.fixes.text.scopes import all_arguments, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.captured_arrays import Captured
    from jaxlint.facts.module import ModuleFacts

_WRAPPERS = frozenset({"jax.jit", "equinox.filter_jit"})
"""Wrappers that do the same with one argument more."""
_BY_POSITION = frozenset({"in_shardings", "abstracted_axes"})
"""Options with one entry for each argument."""


def passed(facts: ModuleFacts, captured: Captured) -> Fix | None:
    """Make the array the last parameter of the function, and pass it wherever the function is called.

    Raises:
        NoFixError: a call is not visible, or the array would be copied to the device by each.
    """
    if captured.binding is None or captured.size.numpy or captured.size.loaded:
        raise NoFixError("no array of JAX under a name")
    wrappers = facts.wrappings.of_function(captured.function)
    if len(wrappers) != 1 or len(captured.function.decorators) != 1 or wrappers[0].wrapper.name not in _WRAPPERS:
        raise NoFixError("not compiled by its one decorator")
    options = {arg.keyword.value for arg in wrappers[0].arguments if arg.keyword is not None}
    draft = Draft(facts)
    syntax, scopes = draft.syntax, scopes_of(draft.syntax)
    node = syntax.at(draft.span(captured.function.node), ast.FunctionDef)
    if not isinstance(node, ast.FunctionDef) or options & _BY_POSITION or captured.function.cls is not None:
        raise NoFixError("no plain function")
    name = captured.name if captured.name.islower() else captured.name.lower()
    if name != captured.name and name in syntax.words:
        raise NoFixError("no name for the parameter")
    calls = _calls(draft, node)
    owner = scopes.binder(captured.name, scopes.of(node))
    if any(scopes.binder(captured.name, scopes.of(call)) is not owner for call in calls):
        raise NoFixError("a call does not see the array")
    if any(scopes.binder(load.id, node) is not owner for load in _loads(node, captured.name)):
        raise NoFixError("the name means something else within")
    if changes_in_function(syntax, node, captured.name):
        raise NoFixError("the array changes in place")
    by_keyword = bool(node.args.defaults or node.args.kwonlyargs)
    _add_parameter(draft, node, name, by_keyword=by_keyword)
    for load in _loads(node, captured.name) if name != captured.name else ():
        draft.replace(load, name)
    for call in calls:
        _add_argument(draft, call, f"{name}={captured.name}" if by_keyword or call.keywords else captured.name)
    # Other modules may call a public function.
    in_sight = captured.function.outer is not None or node.name.startswith("_")
    level = Applicability.UNSAFE if in_sight else Applicability.DISPLAY
    return draft.fix(level, f"Pass `{captured.name}` to `{node.name}`", "all callers must be visible")


def _loads(node: ast.FunctionDef, name: str) -> list[ast.Name]:
    return [n for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == name]


def _calls(draft: Draft, node: ast.FunctionDef) -> list[ast.Call]:
    """Return the calls of a function, which all its uses must be."""
    scopes = scopes_of(draft.syntax)
    scope = scopes.of(node)
    if len(scopes.bindings(node.name, scope)) != 1 or node.name in _exported(draft):
        raise NoFixError("the name is bound again, or exported")
    calls = []
    for load in scopes.loads(node.name, scope):
        call = draft.syntax.parents[load]
        if not isinstance(call, ast.Call) or call.func is not load or load in ast.walk(node):
            raise NoFixError("it is used otherwise than called")
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            raise NoFixError("a call with any arguments")
        calls.append(call)
    if not calls:
        raise NoFixError("no visible call")
    return calls


def _exported(draft: Draft) -> set[str]:
    return {
        item.value
        for statement in draft.syntax.tree.body
        if isinstance(statement, (ast.Assign, ast.AugAssign))
        and "__all__" in {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        for item in ast.walk(statement)
        if isinstance(item, ast.Constant) and isinstance(item.value, str)
    }


def _add_parameter(draft: Draft, node: ast.FunctionDef, name: str, *, by_keyword: bool) -> None:
    arguments = node.args
    parameters = all_arguments(arguments)
    if arguments.vararg is not None or arguments.kwarg is not None or not parameters:
        raise NoFixError("any number of arguments, or none")
    defaults = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]
    ends = [draft.span(part).end for part in (*parameters, *defaults)]
    star = "*, " if by_keyword and not arguments.kwonlyargs else ""
    draft.insert(max(ends), f", {star}{name}")


def _add_argument(draft: Draft, call: ast.Call, text: str) -> None:
    given = [*call.args, *call.keywords]
    if comments_in(draft.syntax, draft.span(call)):
        raise NoFixError("a comment is in the way")
    end = max((draft.span(argument).end for argument in given), default=draft.span(call).end - 1)
    draft.insert(end, f", {text}" if given else text)
