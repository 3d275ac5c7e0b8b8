"""A bound method is jitted on each call.

## What it does
Reports `jax.jit` and similar wrappers over `obj.method` when the jitted function does not outlive the call:
`self.method`, a method of an object whose class is visible or imported under a CapWords name, `model.apply` of a Flax
linen module, a classmethod.

## Why it is slow
Python creates a new bound method each time `obj.method` is accessed, and JAX drops the compiled program together with
the old one. So the same method of the same object compiles on each call.

## Example
```python
class Reservoir:
    def season(self, levels):
        return jax.jit(self.release)(levels)
```

## Use instead
```python
class Reservoir:
    def __init__(self, capacity):
        self.capacity = capacity
        self._release = jax.jit(self.release)

    def season(self, levels):
        return self._release(levels)
```
What the method reads from `self` is then fixed on the first call; pass what changes as an argument.

## When it stays silent
`tx.update` and `tx.init` of Optax, `net.apply` and `net.init` of Haiku (plain functions in a NamedTuple), functions of
a module, static methods, attributes that hold a function, `eqx.filter_jit(obj.method)` and `jax.pmap(obj.method)` of
the same object, which compare by value; and in every case that JAX101 lists.

At confidence `low`: nothing visible shows what the object is; `obj.init`, `obj.reset` and similar methods that run
once.

## Fix safety
Every fix is *unsafe*, because a jitted method keeps what it first read from its object.

- A class of the module with its own `__init__`: the method is jitted there and kept as an attribute. Not offered if
  anything the method reads is assigned or changed outside `__init__`, if the method passes its object on, for
  dataclasses, pytrees and classes whose bases are not visible, and if the object is as short-lived as the call.
- An object that is built from constants, or that the module holds: the jitted method becomes a module-level name.
- A frozen dataclass whose fields are numbers, strings or flags: a module-level function with the instance static.

## References
- <https://github.com/jax-ml/jax/issues/9672>
- <https://github.com/jax-ml/jax/issues/19570>
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX105",
    name="jit-of-bound-method",
    summary="a bound method is jitted on each call",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the short-lived jitted functions created from a bound method."""
    for site in _short_lived.sites(facts, "bound-method"):
        method = facts.short_code(site.target.node)
        wrapper = _short_lived.wrapper(site)
        root = site.target.root
        owner, _, name = method.rpartition(".")
        if root is not None and facts.stale.would_be(root):
            instead = "jit a module-level function and pass it the attributes, which change"
        elif owner == "self":
            instead = f"create `self._{name.lstrip('_')} = {wrapper}({method})` in `__init__` and call that"
        else:
            instead = "jit it once and keep the jitted function"
        message = (
            f"`{method}` is a new bound method on every access, so `{wrapper}` recompiles it "
            f"{_short_lived.when(facts, site)}; {instead}"
        )
        yield _short_lived.report(facts, site, message)
