"""A loop clears the caches that its next iteration needs.

## What it does
Reports `jax.clear_caches()` and `f.clear_cache()` in a loop that calls jitted code again.

## Why it is slow
All compiled programs are dropped, so each iteration traces and compiles the same programs again: seconds instead of
microseconds.

## Example
```python
def train(params, batches):
    for batch in batches:
        params = step(params, batch)
        jax.clear_caches()
    return params
```

## Use instead
```python
def train(params, batches):
    for batch in batches:
        params = step(params, batch)
    return params
```
If memory grows from iteration to iteration, something compiles in each: find it with `jaxlint run`. If programs really
differ, clear the caches between the parts that share none.

## When it stays silent
Beside a timer, which suggests that compilation is being measured; if a condition or an exception decides when to clear;
if nothing in the loop is jitted, as far as the code jaxlint sees shows.

## Fix safety
There is no fix: the call is there for a reason that has to be found first.

## References
- JAX documentation, `jax.clear_caches`
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX406",
    name="caches-cleared-in-loop",
    summary="a loop clears the caches that its next iteration needs",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=frozenset({"clear_caches", "clear_cache", "_clear_cache", "clear_backends"}),
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the calls that empty caches in each iteration."""
    for cleared in facts.cleared:
        again = facts.short_code(cleared.again.func)
        message = (
            f"`{facts.short_code(cleared.node)}` clears the compile cache in each iteration, so `{again}` recompiles "
            f"in the next; remove it, or clear once after the loop"
        )
        evidence = facts.evidence.place(facts.tree.context(cleared.node), in_loop=True)
        related = ((cleared.again, "recompiles in each iteration"),)
        yield Report(cleared.node, message, evidence, related)
