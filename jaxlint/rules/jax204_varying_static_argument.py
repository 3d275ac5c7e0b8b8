"""A static argument changes in each iteration of a loop.

## What it does
Reports calls of jitted functions in a loop that pass a value which changes with the iteration to a static parameter,
also by way of `jax.vmap` and similar transforms. With the view of the project, the function may be jitted in another
file.

## Why it is slow
Each value of a static argument is a program of its own: a loop of a thousand iterations compiles a thousand programs.

## Example
```python
@functools.partial(jax.jit, static_argnames="step")
def annealed(x, step):
    return x - jnp.sin(x) / (1.0 + step)

def anneal(x, n):
    for step in range(n):
        x = annealed(x, step)
    return x
```

## Use instead
```python
@jax.jit
def annealed(x, step):
    return x - jnp.sin(x) / (1.0 + step)
```

## When it stays silent
For the elements of a literal of eight or fewer and literal ranges of as many; for comparisons, strings, `i % k` and the
size of batches that are all alike but the last, `min(size, total - start)`, which have few values; in code that
something traces.

At confidence `low`: the values come from a container of unknown length, and the function needs them as concrete values;
or they are objects whose methods it calls, which are created once and are few.

## Fix safety
A parameter whose concrete value nothing visible needs (arithmetic, array functions, bounds of a `fori_loop`, an array
index) is traced instead. Unsafe: Python numbers are more exact than traced ones.

## References
- JAX documentation, `jax.jit`: static_argnums
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Given
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX204",
    name="varying-static-argument",
    summary="a static argument changes in each iteration of a loop",
    impact=Impact.PER_VALUE,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the static arguments that follow a loop."""
    for given in facts.arguments.varying:
        name = given.label
        instead = (
            f"make {name} a traced argument, as nothing visible needs its concrete value"
            if given.unneeded
            else f"make {name} a traced argument if it is only computed with, or restrict it to a few values"
        )
        message = (
            f"{given.label} of `{given.call.name}` is static and changes in each iteration, so each new value "
            f"recompiles `{given.call.name}`; {instead}"
        )
        fixes = functools.partial(_fixes, facts, given)
        yield Report(given.node, message, facts.evidence.argument(given), fixes=fixes)


def _fixes(facts: ModuleFacts, given: Given) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import unstatic
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: unstatic.left_to_be_traced(facts, given))
