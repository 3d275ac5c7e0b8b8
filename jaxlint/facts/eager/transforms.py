"""Transformed functions that are called outside any trace: each of their operations is compiled by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped, Wrappings
from jaxlint.facts.eager.operations import EagerArrays
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Function, Loop, Tree

_MAPPED = frozenset({"jax.vmap", "equinox.filter_vmap"})
_DERIVED = frozenset(
    "jax.grad jax.value_and_grad jax.jacfwd jax.jacrev jax.hessian equinox.filter_grad "
    "equinox.filter_value_and_grad".split()
)
_FEWEST = 2
"""A `vmap` of a single operation is a single operation."""


@dataclass(frozen=True, slots=True, eq=False)
class EagerTransform:
    """A call of a transformed function that nothing compiles; `function` is the one behind all transforms."""

    node: cst.Call
    wrapped: Wrapped
    function: Function

    @property
    def name(self) -> str:
        """The transform, as a user would name it, such as `jax.grad`."""
        return self.wrapped.wrapper.name.replace("equinox.", "eqx.")


class EagerTransforms:
    """Finds them; whether they do run eagerly is for `Eager` to say.

    `covered` tells of loops whose iterations another rule reports as a whole.
    """

    def __init__(
        self, tree: Tree, names: Names, wrappings: Wrappings, arrays: EagerArrays, covered: Callable[[Loop], bool]
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._arrays = arrays
        self._covered = covered

    @functools.cached_property
    def found(self) -> list[EagerTransform]:
        """All of them, in source order."""
        if not any(w.wrapper.name in _MAPPED | _DERIVED for w in self._wrappings.calls.values()):
            return []
        return [found for call in self._tree.calls if (found := self._find(call)) is not None]

    def _find(self, call: cst.Call) -> EagerTransform | None:
        found = []
        for value in self._names.values(call.func):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            function = self._behind(wrapped) if wrapped is not None else None
            if wrapped is None or function is None:
                return None
            found.append(EagerTransform(call, wrapped, function))
        loop = self._tree.context(call).loop
        inside = loop is not None and any(self._covered(around) for around in (loop, *loop.around))
        return found[0] if len(found) == 1 and not inside else None

    def _behind(self, wrapped: Wrapped, least: int = _FEWEST) -> Function | None:
        """Return the function that is transformed, if neither it nor a step on the way is compiled."""
        if wrapped.wrapper.name in _DERIVED:
            least = 1  # forward, and back
        elif wrapped.wrapper.name not in _MAPPED:
            return None
        values = self._names.values(wrapped.targets[0])
        if len(values) != 1:
            return None
        value = values[0]
        if isinstance(value, Function):
            return value if self._arrays.of_function(value) >= least else None
        inner = self._wrappings.of(value.node) if isinstance(value, Expression) else None
        return self._behind(inner, least) if inner is not None else None
