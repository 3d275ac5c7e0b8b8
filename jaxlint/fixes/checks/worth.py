"""A fix is offered where the finding is worth one: code that runs once, or is traced anyway, gains nothing by it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.facts.evidence.confidence import Doubt
from jaxlint.facts.jax_api.wrappers import table
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.text.scopes import DEFS

if TYPE_CHECKING:
    from jaxlint.facts.evidence.confidence import Evidence
    from jaxlint.fixes.checks.change import Change

_IDLE = (Doubt.ONE_SHOT, Doubt.CALLED_ONCE, Doubt.MEASURED, Doubt.IMMATERIAL, Doubt.LIGHT)
"""What says that code costs next to nothing where it is."""


def reason(change: Change, evidence: Evidence) -> str:
    """Say why nobody would want a fix that adds to the code; empty where it is worth it."""
    adds = change.inserted or change.decorated
    if not adds or evidence.error:
        return ""
    if Doubt.EAGERNESS in evidence.doubts and (_compiles(change) or _names_lambdas(change) or _is_private(change)):
        return "worth it only if this runs outside a trace"
    if evidence.in_loop or (evidence.repeated and Doubt.CALLED_ONCE not in evidence.doubts):
        return ""
    if evidence.run_once:
        return "worth it only if its function runs more than once"
    idle = next((doubt for doubt in _IDLE if doubt in evidence.doubts), None)
    if idle is not None:
        return f"hardly worth it, as {idle.value}"
    return ""


def is_in_test(change: Change, evidence: Evidence) -> bool:
    """Whether a fix adds to a test, whose loops go through a few cases."""
    return evidence.test and bool(change.inserted or change.decorated) and not evidence.error


def _is_private(change: Change) -> bool:
    """Whether the code is in a function that only its package calls, so that a trace of the package reaches it."""
    around = change.syntax.around(change.place) if change.place is not None else ()
    names = [node.name for node in around if isinstance(node, DEFS)]
    return bool(names) and names[-1].startswith("_") and not names[-1].endswith("__")


def _names_lambdas(change: Change) -> bool:
    """Whether the fix writes functions for what was written in place, rather than to move functions."""
    new = sum(isinstance(node, DEFS) for node in change.inserted)
    return new > sum(isinstance(node, DEFS) for node in change.gone)


def _compiles(change: Change) -> bool:
    """Whether the fix adds a jitted function, which is only a call more where the code is traced."""
    decorators = [d for _, added in change.decorated for d in added]
    decorators += [d for node in change.inserted if isinstance(node, DEFS) for d in node.decorator_list]
    rows = table(change.facts.settings)
    for node in decorators:
        parts = [node.func, *node.args] if isinstance(node, ast.Call) else [node]
        if any((row := rows.get(dotted(change.scopes, part))) is not None and row.compiles for part in parts):
            return True
    return False
