"""A static argument that is created again is made once, at module level."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.facts.values.compiled_calls import ImportedCall
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import (
    check_code,
    insert_definition,
    known_as,
    name_span,
    names_in,
    needed_at_once,
)
from jaxlint.fixes.cache_misses.methods import refuse_changing_object
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.moved_code.made import Made
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import (
    at_margin,
    changed,
    comments_in,
    indent_unit,
    lambda_parts,
    removal,
    rows,
    statement,
)
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Given
    from jaxlint.facts.module import ModuleFacts

_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)

_SHARED = "nothing may change what all calls share"


def made_once(facts: ModuleFacts, given: Given) -> Fix | None:
    """Return the fix that makes what a call passes at module level.

    Raises:
        NoFixError: it captures something, or may give another value each time it is made.
    """
    if isinstance(given.call, ImportedCall) and not given.call.here:
        raise NoFixError("it is compiled in another file")
    draft = Draft(facts)
    scopes = scopes_of(draft.syntax)
    node = draft.syntax.at(draft.span(given.held or given.node), ast.expr)
    maker = _maker(draft, scopes, node)
    own = {maker.name} if isinstance(maker, ast.FunctionDef) else set()
    if set(scopes.captured(maker)) - own:
        raise NoFixError("it captures something")
    if not any(isinstance(around, FUNCTIONS) for around in draft.syntax.around(maker)):
        raise NoFixError("not in a function")
    check_code(draft.syntax, maker)
    doubtful = refuse_or_doubt(facts, draft.syntax, maker)
    function = given.call.name if isinstance(given.call, ImportedCall) else given.call.function.name
    function = function.rpartition(".")[2].strip("_")
    parameter = given.name.strip("_") if given.name.isidentifier() else f"{function}_argument"
    known: str | None = None
    if isinstance(maker, ast.FunctionDef):
        name = _move_definition(draft, scopes, maker)
    elif isinstance(maker, ast.Lambda):
        name = draft.fresh(f"_{parameter}", f"_{function}_{parameter}")
        insert_definition(
            draft, scopes, maker, needed_at_once(draft.syntax, scopes, maker), _as_definition(draft, maker, name)
        )
        draft.replace(maker, name)
    else:
        doubtful = _may_share(draft, scopes, maker) or doubtful
        function_around = scopes.frame(maker)
        if isinstance(function_around, FUNCTIONS):
            known = known_as(Made(draft, scopes, maker, function_around), draft.code(maker))
        name = known or draft.fresh(f"_{parameter}", f"_{function}_{parameter}")
        if known is None:
            text = statement(draft.syntax, draft.span(maker), f"{name} = ", "", indent_unit(draft.syntax, maker), {})
            insert_definition(draft, scopes, maker, scopes.module_names(maker), text)
        draft.replace(maker, name)
    return draft.fix(
        Applicability.UNSAFE if doubtful else Applicability.SAFE,
        f"Create it once, as `{name}`" if known is None else f"Use `{known}`, which is equivalent",
        _SHARED if doubtful else "",
    )


def _maker(draft: Draft, scopes: Scopes, node: ast.AST) -> ast.expr | ast.FunctionDef:
    """Return what makes the argument: the expression, what a local name is assigned, or a local function."""
    if not isinstance(node, ast.Name):
        if not isinstance(node, (ast.Lambda, ast.Call)):
            raise NoFixError("nothing that makes something")
        return node
    scope = scopes.binder(node.id, scopes.of(node))
    bindings = scopes.bindings(node.id, scope) if scope is not None and scope is not scopes.module else []
    if len(bindings) != 1:
        raise NoFixError(f"{node.id} is bound more than once")
    if isinstance(bindings[0], ast.FunctionDef):
        return bindings[0]
    parent = draft.syntax.parents[bindings[0]]
    if isinstance(parent, ast.Assign) and parent.targets == [bindings[0]]:
        return _maker(draft, scopes, parent.value)
    raise NoFixError(f"{node.id} is not made here")


def _as_definition(draft: Draft, node: ast.Lambda, name: str) -> str:
    """Return a lambda as a `def`."""
    syntax = draft.syntax
    parameters, body = lambda_parts(syntax, node)
    if comments_in(syntax, parameters):
        raise NoFixError("a comment among the parameters")
    head = " ".join(changed(syntax.text, parameters, {}).split())
    unit = indent_unit(syntax, node)
    return f"def {name}({head}):\n{statement(syntax, body, 'return ', unit, unit, {})}"


def _move_definition(draft: Draft, scopes: Scopes, node: ast.FunctionDef) -> str:
    """Move a local function to module level; return its new name."""
    syntax = draft.syntax
    if node.decorator_list or scopes.bindings(node.name, scopes.of(node)) != [node]:
        raise NoFixError("it is decorated, or bound again")
    around = next((a.name for a in syntax.around(node) if isinstance(a, DEFS)), "")
    name = draft.fresh(*names_in(node.name, around))
    inner = set(ast.walk(node))
    changes: dict[Span, str] = {name_span(syntax, node): name}
    for load in scopes.loads(node.name, scopes.of(node)):
        if load in inner:
            changes[syntax.span(load)] = name
        else:
            draft.replace(load, name)
    span = rows(syntax, node)
    text = at_margin(syntax, span, changes)
    insert_definition(draft, scopes, node, needed_at_once(syntax, scopes, node), text)
    for gone in removal(syntax, {node: span}):
        draft.delete(gone)
    return name


def _may_share(draft: Draft, scopes: Scopes, node: ast.expr) -> bool:
    """Whether what is made holds something that could be changed, so that one object is another thing than many.

    Raises:
        NoFixError: its class has methods that change it.
    """
    refuse_changing_object(draft.syntax, scopes, node)
    known = True
    for part in ast.walk(node):
        if isinstance(part, _CONTAINERS):
            return True
        if isinstance(part, ast.Call):
            known = known and dotted(scopes, part.func).startswith(("functools.", "optax.", "jax."))
    return not known
