"""NumPy, `math` or a Python list gets traced data.

## What it does
Reports functions of NumPy, SciPy and `math` that get traced data, in code that `jit`, `grad`, `vmap` or JAX control
flow traces: `np.append(x, y)`, `np.asarray(x)`, `np.linalg.norm(x)`, `math.sqrt(x)`; a NumPy array or a list that is
indexed by traced data; and traced data that is stored in a NumPy array.

## Why it fails
NumPy and `math` need concrete values, traced data has none yet, and JAX raises `TracerArrayConversionError`,
`TracerIntegerConversionError` or `ConcretizationTypeError`.

## Example
```python
OFFSETS = np.array([0.0, 0.5, 2.0])


@jax.jit
def shifted(x, kind):
    return np.concatenate([x[1:], x[:1]]) + OFFSETS[kind]
```

## Use instead
```python
OFFSETS = np.array([0.0, 0.5, 2.0])


@jax.jit
def shifted(x, kind):
    return jnp.concatenate([x[1:], x[:1]]) + jnp.asarray(OFFSETS)[kind]
```
NumPy is right for what is known while tracing: shapes, constants, static arguments. Code that has to run in NumPy
belongs outside the jitted function, or in `jax.pure_callback`.

## When it stays silent
NumPy functions that call a method which traced arrays have (`np.sum(x)`, `np.mean(x)`, `np.reshape(x, s)`,
`np.shape(x)`), and operators, which JAX handles (`table * x`); static arguments, shapes and values from outside the
trace; host code of `pure_callback` and `io_callback`; under `jax.ensure_compile_time_eval()`, under `try`, and after a
check for tracers.

An argument that looks like an option of its function (a count, a flag) is JAX201: it should be static.

## Fix safety
The `jax.numpy` function of the same name is called instead, and a NumPy table that is indexed becomes
`jnp.asarray(table)`. Unsafe: if the function also runs outside a trace, its result becomes a JAX array of 32 bits, and
an out-of-bounds index is clamped.

There is no fix if `jax.numpy` has no such function, takes other arguments, or needs `size=`.

## References
- JAX documentation, "JAX errors": `TracerArrayConversionError`, `TracerIntegerConversionError`
- <https://github.com/jax-ml/jax/issues/12231>
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _staged

if TYPE_CHECKING:
    from jaxlint.facts.errors.demands import Demand
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX210",
    name="numpy-on-traced-value",
    summary="NumPy, `math` or a Python list is given traced data",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the places where something that needs values is given traced data."""
    for demand in facts.staged.data_in_numpy:
        fixes = functools.partial(_fixes, facts, demand)
        evidence = facts.evidence.option(demand.node, demand.parameters)
        yield Report(demand.where, _message(facts, demand), evidence, fixes=fixes)


def _message(facts: ModuleFacts, demand: Demand) -> str:
    code = facts.short_code(demand.node)
    if demand.use == "index":
        return (
            f"`{code}` is traced and cannot index a Python list or tuple, so JAX raises TracerIntegerConversionError; "
            f"index `jnp.asarray(...)` of it, or use `jax.lax.switch`"
        )
    if demand.use == "table":
        table = facts.short_code(demand.where.value)  # type: ignore[attr-defined]
        return (
            f"`{code}` is traced and cannot index the NumPy array `{table}`, so JAX raises TracerArrayConversionError; "
            f"index `jnp.asarray({table})`"
        )
    if demand.use == "store":
        return (
            f"`{code}` is traced and cannot be stored in a NumPy array, so JAX raises an error; "
            f"use a `jax.numpy` array and `.at[...].set(...)`"
        )
    from jaxlint.fixes.errors.numpy_functions import counterpart

    function = demand.where.func  # type: ignore[attr-defined]
    names = facts.names.externals(function)
    name = counterpart(names[0]).replace("jax.numpy", "jnp") if names else ""
    raised = "ConcretizationTypeError" if names and names[0].startswith("math.") else "TracerArrayConversionError"
    instead = f"use `{name}`" if name else "use `jax.numpy`, or move this out of the jitted function"
    return (
        f"`{code}` is traced, but `{facts.short_code(function)}` needs a concrete value, so JAX raises {raised}; "
        f"{instead}"
    )


def _fixes(facts: ModuleFacts, demand: Demand) -> Iterator[Fix]:
    from jaxlint.fixes.errors import numpy_functions
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: numpy_functions.by_jax(facts, demand))
