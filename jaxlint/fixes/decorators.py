"""A decorator that lost its `@` gets it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.facts.wrapping import Wrapped
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.edits import Draft
from jaxlint.fixes.purity import Gives, Purity
from jaxlint.fixes.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.discarded import Discarded
    from jaxlint.facts.module import ModuleFacts


def put_back(facts: ModuleFacts, discarded: Discarded) -> Fix | None:
    """Write `@` before a wrapper that stands as a statement right above a function.

    Raises:
        NoFixError: it shares its row with something else.
    """
    function = discarded.function
    wrapping = facts.wrappings.wrapping(discarded.node)
    if function is None or wrapping is None or function.is_lambda:
        raise NoFixError("there is no function below")
    draft = Draft(facts)
    statement = draft.syntax.statement(draft.syntax.at(draft.span(discarded.node)))
    span = draft.span(statement)
    row, column = draft.source.position(span.start)
    rest = draft.source.text[span.end : draft.source.row_span(draft.source.position(span.end)[0]).end].strip()
    if draft.source.line(row)[: column - 1].strip() or (rest and not rest.startswith("#")):
        raise NoFixError("the statement shares its row with another")
    draft.insert(span.start, "@")
    wrapped = Wrapped(discarded.node, wrapping.wrapper, (function.node,), wrapping.bound, function)
    static = facts.values.statics(wrapped, function)
    if static is None:
        raise NoFixError("the static arguments are not in sight")
    gives = Purity(facts).of_function(function, dict.fromkeys(static, Gives.PYTHON))
    if wrapping.wrapper.name.endswith("pmap") or function.outer is not None:
        gives = Gives.FAILS  # it takes arrays with one axis more, or would compile again on each call
    level = {Gives.FAILS: Applicability.DISPLAY, Gives.DOUBTFUL: Applicability.UNSAFE}.get(gives, Applicability.SAFE)
    return draft.fix(level, f"Decorate `{function.name}` with `@{facts.short_code(discarded.node)}`")
