"""A jitted function gets the same argument by position and by keyword.

## What it does
Reports calls of one jitted function, in one function, with the same arguments, of which one is passed by position in
one call, by keyword in another, or left to its default.

## Why it is slow
The way arguments are passed is part of the cache key: each way is traced and compiled separately.

## Example
```python
def spectrum(w):
    return blackbody(w, 5800.0) + blackbody(w, temperature=5800.0)
```

## Use instead
```python
def spectrum(w):
    return blackbody(w, 5800.0) + blackbody(w, 5800.0)
```

## When it stays silent
If the values differ in the source; for calls with `*args`; in code that something traces.

## Fix safety
Safe: the call is written like the earlier one, which passes the same values. There is no fix if an argument that is
computed would be computed earlier, later or not at all.

## References
- JAX documentation, "Just-in-time compilation": JIT and caching
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Mixed
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX503",
    name="mixed-call-style",
    summary="a jitted function gets the same argument by position and by keyword",
    impact=Impact.PER_VALUE,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the calls that pass a value in another way than an earlier call."""
    for mixed in facts.arguments.mixed:
        name = mixed.parameter.name
        message = (
            f"`{mixed.call.name}` gets `{name}` differently than in an earlier call (by position, keyword or default), "
            f"so it compiles twice; pass it the same way each time"
        )
        related = ((mixed.other.node, "the other call is here"),)
        fixes = functools.partial(_fixes, facts, mixed)
        yield Report(mixed.call.node, message, facts.evidence.carry(mixed.call), related, fixes)


def _fixes(facts: ModuleFacts, mixed: Mixed) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import styles
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: styles.as_before(facts, mixed))
