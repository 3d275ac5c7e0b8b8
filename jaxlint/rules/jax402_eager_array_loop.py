"""A Python loop dispatches array operations one by one.

## What it does
Reports a `for` or `while` loop, or a comprehension, in code that nothing traces, where every turn does two or more
array operations, those of functions of the project included.  One is enough where it is the update of an array at the
turn's index, and the loop is long by its bound: each copies the array.  Of a nest, the loop that is long by its bound
is reported.  Where something compiled, or something that is not JAX's, does the rest of the turn, the place is the
call of the function that does the operations.

## Why it is slow
Outside a trace each operation is dispatched by itself, and each update of an array (`x.at[i].set(...)`) copies all of
it.  A thousand turns of ten operations are ten thousand dispatches, where one compiled loop is one.

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
Turns that do not depend on each other are one `jax.vmap`.  `jax.jit` around the loop as it stands would unroll it into
a program that grows with the data, which is JAX302.

## When it stays silent
In code that something traces (there JAX301 and JAX302 look at loops); over a literal `range` of 8 or less, unless it
is run in each turn of a long loop or waits for values in each turn; over what there are few of by nature (layers,
heads, agents, devices, the elements of an array of four), and over the items of a mapping or the fields of a class,
each of which has a shape of its own.  Not counted are calls of compiled functions, transfers, shapes, random keys,
and what stands under an `if` without a match in its `else`; beside a call of a compiled function, or of a parameter, it
takes six operations, or five in a helper.  A loop around a function with a loop of its own that does the work is left
to that one.

At confidence `low`: nobody in sight calls the function, and nothing says that the loop is long; a turn has fewer than
four operations, and the loop is not long by its bound; a turn draws, reads a file, waits for a person or for its
arrays, makes arrays of a size of its own, or is there to be timed; an option decides that this runs uncompiled; all
that a turn does is to draw random numbers; or Python or NumPy works on values between the operations, here or in what
is called, so that no program can hold a turn (what is read last, to be stored, returned or printed, is no hindrance).

## Fix safety
The loop becomes `jax.lax.fori_loop`, `scan` or `while_loop` and the function around it compiled, both at once: each
alone would be slow.  A short loop stays as it is.  Offered where the function is one of the module and does nothing but
compute arrays from its arguments, and where turns hand on plain values, as for JAX302.  Unsafe: results may differ in
the last digits, arguments of which Python needs the value become static and compile again for each new one, an axis of
length 0 cannot be indexed, and whether shapes stay the same from turn to turn is known for certain only when it runs.

Elsewhere the assignments of a turn that compute arrays move to a compiled function of the module, and the loop stays:
unsafe for the same reasons, and because a number that Python counted becomes an array.  None is offered where Python
needs a value that changes from turn to turn, as in `x[:i]`.

Only shown where something in sight speaks against it, or where nothing says that what is indexed is an array and no
list of them.  Whether turns depend on each other, so that `jax.vmap` does all of them at once, is left to you.

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
    # A step of training is reported as one, by JAX405.
    steps = {id(step.loop) for step in facts.steps.training}
    for loop in facts.eager_loops:
        if id(loop.loop) in steps:
            continue
        fixes = functools.partial(_fixes, facts, loop)
        yield Report(loop.node, _message(facts, loop), facts.evidence.eager_loop(loop), fixes=fixes)


def _message(facts: ModuleFacts, loop: EagerLoop) -> str:
    operations = f"{loop.operations} separate JAX operation{'s' * (loop.operations != 1)}"
    if loop.helper is not None:
        name = facts.short_code(loop.helper.func)
        return (
            f"each iteration calls `{name}` eagerly, which dispatches {operations}; jit `{name}`, or the part of it "
            f"that works on arrays"
        )
    if loop.loop.is_comprehension:
        return f"each iteration of this comprehension dispatches {operations}; use `jax.vmap` or broadcasting"
    if loop.updates or loop.hurts_anyway:
        instead = (
            "use `jax.lax.scan` in a jitted function, or `jax.vmap` if iterations are independent (`jax.jit` alone "
            "would unroll the loop)"
        )
    else:
        instead = "jit the loop body, or use `jax.lax.scan` or `jax.vmap`"
    return f"each iteration of this loop dispatches {operations}; {instead}"


def _fixes(facts: ModuleFacts, loop: EagerLoop) -> Iterator[Fix]:
    from jaxlint.fixes import turns

    if loop.helper is not None:
        return iter(())  # the loop is not what is to be compiled
    return turns.fixes(facts, loop)
