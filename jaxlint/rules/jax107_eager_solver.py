"""A solver that compiles on every eager call runs outside any trace.

## What it does
Reports `lax.map`, `jax.scipy.sparse.linalg.cg`, `gmres` and `bicgstab`, `jax.scipy.optimize.minimize` and calls of what
`jax.shard_map` makes, in code that nothing traces; and there `odeint`, `jnp.piecewise` and `jax.pure_callback`, where
the function that they are given is made by the call that uses it.

## Why it is slow
These functions wrap what they are given in new functions of their own before they hand it to JAX, so an eager call
compiles each time, even with a function of the module, even with one that is compiled already (measured with jax
0.10.2).  A `shard_map` that is made once and called eagerly compiles on every call too.  The last three find the
program of a function that lives on, and compile for a new one.

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

At confidence `low`: nobody in sight calls the function, so its callers may well trace it; it runs once.

## Fix safety
`jax.jit` is put over the function of the module around the call, if that does nothing but compute arrays from its
arguments; arguments of which Python needs the value become static, and Python's loops in it loops of jax.  Or the call
moves to a compiled function of the module that gets what it captured as arguments.  Both are unsafe: results may differ
in the last digits, and numbers of Python and arrays of NumPy among them become arrays of JAX.  Only shown where the
function calls what is not in sight, or nothing says whether an argument is data or an option.

A function that captures nothing moves to module level where that is enough (`odeint`, `piecewise`, `pure_callback`):
safe, unless it may read what changes.

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
