"""Passing arguments to a jitted function as an earlier call does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.moved_code.captures import is_constant
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import comments_in
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Mixed
    from jaxlint.facts.module import ModuleFacts


def as_before(facts: ModuleFacts, mixed: Mixed) -> Fix | None:
    """Write the arguments of a call in the way in which the other call, which passes the same values, writes them.

    Raises:
        NoFixError: the order in which the arguments are evaluated would matter, or a comment would be lost.
    """
    draft = Draft(facts)
    call, other = (draft.syntax.at(draft.span(one.node), ast.Call) for one in (mixed.call, mixed.other))
    if not isinstance(call, ast.Call) or not isinstance(other, ast.Call):
        raise NoFixError("not a call")
    given, before = ([*one.args, *(keyword.value for keyword in one.keywords)] for one in (call, other))
    plain = all(isinstance(value, (ast.Name, ast.Attribute)) or is_constant(value) for value in (*given, *before))
    if not plain and list(map(ast.dump, given)) != list(map(ast.dump, before)):
        raise NoFixError("arguments that compute something")
    written = [draft.code(item) for item in (*other.args, *other.keywords)]
    if not written:
        raise NoFixError("the other call gives nothing")
    last = given[-1] if given else call.func
    inside = Span(draft.span(call.func).end, draft.span(call).end)
    if comments_in(draft.syntax, inside) or draft.span(last).end > inside.end:
        raise NoFixError("a comment would be lost")
    draft.replace(inside, f"({', '.join(written)})")
    return draft.fix(Applicability.SAFE, f"Pass `{mixed.parameter.name}` as the other call does")
