"""A transformed function is called outside any trace.

## What it does
Reports calls of `jax.vmap`, `grad`, `value_and_grad`, `jacfwd`, `jacrev` and `hessian` (and Equinox's `filter_vmap` and
`filter_grad`) of a visible function, if neither the function nor the result is jitted and the code runs eagerly.

## Why it is slow
Later calls do not compile, but the first one compiles each operation as a program of its own: five for the gradient of
a short loss, 15 for its `jacfwd`, 34 for its `hessian` (measured with JAX 0.10.2). Each later call runs through the
Python function again, about 0.4 ms for `vmap` and 1.3 ms for `grad`.

## Example
```python
def curvature(point):
    return jax.hessian(energy)(point)
```

## Use instead
```python
energy_hessian = jax.jit(jax.hessian(energy))

def curvature(point):
    return energy_hessian(point)
```

## When it stays silent
If the function or the transformed function is jitted; for `vmap` of a single operation; in code that something traces;
in loops that JAX402 or JAX405 report.

At confidence `low`: if nothing visible shows that the code runs outside a trace, and in tests.

## Fix safety
Unsafe: one program may round differently than separate operations.

## References
- JAX documentation, "Just-in-time compilation"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.eager.transforms import EagerTransform
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX901",
    name="eager-transform",
    summary="a transformed function is called outside any trace",
    impact=Impact.FIRST_CALL,
    since="0.1.0",
    words=frozenset(
        "vmap grad value_and_grad jacfwd jacrev hessian filter_vmap filter_grad filter_value_and_grad".split()
    ),
    off_by_default=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the eager calls of transformed functions."""
    for transform in facts.eager_transforms:
        function = transform.function
        of = "a lambda" if function.is_lambda else f"`{function.name}`"
        message = (
            f"`{transform.name}` of {of} runs eagerly, so it compiles each operation separately and retraces on every "
            f"call; jit the transformed function once and keep it"
        )
        yield Report(
            transform.node,
            message,
            facts.evidence.eager(transform.node),
            fixes=lambda transform=transform: _fixes(facts, transform),  # type: ignore[misc]
        )


def _fixes(facts: ModuleFacts, transform: EagerTransform) -> Iterator[Fix]:
    from jaxlint.fixes.eager import transforms
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: transforms.compiled(facts, transform))
