"""A Python loop under trace is as long as the data.

## What it does
Reports a loop in a function that something jits, if its length is an axis of an array: the loop walks over the array,
or each iteration reads or updates an array at its own index. A setting (a static argument, an attribute, a
configuration value) counts if the values that its default and visible callers give make the loop large, or if it has
the name of a length and an iteration does much work.

A `while` that lasts until an object outside JAX says otherwise, such as an environment (`obs, reward, done =
env.step(action)`), counts as well: it runs once, while it is traced, and its results become constants of the program.

## Why it is slow
The loop unrolls: the program, and the time to compile it, grow with the data, and each new length recompiles.

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
Axes of coordinates, channels or components, that is the trailing axis unless iterations look at their neighbours along
it; the parts of `jnp.split`, `meshgrid` or `tree.leaves`; bounds named after layers, heads, agents, stages, axes and
other parts, which are few; settings whose visible values make a small program; loops whose length nothing visible
decides; lists and dictionaries of parameters; loops outside any trace or under a transform that compiles nothing
(JAX402), and loops that would fail under a trace because they end by a value or convert arrays to Python numbers; code
that a check for tracers keeps out of traces. A visible number of iterations is left to JAX301.

At confidence `low`: a setting with no more than a telling name, such as `num_steps`; an array that is a field of an
object, as of a state, whose length is a setting; another axis than the first, unless its number has the name of a
length, or an iteration goes on with what the one before has computed; a parameter that may be an array or a list of a
few arrays; functions that are only run to be timed; methods of modules that nothing visible jits; a loop with a JAX
loop in the other branch of an `if`.

## Fix safety
A counting loop becomes `jax.lax.fori_loop`, one over an array `jax.lax.scan`, if its iterations only assign to names
and carry plain values: names that have a value before the loop, and whose shape stays the same as far as the source
shows. Unsafe: only running the code shows for certain whether shapes and dtypes stay the same, and if they do not, JAX
raises while tracing, as it does if an axis of length 0 is indexed. Only displayed if something visible suggests that
they do not.

There is no fix if Python needs the loop variable (slices, lists, conditions, `2**i`), if iterations append to lists,
print or call something that is not visible, and if the function also runs outside any trace.

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
        measured = facts.measured
        if any(is_so(loop.function) for is_so in (measured.is_baseline, measured.is_benchmark, measured.is_only_timed)):
            doubts = doubts | {Doubt.MEASURED}
        fixes = functools.partial(_loops.fixes, facts, loop)
        yield Report(loop.node, message, facts.evidence.trace(loop.node, doubts), fixes=fixes)


def _grows(loop: Unrolled) -> str:
    """Say that the program grows with the data, where an axis of an array bounds the loop."""
    from jaxlint.facts.values.bounds import BoundKind

    return ", so the program grows with the data" if loop.kind is BoundKind.DATA_AXIS else ""
