"""A weakly typed value comes back strongly typed.

## What it does
Reports the start value of a loop's carry that is a Python number, or an array made of one without a dtype, where the
compiled function that the loop calls gives back a strongly typed array.

## Why it is slow
The first turn traces for a weak type, the second for a strong one: the function compiles twice.

## Example
```python
def integrate(readings):
    total = 0.0
    for reading in readings:
        total = accumulate(total, reading)
    return total
```

## Use instead
```python
def integrate(readings):
    total = jnp.zeros((), readings.dtype)
    for reading in readings:
        total = accumulate(total, reading)
    return total
```

## When it stays silent
Where the function combines the carry with Python numbers alone, or a fraction with whole numbers, so that it stays
weak; where the start has a dtype; in code that something traces.

## Fix safety
Unsafe: where the loop does not turn at all, an array is given and no longer a number. The start gets the type that
comes back; where that is out of sight, a fraction gets JAX's type for `float`, which is wrong for arrays of half
precision. A whole number gets a type only where it is in sight.

## References
- JAX documentation, "Type promotion semantics": weakly typed values
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Carry
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX502",
    name="weak-type-carry",
    summary="a weakly typed value comes back strongly typed",
    impact=Impact.PER_VALUE,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the weak start values of carries."""
    for carry in facts.arguments.weak_carries:
        message = (
            f"`{carry.name}` starts weakly typed and `{carry.call.name}` returns it strongly typed, so the second call "
            f"recompiles; give the initial value a dtype, as in `jnp.zeros((), jnp.float32)`"
        )
        fixes = functools.partial(_fixes, facts, carry)
        yield Report(carry.node, message, facts.evidence.carry(carry.call), fixes=fixes)


def _fixes(facts: ModuleFacts, carry: Carry) -> Iterator[Fix]:
    from jaxlint.fixes import carries, edits

    return edits.offered(lambda: carries.typed(facts, carry))
