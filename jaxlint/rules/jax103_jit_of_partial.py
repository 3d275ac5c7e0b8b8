"""A `functools.partial` is jitted on each call of the function that creates it.

## What it does
Reports `jax.jit` and similar wrappers over a `functools.partial` (or `jax.tree_util.Partial`) that is created each time
the enclosing function runs, when the jitted function does not outlive that run.

## Why it is slow
Two partials never compare equal, even with the same function and the same values, so JAX misses its cache and compiles
on each call. It logs no explanation if the partial binds one of JAX's own functions, such as `jax.tree.map`.

## Example
```python
def price(curve, times, convention):
    return jax.jit(functools.partial(discount, convention=convention))(curve, times)
```

## Use instead
```python
compiled_discount = jax.jit(discount, static_argnames="convention")

def price(curve, times, convention):
    return compiled_discount(curve, times, convention=convention)
```
The other way round is fine: `functools.partial(compiled_discount, convention="cont")` can be created as often as you
like.

## When it stays silent
`partial(jax.jit, ...)`, which is how a decorator gets its options; `partial(jitted, ...)`; a partial that is passed as
an argument; `eqx.Partial` under `eqx.filter_jit`, which compares it by its contents; and in every case that JAX101
lists.

## Fix safety
If everything that is bound is constant, the fix moves the whole expression to module level (*safe*). Otherwise it jits
the underlying function at module level and passes the bound values in each call, static ones where Python needs a
concrete value; if that function is jitted already, it is called directly. This is *unsafe*: a bound value that is not a
valid JAX type raises. If the module already has a name for the same expression, that name is used.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": compiling a freshly created functools.partial
- <https://github.com/jax-ml/jax/issues/14183>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX103",
    name="jit-of-partial",
    summary="a functools.partial is jitted on each call of the function that creates it",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the short-lived jitted functions created from a partial."""
    for site in _short_lived.sites(facts, "partial"):
        root = site.target.root
        function = f"`{root.name}`" if root is not None and not root.is_lambda else "the function itself"
        message = (
            f"each partial is a new object, so `{_short_lived.wrapper(site)}` recompiles it "
            f"{_short_lived.when(facts, site)}; jit {function} once and pass the bound values as arguments, with "
            f"`static_argnames` for options"
        )
        yield _short_lived.report(facts, site, message)
