"""Which calls run a model whose class is not visible: by what they are given, or what a field is declared to hold."""

from __future__ import annotations

import functools

import libcst as cst

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.jax_api.name_priors import MODEL_PARAMETERS
from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Parameter, Tree, last_name

MODULES = (".nnx.Module", ".nnx.module.Module", "equinox.Module", "equinox._module.Module")
"""How the base classes of models end that are called themselves."""
_FEWEST_GIVEN = 2


class Models:
    """Finds them."""

    def __init__(self, tree: Tree, names: Names, wrappings: Wrappings, calls: Calls) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls

    def is_applied(self, call: cst.Call) -> bool:
        """Whether a call is `model.apply(params, x)` of an object that is made elsewhere."""
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "apply" or len(call.args) < _FEWEST_GIVEN:
            return False
        if self._names.externals(func) or self._calls.callees(call) or call.args[0].keyword is not None:
            return False
        given = last_name(call.args[0].value)
        if given in self._stored(call):
            return False  # an optimizer of the project's own: no model returns its parameters
        return MODEL_PARAMETERS.fullmatch(given) is not None

    def _stored(self, call: cst.Call) -> list[str]:
        """Return the names of what a call's first result is stored as."""
        store = self._tree.parent(call)
        targets = [target.target for target in store.targets] if isinstance(store, cst.Assign) else []
        return [last_name(t.elements[0].value if isinstance(t, cst.Tuple) else t) for t in targets]

    def is_replaced(self, owner: cst.BaseExpression) -> bool:
        """Whether the file puts a jitted function in the place of an object's method `apply`."""
        return last_name(owner) in self._compiled_applies

    @functools.cached_property
    def _compiled_applies(self) -> frozenset[str]:
        """The names of the objects whose method is replaced by its compiled form: `actor.apply = jax.jit(...)`."""
        stores = (self._tree.parent(wrapped.node) for wrapped in self._wrappings.all() if wrapped.wrapper.compiles)
        return frozenset(
            last_name(target.target.value)
            for store in stores
            if isinstance(store, cst.Assign)
            for target in store.targets
            if isinstance(target.target, cst.Attribute) and target.target.attr.value == "apply"
        )

    def is_declared(self, func: cst.BaseExpression) -> bool:
        """Whether what is called is a parameter, or kept by an object of one, that is declared to be a module."""
        values = self._names.values(func)
        return bool(values) and all(
            isinstance(value, Parameter) and any(name.endswith(MODULES) for name in self._names.annotation_names(value))
            for value in values
        )
