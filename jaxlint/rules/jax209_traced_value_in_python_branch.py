"""Python needs a concrete value of traced data.

## What it does
Reports `if`, `while`, `assert`, `and`, `or`, `not` and conditional expressions on traced data, and conversions of it:
`bool()`, `int()`, `float()`, `.item()`, `.tolist()`; also `min`, `max`, `any`, `all`, `sorted` and `range` of it.
NumPy, `math` and list indices are JAX210.

## Why it fails
Under trace the data has no concrete value, and JAX raises `TracerBoolConversionError` or `ConcretizationTypeError`.

## Example
```python
@jax.jit
def soft_threshold(x, limit):
    if jnp.abs(x) < limit:
        return jnp.zeros_like(x)
    return x - limit * jnp.sign(x)
```

## Use instead
```python
@jax.jit
def soft_threshold(x, limit):
    return jnp.where(jnp.abs(x) < limit, 0.0, x - limit * jnp.sign(x))
```
`jax.lax.cond` runs only one branch, `jax.lax.while_loop` repeats while a condition on data holds. Making the argument
static would be wrong: it is data, and every value would recompile.

A check of values (`if jnp.any(x < 0): raise ...`) goes outside the jitted function, or through
`jax.experimental.checkify`.

## When it stays silent
Conditions that Python can decide under trace: `is None`, `isinstance`, `.shape`, `.ndim`, `.dtype`, `len`, the truth of
a list or dictionary of arrays; conditions inside `lax.cond` and `while_loop`, which are not Python conditions; values
that nothing visible shows to be traced; a tuple that a JAX loop passes to its body, which Python compares by itself;
under `try`, where `pytest.raises` expects the error, after a check for tracers, and behind a flag that every trace
leaves off, such as the `verbose=False` of a body that a JAX loop gives its carry alone.

At confidence `low`: in a branch for scalars (`if x.ndim == 0`), which a trace may never enter.

If the value is an option of the function (a flag, a count, a mode), JAX201 reports it instead; its page has the rule
that tells them apart.

## Fix safety
A conditional expression, or two `return`s, becomes `jnp.where` if both branches only compute; `max(a, b)` becomes
`jnp.maximum(a, b)`. Unsafe: both branches are computed then, which may affect gradients, and types may differ from
those of Python. Only displayed if the branches may differ in shape.

## References
- JAX documentation, "Control flow and logical operators with JIT"
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
    code="JAX209",
    name="traced-value-in-python-branch",
    summary="Python is asked for the value of traced data",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    cues=_staged.CUES,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the tests and conversions of traced data."""

    for demand in facts.staged.data_in_python:
        code = facts.short_code(demand.node)
        if demand.use in ("test", "order", "conversion") and facts.decides_on_error(demand.node):
            error = "ConcretizationTypeError" if demand.use == "conversion" else "TracerBoolConversionError"
            message = (
                f"`{code}` is traced, so this check of its value raises {error} instead; check outside the jitted "
                f"function, or use `jax.experimental.checkify`"
            )
        elif (wrapped := facts.staged.bindable(demand)) is not None:
            name = wrapped.wrapper.name.rpartition(".")[2]
            instead = "name it in `static_argnums`" if wrapped.wrapper.static else "bind it with `functools.partial`"
            yield Report(
                demand.where,
                f"`{name}` traces all its arguments, `{code}` too, so {_staged.raises(demand.use)}; {instead}",
                facts.evidence.option(demand.node, demand.parameters),
            )
            continue
        elif demand.use in ("test", "order"):
            message = (
                f"`{code}` is traced and has no truth value, so JAX raises TracerBoolConversionError; "
                f"use `jnp.where`, `jax.lax.cond` or `jax.lax.while_loop`"
            )
        elif demand.use == "range":
            message = (
                f"`{code}` is traced, but `range` needs a concrete value, so JAX raises TracerIntegerConversionError; "
                f"use `jax.lax.fori_loop` or `jax.lax.while_loop`"
            )
        elif demand.use == "format":
            message = (
                f"`{code}` formats a traced value, so JAX raises TypeError; print it with `jax.debug.print`, or move "
                f"this out of the jitted function"
            )
        else:
            message = (
                f"`{code}` is traced, but {_staged.NEEDS[demand.use]} needs a concrete value, so "
                f"{_staged.raises(demand.use)}; keep it an array with `jax.numpy`, or move this out of the jitted "
                f"function"
            )
        fixes = functools.partial(_fixes, facts, demand)
        yield Report(demand.where, message, facts.evidence.option(demand.node, demand.parameters), fixes=fixes)


def _fixes(facts: ModuleFacts, demand: Demand) -> Iterator[Fix]:
    from jaxlint.fixes.errors import branches
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: branches.chosen_by_jax(facts, demand))
