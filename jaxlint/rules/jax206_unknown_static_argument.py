"""A static or donated argument does not exist.

## What it does
Reports `static_argnames`, `static_argnums`, `donate_argnames` and `donate_argnums` that name a parameter which the
visible signature lacks, numbers that are out of range, and arguments that are both static and donated.

## Why it fails
JAX raises `ValueError` when the function is wrapped. Older versions accepted an unknown name silently and traced the
argument instead.

## Example
```python
@functools.partial(jax.jit, static_argnames="widht")
def smooth(signal, width):
    return jnp.convolve(signal, jnp.ones(width) / width, mode="same")
```

## Use instead
```python
@functools.partial(jax.jit, static_argnames="width")
def smooth(signal, width):
    return jnp.convolve(signal, jnp.ones(width) / width, mode="same")
```

## When it stays silent
The function takes `**kwargs` (for names) or `*args` (for numbers); its signature, or the value of the option, is not
visible; the target is a partial or another transform.

## Fix safety
A name is replaced by the parameter that it clearly misspells; numbers that go one beyond the last parameter are counted
from 0; an argument that is static and donated is no longer donated. Safe, as the wrapper fails without it, but unsafe
for donated arguments, and if nothing shows that the parameter is an option rather than data.

## References
- <https://github.com/jax-ml/jax/issues/10601>
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _staged

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.signatures import WrongArgument
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX206",
    name="unknown-static-argument",
    summary="a static or donated argument does not exist in the signature",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the jit options that name arguments which the function lacks."""
    import difflib

    for wrong in facts.wrong_arguments:
        where = f"`{wrong.function.name}`"
        if wrong.overlap:
            message = (
                f"`{wrong.given}` of {where} is both static and donated, so JAX raises ValueError; remove it from one "
                f"of the two"
            )
        elif isinstance(wrong.given, str):
            close = difflib.get_close_matches(wrong.given, wrong.parameters, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(wrong.parameters)}"
            message = (
                f"{where} has no parameter `{wrong.given}`, which `{wrong.option}` names, so JAX raises ValueError; "
                f"{hint}"
            )
        else:
            count = len(wrong.parameters)
            message = (
                f"`{wrong.option}` names position {wrong.given}, but {where} has {count} positional "
                f"parameter{'s' * (count != 1)}, so JAX raises ValueError; count from 0, or use names"
            )
        related = ((facts.name_node(wrong.function), f"{where} is defined here"),)
        fixes = functools.partial(_fixes, facts, wrong)
        yield Report(wrong.node, message, facts.evidence.error(wrong.node), related, fixes)


def _fixes(facts: ModuleFacts, wrong: WrongArgument) -> Iterator[Fix]:
    from jaxlint.fixes.errors import statics
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: statics.correct_argument(facts, wrong))
