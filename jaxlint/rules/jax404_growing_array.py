"""An array grows in each iteration of a loop.

## What it does
Reports `jnp.append`, `concatenate`, `hstack`, `vstack` and `block` in a loop outside any trace whose result is bound to
the name of one of their arguments, or in a method to an attribute (`self.x = jnp.concatenate([self.x, new])`);
`jnp.stack(parts)` and similar calls in a loop that appends to the list `parts`; and arrays indexed by a list that a
loop makes longer or shorter.

## Why it is slow
Each iteration has a new shape, and XLA compiles the operation for every one: two programs per iteration. It also copies
the whole array, so the time grows with the square of the number of iterations.

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
For a window of constant length (`jnp.concatenate([x[1:], new])`), for an array that is cut to a fixed length again or
rebound in each iteration; for lists that are cleared, created in each iteration, or joined in some iterations only; in
`__init__` and other set-up; over a literal `range` of 8 or fewer; in code that something traces; if a jitted function
receives the array, which is JAX501.

At confidence `low`: an attribute that each call of a method makes longer, as nothing shows how often users call it; if
each iteration reads a file, or fits or solves something that does not grow, or takes a chunk of the data
(`range(0, len(x), size)`) in a loop that nothing repeats; if the code shows fewer than 16 iterations.

## Fix safety
Unsafe: the parts are collected in a list and joined after the loop; if the loop never runs, a value that is not a JAX
array becomes one. There is no fix if the loop uses the array otherwise: it needs a preallocated array, whose size only
you know.

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
        elif growing.is_list:
            instead = "join the list once after the loop, or write into a preallocated array"
        elif growing.is_read:
            instead = "write into a preallocated array, and mask what is not filled yet"
        else:
            instead = "collect the parts in a list and join them once, or write into a preallocated array"
        message = f"{growing.what}, so each new length recompiles; {instead}"
        fixes = functools.partial(_fixes, facts, growing)
        hindered = facts.avoidable.hindrances(growing.loop) if growing.loop is not None else frozenset()
        yield Report(growing.node, message, facts.evidence.growth(growing, hindered), fixes=fixes)


def _fixes(facts: ModuleFacts, growing: Growing) -> Iterator[Fix]:
    from jaxlint.fixes.loops.growing import joined_once
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: joined_once(facts, growing))
