"""Eager control flow is given a newly made function.

## What it does
Reports `lax.scan`, `cond`, `switch`, `while_loop`, `fori_loop` and `reduce` in code that nothing traces, where the body
is made by the call or the turn of a loop that uses it: a nested `def`, a lambda, a `partial`, a bound method.

## Why it is slow
Outside a trace these functions compile what they are given and run it.  As with `jax.jit`, the program is found again
by the body function, so a new one compiles each time: 45 ms a call where a body of the module takes 0.2 ms (CPU, jax
0.10.2).  The programs also fill memory.

## Example
```python
def log_likelihood(theta, observed):
    def step(state, y):
        return 0.9 * state + theta * y, -0.5 * (y - state) ** 2

    _, terms = jax.lax.scan(step, 0.0, observed)
    return terms.sum()

def grid(thetas, observed):
    return [float(log_likelihood(theta, observed)) for theta in thetas]
```

## Use instead
```python
@jax.jit
def log_likelihood(theta, observed):
    ...
```
Under a trace the scan is a part of the one program.  Or define the body at module level, and hand it what it needs in
the carry: then eager calls hit the cache too.

## When it stays silent
In code that only compiled functions run; for a body that lives as long as the module; for `associative_scan`, which
compiles operation by operation and hits its cache; for bodies that come as an argument, of which nothing is known.

Under an eager `vmap`, `grad`, `vjp` or `checkpoint` it speaks: these compile nothing as a whole.  So it does where a
compiled function and an eager loop run the same code.

At confidence `low`: nobody in sight calls the function, so its callers may well trace it; it runs once; the body is
made above the loop that uses it, or given to several calls, and so compiles once for all turns, and no long loop in
sight runs the whole.

## Fix safety
A body that captures nothing of the call moves to module level, a lambda as a named function: safe, unless it may read
what changes.  No fix is offered where it does read what changes: a global that is bound again, a clock, random numbers.

Where it captures something, `jax.jit` is put over the function of the module around it, if that does nothing but
compute arrays from its arguments; arguments of which Python needs the value become static, and Python's loops in it
loops of jax.  Or the call moves to a compiled function of the module that gets what it captured as arguments.  Both are
unsafe: results may differ in the last digits, numbers of Python and arrays of NumPy among them become arrays of JAX,
and a `fori_loop` whose bounds become arguments cannot be differentiated in reverse.  Only shown where the function
calls what is not in sight, or a parameter looks like an object that is no tree of arrays.

## References
- JAX documentation, "Control flow and logical operators with JIT"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.glance import CONTROL_FLOW
from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _eager

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX106",
    name="eager-control-flow",
    summary="eager control flow gets a new body on each call",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=CONTROL_FLOW,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the eager calls of control flow whose body is new each time."""
    for site in facts.eager_sites.bodies:
        message = (
            f"eager `{site.name}` with a new body{_eager.body(site)} recompiles {_eager.when(facts, site)}; "
            f"{_eager.instead(facts, site)}, or define the body at module level"
        )
        fixes = functools.partial(_eager.fixes, facts, site)
        yield Report(site.node, message, facts.evidence.eager_site(site), _eager.related(facts, site), fixes)
