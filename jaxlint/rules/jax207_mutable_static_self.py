"""An attribute of a static `self` changes after it was read.

## What it does
Reports attributes that a jitted method reads from its instance, if visible code changes them after `__init__`: in a
method with a static `self`, and in a bound method or inner function that is jitted and kept (`self._step =
jax.jit(self.step)`). Likewise attributes of an object that is passed as a static argument, if visible code changes them
between calls.

## Why it is wrong
It is not slow, it is silently wrong. To the jitted function the instance is a constant: attributes are read once, while
tracing, and their values become part of the program. Later assignments have no effect. `__eq__` and `__hash__` do not
help: the instance in the cache key is the very one that was changed, so it equals itself.

## Example
```python
class Pendulum:
    def __init__(self, length):
        self.length = length
        self.rate = 0.01

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, angle):
        return angle - self.rate * jnp.sin(angle) / self.length

    def settle(self, angle, steps):
        for _ in range(steps):
            angle = self.step(angle)
            self.rate *= 0.99
        return angle
```

## Use instead
```python
class Pendulum:
    def __init__(self, length):
        self.length = length
        self.rate = 0.01

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, angle, rate):
        return angle - rate * jnp.sin(angle) / self.length

    def settle(self, angle, steps):
        for _ in range(steps):
            angle = self.step(angle, self.rate)
            self.rate *= 0.99
        return angle
```
Or register the class as a pytree, so that its fields are traced.

## When it stays silent
The jitted function does not read what changes; the change is made by the constructor, by code that only the constructor
calls, or once, while there is no value yet; the code that changes it jits again (`self._step = jax.jit(self.step)`) or
clears the cache; the instance is changed before the first call.

At confidence `low`: a method that sets the instance up, judging by its name (`reset`, `load_weights`, `fit`), changes
it, and nothing visible calls that method after the jitted function.

## Fix safety
The attribute is passed as an argument, under the name of a parameter that gets it already, or a new one. Unsafe: the
results change, as they should.

## References
- JAX FAQ, "How to use jit with methods?"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.stale import StaleRead
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX207",
    name="mutable-static-self",
    summary="an attribute of a static `self` changes after it was read",
    impact=Impact.STALE,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the attributes that compiled methods read once and that change later."""
    for stale in facts.stale.reads:
        function, changer = stale.handle.function, stale.change.context.function
        compiled = "the jitted lambda" if function.is_lambda else f"`{function.name}`"
        where = f" in `{changer.name}`" if changer is not None and not changer.is_lambda else ""
        given = function.parameter(stale.read.path[-1])
        instead = f"use the argument `{given.name}`" if given is not None else "pass it as an argument"
        message = (
            f"`{facts.short_code(stale.read.node)}` is read once, when {compiled} is traced, so its change{where} is "
            f"silently ignored; {instead}"
        )
        related = ((stale.change.node, "it is changed here"),)
        fixes = functools.partial(_fixes, facts, stale) if stale.handle.parameter is None else tuple
        yield Report(stale.read.node, message, facts.evidence.stale(stale), related, fixes)


def _fixes(facts: ModuleFacts, stale: StaleRead) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import attributes
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: attributes.passed(facts, stale))
