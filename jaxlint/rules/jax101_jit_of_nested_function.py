"""A function defined inside another is compiled, called, and dropped with the call.

## What it does
Reports a compile wrapper (`jax.jit`, `jax.pmap`, `nnx.jit`, `eqx.filter_jit` and their kin, as a call or as a
decorator) over a `def` that is made anew each time the enclosing function runs, where the compiled function does not
outlive that run: it is called at once, or kept in a local variable that is called.

## Why it is slow
JAX finds a compiled program by the function object that was compiled.  Python makes a new one each time the `def`
statement runs, so each call traces, lowers and compiles again: about 29 ms for two operations on a CPU, against 5 µs
for a cached call (jax 0.10.2), and seconds for a real model.  The programs of earlier calls stay in memory for a
while, which users report as a leak.

## Example
```python
def energy(positions, charges):
    @jax.jit
    def pairwise(positions):
        distances = jnp.linalg.norm(positions[:, None] - positions[None], axis=-1)
        return jnp.sum(charges / (distances + 1.0))

    return pairwise(positions)
```

## Use instead
```python
@jax.jit
def energy(positions, charges):
    distances = jnp.linalg.norm(positions[:, None] - positions[None], axis=-1)
    return jnp.sum(charges / (distances + 1.0))
```
Or define the inner function once, at module level or in `__init__`, and pass what it closes over as arguments.

## When it stays silent
The compiled function is kept: on an attribute, in a dictionary or another container, behind `lru_cache` or
`cached_property`, returned by a factory, captured by a function that outlives the call.  The enclosing function is
itself traced.  The result goes to `.lower`, `.trace` or `.eval_shape`.

At confidence `low`: the function runs once by its name (`main`, `train`, `evaluate`, `setup*`, `init*`, `create*` and
so on) or by a `# jaxlint: once` mark; the object is made once and used several times, as in a training loop, or passed
to a function that is not in sight, and nothing in sight calls the function around it in a loop; tests and benchmarks.

## Fix safety
A fix moves the function to module level, right above the statement that holds it, with its decorators, comments and
docstring, under a private name that nothing in the file has.  It is *safe* where the function uses nothing of the
functions around it, or only constants that the text shows.  What else it captured becomes an argument, static where
Python needs its value, and the fix is *unsafe*: a value that JAX cannot take as an argument fails then, and a static
one must be hashable.  Where nothing says whether a captured value is data or an option, the fix is only *displayed*;
where it may change between the making and the call, or the function is used in other ways than by calls, there is none.

Alternatives, both *unsafe*: where the function around does nothing else, it is compiled itself; in a loop whose turns
all make the same, the function is made once above the loop.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": dynamically recreating function objects
- <https://github.com/jax-ml/jax/issues/2814>
- <https://github.com/jax-ml/jax/issues/4645>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX101",
    name="jit-of-nested-function",
    summary="a nested function is jitted on each call of the function that defines it",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the short-lived jitted functions created from a nested `def`."""
    for site in _short_lived.sites(facts, "nested-def"):
        name = f"`{site.target.root.name}`" if site.target.root is not None else "the nested function"
        message = (
            f"{name} is a new function {_short_lived.when(facts, site)}, so `{_short_lived.wrapper(site)}` recompiles "
            f"it every time; move it to module level and pass what it closes over{_short_lived.or_jit_enclosing(site)}"
        )
        yield _short_lived.report(facts, site, message)
