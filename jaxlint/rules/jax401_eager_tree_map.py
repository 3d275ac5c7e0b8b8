"""A `tree.map` of array operations outside any trace.

## What it does
Reports `jax.tree.map` (and its older spellings) of a function that does array operations, in code that runs eagerly.

## Why it is slow
Each operation on each distinct leaf shape is a program of its own that XLA compiles on the first call: 50 leaves and
four operations were 200 programs and 15 s, against 3.4 s for one program (CPU, jax 0.10.2).  Later calls compile
nothing, but dispatch every operation on every leaf.

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
Not `jax.jit(lambda tree: ...)(params)` within a function, which compiles on each call of it; in place,
`jax.jit(jax.tree.map, static_argnums=0)(quantize_leaf, params)` does, with a function of the module.

## When it stays silent
In code that only compiled functions run; for shapes, dtypes and other metadata, transfers (`device_put`, `device_get`,
`np.asarray`, `jnp.asarray`), NumPy functions, `block_until_ready`; for a compiled leaf function; for what Python does
to axis numbers (`axis + 1`) and to the paths of leaves.

At confidence `low`: nobody in sight calls the function, so its callers may well trace it; it runs once a process, as a
split of the data or the parameters of an optimiser do; a single operation, such as the mean of a few metrics.

## Fix safety
The function around the map is compiled where it does nothing else; a mapped function of the module is compiled in
place, by `jax.jit(jax.tree.map, static_argnums=0)`; otherwise the map moves to a compiled function of the module, and
what its function captures becomes arguments.

Safe where the mapped function is array code that surely gives arrays of JAX; one program may round the last digits
otherwise than several, or than NumPy's double precision.  Unsafe where it is arithmetic alone, which gives NumPy arrays
or numbers when it is given such, and in files that place arrays on devices: leaves on several of them cannot share a
program.  Only shown where it calls what is not in sight, or may give
what is no array, or asks for shapes alone, which other things have as well.  None is offered where tracing fails:
conversions (`float(x)`, `np.asarray(x)`, `.item()`), tests of values, options captured from around it.

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


_WORTH_IT = 3
"""Of 30 labelled maps with fewer operations a leaf that run again and again, one is worth a change; of those with as
many 4 of 9 are, and 2 more are true."""


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield the tree maps that dispatch array operations leaf by leaf."""
    from jaxlint.facts.evidence.confidence import Doubt

    for leaf_map in facts.leaf_maps:
        count = leaf_map.operations
        message = (
            f"this `tree.map` runs eagerly: {count} operation{'s' * (count != 1)} per leaf, each compiled once per "
            f"distinct shape; {_instead(leaf_map)}"
        )
        doubts = frozenset({Doubt.LIGHT} if leaf_map.light else {Doubt.FEW} if count < _WORTH_IT else ())
        fixes = functools.partial(_fixes, facts, leaf_map)
        yield Report(leaf_map.node, message, facts.evidence.leaf_map(leaf_map.node, doubts), fixes=fixes)


def _instead(leaf_map: LeafMap) -> str:
    if leaf_map.reads:
        return "copy the tree to the host once with `jax.device_get` and use NumPy"
    return "wrap the `tree.map` in a jitted function"


def _fixes(facts: ModuleFacts, leaf_map: LeafMap) -> Iterator[Fix]:
    from jaxlint.fixes import edits, maps

    return edits.offered(
        lambda: maps.compile_caller(facts, leaf_map),
        lambda: maps.compile_at_module_level(facts, leaf_map),
        lambda: maps.compile_in_place(facts, leaf_map),
    )
