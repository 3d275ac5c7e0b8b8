"""A transformed function is built and jitted on each call.

## What it does
Reports `jax.jit` and similar wrappers over a function that another call has just built: `jax.vmap(f)`, `jax.grad(f)`,
`jax.checkpoint(f)`, `jax.jit(f)` again, the pullback of `jax.vjp`, or the result of a visible factory. Also reports
`nnx.jit(f)` of any function, because each `nnx.jit` object has a compile cache of its own.

## Why it is slow
`jax.jit(f)` of a module-level `f` can be written as often as you like: JAX looks up the program by `f`. But
`jax.vmap(f)` and similar transforms return a new function each time, so `jax.jit(jax.vmap(f))(x)` compiles on each
call, however long `f` lives. The order matters: `jax.vmap(jax.jit(f))(x)` of a module-level `f` is cached.

## Example
```python
def descend(x, rate):
    return x - rate * jax.jit(jax.grad(free_energy))(x)
```

## Use instead
```python
free_energy_gradient = jax.jit(jax.grad(free_energy))

def descend(x, rate):
    return x - rate * free_energy_gradient(x)
```

## When it stays silent
Transforms at module level; `eqx.filter_jit(eqx.filter_grad(f))`, which Equinox compares by `f`; an eager
`jax.vmap(f)(x)` without jit, which retraces but does not compile; and in every case that JAX101 lists.

## Fix safety
The fix moves the expression to module level: *safe* if it only uses functions of JAX and of the module, *unsafe* if it
calls anything else. If the module already has a name for the same expression, that name is used. If the transformed
function captures values, they become arguments of a module-level jitted function that builds the transform while it is
traced (*unsafe*); or the enclosing function is jitted itself, if it does nothing else. A transform of a method is
jitted in `__init__`, under the conditions of JAX105. The pullback of a `jax.vjp` gets no fix.

## References
- <https://github.com/jax-ml/jax/issues/2095>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX104",
    name="jit-of-transform",
    summary="a transformed function is built and jitted on each call",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the short-lived jitted functions created from the result of a call."""
    for site in _short_lived.sites(facts, "transform", "call-result"):
        name, when = _short_lived.wrapper(site), _short_lived.when(facts, site)
        what = "function" if site.target.kind == "transform" else "object"
        function = site.context.function
        where = "at module level" + (" or in `__init__`" if function is not None and function.cls else "")
        message = (
            f"`{facts.short_code(site.target.node)}` is a new {what} {when}, so `{name}` recompiles it every time; "
            f"build and jit it once, {where}"
        )
        if site.wraps_long_lived:
            message = (
                f"each `{name}` object has a compile cache of its own, so this recompiles {when}; create it once, "
                f"{where}"
            )
        yield _short_lived.report(facts, site, message)
