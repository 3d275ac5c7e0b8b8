"""A static argument is a new object on each call.

## What it does
Reports calls of visible jitted functions that pass a lambda, a nested function, a `functools.partial`, a new optimizer,
or a new object that compares by identity to a static parameter; also where a function of JAX is jitted, as in
`jax.jit(lax.map, static_argnums=0)(lambda x: 2 * x, xs)`.

## Why it is slow
JAX compares static arguments with those of earlier calls. A new object equals none of them, so every call recompiles,
and the programs accumulate in memory.

## Example
```python
@functools.partial(jax.jit, static_argnames="response")
def dose_curve(doses, response):
    return jnp.cumsum(response(doses))

def screen(doses, n):
    return dose_curve(doses, response=functools.partial(hill, k=2.0, n=n))
```

## Use instead
```python
@jax.jit
def dose_curve(doses, k, n):
    return jnp.cumsum(hill(doses, k, n))

def screen(doses, n):
    return dose_curve(doses, 2.0, n)
```

## When it stays silent
For module-level functions, bound methods (which compare by value here), tuples, strings, numbers and frozen
dataclasses; if the object lives as long as the module; in traced code.

At confidence `low`: the object is created once and used in a loop; the function runs once.

## Fix safety
An object that captures nothing is created once, at module level: a lambda or a nested function, a partial, an
optimizer, an instance. Safe, except for an instance of a visible class, for an object that holds a list or a dict, and
for functions that read something that may change. There is no fix if anything is captured: it has to become an
argument.

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
    code="JAX203",
    name="fresh-static-argument",
    summary="a static argument is a new object on each call",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the static arguments that equal no other."""
    for given in facts.arguments.fresh:
        function = given.call.context.function
        when = "in each iteration of the loop" if given.in_loop else _short_lived.on_each_call(function)
        message = (
            f"{given.label} of `{given.call.name}` is static and gets {given.what}, so `{given.call.name}` recompiles "
            f"{when}; create the object once, at module level, or pass what it holds as traced arguments"
        )
        fixes = functools.partial(_fixes, facts, given)
        yield Report(given.node, message, facts.evidence.argument(given), fixes=fixes)


def _fixes(facts: ModuleFacts, given: Given) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import fresh
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: fresh.made_once(facts, given))
