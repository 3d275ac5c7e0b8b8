"""A jitted function gets a different shape in each iteration of a loop.

## What it does
Reports calls of jitted functions in a loop with an array whose shape changes between iterations: it grows, it is made
of a list that grows, it is sliced by the loop variable, built from it, as long as a random number says, or selected by
a mask, as are the elements of the list that is iterated over; or the function itself, or a helper that it calls,
returns it longer, by itself or in a tuple, as a cache of keys and values. Also reports, in a loop or not, arrays built
from a list that was filled until something happened: the steps of an episode.

## Why it is slow
Each shape is a program of its own, so every iteration compiles.

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
For slices of constant width (`x[i : i + 8]`), whose ragged tail costs one more program; over a literal of eight
elements or fewer; for arrays that are padded or cut to one length; for the parts of `array_split`, which have at most
two lengths; in code that something traces.

At confidence `low`: a plain conversion of the loop variable, or an array as long as it, as elements may well have one
length.

## Fix safety
There is no fix yet.

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
            f"`{given.name}` of `{given.call.name}` {given.what}, so each new shape recompiles `{given.call.name}`; "
            f"pad to one or a few sizes and mask"
        )
        yield Report(given.call.node, message, facts.evidence.argument(given))
