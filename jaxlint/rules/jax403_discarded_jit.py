"""A jitted function is created and never used.

## What it does
Reports an expression statement that creates a jitted function, or a wrapper, and discards it: above all a decorator
that lost its `@`.

## Why it is slow
`jax.jit` is lazy: as a statement it compiles nothing, and checks nothing. The function below stays uncompiled and runs
operation by operation.

## Example
```python
partial(jax.jit, static_argnames="order")
def filter_signal(signal, order):
    ...
```

## Use instead
```python
@partial(jax.jit, static_argnames="order")
def filter_signal(signal, order):
    ...
```

## When it stays silent
Whenever the value of the expression is used.

In preview this also reports a jitted function under a private or local name that nothing uses, if the original function
is called; a public `f_jit = jax.jit(f)` may have users elsewhere.

## Fix safety
The `@` is added. Safe if the function is array code and nothing else; unsafe if it calls something that is not visible,
or has side effects. Only displayed if tracing it would fail, if the function is dropped with a call and so would
recompile on each, and for `pmap`, which takes other shapes.

A jitted function under a name that nothing uses is called instead of the original: unsafe, since the code does not show
whether that was meant. There is no fix if tracing it would fail.

## References
- JAX documentation, "Just-in-time compilation"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.discarded import Discarded, UnusedName
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX403",
    name="discarded-jit",
    summary="a jitted function is created and never used, as by a decorator without its `@`",
    impact=Impact.UNCOMPILED,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the expression statements whose value is a wrapper or a jitted function."""
    for discarded in facts.unused.discarded:
        code = facts.short_code(discarded.node)
        if discarded.function is not None:
            message = (
                f"`{code}` is missing its `@`, so `{discarded.function.name}` is never compiled; make it a decorator"
            )
        else:
            message = f"`{code}` creates a jitted function that nothing uses; call it or delete it"
        fixes = functools.partial(_fixes, facts, discarded)
        yield Report(discarded.node, message, facts.evidence.discarded(discarded), fixes=fixes)
    if facts.settings.preview:
        yield from _unused_names(facts)


def _unused_names(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the jitted functions under names that nothing uses, beside calls of the original (preview)."""
    for unused in facts.unused.names:
        message = (
            f"nothing uses the jitted `{unused.name}`, and `{unused.function.name}` runs uncompiled; call "
            f"`{unused.name}` instead"
        )
        evidence = facts.evidence.unused(unused)
        related = ((unused.call, f"`{unused.function.name}` is called here"),)
        yield Report(unused.node, message, evidence, related, fixes=functools.partial(_use, facts, unused))


def _use(facts: ModuleFacts, unused: UnusedName) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import unused as names
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: names.use(facts, unused))


def _fixes(facts: ModuleFacts, discarded: Discarded) -> Iterator[Fix]:
    from jaxlint.fixes.errors import decorators
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: decorators.put_back(facts, discarded))
