"""A static argument is unhashable, or a static field holds an array.

## What it does
Reports calls of visible jitted functions that pass a list, a dict, a set, an array or an instance of an unhashable
class (a dataclass that is not frozen) to a static parameter; methods with a static `self` in such a class; and static
fields of pytrees that hold an array.

## Why it fails
Static arguments are part of the key of the compile cache, so they must be hashable: JAX raises `ValueError`
("Non-hashable static arguments are not supported") on the first call. Static fields of a pytree are compared with `==`,
which for arrays gives an array: JAX raises `ValueError` ("Exception raised while checking equality of metadata fields")
when it first meets a second instance.

## Example
```python
@functools.partial(jax.jit, static_argnames="sizes")
def pooled(x, sizes):
    return x.reshape(sizes).mean(axis=1)

def run(x):
    return pooled(x, [4, 2])
```

## Use instead
```python
def run(x):
    return pooled(x, (4, 2))
```

## When it stays silent
For static fields that hold a list or a dict, which `==` compares; for tuples, strings, numbers, frozen dataclasses,
enum members, and classes with a `__hash__`; for a default that no caller replaces; for `np.int32(3)`, which is
hashable; for a static `self` whose class may get a hash from a base, another decorator or a subclass.

## Fix safety
A list becomes a tuple where it is passed, a set a frozenset; safe if its elements are constants and the function only
uses it in ways that a tuple supports. A dataclass that nothing visible changes is frozen; unsafe, as other files may
change an instance, unless the class is private. A parameter that gets arrays, and whose concrete value nothing visible
needs, is traced instead; unsafe.

## References
- JAX documentation, `jax.jit`: static_argnums
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Given
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Class
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX202",
    name="unhashable-static-argument",
    summary="a static argument is unhashable, or a static field holds an array",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)

_INSTEAD = {
    "a list": "pass a tuple",
    "a set": "pass a frozenset",
    "an array": "pass it as a traced argument",
}


def _instead(what: str) -> str:
    if what.startswith("an instance"):
        return "freeze the dataclass, or define `__hash__`"
    return _INSTEAD.get(what, "pass a tuple of hashable values, or a frozen dataclass")


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the static arguments and fields that have no hash."""
    for given in facts.arguments.unhashable:
        message = (
            f"{given.label} of `{given.call.name}` is static but gets {given.what}, which is unhashable, so JAX raises "
            f"ValueError; {_instead(given.what)}"
        )
        fixes = functools.partial(_fixes, facts, given)
        yield Report(given.node, message, facts.evidence.error(given.node), fixes=fixes)
    for cls, method in facts.unhashable_instances:
        name = method.parameters[0].name
        message = (
            f"`{name}` is static in `{cls.name}.{method.name}`, but `{cls.name}` instances are unhashable, so JAX "
            f"raises ValueError; freeze the dataclass, or define `__hash__`"
        )
        wrapped = facts.compiled.wrapper_of(method)
        node = wrapped.node if wrapped is not None else method.node
        fixes = functools.partial(_class_fixes, facts, cls)
        yield Report(node, message, facts.evidence.error(node), fixes=fixes)
    for given in facts.arguments.incomparable:
        message = (
            f"the static field {given.label} of an argument of `{given.call.name}` is {given.what}, which JAX cannot "
            f"compare, so a call with another one fails; make it a tuple, or a field that is traced"
        )
        yield Report(given.node, message, facts.evidence.place(facts.tree.context(given.node)))
    for field in facts.arguments.array_fields:
        message = (
            f"the static field `{field.name}` of `{field.cls.name}` is an array, which JAX cannot compare, so a "
            f"jitted function that takes a second `{field.cls.name}` fails; make it a tuple, or a field that is traced"
        )
        yield Report(field.node, message, facts.evidence.field(field))


def _class_fixes(facts: ModuleFacts, cls: Class) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import hashable
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: hashable.frozen(facts, cls))


def _fixes(facts: ModuleFacts, given: Given) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import hashable

    return hashable.fixes(facts, given)
