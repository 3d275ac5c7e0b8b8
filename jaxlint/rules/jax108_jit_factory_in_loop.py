"""A function that returns a new jitted function is called repeatedly.

## What it does
Reports a call of a visible function that returns a newly jitted function, when the result is called at once
(`make_step(model)(x)`), used once, or created in each iteration of a loop.

## Why it is slow
A factory is a good way to compile once and reuse the result. Called in every step, it creates a new function each time,
and each new function compiles.

## Example
```python
def track(state, gain, steps):
    for _ in range(steps):
        controller = make_controller(gain)
        state = state + 0.05 * controller(state)
    return state
```

## Use instead
```python
def track(state, gain, steps):
    controller = make_controller(gain)
    for _ in range(steps):
        state = state + 0.05 * controller(state)
    return state
```
Or cache the factory with `functools.lru_cache`, if its arguments are hashable.

## When it stays silent
The factory is cached, or returns `jax.jit(f)` of a long-lived `f`; the result is kept, as JAX101 lists; the calling
function is itself traced.

## Fix safety
A factory that gets constants or module-level functions is called once, at module level: *safe* if its code only creates
functions, *unsafe* otherwise, as it must return the same at each call. A factory that gets other values is cached with
`functools.lru_cache` if the source shows that every argument is hashable, or called once above a loop that does not
change its arguments; both are *unsafe*.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": dynamically recreating function objects
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX108",
    name="jit-factory-in-loop",
    summary="a function that returns a new jitted function is called repeatedly",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the calls of factories whose compiled result is short-lived."""
    for site in facts.factory_calls:
        if not site.short_lived:
            continue
        maker, when = f"`{site.maker}`", _short_lived.when(facts, site)
        if site.factory is not None and site.factory.is_lambda:
            maker = "this lambda"
        message = (
            f"{maker} returns a new jitted function, so this recompiles {when}; call {maker} once and keep the result, "
            f"or cache it with `functools.lru_cache`"
        )
        yield _short_lived.report(facts, site, message)
