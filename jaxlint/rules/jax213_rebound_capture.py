"""A name that a jitted function closes over changes after it was read.

## What it does
Reports names of an enclosing scope that a jitted function reads, if visible code binds them again between two calls, or
sets an item of the list or dictionary that they hold; and a global that the jitted function itself changes.

## Why it is wrong
It is not slow, it is silently wrong. What a jitted function closes over is read once, while tracing, and becomes part
of the program. Later assignments have no effect until something else makes it trace again.

## Example
```python
learning_rate = 0.1

@jax.jit
def step(w, g):
    return w - learning_rate * g

def train(w, g, epochs):
    global learning_rate
    for _ in range(epochs):
        w = step(w, g)
        learning_rate *= 0.9
    return w
```

## Use instead
```python
@jax.jit
def step(w, g, learning_rate):
    return w - learning_rate * g

def train(w, g, epochs):
    learning_rate = 0.1
    for _ in range(epochs):
        w = step(w, g, learning_rate)
        learning_rate *= 0.9
    return w
```

## When it stays silent
The name changes only before the first call or after the last one, as far as visible code shows; the function is defined
again in the same iteration; only a shape, a message or a counter of traces uses the name; the code that changes it
clears the cache; `f = jax.jit(f)`, which leaves `f` as it was.

## Fix safety
There is no fix yet.

## References
- JAX documentation, "Common gotchas in JAX": pure functions
- <https://github.com/jax-ml/jax/issues/1426>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX213",
    name="rebound-capture",
    summary="a name that a jitted function closes over changes after it was read",
    impact=Impact.STALE,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the names that jitted functions read once and that change between calls."""
    for rebound in facts.rebound:
        function, changer = rebound.function, rebound.change.context.function
        jitted = "the jitted lambda" if function.is_lambda else f"`{function.name}`"
        named = changer is not None and changer is not function and not changer.is_lambda
        where = f" in `{changer.name}`" if named and changer is not None else ""
        message = (
            f"`{rebound.use.value}` is read once, when {jitted} is traced, so its change{where} is silently ignored; "
            f"pass it as an argument"
        )
        related = ((rebound.change.node, "it is changed here"),)
        yield Report(rebound.use, message, facts.evidence.rebound(rebound), related)
