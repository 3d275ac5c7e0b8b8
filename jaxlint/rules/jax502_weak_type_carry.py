"""A weakly typed value is returned strongly typed.

## What it does
Reports the initial value of a loop's carry that is a Python number, or an array built from one without a dtype, if the
jitted function that the loop calls returns a strongly typed array.

## Why it is slow
The first iteration traces for a weak type, the second for a strong one: the function compiles twice.

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
If the function combines the carry with Python numbers alone, or a float with integers, so that it stays weakly typed;
if the initial value has a dtype; in code that something traces.

## Fix safety
Unsafe: if the loop never runs, the result is an array and no longer a number. The initial value gets the dtype that is
returned; if that is not visible, a float gets JAX's default float dtype, which is wrong for half-precision arrays. An
integer gets a dtype only if the returned one is visible.

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
        related = ((carry.call.node, f"`{carry.name}` is passed to `{carry.call.name}` here"),)
        yield Report(carry.node, message, facts.evidence.carry(carry.call), related, fixes)


def _fixes(facts: ModuleFacts, carry: Carry) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import carries
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: carries.typed(facts, carry))
