"""A jitted function closes over a large array.

## What it does
Reports, in jitted functions, reads of an array of 4 MB or more (a million float32) that is created outside: at module
level, in the enclosing function, or as an attribute of an instance that is static.

## Why it is slow
The array becomes a constant of the program. XLA copies it into each compiled program, one per shape, and evaluates what
it can of it at compile time. Measured with JAX 0.10.2 on a CPU, for a table of 64 MB: a product with a vector compiles
in 2.7 s instead of 0.2 s, a sum of its squares in 27 s. With 4 MB it is 0.1 to 0.7 s more. And if the name is rebound
later, the program does not see it.

## Example
```python
table = jnp.linspace(0.0, 1.0, 16_000_000).reshape(4000, 4000)

@jax.jit
def project(x):
    return table @ x
```

## Use instead
```python
@jax.jit
def project(x, table):
    return table @ x
```

## When it stays silent
For small tables; if only a shape or dtype is used; for what NumPy selects or computes from its own arrays while
tracing; for arrays created under trace, which are not constants; for functions that nothing jits.

At confidence `low`: arrays loaded from a file whose name does not suggest data; parameters do not.

## Fix safety
Unsafe: the array becomes the last parameter of the function, and each call passes it. For a public function, which
other modules may call, the fix is displayed and never applied. There is no fix if the function is used in other ways
than calls, nor for NumPy arrays, which each call would copy to the device: convert them to a JAX array first.

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
    from jaxlint.facts.cache_misses.captured_arrays import Captured
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX303",
    name="large-captured-constant",
    summary="a jitted function closes over a large array",
    impact=Impact.COMPILE_TIME,
    since="0.1.0",
    words=_short_lived.WORDS,
    preview=True,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the first read of each large array in each function that is compiled."""
    for captured in facts.captured:
        size = f"{captured.size.bytes // 1_000_000:,} MB" if captured.size.count else "loaded from a file"
        function = captured.function
        where = "a jitted lambda closes" if function.is_lambda else f"the jitted `{function.name}` closes"
        if not function.is_lambda and not any(w.wrapper.compiles for w in facts.tracing.direct(function)):
            where = f"`{function.name}` runs under jit and closes"
        message = (
            f"{where} over `{captured.name}` ({size}), a constant that slows compilation and is copied into each "
            f"program; pass it as an argument"
        )
        related = ((captured.made, f"`{captured.name}` is created here"),)
        fixes = functools.partial(_fixes, facts, captured)
        yield Report(captured.use, message, facts.evidence.capture(captured), related, fixes)


def _fixes(facts: ModuleFacts, captured: Captured) -> Iterator[Fix]:
    from jaxlint.fixes.cache_misses import constants
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: constants.passed(facts, captured))
