"""A `tree.map` of array operations outside any trace.

## What it does
Reports `jax.tree.map` (and its older spellings) of a function with array operations, in code that runs eagerly.

## Why it is slow
Each operation on each distinct leaf shape is a program of its own that XLA compiles on the first call: 50 leaves and
four operations were 200 programs and 15 s, against 3.4 s for one program (CPU, jax 0.10.2). Later calls do not compile,
but dispatch every operation on every leaf. A map that joins arrays of new lengths in each iteration, such as the
episodes of an environment, compiles again in each.

## Example
```python
def main():
    params = load()
    params = jax.tree.map(lambda w: jnp.round(w / jnp.max(jnp.abs(w)) * 127), params)
```

## Use instead
```python
@jax.jit
def quantize(params):
    return jax.tree.map(lambda w: jnp.round(w / jnp.max(jnp.abs(w)) * 127), params)

def main():
    params = quantize(load())
```
Not `jax.jit(lambda tree: ...)(params)` inside a function, which recompiles on each call; in place,
`jax.jit(jax.tree.map, static_argnums=0)(quantize_leaf, params)` works, with a module-level function.

## When it stays silent
In code that only jitted functions run; for shapes, dtypes and other metadata, transfers (`device_put`, `device_get`,
`np.asarray`, `jnp.asarray`), NumPy functions, `block_until_ready`; for a jitted leaf function; for what Python does to
axis numbers (`axis + 1`) and to the paths of leaves; if the operations do not use the leaves, which are then indices or
names.

At confidence `low`: nothing visible calls the function, so its callers may well trace it; it runs once per process,
like a split of the data or the parameters of an optimizer; the code shows that it runs fewer than fifty times; fewer
than four operations, such as the mean of a few metrics, unless they combine trees of parameters, like an optimizer's
step, an average or a sum of gradients, or join arrays that have other lengths in each iteration.

## Fix safety
The enclosing function is jitted if it does nothing else; a mapped module-level function is jitted in place, with
`jax.jit(jax.tree.map, static_argnums=0)`; otherwise the map moves to a module-level jitted function, and captured
values become arguments.

Safe if the mapped function is array code that certainly returns JAX arrays; one program may round the last digits
differently than several, or than NumPy in double precision. Unsafe if it is arithmetic alone, which returns NumPy
arrays or numbers when it gets them, and in files that place arrays on devices: leaves on several devices cannot share a
program. Only displayed if it calls something that is not visible, or may return something other than arrays, or only
asks for shapes, which other objects have as well. There is no fix if tracing fails: conversions (`float(x)`,
`np.asarray(x)`, `.item()`), conditions on values, captured options; nor for arrays of new lengths, for which one
program would compile as often.

## References
- JAX documentation, "Debugging slow JAX tracing and XLA compilation": eager Python loops
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.finding import Impact
from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.eager.tree_maps import LeafMap
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

RULE = Rule(
    code="JAX401",
    name="eager-tree-map",
    summary="a tree.map of array operations runs outside any trace",
    impact=Impact.FIRST_CALL,
    since="0.1.0",
    words=frozenset({"tree_map", "tree_multimap", "tree_map_with_path", "map_with_path", "tree.map"}),
    doc=__doc__,
)


_WORTH_IT = 4
"""Of some 40 labelled maps with fewer operations a leaf that run again and again, one is worth a change, but for those
that work trees of parameters into each other."""


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the tree maps that dispatch array operations leaf by leaf."""
    from jaxlint.facts.evidence.confidence import Doubt

    for leaf_map in facts.leaf_maps:
        few = leaf_map.operations < _WORTH_IT
        doubts = frozenset({Doubt.LIGHT} if leaf_map.light else {Doubt.FEW} if few else ())
        # A step of an optimizer, an average of parameters or a sum of gradients has many leaves, whatever it does.
        doubts = frozenset() if leaf_map.updates or leaf_map.varies else doubts
        fixes = functools.partial(_fixes, facts, leaf_map)
        yield Report(leaf_map.node, _message(leaf_map), facts.evidence.leaf_map(leaf_map.node, doubts), fixes=fixes)


def _message(leaf_map: LeafMap) -> str:
    if leaf_map.varies:
        return (
            "this `tree.map` joins arrays whose lengths differ between iterations, so it recompiles again and again; "
            "join them in NumPy, or pad them to one length"
        )
    count = leaf_map.operations
    return (
        f"this `tree.map` runs eagerly: {count} operation{'s' * (count != 1)} per leaf, each compiled once per "
        f"distinct leaf shape; {_instead(leaf_map)}"
    )


def _instead(leaf_map: LeafMap) -> str:
    if leaf_map.reads:
        return "copy the tree to the host once with `jax.device_get` and use NumPy"
    return "wrap the `tree.map` in a jitted function"


def _fixes(facts: ModuleFacts, leaf_map: LeafMap) -> Iterator[Fix]:
    from jaxlint.fixes.eager import maps
    from jaxlint.fixes.text import edits

    if leaf_map.varies:
        return iter(())
    return edits.offered(
        lambda: maps.compile_caller(facts, leaf_map),
        lambda: maps.compile_at_module_level(facts, leaf_map),
        lambda: maps.compile_in_place(facts, leaf_map),
    )
