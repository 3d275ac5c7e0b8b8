"""A long Python loop under trace.

## What it does
Reports a `for` or `while` loop, or a comprehension, in code that runs under trace, if the number of iterations is
visible and the loop adds an estimated 1,000 equations or more: iterations times the array operations of the body,
visible helpers included, nested loops multiplied.

## Why it is slow
A Python loop runs while JAX traces: every iteration adds its operations to the program, and XLA compiles them all. An
element-wise operation costs 0.2 to 0.4 ms to trace and compile, `x.at[i].set(...)` about 5 ms (CPU, jax 0.10.2): 1,000
iterations of the latter took 31 s. The estimate therefore counts updates by `.at[]`, reads at a traced index and
products of small matrices ten times.

## Example
```python
@jax.jit
def encode(params, tokens):
    h = jnp.zeros(params["w"].shape[0])
    for t in range(200):
        h = jnp.tanh(params["w"] @ h + tokens[t])
    return h
```

## Use instead
```python
@jax.jit
def encode(params, tokens):
    def step(h, token):
        return jnp.tanh(params["w"] @ h + token), None

    h = jnp.zeros(params["w"].shape[0])
    return jax.lax.scan(step, h, tokens)[0]
```
`jax.lax.fori_loop` is enough if the loop does not walk over an array; `jax.vmap` fits if the iterations are
independent.

## When it stays silent
A literal `range` of 8 iterations or fewer; one of 32 or fewer without slow operations, unless it adds 5,000 equations;
loops over layers, heads and other parts of a model; loops that add no equations; a loop inside a helper that is jitted
itself, which adds one equation to its callers; loops outside any trace, and those that only `grad`, `vmap` and similar
transforms trace, which compile nothing as a whole (JAX402). At confidence `low`: methods of modules that nothing
visible jits; a loop with a JAX loop in the other branch of an `if`. The threshold is the setting `unrolled-equations`;
that of short loops is five times as high.

## Fix safety
A counting loop becomes `jax.lax.fori_loop`, one over an array `jax.lax.scan`, if its iterations only assign to names
and carry plain values: names that have a value before the loop, and whose shape stays the same as far as the source
shows. Unsafe: only running the code shows for certain whether shapes and dtypes stay the same, and if they do not, JAX
raises while tracing. Only displayed if something visible suggests that they do not.

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

RULE = Rule(
    code="JAX301",
    name="long-python-loop",
    summary="a Python loop under trace unrolls into a huge program",
    impact=Impact.COMPILE_TIME,
    since="0.1.0",
    words=_loops.WORDS,
    cues=_loops.CUES,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the loops of visible length whose estimate reaches the threshold, outermost first."""
    for loop in facts.long_loops:
        iterations = f"{loop.trips:,} iterations" if loop.trips is not None else "many iterations"
        message = (
            f"{_loops.name(loop)} unrolls under trace: {iterations} add about {loop.total.equations:,} equations to "
            f"the program; {_loops.instead(loop)}"
        )
        fixes = functools.partial(_loops.fixes, facts, loop)
        yield Report(loop.node, message, facts.evidence.trace(loop.node), fixes=fixes)
