"""NumPy is given traced data: the function of `jax.numpy` of the same name takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.errors.demands import Demand
    from jaxlint.facts.module import ModuleFacts

_OF_MATH = frozenset("sqrt exp log log2 log10 log1p expm1 sin cos tan sinh cosh tanh hypot".split())
_MODULES = {
    "numpy": "jax.numpy",
    "numpy.linalg": "jax.numpy.linalg",
    "numpy.fft": "jax.numpy.fft",
    "scipy.special": "jax.scipy.special",
    "scipy.linalg": "jax.scipy.linalg",
    "scipy.stats.norm": "jax.scipy.stats.norm",
}
_DIFFERENT = frozenset(
    "float16 float32 float64 int8 int16 int32 int64 int_ intp uint8 uint16 uint32 uint64 uint uintp bool bool_ "
    "complex64 complex128 save savetxt asanyarray ascontiguousarray copyto fix real_if_close fill_diagonal select "
    "trim_zeros binom array_equal piecewise apply_along_axis choose".split()
)
"""Functions that `jax.numpy` lacks, or whose result or arguments are others there."""
_OF_DATA = frozenset(
    "argwhere nonzero flatnonzero unique unique_all unique_counts unique_inverse unique_values union1d intersect1d "
    "setdiff1d setxor1d extract compress".split()
)
"""Functions whose result's shape depends on data: they need `size=` there."""
_JOINING = frozenset(
    "array asarray stack concatenate concat vstack hstack dstack column_stack block einsum where".split()
)
"""Functions that take a list of arrays there as well; the others refuse one."""
_OPTIONS = frozenset({"axis", "keepdims", "dtype", "mode", "ord"})


def counterpart(name: str) -> str:
    """Return the dotted name of JAX's function that takes the same arguments, empty where there is none."""
    module, _, last = name.rpartition(".")
    if module == "math":
        return f"jax.numpy.{last}" if last in _OF_MATH else ""
    if module not in _MODULES or last in _DIFFERENT | _OF_DATA:
        return ""
    return f"{_MODULES[module]}.{last}"


def by_jax(facts: ModuleFacts, demand: Demand) -> Fix | None:
    """Return a version that calls JAX's function, or looks a table up as an array of JAX.

    Raises:
        NoFixError: none is known that gives the same.
    """
    if demand.use == "table" and isinstance(demand.place, cst.Subscript):
        return _of_table(facts, demand.place)
    if demand.use == "numpy" and isinstance(demand.place, cst.Call):
        return _of_call(facts, demand.place)
    raise NoFixError("no function to replace")


def _of_call(facts: ModuleFacts, call: cst.Call) -> Fix | None:
    names = facts.names.externals(call.func)
    name = counterpart(names[0]) if len(names) == 1 else ""
    if not name:
        raise NoFixError("jax.numpy has no such function")
    last = name.rpartition(".")[2]
    if any(arg.star or (arg.keyword is not None and arg.keyword.value not in _OPTIONS) for arg in call.args):
        raise NoFixError("a call with options")
    if last == "where" and len(call.args) != 3:
        raise NoFixError("a shape that depends on data")
    if last not in _JOINING and any(isinstance(arg.value, (cst.List, cst.Tuple)) for arg in call.args):
        raise NoFixError("jax.numpy takes no lists")
    draft = Draft(facts)
    draft.replace(call.func, draft.name(name, call))
    return draft.fix(Applicability.UNSAFE, f"Use `{name.replace('jax.numpy', 'jnp')}`", "results are 32-bit by default")


def _of_table(facts: ModuleFacts, node: cst.Subscript) -> Fix | None:
    """Write `TABLE[i]` as `jnp.asarray(TABLE)[i]`."""
    parent = facts.tree.parent(node)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.Del)):
        raise NoFixError("what is assigned to")
    draft = Draft(facts)
    draft.replace(node.value, f"{draft.name('jax.numpy.asarray', node)}({draft.code(node.value)})")
    return draft.fix(Applicability.UNSAFE, "Index a `jax.numpy` array", "no index may be out of bounds")
