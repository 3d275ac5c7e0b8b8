"""Methods that a compiling wrapper or a transform cannot take: they are given what is no pytree, or no function."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.tree import Class, Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_DESCRIPTORS = frozenset({"staticmethod", "classmethod"})


@dataclass(frozen=True, slots=True, eq=False)
class PlainMethod:
    """A method of a plain class whose decorator takes `self` for an array or a pytree.

    `of_class` says that it is a class method, which is given the class instead; `descriptor` names the decorator whose
    result the wrapper is given instead of a function: `@jax.jit` above `@staticmethod`.
    """

    function: Function
    cls: Class
    wrapped: Wrapped
    of_class: bool = False
    descriptor: str = ""


class PlainMethods:
    """Finds them, for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._calls = facts.calls
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._constants = facts.constants
        self._values = facts.values

    @functools.cached_property
    def found(self) -> list[PlainMethod]:
        """All of them, the decorated ones first, each in source order."""
        return [*self._decorated, *self._of_descriptors, *self._taken_from_class]

    @property
    def _decorated(self) -> list[PlainMethod]:
        return [
            PlainMethod(method, cls, wrapped)
            for cls in self._tree.classes
            for method in cls.methods.values()
            if (wrapped := self._outermost(method)) is not None
            and self._takes_instance(method, wrapped)
            and self._is_plain(cls)
            and not self._is_function_of_class(method)
        ]

    @property
    def _of_descriptors(self) -> list[PlainMethod]:
        """The class methods that take the class for an array, and the wrappers above `staticmethod`, of any class."""
        found = []
        for cls in self._tree.classes:
            for method in cls.methods.values():
                wrapped = {id(w.node): w for w in self._wrappings.of_function(method)}
                for above, below in itertools.pairwise(method.decorators if wrapped else ()):
                    name = below.value if isinstance(below, cst.Name) else ""
                    wrapper = wrapped.get(id(above))
                    if wrapper is not None and name in _DESCRIPTORS and self._is_strict(wrapper):
                        found.append(PlainMethod(method, cls, wrapper, descriptor=name))
                    wrapper = wrapped.get(id(below))
                    given_class = isinstance(above, cst.Name) and above.value == "classmethod"
                    if wrapper is not None and given_class and self._takes_instance(method, wrapper):
                        found.append(PlainMethod(method, cls, wrapper, of_class=True))
        return found

    @staticmethod
    def _is_strict(wrapped: Wrapped) -> bool:
        """Whether a wrapper refuses, when it is applied, what is no function."""
        wrapper = wrapped.wrapper
        return wrapper.library == "jax" and (
            wrapper.compiles or wrapper.differentiates == "first" or wrapper.name == "jax.vmap"
        )

    @property
    def _taken_from_class(self) -> list[PlainMethod]:
        """The methods that a wrapper's call is given as `Class.method`, which leaves `self` to whoever calls."""
        found = []
        for wrapped in self._wrappings.calls.values():
            target = wrapped.targets[0] if wrapped.targets else None
            if not isinstance(target, cst.Attribute):
                continue
            classes = [value for value in self._names.values(target.value) if isinstance(value, Class)]
            methods = [value for value in self._names.values(target) if isinstance(value, Function)]
            if len(classes) != 1 or len(methods) != 1 or methods[0].cls is None or methods[0].decorators:
                continue
            cls, method = classes[0], methods[0]
            reads = method.parameters and self._reads_instance(method)
            if reads and self._takes_instance(method, wrapped) and self._is_plain(cls):
                found.append(PlainMethod(method, cls, wrapped))
        return found

    def _reads_instance(self, method: Function) -> bool:
        """Whether a method reads an attribute of its first parameter, so that it needs an instance."""
        name = method.parameters[0].name
        return any(
            isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == name
            for node in self._tree.body(method)
        )

    def _is_function_of_class(self, method: Function) -> bool:
        """Whether a `def` in a class is no method: called as `Class.function(...)`, with no instance."""
        sites = self._calls.of(method)
        bound = any(site.bound for site in sites)
        return not bound and (bool(sites) or method.parameters[0].name not in ("self", "this"))

    def _outermost(self, method: Function) -> Wrapped | None:
        """Return the wrapper that the call of a method comes to first, None behind another decorator."""
        wrapped = self._wrappings.of_function(method)
        plain = "property" not in self._names.decorator_names(method)
        known = len(wrapped) == len(method.decorators) and plain
        return wrapped[0] if wrapped and known and method.parameters[:1] else None

    def _takes_instance(self, method: Function, wrapped: Wrapped) -> bool:
        first, wrapper = method.parameters[0], wrapped.wrapper
        if first.star or first.position != 0 or self._names.is_static(method):
            return False
        if wrapper.compiles and wrapper.library == "jax":
            statics = self._values.statics(wrapped, method)
            return statics is not None and first.name not in statics
        taken = 0 if wrapped.decorated is not None else 1  # the function itself is an argument of a call
        if wrapper.differentiates == "first":
            return wrapped.keyword("argnums") is None and len(wrapped.arguments) == taken
        if wrapper.name == "jax.vmap":
            axes = wrapped.keyword("in_axes")
            return sum(arg.keyword is None for arg in wrapped.arguments) == taken and (
                axes is None or isinstance(self._constants.of(axes), int)
            )
        return False

    def _is_plain(self, cls: Class) -> bool:
        """Whether neither the class nor one that inherits from it can be a pytree or an array."""
        if not self._values.pytrees.is_plain(cls) or self._names.method(cls, "__jax_array__") is not None:
            return False
        if any("abstractmethod" in name for m in cls.methods.values() for name in self._names.decorator_names(m)):
            return False
        heirs = [other for other in self._tree.classes if other is not cls and cls in self._names.mro(other)]
        return all(self._values.pytrees.is_plain(heir) for heir in heirs)
