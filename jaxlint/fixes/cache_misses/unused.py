"""A jitted function that nothing uses is called in place of the raw one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.moved_code.purity import Gives, Purity
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.scopes import DEFS, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.discarded import UnusedName
    from jaxlint.facts.context.calls import CallSite
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Context

_WRAPPERS = frozenset({"jax.jit", "equinox.filter_jit"})
"""Those whose functions take and give the same as the raw ones."""


def use(facts: ModuleFacts, unused: UnusedName) -> Fix | None:
    """Call the jitted function wherever the raw one is called eagerly and the compiled one is bound for certain.

    Raises:
        NoFixError: it may not give the same, or may not be bound yet where the raw one is called.
    """
    function, wrapped = unused.function, facts.wrappings.of(unused.node)
    if wrapped is None or wrapped.wrapper.name not in _WRAPPERS or not isinstance(wrapped.targets[0], cst.Name):
        raise NoFixError("it may take something else")
    if facts.names.values(wrapped.targets[0]) != (function,) or function.decorators or function.is_lambda:
        raise NoFixError("it may be another function")
    if function.outer is not None or function.cls is not None:
        raise NoFixError("it would compile again on each call")
    context = facts.tree.context(unused.node)
    if context.function is None and context.branch:
        raise NoFixError("it may not be bound")
    static = facts.values.statics(wrapped, function)
    if static is None:
        raise NoFixError("the static arguments are not visible")
    if Purity(facts).of_function(function, dict.fromkeys(static, Gives.PYTHON)) is Gives.FAILS:
        raise NoFixError("it cannot be traced")
    draft = Draft(facts)
    node = draft.syntax.at(draft.span(function.node), *DEFS)
    refuse_or_doubt(facts, draft.syntax, node)
    if context.function is None:
        _refuse_early_calls(draft, draft.syntax.at(draft.span(unused.node)))
    sites = list(_sites(facts, unused, context))
    if not sites:
        raise NoFixError("nothing calls the raw function where the compiled one is bound")
    for site in sites:
        draft.replace(site.node.func, unused.name)
    return draft.fix(Applicability.UNSAFE, f"Call `{unused.name}` instead of `{function.name}`", ROUNDING)


def _sites(facts: ModuleFacts, unused: UnusedName, context: Context) -> Iterator[CallSite]:
    """Yield the eager calls of the raw function, by its name, that see the compiled one."""
    function = unused.function
    for site in facts.calls.of(function):
        func, here = site.node.func, site.context
        plain = isinstance(func, cst.Name) and facts.names.values(func) == (function,)
        if site.wrapped or not plain or facts.tracing.is_traced(here.function) or here.function is function:
            continue
        scope = facts.names.scope_of(unused.name, here.scope)
        if scope is not context.scope.frame:
            continue
        after = here.order > context.order and here.branch[: len(context.branch)] == context.branch
        if after if context.function is here.function else context.function is None:
            yield site


def _refuse_early_calls(draft: Draft, node: ast.AST) -> None:
    """Refuse where the module may run its functions before the compiled one is bound.

    Raises:
        NoFixError: it may.
    """
    syntax = draft.syntax
    scopes = scopes_of(syntax)
    statement = syntax.statement(node)
    if statement not in syntax.tree.body:
        raise NoFixError("it may not be bound")
    for before in syntax.tree.body[: syntax.tree.body.index(statement)]:
        if isinstance(before, DEFS):
            continue
        for name in (inner.id for inner in ast.walk(before) if isinstance(inner, ast.Name)):
            if any(isinstance(bound, (*DEFS, ast.ClassDef)) for bound in scopes.bindings(name, scopes.module)):
                raise NoFixError("the raw function may run before the compiled one is bound")
