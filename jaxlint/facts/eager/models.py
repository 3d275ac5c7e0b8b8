"""Which calls run a model whose class is not visible: by what they are given, or what a field is declared to hold."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import libcst as cst

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.jax_api.frameworks import NETWORKS
from jaxlint.facts.jax_api.name_priors import MODEL_PARAMETERS
from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Class, Parameter, Tree, last_name

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

    def is_used_as_one(self, call: cst.Call) -> bool:
        """Whether what is called is a parameter of which no annotation tells, but whose attributes and keywords do.

        A module of the file has all of them: `model.length` beside `model(x)`, or `self.model(x, mask=mask)`.
        """
        values = self._names.values(call.func)
        if not values or not all(isinstance(value, Parameter) and value.annotation is None for value in values):
            return False
        if self._calls.callees(call):
            return False  # the class is known, as that of `self`
        keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        used = {attribute.attr.value for attribute in self._attributes_of(call.func)}
        return bool(keywords or used) and any(self._has(cls, keywords, used) for cls in self._modules)

    def _attributes_of(self, node: cst.BaseExpression) -> Iterator[cst.Attribute]:
        """Yield the attributes that are taken of what a name holds."""
        for binding in self._names.bindings(node) if isinstance(node, cst.Name) else ():
            for use in self._names.uses(binding):
                parent = self._tree.parent(use)
                if isinstance(parent, cst.Attribute) and parent.value is use:
                    yield parent

    def _has(self, cls: Class, keywords: set[str], used: set[str]) -> bool:
        """Whether instances of a class are called with some keywords, and have attributes of some names."""
        method = self._names.method(cls, "__call__")
        if method is None or not keywords <= {parameter.name for parameter in method.parameters}:
            return False
        return all(name in cls.fields or self._names.members(cls, name) for name in used)

    @functools.cached_property
    def are_networks(self) -> bool:
        """Whether the file defines models that are called themselves, or imports or calls what networks are made of."""
        bound = (binding for bindings in self._tree.module_scope.bindings.values() for binding in bindings)
        used = [*(str(b.value) for b in bound if b.kind == "import"), *self._names.called]
        return bool(self._modules) or any(f"{name}.".startswith(f"{n}.") for name in used for n in NETWORKS)

    @functools.cached_property
    def _modules(self) -> list[Class]:
        return [
            cls for cls in self._tree.classes if any(name.endswith(MODULES) for name in self._names.base_names(cls))
        ]
