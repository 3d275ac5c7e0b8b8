"""A long-lived function is wrapped in a new jit on each call.

## What it does
Reports `jax.jit` and similar wrappers over a module-level or imported function that are created inside a function,
called once and dropped: `jax.jit(f)(x)`.

## Why it is slow
It never recompiles: the cache knows the function, however often it is wrapped. But a new wrapper lacks the fast path of
a call, so each call takes about 65 µs to dispatch instead of 5 µs (measured with JAX 0.10.2 on a CPU). That matters if
short programs run often, and nowhere else.

## Example
```python
def advance(state):
    return jax.jit(step)(state)
```

## Use instead
```python
compiled_step = jax.jit(step)

def advance(state):
    return compiled_step(state)
```

## When it stays silent
If the wrapper is bound above a loop that uses it, stored, returned, cached or lowered ahead of time; in code that
something traces; over functions that are new each time, or with a static argument that is, which do recompile (JAX101
to JAX105, JAX203); for `nnx.jit`, whose wrappers have compile caches of their own (JAX104).

At confidence `low`: in functions that run once, and in tests.

## Fix safety
Safe if what it reads is bound before the function that uses it: the jitted function is bound at module level.

## References
- JAX documentation, "Just-in-time compilation": JIT and caching
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX902",
    name="rewrapped-jit",
    summary="a long-lived function is wrapped in a new jit on each call",
    impact=Impact.DISPATCH,
    since="0.1.0",
    words=_short_lived.WORDS,
    off_by_default=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the wrappers that are made, called and dropped over functions that live on."""
    for site in facts.rewrapped:
        in_loop = site.context.loop is not None
        when = "in each iteration of the loop" if in_loop else _short_lived.on_each_call(site.context.function)
        message = (
            f"`{_short_lived.wrapper(site)}` wraps `{facts.short_code(site.target.node)}` again {when}, which does not "
            f"recompile but adds about 60 µs to the call; bind the jitted function once, at module level"
        )
        evidence = facts.evidence.place(site.context, in_loop=in_loop)
        yield Report(site.node, message, evidence, fixes=lambda site=site: _short_lived.fixes(facts, site))  # type: ignore[misc]
