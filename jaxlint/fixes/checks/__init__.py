"""What safe means: the conditions under which a fix may be applied unseen, each a fact about the code.

`judged` is asked once for each fix, whoever built it, and looks at what the fix changes and at nothing that its builder
says.  What holds of a safe fix:

- **A function moves with all that refers to it** (`identity`).  Attributes that are set on it, the rules of a custom
  derivative, registrations and a decorator's memory belong to one function object; one that lives longer, or is shared
  by all calls, is another object.
- **Nothing is evaluated at import that was evaluated later** (`at_import`), except constants, names that are bound
  unconditionally above, and the documented wrappers over them: other code may raise, start a backend, make an array of
  the wrong type, or see another `jax.jit` than the one in the `with` that it was written in.
- **Nothing is shared that somebody can change** (`state`).  A jitted function keeps what it read when it was traced,
  so that what moved code reads must be the same at each call, by whatever name it may be changed.
- **A type that JAX cannot take is no argument and no result, and rounding stays the same** (`eager`), where code is
  compiled that was not.

- **It is worth it** (`worth`): what adds to code that runs once, or is likely traced anyway, is for somebody
  to decide.

What cannot be shown is unsafe, and the fix says what was not; what is known to differ is for display only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.evidence.confidence import Evidence
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix


class KnownToDifferError(Exception):
    """The code means something else after a fix; the text says why."""


def judged(facts: ModuleFacts, node: cst.CSTNode, fix: Fix, evidence: Evidence) -> Fix:
    """Return a fix with what may be claimed of it, and the reason where that is less than its builder claimed.

    Args:
        facts: the module's.
        node: the place of the finding.
        fix: what a builder made for it.
        evidence: that for and against the finding; an error is gone after the fix.
    """
    if fix.applicability is Applicability.DISPLAY or not fix.edits:
        return fix
    # Here, because most files have no fix.
    from jaxlint.fixes.checks import at_import, errors, identity, state, worth
    from jaxlint.fixes.checks.change import Change
    from jaxlint.fixes.text.syntax import NoFixError

    safe = fix.applicability is Applicability.SAFE
    reasons: list[str] = []
    try:
        change = Change.of(facts, node, fix)
        if worth.is_in_test(change, evidence):
            return replace(
                fix, applicability=Applicability.DISPLAY, condition="not worth it in a test, which runs once"
            )
        reasons = [identity.reason(change), at_import.reason(change)]
        if safe:
            reasons += [state.reason(change, raises=evidence.error), errors.reason(change) if evidence.error else ""]
            reasons = reasons if any(reasons) else [worth.reason(change, evidence)]
    except KnownToDifferError as error:
        return replace(fix, applicability=Applicability.DISPLAY, condition=str(error))
    except NoFixError as error:
        reasons = [str(error)] if safe else []
    reasons = [reason for reason in reasons if reason]
    if not reasons:
        return fix
    # What is unsafe to its builder keeps the condition that it has.
    given = [fix.condition] if fix.condition and not safe else []
    condition = "; ".join(dict.fromkeys([*given, *reasons]))
    return replace(fix, applicability=Applicability.UNSAFE, condition=condition)
