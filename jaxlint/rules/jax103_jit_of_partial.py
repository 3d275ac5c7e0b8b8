"""A `functools.partial` is compiled, called, and dropped with the call.

## What it does
Reports a compile wrapper over a `functools.partial` (or `jax.tree_util.Partial`) that is made anew each time the
enclosing function runs, where the compiled function does not outlive that run.

## Why it is slow
Two partials are never equal, even of the same function and the same values, so JAX misses its cache on each call and
compiles again.  It prints no explanation when the partial binds one of JAX's own functions, such as `jax.tree.map`.

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
The other way round is fine: `functools.partial(compiled_discount, convention="cont")` may be made as often as you like.

## When it stays silent
`partial(jax.jit, ...)`, which is how options are given to a decorator; `partial(compiled, ...)`; a partial passed as
an argument; `eqx.Partial` under `eqx.filter_jit`, which compares it by what it holds; and in every case that JAX101
lists.

## Fix safety
Where all that is bound is fixed, a fix moves the whole expression to module level (*safe*).  Otherwise it compiles the
function behind the partial at module level and passes the bound values in each call, static where Python needs them;
if that function is compiled already, it is called directly.  This is *unsafe*: a bound value that JAX cannot take as
an argument fails then.  A module's name for the same expression is used again.

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
