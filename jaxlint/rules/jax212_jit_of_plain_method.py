"""A method is jitted whose class is not a pytree.

## What it does
Reports `@jax.jit` (and `pmap`, `vmap`, `grad` and similar transforms) on a method of a class that is not a pytree, if
`self` is not static; and `jax.jit(Class.method)`, which leaves `self` to the caller. Also reports the same below
`@classmethod`, where the first argument is the class, and such a wrapper above `@staticmethod` or `@classmethod`, whose
result is not a function.

## Why it fails
`self` is the first argument, JAX expects an array or a pytree of arrays, and each call raises `TypeError`. So does
`jax.jit` itself when it is given a `staticmethod` object.

## Example
```python
class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @jax.jit
    def scaled(self, x):
        return self.factor * x
```

## Use instead
```python
@jax.jit
def _scaled(factor, x):
    return factor * x


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scaled(self, x):
        return _scaled(self.factor, x)
```
With `static_argnums=0` the instance becomes a constant: one program per instance, and later changes of its attributes
are ignored (JAX207, JAX109). A class whose attributes are arrays can be registered as a pytree, for instance with
`jax.tree_util.register_dataclass`.

## When it stays silent
If the class, one of its bases or a subclass may be a pytree: a base or decorator from another library, `tree_flatten`,
a class that is passed to a function; `@staticmethod` above `@jax.jit`, and class methods whose class is static;
wrappers from other libraries, which treat non-arrays as static; `vmap` with axes per argument, and `grad` with respect
to another argument.

## Fix safety
`self` becomes static: unsafe, as later changes of attributes are ignored. There is no fix if instances are unhashable,
or if the decorator is not a form of `jax.jit`.

## References
- JAX documentation, "Frequently asked questions": how to use jit with methods
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.errors.plain_methods import PlainMethod
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX212",
    name="jit-of-plain-method",
    summary="a method is jitted whose class is not a pytree",
    impact=Impact.ERROR,
    since="0.1.0",
    words=frozenset({"jit", "pjit", "pmap", "vmap", "grad", "value_and_grad", "jacfwd", "jacrev", "hessian"}),
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the methods of plain classes that take their instance for an array."""
    for plain in facts.plain_methods:
        wrapper = facts.short_code(plain.wrapped.node)
        evidence = facts.evidence.definition(plain.function)
        if plain.descriptor:
            message = (
                f"`{wrapper}` gets a {plain.descriptor} object instead of a function, so JAX raises TypeError; put "
                f"`@{plain.descriptor}` above it"
            )
            yield Report(plain.wrapped.node, message, evidence)
            continue
        name, first = plain.function.name, plain.function.parameters[0].name
        instead = (
            f"jit a function of the arrays, or make `{first}` static"
            if plain.wrapped.wrapper.compiles
            else f"apply `{wrapper}` to a function of the arrays"
            if plain.of_class
            else f"apply `{wrapper}` to a function of the arrays, or make `{plain.cls.name}` a pytree"
        )
        what = "which is a class" if plain.of_class else f"but `{plain.cls.name}` is not a pytree"
        message = f"`{wrapper}` traces `{first}`, {what}, so `{name}` raises TypeError; {instead}"
        fixes = functools.partial(_fixes, facts, plain)
        yield Report(plain.wrapped.node, message, evidence, fixes=fixes)


def _fixes(facts: ModuleFacts, plain: PlainMethod) -> Iterator[Fix]:
    from jaxlint.fixes.errors import statics
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: statics.make_instance_static(facts, plain))
