"""Where the value of a traced parameter comes from: from arguments of jitted functions, or from what is data.

A static argument gives Python the value of what is passed to a jitted function and on from there as it is.  It cannot
do so for what `vmap` maps over, `grad` differentiates or a loop of JAX carries, nor for the result of an array
operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from jaxlint.facts.context.calls import Calls, CallSite, argument_of
from jaxlint.facts.context.tracing import Tracing
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.constants import UNKNOWN, Constants
from jaxlint.facts.syntax.tree import Parameter
from jaxlint.facts.values.values import Values

_MAPS = frozenset({"jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap"})


class Origins:
    """Follows parameters of traced functions back through their visible callers."""

    def __init__(
        self,
        calls: Calls,
        tracing: Tracing,
        values: Values,
        constants: Constants,
        behind: Callable[[cst.CSTNode], Sequence[Parameter] | None],
    ) -> None:
        self._calls = calls
        self._tracing = tracing
        self._values = values
        self._constants = constants
        self._behind = behind
        self._known: dict[int, list[Parameter] | None] = {}

    def jitted(self, parameter: Parameter) -> list[Parameter] | None:
        """Return the parameters of jitted functions that a parameter's value is, None where it may be data as well."""
        key = id(parameter)
        if key not in self._known:
            self._known[key] = []  # what is passed on in a circle is told by the other callers
            self._known[key] = self._of(parameter)
        return self._known[key]

    def _of(self, parameter: Parameter) -> list[Parameter] | None:
        function = parameter.function
        direct = self._tracing.direct(function)
        if any(self._is_data(wrapped, parameter) for wrapped in direct):
            return None
        found = [parameter] if any(wrapped.wrapper.compiles for wrapped in direct) else []
        for site in self._calls.of(function):
            behind = self._given(site, parameter)
            if behind is None:
                return None
            for one in behind:
                further = self.jitted(one)
                if further is None:
                    return None
                found.extend(p for p in further if p not in found)
        return found

    def _given(self, site: CallSite, parameter: Parameter) -> Sequence[Parameter] | None:
        """Return the traced parameters that a call passes on, None where it gives the result of an array operation."""
        argument = argument_of(site.node, parameter, bound=site.bound)
        if argument is None or not self._values.kind(argument).traced:
            return []
        if not self._tracing.is_traced(site.context.function):
            return None if site.wrapped else []
        return self._behind(argument)

    def _is_data(self, wrapped: Wrapped, parameter: Parameter) -> bool:
        """Whether a transform maps over a parameter, differentiates it, or carries it through a loop."""
        wrapper = wrapped.wrapper
        if wrapper.name in _MAPS:
            return self._is_among(wrapped, parameter, "in_axes", otherwise=True)
        if wrapper.differentiates == "first":
            return self._is_among(wrapped, parameter, "argnums", otherwise=parameter.position == 0)
        return wrapper.kind == "control-flow" and wrapper.library == "jax" and wrapper.hides

    def _is_among(self, wrapped: Wrapped, parameter: Parameter, option: str, *, otherwise: bool) -> bool:
        if parameter.star or parameter.position is None:
            return False
        place = parameter.position - self._values.binds_instance(wrapped, parameter.function)
        placed = [arg.value for arg in wrapped.arguments if arg.keyword is None and not arg.star]
        first = 0 if wrapped.decorated is not None else 1
        node = wrapped.keyword(option) or (placed[first] if len(placed) > first else None)
        if node is None:
            return otherwise and parameter.default is None
        value = self._constants.of(node)
        if option == "argnums":
            return place == value or (isinstance(value, tuple) and place in value)
        if isinstance(node, (cst.Tuple, cst.List)) and place < len(node.elements):
            value = self._constants.of(node.elements[place].value)
        return isinstance(value, int) and value is not UNKNOWN
