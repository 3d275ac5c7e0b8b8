"""What the rules on Python loops under trace share."""

from __future__ import annotations

from jaxlint.rules import _staged

WORDS = _staged.WORDS
CUES = frozenset({"while", "range", "enumerate"})
"""With these words in code that something traces, a loop may matter; see the outline's `LOOP_WORDS`."""
