"""Compiling the function around a short-lived jitted function instead, where it does nothing else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import keywords, reads_what_changes, wrapper_text
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.moved_code.captures import captures, needed
from jaxlint.fixes.moved_code.made import Made, made_by
from jaxlint.fixes.text.edits import applied
from jaxlint.fixes.text.moving import changed, comments_in, indentation, lambda_parts, removal, rows
from jaxlint.fixes.text.scopes import DEFS, all_arguments
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from collections.abc import Collection

    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

_WRAPPERS = frozenset({"jax.jit", "equinox.filter_jit"})
"""Wrappers whose decorated function takes all that the function took."""


def compiled_instead(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that compiles the enclosing function, which calls the jitted function and returns the result.

    Raises:
        NoFixError: it does anything else, or what it passes on besides the arguments cannot be told.
    """
    made = made_by(facts, site)
    function = made.function
    if site.wrapper is None or site.wrapper.name not in _WRAPPERS or keywords(site):
        raise NoFixError("another wrapper, or options")
    if (
        not isinstance(function, ast.FunctionDef)
        or function.decorator_list
        or made.syntax.parents[function] is not (made.syntax.tree)
    ):
        raise NoFixError("no plain function of the module")
    arguments = function.args
    if arguments.vararg is not None or arguments.kwarg is not None:
        raise NoFixError("any number of arguments")
    definitions = _only_returns(made, function)
    reads_what_changes(made, function)
    taken = captures(made, [made.maker, *definitions], {node.name for node in definitions})
    parameters = {argument.arg for argument in all_arguments(arguments)}
    if not taken.items or any(item.parameter not in parameters or item.attribute for item in taken.items):
        raise NoFixError("nothing of its own is captured, or more")
    passed = {node.id for call in made.known_calls() for node in ast.walk(call) if isinstance(node, ast.Name)}
    if not parameters <= {*passed, *(item.parameter for item in taken.items)}:
        raise NoFixError("a parameter that may be anything")
    fix = _written(facts, site, ())
    uses = needed(facts, applied(facts.source.text, fix), function.name) if fix is not None else {}
    statics = taken.statics(uses)
    if taken.unsure:
        raise NoFixError("nothing says what a parameter is")
    return _written(facts, site, statics) if statics else fix


def _only_returns(made: Made, function: ast.FunctionDef) -> list[ast.FunctionDef]:
    """Return the local functions of a function that is made of them, the site, and the return of its result."""
    calls = made.known_calls()
    body = list(function.body)
    last = body.pop()
    if len(calls) != 1 or not isinstance(last, ast.Return) or last.value is not calls[0]:
        raise NoFixError("it does not return the result")
    names = {argument.arg for argument in all_arguments(function.args)}
    for argument in (*calls[0].args, *(keyword.value for keyword in calls[0].keywords)):
        if not isinstance(argument, ast.Name) or argument.id not in names:
            raise NoFixError("an argument is computed")
    definitions: list[ast.FunctionDef] = []
    for index, node in enumerate(body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and index == 0
        if isinstance(node, ast.FunctionDef) and (not node.decorator_list or node is made.maker):
            definitions.append(node)
        elif not text and node is not made.statement:
            raise NoFixError("it does something else")
    return definitions


def _written(facts: ModuleFacts, site: CompileSite, statics: Collection[str]) -> Fix | None:
    made = made_by(facts, site)
    draft, syntax, function = made.draft, made.syntax, made.function
    if not isinstance(function, ast.FunctionDef):
        raise NoFixError("no function")
    wrapper = syntax.at(facts.span(site.node), ast.expr)
    if isinstance(made.maker, DEFS):
        if len(made.maker.decorator_list) != 1 or comments_in(syntax, _row(made, wrapper)):
            raise NoFixError("more decorators, or a comment")
        draft.delete(_row(made, wrapper))
    elif isinstance(wrapper, ast.Call) and len(wrapper.args) == 1:
        _unwrap(made, wrapper)
        wrapper = wrapper.func
    else:
        raise NoFixError("no call of the wrapper with the function alone")
    text = wrapper_text(draft, site, wrapper, [], statics)  # type: ignore[arg-type]
    place = syntax.span(function).start
    draft.insert(place, f"@{text}\n{indentation(syntax, function)}")
    return draft.fix(Applicability.UNSAFE, f"Jit `{function.name}` itself", ROUNDING)


def _row(made: Made, decorator: ast.AST) -> Span:
    source = made.syntax.source
    start = source.position(made.syntax.span(decorator).start)[0]
    end = source.position(made.syntax.span(decorator).end)[0]
    return Span(source.line_starts[start - 1], source.line_starts[end])


def _unwrap(made: Made, maker: ast.Call) -> None:
    """Put the function in the place of its compiled version; a lambda that is called at once is written out."""
    draft, syntax = made.draft, made.syntax
    target, call = maker.args[0], made.known_calls()[0]
    around = rows(syntax, made.statement) if made.rebound is not None and made.statement else syntax.span(maker)
    if comments_in(syntax, around, syntax.span(target)):
        raise NoFixError("a comment would be lost")
    if made.rebound is not None and made.statement is not None and isinstance(target, ast.Name):
        for span in removal(syntax, {made.statement: rows(syntax, made.statement)}):
            draft.delete(span)
        return
    if not isinstance(target, ast.Lambda) or call.func is not maker:
        draft.replace(maker, draft.code(target))
        return
    names = [argument.arg for argument in target.args.args]
    if len(names) != len(all_arguments(target.args)) or len(names) != len(call.args) or call.keywords:
        raise NoFixError("a call that does not match the parameters")
    given = [draft.code(argument) for argument in call.args]
    inner = {a.arg for n in ast.walk(target.body) if isinstance(n, ast.Lambda) for a in all_arguments(n.args)}
    if inner & {*names, *given}:
        raise NoFixError("a name means something else within")
    changes = {
        syntax.span(load): text
        for name, text in zip(names, given, strict=True)
        for load in made.scopes.loads(name, target)
    }
    span = lambda_parts(syntax, target)[1]
    text = changed(syntax.text, span, changes).strip()
    draft.replace(call, text if "\n" not in text or text.startswith("(") else f"({text})")
