"""Giving the start of a carry the type with which it comes back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Carry
    from jaxlint.facts.module import ModuleFacts


def typed(facts: ModuleFacts, carry: Carry) -> Fix | None:
    """Write `jnp.asarray(0.0, dtype=...)` where a carry starts as a number, or as an array made of one.

    The type is the one that comes back; where that is not visible, a fraction gets JAX's type for `float`, which is
    right but for arrays of another precision.

    Raises:
        NoFixError: it starts as a whole number, and nothing shows the type that comes back.
    """
    draft = Draft(facts)
    node = draft.syntax.at(draft.span(carry.node), ast.expr)
    number = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else node
    if carry.dtype:
        dtype = draft.name(f"jax.numpy.{carry.dtype}", node)
    elif isinstance(number, ast.Constant) and isinstance(number.value, float):
        dtype = "float"
    else:
        raise NoFixError("nothing shows the type")
    if isinstance(node, ast.Call):
        draft.insert(draft.span(number).end, f", dtype={dtype}")
    else:
        draft.replace(node, f"{draft.name('jax.numpy.asarray', node)}({draft.code(number)}, dtype={dtype})")
    return draft.fix(
        Applicability.UNSAFE, f"Start `{carry.name}` with the type that is returned", "the result must have that type"
    )
