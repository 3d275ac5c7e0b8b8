"""A compiled function is given another shape in each turn of a loop.

## What it does
Reports calls of compiled functions in a loop with an array whose shape changes from turn to turn: it grows, it is
sliced by the loop variable, built from it, or selected by a mask; or it comes back longer from the function itself.
In a loop or not, with what is made of a list that was filled until something happened: the steps of an episode.

## Why it is slow
Each shape is a program of its own, so every turn compiles.

## Example
```python
def generate(table, prompt, n_new):
    context = prompt
    for _ in range(n_new):
        context = jnp.append(context, next_token(table, context))
    return context
```

## Use instead
```python
def generate(table, prompt, n_new):
    context = jnp.zeros(len(prompt) + n_new, prompt.dtype).at[: len(prompt)].set(prompt)
    for length in range(len(prompt), len(prompt) + n_new):
        context = context.at[length].set(next_token(table, context, length))
    return context
```

## When it stays silent
For slices of constant width (`x[i : i + 8]`), of which one ragged tail costs one more program; over a literal of
eight elements or fewer; for what is padded or cut to one length; for parts that `array_split` gave, which have two
lengths at most; in code that something traces.

At confidence `low`: a plain conversion of the loop variable, or an array as long as it, as elements may well have one
length.

## Fix safety
No fix is offered yet.

## References
- JAX documentation, "Just-in-time compilation": JIT and caching
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX501",
    name="varying-shape",
    summary="a jitted function gets a different shape in each iteration of a loop",
    impact=Impact.PER_VALUE,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the calls whose arguments change their shape."""
    for given in facts.arguments.varying_shapes:
        message = (
            f"`{given.name}` of `{given.call.name}` {given.what}, so each new shape recompiles it; "
            f"pad to one or a few sizes and mask"
        )
        yield Report(given.call.node, message, facts.evidence.argument(given))
