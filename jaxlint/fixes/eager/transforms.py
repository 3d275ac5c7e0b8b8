"""Compiling what a transform makes of a function, and keeping it under a name of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Class, Function
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.eager.reached import Reached
from jaxlint.fixes.moved_code.captures import is_constant
from jaxlint.fixes.moved_code.programs import Results
from jaxlint.fixes.text.edits import Draft, applied
from jaxlint.fixes.text.scopes import scopes_of
from jaxlint.fixes.text.steps import facts_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.context.wrapping import Wrapped
    from jaxlint.facts.eager.transforms import EagerTransform
    from jaxlint.facts.module import ModuleFacts


def compiled(facts: ModuleFacts, transform: EagerTransform) -> Fix | None:
    """Bind `jax.jit(jax.grad(f))` above the code that calls `jax.grad(f)(x)`.

    Raises:
        NoFixError: the function is made in the call, or what it reads may change.
    """
    return _compiled(facts, transform.node, transform.wrapped, transform.function)


def compiled_gradient(facts: ModuleFacts, call: cst.Call) -> Fix | None:
    """Do the same for a call of what `jax.grad` or its like makes of a function.

    Raises:
        NoFixError: the call is another one, or as above.
    """
    for value in facts.names.values(call.func):
        wrapped = facts.wrappings.of(value.node) if isinstance(value, Expression) else None
        functions = facts.names.functions(wrapped.targets[0]) if wrapped is not None else ()
        if wrapped is not None and len(functions) == 1:
            return _compiled(facts, call, wrapped, functions[0])
    raise NoFixError("no gradient of a visible function")


def _compiled(facts: ModuleFacts, node: cst.Call, wrapped: Wrapped, function: Function) -> Fix | None:
    draft = Draft(facts)
    call = draft.syntax.at(draft.span(node), ast.Call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Call):
        raise NoFixError("the transformed function has a name")
    if function.is_lambda or function.outer is not None or function.cls is not None:
        raise NoFixError("not a function of the module")
    made = call.func
    scopes = scopes_of(draft.syntax)
    if scopes.captured(made) or not all(map(is_constant, _options(made))):
        raise NoFixError("an option that is computed")
    top = draft.syntax.top(draft.span(made))
    definition = draft.syntax.at(draft.span(function.node), ast.FunctionDef)
    if not isinstance(definition, ast.FunctionDef) or draft.span(top).start < draft.span(definition).end:
        raise NoFixError("the function is defined below")
    if any(_is_no_array(facts, argument.value) for argument in node.args):
        raise NoFixError("an argument that no program takes")
    Reached(facts, draft.syntax, (), [function]).check(())
    wrapper = "equinox.filter_jit" if wrapped.wrapper.name.startswith("equinox.") else "jax.jit"
    name = draft.fresh("_".join(["", *_words(made), function.name.strip("_")]))
    draft.insert_above(top, f"{name} = {draft.name(wrapper, made)}({draft.code(made)})")
    draft.replace(made, name)
    fix = draft.fix(Applicability.UNSAFE, f"Jit `{draft.code(made)}` once, at module level", ROUNDING)
    if fix is not None and any(keyword.arg == "has_aux" for keyword in made.keywords):
        _refuse_other_results(facts, fix, function.name)
    return fix


def _refuse_other_results(facts: ModuleFacts, fix: Fix, name: str) -> None:
    """Refuse where a function returns more beside its value than a compiled one may.

    Raises:
        NoFixError: it does.
    """
    after = facts_of(applied(facts.source.text, fix), facts)
    results = Results(after)
    functions = [f for f in after.tree.functions if f.name == name and f.outer is None and f.cls is None]
    if any(results.of(value) == "python" for function in functions for value in function.returns):
        raise NoFixError("it returns something other than arrays")


def _is_no_array(facts: ModuleFacts, node: cst.BaseExpression) -> bool:
    """Whether an argument is certainly nothing that a jitted function takes: a text, or a function."""
    if isinstance(facts.constants.of(node), str):
        return True
    return any(isinstance(value, (Function, Class)) for value in facts.names.values(node))


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
