"""A lambda is jitted on each call of the function that contains it.

## What it does
Reports `jax.jit` and similar wrappers over a lambda that is evaluated each time the enclosing function runs, when the
jitted function does not outlive that run.

## Why it is slow
Each evaluation of a `lambda` expression creates a new function object, and JAX looks up a compiled program by that
object. So the lambda is traced, lowered and compiled on each call, even if its body only calls a function that is
jitted already.

## Example
```python
def spectrum(signal, window):
    return jax.jit(lambda s: jnp.abs(jnp.fft.rfft(s * window)))(signal)
```

## Use instead
```python
@jax.jit
def spectrum(signal, window):
    return jnp.abs(jnp.fft.rfft(signal * window))
```
If a captured value must be a Python constant at trace time, make it a parameter named in `static_argnames`: JAX then
compiles once per distinct value, not on each call.

## When it stays silent
At module level and in class bodies, which run once, and in every case that JAX101 lists.

## Fix safety
The fix gives the lambda a name at module level. It is *safe* if the lambda uses nothing from the functions around it,
or only constants that the source shows. Other captured values become arguments, static ones where Python needs a
concrete value, and the fix is *unsafe*: a value that is not a valid JAX type raises, and a static value must be
hashable. If nothing shows whether a captured value is data or an option, the fix is only *displayed*. There is no fix
if a captured value may change before the call. Alternatives, both *unsafe*: if the enclosing function does nothing
else, it is jitted itself; in a loop whose iterations all create the same lambda, it is jitted once above the loop.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": compiling a freshly created lambda
- <https://github.com/jax-ml/jax/issues/9288>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX102",
    name="jit-of-lambda",
    summary="a lambda is jitted on each call of the function that contains it",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the short-lived jitted functions created from a lambda."""
    for site in _short_lived.sites(facts, "lambda"):
        message = (
            f"this lambda is a new function {_short_lived.when(facts, site)}, so `{_short_lived.wrapper(site)}` "
            f"recompiles it every time; jit a module-level function and pass what the lambda closes over"
            f"{_short_lived.or_jit_enclosing(facts, site)}"
        )
        yield _short_lived.report(facts, site, message)
