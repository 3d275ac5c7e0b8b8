"""An array grows in each turn of a loop.

## What it does
Reports `jnp.append`, `concatenate`, `hstack`, `vstack` and `block` in a loop outside any trace, whose result goes
back under the name of one of their arguments, or in a method under an attribute (`self.x = jnp.concatenate([self.x,
new])`); `jnp.stack(parts)` and the like in a loop that appends to the list `parts`; and what is indexed by a list
that a loop makes longer or shorter.

## Why it is slow
Each turn meets a new shape, and XLA compiles the operation for every one: two programs a turn. It also copies all
that is there, so the time grows with the square of the turns.

## Example
```python
def collect(x, n):
    history = x
    for _ in range(n):
        x = step(x)
        history = jnp.concatenate([history, x])
    return history
```

## Use instead
```python
def collect(x, n):
    history = [x]
    for _ in range(n):
        x = step(x)
        history.append(x)
    return jnp.concatenate(history)
```

## When it stays silent
For a window of one length (`jnp.concatenate([x[1:], new])`), for what is cut to a length again and for what each turn
binds anew; for lists that are emptied, made anew in each turn, or joined in some turns only; in `__init__` and other
set-up; over a literal `range` of 8 or less; in code that something traces; where a compiled function receives the
array, which is JAX501.

## Fix safety
Unsafe: the parts are collected in a list and joined behind the loop; where the loop does not turn at all, what is no
array of JAX becomes one. None is offered where the loop uses the array otherwise: it needs an array of the full size,
and how large that is the author knows.

## References
- JAX documentation, "Just-in-time compilation": JIT and caching
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.eager.growing import Growing
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX404",
    name="growing-array",
    summary="an array grows in each iteration of a loop",
    impact=Impact.PER_VALUE,
    since="0.1.0",
    words=frozenset({"concatenate", "concat", "hstack", "vstack", "stack", "block", "jnp.append"}),
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the calls that make an array longer in each iteration."""
    for growing in facts.growing:
        if growing.by_index:
            instead = "pad the index to one length and mask"
        else:
            instead = "collect the parts in a list and join them once, or write into a preallocated array"
        message = f"{growing.what}, so each new length recompiles; {instead}"
        fixes = functools.partial(_fixes, facts, growing)
        yield Report(growing.node, message, facts.evidence.growth(growing), fixes=fixes)


def _fixes(facts: ModuleFacts, growing: Growing) -> Iterator[Fix]:
    from jaxlint.fixes import edits
    from jaxlint.fixes.growing import joined_once

    return edits.offered(lambda: joined_once(facts, growing))
