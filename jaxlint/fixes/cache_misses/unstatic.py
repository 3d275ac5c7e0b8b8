"""A parameter that need not be static is traced: it is taken out of the options that name it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import Expression, External
from jaxlint.facts.syntax.tree import Class, Function, Parameter, last_name
from jaxlint.facts.values.compiled_calls import CompiledCall
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.errors.statics import BOUND_TO_ORDER, elements_of, literal_of, number_of, option_of
from jaxlint.fixes.text import options
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Given
    from jaxlint.facts.module import ModuleFacts

_NOT_TRACED = frozenset({"str", "bool", "Callable", "Literal", "type", "Type", "tuple", "Tuple", "Enum", "DTypeLike"})
"""Annotations of what cannot be traced, or was meant for Python."""


def left_to_be_traced(facts: ModuleFacts, given: Given, *, array: bool = False) -> Fix | None:
    """Return the fix that makes a parameter traced, where nothing visible needs its value in Python.

    `array` says that it is given an array, which fails as it is; else it is given numbers.

    Raises:
        NoFixError: something may need the value, or the option is not visible.
    """
    if given.parameter is None or not isinstance(given.call, CompiledCall):
        raise NoFixError("it is compiled in another file")
    parameter, wrapped = given.parameter, given.call.wrapped
    if not facts.traceable.parameter(parameter, array=array):
        raise NoFixError("Python may need its value")
    _refuse_what_cannot_be_traced(facts, parameter, array=array)
    draft = Draft(facts)
    _drop(draft, wrapped, parameter)
    # Python's numbers are as exact as they like, those of a traced one have 32 bits.
    return draft.fix(
        Applicability.UNSAFE, f"Make `{parameter.name}` a traced argument", "nothing may need its concrete value"
    )


def _refuse_what_cannot_be_traced(facts: ModuleFacts, parameter: Parameter, *, array: bool) -> None:
    """Refuse where the signature or a call says that the value is no number, nor an array."""
    annotation = parameter.annotation
    base = annotation.value if isinstance(annotation, cst.Subscript) else annotation
    if base is not None and last_name(base) in _NOT_TRACED:
        raise NoFixError("its annotation says that it is no data")
    if any(w.wrapper.name == "jax.grad" for w in facts.wrappings.all()) and "fori_loop" in facts.source.text:
        raise NoFixError("a loop with traced bounds has no gradient")
    values = [] if parameter.default is None else [parameter.default]
    for call in facts.compiled.calls:
        if call.function is parameter.function:
            argument = call.argument(parameter)
            values.extend([argument] if argument is not None else [])
    if not all(_may_be_traced(facts, value, array=array) for value in values):
        raise NoFixError("a call gives what is no data")


def _may_be_traced(facts: ModuleFacts, node: cst.BaseExpression, *, array: bool) -> bool:
    """Whether a value is not known to be anything but a number, or an array."""
    constant = facts.constants.of(node)
    if constant is not UNKNOWN:
        return isinstance(constant, (int, float)) and not isinstance(constant, bool)
    for value in facts.names.values(node):
        if isinstance(value, (Function, Class, External)):
            return False
        known = value.node if isinstance(value, Expression) else None
        if isinstance(known, (cst.Dict, cst.Set, cst.BaseString, cst.Lambda, cst.DictComp, cst.SetComp)):
            return False
        if isinstance(known, (cst.List, cst.Tuple, cst.ListComp)) and not array:
            return False
    return True


def _drop(draft: Draft, wrapped: Wrapped, parameter: Parameter) -> None:
    """Take a parameter out of the static ones of a wrapper.

    Raises:
        NoFixError: the options are not literal, or another one counts on the order of what is traced.
    """
    if any(wrapped.keyword(option) is not None for option in BOUND_TO_ORDER):
        raise NoFixError("another option has one entry per argument")
    names = {parameter.name, number_of(draft.facts, wrapped, parameter)} - {None}
    done = False
    for option in wrapped.wrapper.static:
        if wrapped.keyword(option) is None:
            continue
        call, keyword = option_of(draft, wrapped, option)
        found = elements_of(keyword.value)
        for node in found:
            if literal_of(node) not in names:
                continue
            done = True
            bare = _bare(draft, wrapped, call) if len(found) == len(call.keywords) == 1 else None
            if bare is not None:
                draft.replace(call, draft.code(bare))
            else:
                options.remove_item(draft, call, keyword, node)
    if not done:
        raise NoFixError("the option is no literal")


def _bare(draft: Draft, wrapped: Wrapped, call: ast.Call) -> ast.expr | None:
    """Return what is left of a decorator without options: `jax.jit` of `partial(jax.jit, ...)` and `jax.jit(...)`."""
    node = wrapped.node
    if wrapped.decorated is None or not isinstance(node, cst.Call) or draft.span(node) != draft.span(call):
        return None
    partial = "functools.partial" in draft.facts.names.externals(node.func)
    if len(call.args) != int(partial):
        return None
    return call.args[0] if partial else call.func
