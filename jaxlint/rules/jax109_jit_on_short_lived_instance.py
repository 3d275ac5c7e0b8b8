"""An object that compiles its own programs is created repeatedly.

## What it does
Reports an instance of a class of the file or project that is created in a function, or in an iteration of a loop, and
dropped there, when the class jits in its constructor (`self._step = jax.jit(self.step)`) or has a jitted method whose
`self` is static, and the instance is used for it.

## Why it is slow
What the constructor jits belongs to one instance, and a static `self` is part of the cache key: an instance equals only
itself, so each new one compiles again. A static `self` also keeps every instance alive, because the cache holds a
reference to it.

## Example
```python
class Filter:
    def __init__(self, gain):
        self.gain = gain
        self._apply = jax.jit(self.apply)

    def apply(self, signal):
        return self.gain * signal

    def __call__(self, signal):
        return self._apply(signal)

def louder(signals):
    return [Filter(2.0)(signal) for signal in signals]
```

## Use instead
```python
def louder(signals):
    double = Filter(2.0)
    return [double(signal) for signal in signals]
```
If instances have to be created repeatedly, jit a module-level function that takes what it needs as arguments, register
the class as a pytree, or give it `__eq__` and `__hash__` (a frozen dataclass has both): then an equal instance hits the
cache.

## When it stays silent
The instance is kept: on an attribute, in a container, returned, or passed on; nothing that compiles is called on it;
the class compares by value; what its constructor jits lives as long as the module.

At confidence `low`: the function runs once; the instance is created once and used in a loop; no visible loop runs the
function again and it does more than compute a value; each iteration creates an instance with other settings.

## Fix safety
If its arguments are constant, the instance is created once, at module level: safe if its constructor only assigns and
jits. If all iterations of a loop create the same instance, it moves above the loop; if the arguments are hashable, it
is created once per argument by a cached function, which keeps all of them. Both are unsafe, and the latter is only
displayed if nothing shows that the arguments are hashable. There is no fix if a method changes the instance or its
class is not visible.

## References
- JAX FAQ, "How to use jit with methods?"
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _short_lived

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.instances import ShortLived
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX109",
    name="jit-on-short-lived-instance",
    summary="an object that compiles its own programs is created repeatedly",
    impact=Impact.EVERY_CALL,
    since="0.1.0",
    words=_short_lived.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the instances that compile and are dropped where they are created."""
    for instance in facts.instances.short_lived:
        name, member = instance.name, instance.member
        if member.static_self:
            why = f"`{name}.{member.name}` is jitted with a static `self`, so each new instance recompiles it"
        else:
            why = f"each new `{name}` compiles its own `{member.name}`"
        function = instance.context.function
        when = "in each iteration of the loop" if instance.in_loop else _short_lived.on_each_call(function)
        changes = any(facts.stale.would_be(method) for method in facts.instances.methods_behind(instance))
        if changes:
            instead = "jit a module-level function that takes what it needs as arguments"
        else:
            instead = f"create `{name}` once and reuse it"
        message = f"{why}, here {when}; {instead}"
        related = ((facts.named(member.node), "it is jitted here"),) if member.node is not None else ()
        fixes = functools.partial(_fixes, facts, instance)
        yield Report(instance.node, message, facts.evidence.instance(instance), related, fixes)


def _fixes(facts: ModuleFacts, instance: ShortLived) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import instances

    return instances.fixes(facts, instance)
