"""Traced code stores a tracer where it outlives the trace.

## What it does
Reports code under `jit`, or in the body of `scan`, `cond` and similar functions, that stores a traced value on an
object that existed before (`self` of a static or bound method, a module-level object), in a `global` or `nonlocal`
name, in a list or dictionary from outside, or in a cache (`cached_property`, `lru_cache`) that traced code fills first;
the same in functions under `grad` and `vmap`; and a jitted method of a pytree that assigns an attribute of `self`
without returning it.

## Why it fails
JAX runs the Python code once, to trace it: what is stored is a tracer, and whatever reads it afterwards raises
`UnexpectedTracerError`. Later calls run the compiled program, not the Python code, so the value is never updated. An
attribute of a pytree is set on a copy, so the change is silently lost.

## Example
```python
class Model:
    def __init__(self, w):
        self.w = w

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, grad):
        self.w = self.w - 0.1 * grad
```

## Use instead
```python
@jax.jit
def updated(w, grad):
    return w - 0.1 * grad


class Model:
    def __init__(self, w):
        self.w = w

    def step(self, grad):
        self.w = updated(self.w, grad)
```
State goes in as an argument and comes out as a result. To look at values, use `jax.debug.print` or
`jax.debug.callback`, whose function may store what it gets.

## When it stays silent
Python values (`self.calls += 1`), objects and lists that the traced code creates itself, constructors, Flax and Haiku
modules, whose libraries thread state in and out, callback functions, NumPy arrays (JAX210), and after a check for
tracers.

At confidence `low`: if nothing visible reads the stored value after the trace, and after a condition under which the
function may return early.

## Fix safety
Unsafe: where a jitted method assigns an attribute of its instance, or a jitted function a module-level name, and
returns nothing else, the fix makes it an argument and the result, and stores the result at each call. All callers must
be visible. Elsewhere there is no fix: only you know what should become an argument and a result.

## References
- JAX documentation, "JAX errors": `UnexpectedTracerError`
- <https://github.com/jax-ml/jax/issues/15136>
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _staged

if TYPE_CHECKING:
    from jaxlint.facts.errors.leaks import Leak
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX211",
    name="leaked-tracer",
    summary="traced code stores a tracer where it outlives the trace",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the places where a traced value is stored for longer than its trace."""
    from jaxlint.facts.evidence.confidence import Doubt

    for leak in facts.leaks:
        code, name = facts.short_code(leak.target), leak.function.name
        if leak.cached:
            message = (
                f"`{name}` caches its result and is called under trace, so later code gets a leaked tracer and raises "
                f"UnexpectedTracerError; compute it with NumPy, or under `jax.ensure_compile_time_eval()`"
            )
        elif leak.lost:
            message = (
                f"`{name}` is jitted and sets `{code}` on a copy of the pytree, so the change is silently lost; return "
                f"the new value, or a new object"
            )
        else:
            message = (
                f"`{code}` keeps a tracer after `{name}` is traced, so reading it raises UnexpectedTracerError; return "
                f"the value instead"
            )
        doubts = frozenset(() if leak.read is not None else {Doubt.UNSEEN})
        doubts |= frozenset({Doubt.SOMETIMES} if leak.sometimes else ())
        related = ((leak.read, f"`{code}` is read here"),) if leak.read is not None else ()
        fixes = functools.partial(_fixes, facts, leak)
        yield Report(leak.node, message, facts.evidence.definition(leak.function, doubts), related, fixes)


def _fixes(facts: ModuleFacts, leak: Leak) -> Iterator[Fix]:
    from jaxlint.fixes.errors import leaks
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: leaks.returned(facts, leak))
