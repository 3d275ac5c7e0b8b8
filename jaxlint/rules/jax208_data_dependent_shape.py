"""The shape of a result depends on traced data.

## What it does
Reports, under trace: indexing by a boolean mask (`x[mask]`, `x.at[mask]`), `jnp.nonzero`, `unique`, `argwhere`,
one-argument `where`, `intersect1d` and similar functions without `size=`, `bincount` without `length=`,
`jax.ops.segment_sum` without `num_segments=`, and shapes, slice bounds and loop counts that come from array operations.

## Why it fails
XLA programs have fixed shapes, and the number of elements that a mask selects is only known when the program runs. JAX
raises `NonConcreteBooleanIndexError` or `ConcretizationTypeError`.

## Example
```python
@jax.jit
def clip_outliers(scores, limit):
    outliers = jnp.abs(scores) > limit
    return scores.at[outliers].set(limit)
```

## Use instead
```python
@jax.jit
def clip_outliers(scores, limit):
    outliers = jnp.abs(scores) > limit
    return jnp.where(outliers, limit, scores)
```
For means and sums use `where=`, or multiply by the mask; for `unique` and `nonzero` pass `size=` and `fill_value=`.

## When it stays silent
Three-argument `where`; a `size=`; masks and indices that Python knows (NumPy arrays, shapes); integer indices; eager
code, where the shape can depend on data.

## Fix safety
`x.at[mask].set(v)` becomes `jnp.where(mask, v, x)`, and `x[mask].sum()` a reduction with `where=`, if the mask is
computed element by element from the array itself, so that it has its shape, or is visibly built over all its axes, as
`jnp.arange(x.shape[1])[None, :] < lengths[:, None]` is. `x.at[:4, mask].set(v)` selects in `x[:4]`. Unsafe: the code
raises as it is, but run eagerly it may return another type. `size=` for `nonzero` and similar functions is only
displayed, as it pads the result.

## References
- JAX documentation, "Common gotchas in JAX": dynamic shapes
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule, _staged

if TYPE_CHECKING:
    from jaxlint.facts.errors.staged import DataShape
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX208",
    name="data-dependent-shape",
    summary="the shape of a result depends on traced data",
    impact=Impact.ERROR,
    since="0.1.0",
    words=_staged.WORDS,
    cues=_staged.CUES,
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the places where a traced value decides a shape."""
    for shape in facts.staged.data_shapes:
        code = facts.short_code(shape.node)
        if shape.kind == "mask":
            message = (
                f"the shape of `{code}` depends on a traced mask, so JAX raises NonConcreteBooleanIndexError; "
                f"use `jnp.where(mask, ..., ...)` or a `where=` argument"
            )
        elif shape.kind == "function":
            message = (
                f"the shape of `{code}` depends on traced data, so JAX raises ConcretizationTypeError; "
                f"{_instead(facts, shape)}"
            )
        else:
            message = (
                f"`{code}` is traced, but a shape or slice bound must be concrete, so JAX raises an error; "
                f"compute it from shapes or static arguments, or mask instead of slicing"
            )
        fixes = functools.partial(_fixes, facts, shape)
        yield Report(shape.node, message, facts.evidence.error(shape.node), fixes=fixes)


def _instead(facts: ModuleFacts, shape: DataShape) -> str:
    function = facts.short_code(shape.node.func).rpartition(".")[2]  # type: ignore[attr-defined]
    if function.startswith("segment_"):
        return "pass `num_segments=`, as a Python number or a static argument"
    if function == "bincount":
        return "pass `length=`, as a Python number or a static argument"
    return "pass a static `size=` (and `fill_value=`), or mask with three-argument `jnp.where`"


def _fixes(facts: ModuleFacts, shape: DataShape) -> Iterator[Fix]:
    from jaxlint.fixes.errors import selections
    from jaxlint.fixes.text import edits

    return edits.offered(lambda: selections.of_fixed_shape(facts, shape))
