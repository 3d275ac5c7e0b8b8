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


def instead(unrolled: Unrolled) -> str:
    """Say what to write instead of a loop."""
    if unrolled.bound == "host":
        return "run it outside, and give the jitted function the arrays that it collects"
    if unrolled.ragged:
        return "its iterations have different shapes: pad or mask them to one, then `jax.vmap` or `jax.lax.scan` fits"
    return "use `jax.lax.scan` or `jax.lax.fori_loop`, or `jax.vmap` if iterations are independent"


def fixes(facts: ModuleFacts, unrolled: Unrolled) -> Iterator[Fix]:
    """Yield the loops of jax that a Python loop may become."""
    from jaxlint.fixes import edits, loops

    return edits.offered(lambda: loops.as_jax_loop(facts, unrolled))
