"""An object that compiles for itself is made again and again.

## What it does
Reports an instance of a class of the file, or of the project, that is made in a function, or in the turn of a loop, and
dies there, where the class compiles in its constructor (`self._step = jax.jit(self.step)`) or has a compiled method
whose `self` is a static argument, and the instance is used for it.

## Why it is slow
What the constructor compiles belongs to the one instance, and a static `self` is part of the cache's key: an instance
is equal to nothing but itself, so each new one compiles again.  A static `self` also keeps every instance alive: the
cache holds on to it.

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
Where instances have to be made anew, compile a function of the module that takes what it needs as arguments, register
the class as a pytree, or give it `__eq__` and `__hash__` (a frozen dataclass has both): then an equal instance hits.

## When it stays silent
The instance is kept: on an attribute, in a container, returned, handed on; nothing is called of it that compiles; the
class compares by value; what its constructor compiles lives as long as the module.

At confidence `low`: the function runs once; the instance is made once and used in a loop.

## Fix safety
Where its arguments are fixed, the instance is made once, at module level: safe, if its constructor only assigns and
compiles.  Where the turns of a loop all make the same one, it moves above the loop; where the arguments can be hashed,
it is made once for each of them, by a memoised function, which keeps all of them: both unsafe, the latter only shown
where nothing says that they can.  None is offered where a method changes the instance, or its class is out of sight.

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
    from jaxlint.fixes import instances

    return instances.fixes(facts, instance)
