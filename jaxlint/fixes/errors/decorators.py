"""A decorator that lost its `@` gets it back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.checks import eager
from jaxlint.fixes.moved_code.purity import Gives, Purity
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import indentation, removal, rows
from jaxlint.fixes.text.scopes import DEFS
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.discarded import Discarded
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Function

_LEVELS = {
    Gives.FAILS: Applicability.DISPLAY,
    Gives.DOUBTFUL: Applicability.UNSAFE,
    Gives.NUMBERS: Applicability.UNSAFE,
}


def put_back(facts: ModuleFacts, discarded: Discarded) -> Fix | None:
    """Write `@` before a wrapper that is a statement right above a function.

    Raises:
        NoFixError: it shares its line with something else, or would wrap what is no function.
    """
    function = discarded.function
    wrapping = facts.wrappings.wrapping(discarded.node)
    if function is None or wrapping is None or function.is_lambda:
        raise NoFixError("there is no function below")
    draft = Draft(facts)
    _insert_sign(draft, discarded, function)
    wrapped = Wrapped(discarded.node, wrapping.wrapper, (function.node,), wrapping.bound, function)
    static = facts.values.statics(wrapped, function)
    if static is None:
        raise NoFixError("the static arguments are not visible")
    gives = Purity(facts).of_function(function, dict.fromkeys(static, Gives.PYTHON))
    if wrapping.wrapper.name.endswith("pmap") or function.outer is not None:
        gives = Gives.FAILS  # it takes arrays with one axis more, or would compile again on each call
    instance = function.parameters[0].name if function.cls is not None and function.parameters else ""
    if instance and instance not in static and not facts.names.is_static(function):
        gives = Gives.FAILS  # the instance would be an argument
    condition = eager.reason(draft.syntax, draft.syntax.at(draft.span(function.node), *DEFS))
    level = _LEVELS.get(gives, Applicability.UNSAFE if condition else Applicability.SAFE)
    message = f"Decorate `{function.name}` with `@{facts.short_code(discarded.node)}`"
    return draft.fix(level, message, condition if level is Applicability.UNSAFE else "")


def _insert_sign(draft: Draft, discarded: Discarded, function: Function) -> None:
    """Make a decorator of the statement: where it is, or below `@staticmethod`, which stays outside."""
    syntax, source = draft.syntax, draft.source
    statement = syntax.statement(syntax.at(draft.span(discarded.node)))
    span = draft.span(statement)
    row, column = source.position(span.start)
    rest = source.text[span.end : source.row_span(source.position(span.end)[0]).end].strip()
    if source.line(row)[: column - 1].strip() or (rest and not rest.startswith("#")):
        raise NoFixError("the statement shares its line with another")
    if not function.decorators:
        draft.insert(span.start, "@")
        return
    node = syntax.at(draft.span(function.node), *DEFS)
    if not draft.facts.names.is_static(function) or len(function.decorators) != 1 or rest:
        raise NoFixError("other decorators are between")
    (gone,) = removal(syntax, {statement: rows(syntax, statement, comments=False)})
    draft.delete(gone)
    margin = indentation(syntax, node) if isinstance(node, ast.stmt) else ""
    draft.insert(draft.span(node).start, f"@{draft.code(discarded.node)}\n{margin}")
