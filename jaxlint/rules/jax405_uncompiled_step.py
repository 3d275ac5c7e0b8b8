"""A step of training runs eagerly in a loop.

## What it does
Reports loops of ten or unknown turns, outside any trace, that take gradients (`jax.grad(f)(x)`), apply updates of an
optimiser or run a model's `apply` eagerly in each turn, by themselves or through a function in sight.  Also the calls
of SciPy's optimisers (`scipy.optimize.minimize` and its kin) that are given an uncompiled gradient, or an uncompiled
objective of five or more array operations: they call it again and again.

## Why it is slow
Outside a trace the forward pass, the backward pass and the update are dispatched operation by operation, and Python
runs through the function in every turn.

## Example
```python
def fit(params, batches):
    for batch in batches:
        gradients = jax.grad(loss)(params, batch)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params
```

## Use instead
```python
@jax.jit
def step(params, batch):
    gradients = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)

def fit(params, batches):
    for batch in batches:
        params = step(params, batch)
    return params
```

## When it stays silent
In code that something traces; where the function that is differentiated is compiled; in loops of fewer than ten
turns; for objectives that call a compiled function.

## Fix safety
No fix is offered yet.

## References
- JAX documentation, "Just-in-time compilation"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.glance import OPTIMISERS
from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX405",
    name="uncompiled-step",
    summary="a step of training runs eagerly in a loop",
    impact=Impact.UNCOMPILED,
    since="0.1.0",
    words=frozenset(
        {"grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "apply_updates", "apply_gradients", "apply"}
    )
    | OPTIMISERS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the loops that run a step eagerly."""
    for step in facts.uncompiled.steps:
        message = (
            f"each turn of this loop runs `{step.what}` eagerly, operation by operation; put the whole step, with "
            f"loss, gradients and update, into one function and compile it"
        )
        yield Report(step.node, message, facts.loop_evidence(step.loop))
    for objective in facts.uncompiled.objectives:
        message = (
            f"`{objective.name}` of SciPy calls {objective.what} again and again, operation by operation; hand it a "
            f"compiled function"
        )
        yield Report(objective.node, message, facts.objective_evidence(objective))
