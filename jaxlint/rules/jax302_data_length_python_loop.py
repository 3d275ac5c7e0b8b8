"""A Python loop under trace that is as long as the data.

## What it does
Reports a loop in a function that something compiles, where an axis of an array bounds it: the loop walks over the
array, or each iteration reads or updates an array at its own index.  A setting (a static argument, an attribute, a
configuration) counts where iterations index an array by their number, or where the values that its default and visible
callers give make the loop large.

A `while` that lasts until an object outside JAX says otherwise, as an environment does
(`obs, reward, done = env.step(action)`), counts as well: it runs once, while it is traced, and what it did is frozen
into the program.

## Why it is slow
The loop unrolls: the program, and the time to compile it, grow with the data, and each new length compiles again.

## Example
```python
@jax.jit
def smooth(signal):
    for i in range(1, signal.shape[0]):
        signal = signal.at[i].set(0.9 * signal[i - 1] + 0.1 * signal[i])
    return signal
```

## Use instead
```python
@jax.jit
def smooth(signal):
    def step(before, now):
        after = 0.9 * before + 0.1 * now
        return after, after

    return jnp.concatenate([signal[:1], jax.lax.scan(step, signal[0], signal[1:])[1]])
```

## When it stays silent
Axes of coordinates, channels or components, which are the trailing axis unless iterations look at their neighbours
along it; the parts of `jnp.split`, `meshgrid` or `tree.leaves`; bounds named after layers, heads, agents, stages, axes
and other parts, of which there are few; settings whose visible values make a small program; loops whose bound nothing
visible decides; lists and dictionaries of parameters; loops outside any trace or under a transform that compiles
nothing (JAX402), and those that would fail under a trace, as they end by a value or make Python's numbers of arrays;
what a test for tracers keeps traces from.  A number of iterations that the text shows is the business of JAX301.

At confidence `low`: a setting with no more than a telling name, such as `num_steps`; a parameter that may be an array
or a list of a few arrays; methods of modules that nothing visible compiles; a loop with a loop of jax in the other arm
of an `if`.

## Fix safety
A loop that counts becomes `jax.lax.fori_loop`, one over an array `jax.lax.scan`, where its turns only assign to names
and hand on plain values: names that have a value before the loop, and whose shape stays the same as far as the source
shows.  Unsafe: whether shapes and types stay is known for certain only when it runs, and if they do not JAX raises when
it traces, as it does where an axis of length 0 is indexed.  Only shown where something in sight speaks against it.

None is offered where Python needs the number of the turn (slices, lists, tests, `2**i`), where turns append to lists,
print or call what is not in sight, and where the function also runs outside any trace.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": Python control flow
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _loops

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.values.loops import Unrolled

RULE = Rule(
    code="JAX302",
    name="data-length-python-loop",
    summary="a Python loop under trace is as long as the data",
    impact=Impact.COMPILE_TIME,
    since="0.1.0",
    words=_loops.WORDS,
    cues=_loops.CUES,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the loops of unknown length that something says to be long."""
    from jaxlint.facts.evidence.confidence import Doubt
    from jaxlint.facts.values.bounds import BoundKind

    for loop in facts.data_loops:
        message = f"{_loops.name(loop)} unrolls under trace, and {loop.cue}{_grows(loop)}; {_loops.instead(loop)}"
        doubts = frozenset({Doubt.MAY_BE_LIST} if loop.bound == "maybe-array" else ())
        if loop.kind is BoundKind.SETTING and not loop.large:
            doubts = doubts | {Doubt.SETTING}
        elif not loop.large and loop.bound != "host":
            doubts = doubts | {Doubt.LENGTH}
        fixes = functools.partial(_loops.fixes, facts, loop)
        yield Report(loop.node, message, facts.evidence.trace(loop.node, doubts), fixes=fixes)


def _grows(loop: Unrolled) -> str:
    """Say that the program grows with the data, where an axis of an array bounds the loop."""
    from jaxlint.facts.values.bounds import BoundKind

    return ", so the program grows with the data" if loop.kind is BoundKind.DATA_AXIS else ""
