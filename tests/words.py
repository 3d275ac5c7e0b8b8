"""The words that messages, help texts, pages and docstrings do without; `docs/style.md` says how we write.

Each pattern comes with what to write instead.
"""

from __future__ import annotations

import re

EVERYWHERE = {
    r"\b(?:in|out of) sight\b": "visible, in the code jaxlint sees",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\banew\b": "new on each call, again",
    r"\b(?:an?|each|every|one|per|the|this|that|another|next|first|last|single|many|few|of) turns?\b": "iteration",
    r"\bturns (?:of|are|in)\b|\bturn's\b": "iterations",
    r"\b(?:stands?|standing|stood)\b(?! out| in for)": "is; means",
    r"\bcompile wrappers?\b": "`jax.jit` and similar wrappers",
    r"\bcompiled functions?\b": "jitted function",
    r"\b(?:its|their) kin\b": "and similar",
    r"\bheed(?:s|ed)?\b": "read, respect",
    r"\bcures?\b": "fix",
    r"\bhand(?:s|ed) (?:it |them |what |on\b|over\b|back\b)": "pass, return",
    r"\bspeaks? (?:for|against|of)\b": "evidence for, evidence against, is about",
    r"\bwithout a word\b": "silently",
    r"\bprograms fill memory\b": "the programs accumulate in memory",
    r"\bg(?:ive|ives|ave) back\b": "return",
}
"""Not in messages, help texts, pages or docstrings."""

IN_PROSE = {r"\brows?\b": "line"}
"""Not in messages, help texts or pages; an array has rows, and so has a table."""


def found(text: str, *lists: dict[str, str]) -> list[str]:
    """Return each of the words that a text has, with what to write instead."""
    problems = []
    for patterns in lists:
        for pattern, instead in patterns.items():
            problems += [
                f"{' '.join(match[0].split())!r}: write {instead!r}"
                for match in re.finditer(pattern, text, re.IGNORECASE)
            ]
    return problems
