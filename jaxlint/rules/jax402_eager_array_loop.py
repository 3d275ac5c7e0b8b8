"""A Python loop dispatches array operations one by one.

## What it does
Reports a `for` or `while` loop, or a comprehension, in code that nothing traces, if every iteration does two or more
array operations, including those of functions of the project. One is enough if it updates an array at the index of the
iteration and the loop is long by its bound: each update copies the array. Of nested loops, the one that is long by its
bound is reported. If something jitted, or something outside JAX, does the rest of the iteration, the place is the call
of the function that does the operations.

## Why it is slow
Outside a trace each operation is dispatched separately, and each update of an array (`x.at[i].set(...)`) copies all of
it. A thousand iterations of ten operations are ten thousand dispatches; one compiled loop is a single dispatch.

## Example
```python
def leaky_sum(x, decay):
    y = jnp.zeros_like(x)
    for t in range(1, x.shape[0]):
        y = y.at[t].set(x[t] + decay * y[t - 1])
    return y
```

## Use instead
```python
@jax.jit
def leaky_sum(x, decay):
    def step(before, value):
        now = value + decay * before
        return now, now

    return jax.lax.scan(step, jnp.zeros_like(x[0]), x)[1]
```
Independent iterations are one `jax.vmap`. `jax.jit` around the loop as it is would unroll it into a program that grows
with the data, which is JAX302.

## When it stays silent
In code that something traces (JAX301 and JAX302 look at loops there); over a literal `range` of 8 or fewer, unless it
runs in each iteration of a long loop or waits for values in each iteration; over what is few by nature (layers, heads,
agents, devices, the elements of an array of four), and over the items of a mapping or the fields of a class, each of
which has its own shape. Calls of jitted functions, transfers, shapes, random keys, and the body of an `if` without a
match in its `else` do not count; beside a call of a jitted function, or of a parameter, it takes six operations, or
five in a helper. A loop around a function whose own loop does the work is left to that one.

At confidence `low`: nothing visible calls the function, and nothing shows that the loop is long; what the code shows of
its iterations does not add up to 2,500 operations; a solver, a simulation or a jitted function does the work of an
iteration; iterations have different shapes (but along an axis of data), plot, read or write a file, wait for a person
or for their arrays, work with a library of the host such as pandas or SciPy, or step an object of Python that keeps its
own state, such as an environment; the loop exists to be timed, or is the slow form of what a jitted function of the
file does; an option decides that this runs uncompiled; all an iteration does is to draw random numbers; or Python or
NumPy uses values between the operations, here or in a callee, so that no program can contain an iteration (values read
last, to be stored, returned or printed, do not matter).

Where the code does not count the iterations, a setting with the name of a length, such as `n_steps`, is taken for 1,000
of them; an axis of data for 250, in a function that others may call; a loop in a function that others call again and
again for 250; other loops that certainly run for 32. No number is assumed for a loop that a tolerance can end, or one
that takes the data in large chunks. The copy of an array that an iteration updates is worth six operations. 200
operations in one call are enough where nobody visible says how many calls there are, and fewer where an array grows.

## Fix safety
The loop becomes `jax.lax.fori_loop`, `scan` or `while_loop` and the enclosing function is jitted, both at once: each
alone would be slow. A short loop stays as it is. Offered if the function is at module level and only computes arrays
from its arguments, and if iterations carry plain values, as for JAX302. Unsafe: results may differ in the last digits,
arguments whose value Python needs become static and recompile for each new value, an axis of length 0 cannot be
indexed, and only running the code shows for certain whether shapes stay the same.

Elsewhere the assignments of an iteration that compute arrays move to a module-level jitted function, and the loop
stays: unsafe for the same reasons, and because a number that Python counted becomes an array. There is no fix if Python
needs a value that changes between iterations, as in `x[:i]`.

Only displayed if something visible suggests that it fails, or if nothing shows that what is indexed is an array and not
a list of arrays. Whether iterations are independent, so that `jax.vmap` can run them all at once, is left to you.

## References
- JAX documentation, "Control flow and logical operators with JIT"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.eager.array_loops import EagerLoop
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX402",
    name="eager-array-loop",
    summary="a Python loop dispatches array operations one by one",
    impact=Impact.UNCOMPILED,
    since="0.1.0",
    array_loops=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the loops that dispatch array operations in each iteration."""
    # A step of training is reported as one, by JAX405, and what is around it comes once for many.
    training = facts.steps.training if facts.eager_loops else ()
    steps = {id(loop) for step in training for loop in (step.loop, *step.loop.around)}
    for loop in facts.eager_loops:
        if id(loop.loop) in steps:
            continue
        fixes = functools.partial(_fixes, facts, loop)
        yield Report(loop.node, _message(facts, loop), facts.evidence.eager_loop(loop), fixes=fixes)


def _message(facts: ModuleFacts, loop: EagerLoop) -> str:
    operations = f"at least {loop.operations} separate JAX operation{'s' * (loop.operations != 1)}{_in_all(loop)}"
    if loop.helper is not None:
        name = facts.short_code(loop.helper.func)
        return (
            f"each iteration calls `{name}` eagerly, which dispatches {operations}; jit `{name}`, or the part of it "
            f"that works on arrays"
        )
    what = "comprehension" if loop.loop.is_comprehension else "loop"
    return f"each iteration of this {what} dispatches {operations}; {_instead(loop)}"


def _in_all(loop: EagerLoop) -> str:
    """Say how many operations the loop dispatches in a call of its function, where the text shows it."""
    runs, total = loop.runs.high, loop.own.high
    if runs is None or total is None or runs <= 1:
        return ""
    if loop.runs.low < runs:
        return f", in up to {runs:,} iterations"
    return f", {total:,} in {runs:,} iterations"


def _instead(loop: EagerLoop) -> str:
    """Say what can be done at this place: no scan where shapes differ, or where Python needs values."""
    from jaxlint.facts.eager.avoidable import Hindrance

    if loop.hindered & {Hindrance.SHAPES, Hindrance.LENGTHS}:
        return "pad or mask the iterations to one shape, then jit the loop body"
    if Hindrance.VALUES in loop.hindered:
        return "jit the parts between which Python needs values, or do it all in NumPy"
    if loop.loop.is_comprehension:
        return "use `jax.vmap` or broadcasting"
    if loop.grows:
        return "keep what grows at its final length, so that shapes stay, then jit the loop body"
    if loop.on_host:
        return "jit the loop body, or use `jax.lax.while_loop` in a jitted function where values decide"
    if loop.hurts_anyway and not loop.updates:
        return "jit the loop body, or use `jax.lax.scan` in a jitted function (`jax.jit` alone would unroll the loop)"
    if loop.updates:
        return (
            "use `jax.lax.scan` in a jitted function, or `jax.vmap` if iterations are independent (`jax.jit` alone "
            "would unroll the loop)"
        )
    return "jit the loop body, or use `jax.lax.scan` or `jax.vmap`"


def _fixes(facts: ModuleFacts, loop: EagerLoop) -> Iterator[Fix]:
    from jaxlint.fixes.eager import iterations

    if loop.helper is not None:
        return iter(())  # the loop is not what is to be compiled
    return iterations.fixes(facts, loop)
