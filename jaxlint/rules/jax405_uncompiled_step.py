"""A training step runs eagerly in a loop.

## What it does
Reports loops outside any trace, of ten or more or an unknown number of iterations, which eagerly do one of these,
directly or through visible functions:

- take gradients: `jax.grad(f)(x)`, `jax.vmap(jax.grad(f))(x)` of single examples, the Jacobian of a Newton step;
- apply optimizer updates;
- run a model: `model.apply`, `state.apply_fn`, `network.apply(params, x)` of an object that is made elsewhere, or an
  nnx or Equinox module that has layers;
- evaluate a loss of five or more array operations whose gradient the file takes.

If the loop is in another file, the finding is at the gradient, update or model in the function that the loop calls.

Also reports calls of SciPy's optimizers (`scipy.optimize.minimize` and similar), which call their functions many times,
if the gradient that they get is not jitted, or an objective of five or more array operations is not. The operations of
a function that its object is given, wherever the file makes one, are the objective's as well (`self.acquire(x)`).

## Why it is slow
Outside a trace the forward pass, the backward pass and the update are dispatched operation by operation, and Python
runs through the function in every iteration.

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
In traced code; in loops of fewer than ten iterations; if the differentiated function is jitted, or some path jits the
gradient or the step; for a step with a decorator of which nothing is known; if the result is discarded, as in a
benchmark; for gradients that no later iteration uses and no sum adds up, such as those at the points of a plot; for a
model that is applied with other parameters in each iteration, as the layers of a larger one are; for a model that runs
once after an inner loop has done the work, or in some iterations only (`if step % 100 == 0`); for an outer loop, if the
function that it calls has the loop that is reported; for a function that other files call once beside such a loop, as
after an epoch; for objectives that call a jitted function, need concrete values, or pass their arguments to a function
that is not visible; for a method that another class replaces by a jitted one; if the file assigns a jitted function to
`model.apply`.

At confidence `low`: if neither a visible caller, the name of the function, data that the loop runs over nor what it
prints shows that it trains outside a trace; if the code shows fewer than 100 steps in all, of losses with few
operations, or fewer than 20 passes of a model; if only the update is eager, beside a compiled gradient, and nothing
shows that a network is trained; for the gradient of a handful of operations that another file's loop takes; if each
iteration plots or reads a file; if the loop is timed and the file also jits what it calls, to compare both.

## Fix safety
Unsafe: one program may round differently than separate operations, and whatever the loop changes must be arrays. If
gradients and updates are statements of the loop that only assign names, they move into a jitted function: at module
level, or beside the loop if they use a model or an optimizer of the function around. If the loop calls a function that
only computes the step from its arguments, that function is jitted; if it takes the gradient of a module-level function
itself, the gradient is. An optimizer among the arguments becomes static, and has to be created once. There is no fix
for the evaluation of a loss.

## References
- JAX documentation, "Just-in-time compilation"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.glance import OPTIMISERS
from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.eager.steps import CalledStep, Step
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

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
    array_loops=True,
    doc=__doc__,
)


_STEP = "put the whole step (loss, gradients and update) in one jitted function"
_DERIVATIVES = "put the whole step, derivatives included, in one jitted function"
_FORWARD = "jit the function that runs the model"


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the loops that run a step eagerly."""
    for step in facts.steps.training:
        message = f"each iteration of this loop runs `{step.what}` eagerly, operation by operation; {_instead(step)}"
        fixes = functools.partial(_fixes, facts, step)
        yield Report(step.node, message, facts.evidence.step(step), fixes=fixes)
    for called in facts.steps.called:
        message = (
            f"`{called.function.name}` is called in a loop and runs `{called.what}` eagerly, operation by operation; "
            f"{_instead(called)}"
        )
        fixes = functools.partial(_fixes_of_call, facts, called.node)
        yield Report(called.node, message, facts.evidence.called_step(called), fixes=fixes)
    for objective in facts.steps.objectives:
        instead = "jit the part of it that works on arrays" if objective.converts else "pass it a jitted function"
        message = f"SciPy's `{objective.name}` calls {objective.what} many times, operation by operation; {instead}"
        yield Report(objective.node, message, facts.evidence.objective(objective))


def _instead(step: Step | CalledStep) -> str:
    if step.is_evaluation:
        return f"jit `{step.what}`"
    if step.is_forward:
        return _FORWARD
    return _STEP if step.trains_by_gradient else _DERIVATIVES


def _fixes(facts: ModuleFacts, step: Step) -> Iterator[Fix]:
    from jaxlint.fixes.eager import compiling, training, transforms
    from jaxlint.fixes.text import edits

    if step.is_evaluation:
        return  # it is called again and again, and so what the fix would define in it
    yield from edits.offered(lambda: training.compiled_step(facts, step))
    if step.inner is not step.call:
        yield from edits.offered(lambda: compiling.enclosing_function(facts, step.inner))
    if all(part is step.inner for part in facts.steps.parts(step.loop)):  # else the rest would still run eagerly
        yield from edits.offered(lambda: transforms.compiled_gradient(facts, step.inner))


def _fixes_of_call(facts: ModuleFacts, call: cst.Call) -> Iterator[Fix]:
    from jaxlint.fixes.eager import compiling, transforms
    from jaxlint.fixes.text import edits

    return edits.offered(
        lambda: compiling.enclosing_function(facts, call), lambda: transforms.compiled_gradient(facts, call)
    )
