"""What the rules on Python loops under trace share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules import _staged

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.values.loops import Unrolled
    from jaxlint.finding import Fix

WORDS = _staged.WORDS
CUES = frozenset({"while", "range", "enumerate"})
"""With these words in code that something traces, a loop may matter; see `jaxlint.triage`."""


def name(unrolled: Unrolled) -> str:
    """Name a loop."""
    return "this comprehension" if unrolled.loop.is_comprehension else "this Python loop"


def instead(unrolled: Unrolled) -> str:
    """Say what to write instead of a loop."""
    if unrolled.bound == "host":
        return "run the loop outside, and pass the arrays it collects to the jitted function"
    if unrolled.loop.is_comprehension and not unrolled.ragged:
        return "use `jax.vmap` or broadcasting"
    if unrolled.ragged:
        return "pad or mask the iterations to one shape, then use `jax.vmap` or `jax.lax.scan`"
    return "use `jax.lax.scan` or `jax.lax.fori_loop`, or `jax.vmap` if iterations are independent"


def fixes(facts: ModuleFacts, unrolled: Unrolled) -> Iterator[Fix]:
    """Yield the loops of JAX that a Python loop may become."""
    from jaxlint.fixes.loops import loops
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: loops.as_jax_loop(facts, unrolled))
