"""Compiling what a transform makes of a function, and keeping it under a name of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.captures import is_constant
from jaxlint.fixes.edits import Draft
from jaxlint.fixes.reads import refuse_or_doubt
from jaxlint.fixes.scopes import scopes_of
from jaxlint.fixes.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.transforms import EagerTransform


def compiled(facts: ModuleFacts, transform: EagerTransform) -> Fix | None:
    """Bind `jax.jit(jax.grad(f))` above the code that calls `jax.grad(f)(x)`.

    Raises:
        NoFixError: the function is made in the call, or what it reads may change.
    """
    draft = Draft(facts)
    call = draft.syntax.at(draft.span(transform.node), ast.Call)
    function = transform.function
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Call):
        raise NoFixError("the transformed function has a name")
    if function.is_lambda or function.outer is not None or function.cls is not None:
        raise NoFixError("not a function of the module")
    made = call.func
    scopes = scopes_of(draft.syntax)
    if scopes.captured(made) or not all(map(is_constant, _options(made))):
        raise NoFixError("an option that is computed")
    top = draft.syntax.top(draft.span(made))
    node = draft.syntax.at(draft.span(function.node), ast.FunctionDef)
    if not isinstance(node, ast.FunctionDef) or draft.span(top).start < draft.span(node).end:
        raise NoFixError("the function is defined below")
    refuse_or_doubt(facts, draft.syntax, node)
    wrapper = "equinox.filter_jit" if transform.wrapped.wrapper.name.startswith("equinox.") else "jax.jit"
    name = draft.fresh("_".join(["", *_words(made), function.name.strip("_")]))
    draft.insert_above(top, f"{name} = {draft.name(wrapper, made)}({draft.code(made)})")
    draft.replace(made, name)
    return draft.fix(Applicability.UNSAFE, f"Compile `{draft.code(made)}` once, at module level")


def _options(made: ast.Call) -> list[ast.expr]:
    """Return what a transform is told besides its function, those of transforms within included."""
    inner = made.args[0] if made.args else None
    options = [*made.args[1:], *(keyword.value for keyword in made.keywords)]
    return options + (_options(inner) if isinstance(inner, ast.Call) else [])


def _words(made: ast.Call) -> list[str]:
    """Return the transforms, outermost first, as parts of a name."""
    func, inner = made.func, made.args[0] if made.args else None
    word = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else "transformed"
    return [word.removeprefix("filter_"), *(_words(inner) if isinstance(inner, ast.Call) else [])]
