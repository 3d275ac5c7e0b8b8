"""A solver that compiles on every eager call runs outside any trace.

## What it does
Reports `lax.map`, `jax.scipy.sparse.linalg.cg`, `gmres` and `bicgstab`, `jax.scipy.optimize.minimize` and calls of the
result of `jax.shard_map`, in code that nothing traces; also `odeint`, `jnp.piecewise` and `jax.pure_callback` there,
when the same call creates the function they get.

## Why it is slow
These functions wrap their argument in new functions of their own before they pass it to JAX. So an eager call compiles
each time, even with a module-level function, even with one that is jitted already (measured with jax 0.10.2). A
`shard_map` that is created once and called eagerly compiles on every call too. The last three look up the program by
their function and compile again for a new one.

## Example
```python
def moment(frame):
    return jnp.mean(frame) + jnp.std(frame)

def report(days):
    for frames in days:
        print(jax.lax.map(moment, frames))
```

## Use instead
```python
@jax.jit
def moments(frames):
    return jax.lax.map(moment, frames)

def report(days):
    for frames in days:
        print(moments(frames))
```

## When it stays silent
In code that something traces.

At confidence `low`: nothing visible calls the function, so its callers may well trace it; it runs once, or no visible
loop runs it again and it does more than compute a value; the function makes NumPy arrays, so that it can't be jitted.

## Fix safety
`jax.jit` is added to the enclosing module-level function, provided that it only computes arrays from its arguments;
arguments whose value Python needs become static, and Python loops in it become JAX loops. Or the call moves to a
module-level jitted function that takes the captured values as arguments. Both are unsafe: results may differ in the
last digits, and Python numbers and NumPy arrays among them become JAX arrays. Only displayed if the function calls
something that is not visible, or if nothing shows whether an argument is data or an option.

A function that captures nothing moves to module level where that is enough (`odeint`, `piecewise`, `pure_callback`):
safe, unless it may read something that changes.

## References
- JAX documentation, "Just-in-time compilation": JIT and caching
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.glance import SOLVERS
from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _eager

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX107",
    name="eager-solver",
    summary="a solver that compiles on every eager call runs outside any trace",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=SOLVERS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the eager calls of what compiles on every call."""
    for site in facts.eager_sites.solvers:
        new = f" with a new function{_eager.body(site)}" if site.target is not None else ""
        when, instead = _eager.when(facts, site), _eager.instead(facts, site)
        message = f"eager `{site.name}`{new} recompiles {when}; {instead}"
        fixes = functools.partial(_eager.fixes, facts, site)
        yield Report(site.node, message, facts.evidence.eager_site(site), _eager.related(facts, site), fixes)
