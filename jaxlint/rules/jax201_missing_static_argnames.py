"""A traced parameter is used where Python needs a concrete value.

## What it does
Reports a parameter of a jitted function, or of a function that traced code calls, that is not static but is used as an
option: as a shape, size, axis, loop count, slice bound, key, dtype or mode, as a static argument of another jitted
function, or in a condition, if its annotation, its default or another use shows that it is an option (`bool`, `str`,
`int`, a callable).

## Why it fails
Under trace the parameter has no concrete value, and JAX raises `TracerBoolConversionError`, `ConcretizationTypeError`,
`TracerIntegerConversionError`, `TypeError` or `IndexError`, depending on the use. A default hides this as long as no
caller passes the argument, because an omitted argument is never traced.

## Example
```python
@jax.jit
def smooth(signal, width: int):
    kernel = jnp.ones(width) / width
    return jnp.convolve(signal, kernel, mode="same")
```

## Use instead
```python
@functools.partial(jax.jit, static_argnames="width")
def smooth(signal, width: int):
    kernel = jnp.ones(width) / width
    return jnp.convolve(signal, kernel, mode="same")
```
JAX then compiles once per distinct value.

Where `vmap` maps over the parameter, a loop of JAX carries it, or a caller passes the result of an array operation, it
cannot be static; the message says so, and no fix is offered.

## When it stays silent
Where JAX takes a traced value: `x[n]`, `x.at[n]`, bounds of `fori_loop`, starts of `dynamic_slice`, `roll` shifts,
`take`, `clip`, `repeat` with `total_repeat_length`, `**n`, f-strings without a format; `is None`, `isinstance`,
`.shape`, `.ndim`, `.dtype`, `len`. Parameters that are static by name, number, a variable, a `Static[...]` annotation,
or because `eqx.filter_jit` keeps Python scalars static. Under `try`, where `pytest.raises` expects
the error, and after a check for tracers.

A condition on *data* is JAX209, which needs another fix: a parameter counts as data unless its annotation or default
(`bool`, `str`, `int`, a callable) or another use in the same function shows that it is an option.

At confidence `low`: a parameter with a default that the visible calls omit; a parameter that is called, if no visible
call shows that it is a plain function.

## Fix safety
The parameter is added to `static_argnames`, or to whatever the wrapper already has, wherever something visible jits the
function. Safe, as the code fails without it; unsafe where it may run: if no visible caller passes the parameter, if the
place is in one branch of several, or if the parameter also looks like data, or is a function, each new one of which
recompiles.

There is no fix if a visible caller passes an array or a list, if the parameter is a dictionary, and if the wrapper
cannot be changed: a transform is between it and the function, an option has one entry per argument (`in_shardings`), or
others share it.

## References
- JAX documentation, "Just-in-time compilation": marking arguments as static
- <https://github.com/jax-ml/jax/issues/3045>
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _staged

if TYPE_CHECKING:
    from jaxlint.facts.errors.demands import Demand
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Parameter
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX201",
    name="missing-static-argnames",
    summary="a traced parameter is used where Python needs its value",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the first place where each option-like traced parameter is needed in Python."""
    from jaxlint.facts.evidence.confidence import Doubt

    for demand, parameter in facts.staged.missing_statics:
        name = facts.staged.item_asked_for(demand, parameter) or parameter.name
        jitted = facts.staged.jitted_parameters(parameter)
        how = "traced" if jitted is not None else "mapped over, carried or computed by JAX"
        message = (
            f"`{name}` is {how}, but {_staged.NEEDS[demand.use]} needs a concrete value, so "
            f"{_staged.raises(demand.use)}; {_cure(jitted, demand, parameter, name)}"
        )
        unsure = demand.use == "call" and facts.staged.may_be_tree(parameter)
        doubts = frozenset({Doubt.UNSEEN} if unsure else ())
        related = ((facts.parameter_node(parameter), f"`{name}` is a traced parameter"),)
        evidence = facts.evidence.option(demand.node, [parameter], doubts)
        yield Report(demand.where, message, evidence, related, functools.partial(_fixes, facts, demand, parameter))


def _cure(jitted: Sequence[Parameter] | None, demand: Demand, parameter: Parameter, name: str) -> str:
    """Say where it has to be static, or what to do where it cannot be."""
    if jitted is None:
        return _INSTEAD.get(demand.use, "call this with Python values outside the transform")
    if not jitted or any(p.function is parameter.function for p in jitted):
        return f'jit with `static_argnames="{name}"`'
    first = jitted[0]
    return f'jit `{first.function.name}`, which passes it on, with `static_argnames="{first.name}"`'


_INSTEAD = {
    "test": "use `jnp.where` or `jax.lax.cond`",
    "order": "use `jnp.maximum`, `jnp.minimum` or `jnp.where`",
    "text": "pass a number instead and use `jax.lax.switch`",
    "shape": "use a fixed size and a mask",
    "size": "use a fixed size and a mask",
    "slice": "use `jax.lax.dynamic_slice`, or a fixed size and a mask",
    "range": "use `jax.lax.fori_loop`",
    "index": "make the container an array, or use `jax.lax.switch`",
    "conversion": "keep it an array",
}


def _fixes(facts: ModuleFacts, demand: Demand, parameter: Parameter) -> Iterator[Fix]:
    from jaxlint.fixes.errors import statics
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: statics.add_static(facts, demand, parameter))
