"""What the rules on Python loops under trace share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules import _staged

if TYPE_CHECKING:
    from jaxlint.facts.loops import Unrolled
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

WORDS = _staged.WORDS
CUES = frozenset({"while", "range", "enumerate"})
"""With these words in code that something traces, a loop may matter; see the outline's `LOOP_WORDS`."""


def fixes(facts: ModuleFacts, unrolled: Unrolled) -> Iterator[Fix]:
    """Yield the loops of jax that a Python loop may become."""
    from jaxlint.fixes import edits, loops

    return edits.offered(lambda: loops.as_jax_loop(facts, unrolled))
