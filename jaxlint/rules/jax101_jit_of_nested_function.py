"""A nested function is jitted on each call of the function that defines it.

## What it does
Reports `jax.jit`, `jax.pmap`, `nnx.jit`, `eqx.filter_jit` and similar wrappers, as a call or as a decorator, over a
`def` that runs each time the enclosing function runs, when the jitted function does not outlive that run: it is called
at once, or kept in a local variable that is called.

## Why it is slow
JAX looks up a compiled program by the function object that was jitted. Python creates a new function object each time
the `def` statement runs, so each call traces, lowers and compiles again: about 29 ms for two operations on a CPU,
against 5 µs for a cached call (jax 0.10.2), and seconds for a real model. The programs of earlier calls stay in memory
for a while, which users often report as a memory leak.

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
The jitted function is kept: on an attribute, in a dictionary or another container, behind `lru_cache` or
`cached_property`, returned by a factory, or captured by a function that outlives the call. The enclosing function is
itself traced. The result is only used for `.lower`, `.trace` or `.eval_shape`.

At confidence `low`:

- the enclosing function runs once, judging by its name (`main`, `train`, `evaluate`, `setup*`, `init*`, `create*` and
  so on) or by a `# jaxlint: once` comment;
- it prints, reads, writes or loops, so it is a run, and no visible loop repeats it;
- it runs a function that the caller passes, or what a factory makes of the caller's arguments;
- no loop repeats it in a project whose modules are visible;
- the jitted function is created once and used several times, as in a training loop, or passed to a function that is not
  visible, and nothing visible calls the enclosing function in a loop;
- each iteration may need its own program: the visible loops go through cases (levels, files, strategies), or a count of
  theirs decides a shape;
- tests and benchmarks.

## Fix safety
The fix moves the function to module level, right above the statement that contains it, with its decorators, comments
and docstring, under a private name that the file does not use yet. It is *safe* if the function uses nothing from the
functions around it, or only constants that the source shows. Other captured values become arguments, static ones where
Python needs a concrete value, and the fix is *unsafe*: a value that is not a valid JAX type raises, and a static value
must be hashable. If nothing shows whether a captured value is data or an option, the fix is only *displayed*. There is
no fix if a captured value may change before the function is called, or if the function is used in other ways than
calls.

Alternatives, both *unsafe*: if the enclosing function does nothing else, it is jitted itself; in a loop whose
iterations all create the same function, it is created once above the loop.

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
            f"it every time; move it to module level and pass what it closes over"
            f"{_short_lived.or_jit_enclosing(facts, site)}"
        )
        yield _short_lived.report(facts, site, message)
