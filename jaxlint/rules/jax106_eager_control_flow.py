"""Eager control flow gets a new body on each call.

## What it does
Reports `lax.scan`, `cond`, `switch`, `while_loop`, `fori_loop` and `reduce` in code that nothing traces, when the body
is created by the same call or loop iteration that uses it: a nested `def`, a lambda, a `partial`, a bound method.

## Why it is slow
Outside a trace these functions compile the body and run it. As with `jax.jit`, the compiled program is looked up by the
body function, so a new body compiles each time: 45 ms per call, where a module-level body takes 0.2 ms (CPU, jax
0.10.2). The programs also accumulate in memory.

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
Under a trace the scan is part of one program. Or define the body at module level and pass what it needs in the carry:
then eager calls hit the cache too.

## When it stays silent
In code that only jitted functions run; for a body that lives as long as the module; for `associative_scan`, which
compiles operation by operation and hits its cache; for a body that is a parameter, about which nothing is known.

It does report under an eager `vmap`, `grad`, `vjp` or `checkpoint`, which do not compile anything as a whole, and where
both a jitted function and an eager loop run the same code. A `cond` or `switch` by a value that `vmap` maps over
compiles nothing: both branches run, and a `select` takes the results.

At confidence `low`: nothing visible calls the function, so its callers may well trace it; it runs once, or no
visible loop runs it again and it does more than compute a value; only the main block of its own module runs it again,
and other modules use it; the body runs a function that the caller passes, which needs a program of its own anyway; the
body is created above the loop that uses it, or passed to several calls, so it compiles once for all iterations, and no
long visible loop runs the whole; the loop around it goes through cases (models, solvers), of which the call gets no
data.

## Fix safety
A body that captures nothing from the call moves to module level, a lambda as a named function: safe, unless it may read
something that changes. There is no fix if it does: a global that is rebound, a clock, random numbers.

If the body captures something, `jax.jit` is added to the enclosing module-level function, provided that it only
computes arrays from its arguments; arguments whose value Python needs become static, and Python loops in it become JAX
loops. Or the call moves to a module-level jitted function that takes the captured values as arguments, and the instance
of a method that is jitted with a static `self`. Both are unsafe: results may differ in the last digits, Python numbers
and NumPy arrays among them become JAX arrays, and a `fori_loop` whose bounds become arguments cannot be
reverse-differentiated. Only displayed if the function calls something that is not visible, or if a parameter looks like
an object that is not a pytree of arrays.

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
