"""Classes whose instances compile for themselves, and instances that die with the call that makes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.incoming import Imported
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Expression, External
from jaxlint.facts.syntax.tree import Binding, Class, Context, Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_BY_VALUE = ("__eq__", "__hash__")
_PLAIN_BASES = ("abc.ABC", "typing.Generic", "typing.Protocol", "object")


@dataclass(frozen=True, slots=True, eq=False)
class Compiling:
    """A member of a class that compiles once an instance.

    `static_self` says that it is a method to which the instance is a static argument; else it is an attribute that the
    constructor gives a newly jitted function.  `node` is the place in the class.
    """

    name: str
    node: cst.CSTNode | None
    static_self: bool


@dataclass(frozen=True, slots=True, eq=False)
class ShortLived:
    """An instance that compiles for itself and dies with the call, or the iteration, that makes it.

    `name` is that of its class, `member` what compiles, without a place where the class is of another module.
    `looped` says that what it compiles is used in a loop that it is made outside of.
    """

    node: cst.Call
    context: Context
    name: str
    member: Compiling
    in_loop: bool
    looped: bool


def _member(imported: Imported, name: str) -> Compiling | None:
    """Return what the use of a member of an imported class compiles."""
    found = (Compiling(member, None, static) for used, member, static in imported.compiling if used == name)
    return next(found, None)


class Instances:
    """Finds the short-lived instances."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._imported = {name: imported for name, imported in facts.incoming.imports.items() if imported.compiling}
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._sites = facts.all_sites
        self._values = facts.values
        self._compiled = facts.compiled
        self._members: Answers[dict[str, Compiling]] = Answers(facts.names.asking)
        self._reached: dict[tuple[int, int], Compiling | None] = {}

    @functools.cached_property
    def short_lived(self) -> list[ShortLived]:
        """The instances that are made where they are used, in source order."""
        classes = [cls for cls in self._tree.classes if self.compiling(cls)]
        if not classes and not self._imported:
            return []
        found = []
        for call in self._tree.calls:
            context = self._tree.context(call)
            if context.function is None and context.loop is None:
                continue
            for value in self._names.values(call.func):
                if isinstance(value, Class) and self.compiling(value):
                    reach = functools.partial(self._reaches, value)
                    instance = self._instance(call, context, value.name, reach)
                elif isinstance(value, External) and value.name in self._imported:
                    imported = self._imported[value.name]
                    instance = self._instance(call, context, imported.name, functools.partial(_member, imported))
                else:
                    continue
                found.extend([instance] if instance is not None else [])
                break
        return found

    # Classes

    def compiling(self, cls: Class) -> dict[str, Compiling]:
        """Return the members of a class that compile once an instance, by name, those of its bases included."""
        return self._members.get(id(cls), lambda: self._compiling(cls), {})

    def _compiling(self, cls: Class) -> dict[str, Compiling]:
        bases = [value for base in cls.bases for value in self._names.values(base) if isinstance(value, Class)]
        found = {name: member for base in reversed(bases) for name, member in self.compiling(base).items()}
        found.update(self._own(cls))
        if any(member.static_self for member in found.values()) and not self.is_by_identity(cls):
            return {name: member for name, member in found.items() if not member.static_self}
        return found

    def methods_behind(self, instance: ShortLived) -> list[Function]:
        """Return the methods that an instance compiles, as far as they are visible."""
        node = instance.member.node
        if node is None:
            return []
        if instance.member.static_self:
            method = self._tree.function_of.get(id(node))
            return [method] if method is not None else []
        wrapped = self._wrappings.of(node)
        targets = wrapped.targets if wrapped is not None else (node,)
        return [function for target in targets for function in self._names.functions(target)]

    def is_by_identity(self, cls: Class) -> bool:
        """Whether instances are equal to nothing but themselves, as far as the source shows."""
        for item in self._names.mro(cls):
            if any(name in item.methods or name in item.scope.bindings for name in _BY_VALUE):
                return False
            if any("dataclass" in name.lower() or "struct" in name for name in self._names.decorator_names(item)):
                return False
        bases = [base for item in self._names.mro(cls) for base in item.bases]
        return all(
            all(isinstance(value, Class) for value in self._names.values(base))
            or any(
                name in _PLAIN_BASES
                for name in self._names.externals(base.value if isinstance(base, cst.Subscript) else base)
            )
            or (isinstance(base, cst.Name) and base.value == "object")
            for base in bases
        )

    def stands_alone(self, cls: Class) -> bool:
        """Whether nothing may add to a class where it is defined: no base, no decorator but those known."""
        known = {"dataclasses.dataclass", "typing.final"}
        if not known.issuperset(self._names.decorator_names(cls)) or cls.node.keywords:
            return False
        if any(not (isinstance(base, cst.Name) and base.value == "object") for base in cls.bases):
            return False
        return len(cls.context.scope.bindings.get(cls.name, ())) == 1

    def static_self(self, function: Function) -> bool:
        """Whether a method is compiled with its instance as a static argument."""
        wrapped = self._compiled.wrapper_of(function)
        if wrapped is None or function.cls is None or not function.parameters or self._names.is_static(function):
            return False
        statics = self._values.statics(wrapped, function)
        return statics is not None and function.parameters[0].name in statics

    def _own(self, cls: Class) -> dict[str, Compiling]:
        found = {}
        for name, stores in cls.stores.items():
            for value, context in stores:
                maker = context.function
                once = maker is not None and self._runs_once_an_instance(maker, cls)
                if once and self._is_newly_compiled(value, context):
                    found[name] = Compiling(name, value, static_self=False)
        for name, method in cls.methods.items():
            if self.static_self(method):
                found[name] = Compiling(name, method.node, static_self=True)
        return found

    def _runs_once_an_instance(self, function: Function, cls: Class) -> bool:
        """Whether a method is the constructor, or is called by it."""
        if function.name in CONSTRUCTORS:
            return True
        return any(
            site.context.function is not None
            and site.context.function.cls is cls
            and site.context.function.name in CONSTRUCTORS
            for site in self._calls.of(function)
        )

    def _is_newly_compiled(self, node: cst.CSTNode, context: Context) -> bool:
        for value in self._names.values(node):
            if isinstance(value, Function):
                if value.outer is context.function and self._compiled.wrapper_of(value) is not None:
                    return True
            elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                wrapped = self._wrappings.of(value.node)
                if wrapped is not None and wrapped.wrapper.compiles:
                    target = self._sites.targets.of(wrapped)
                    return target.fresh and target.sure
                return any(self._sites.makes_compiled(callee) for callee, _ in self._calls.callees(value.node))
        return False

    def _reaches(self, cls: Class, name: str, seen: set[str] | None = None) -> Compiling | None:
        """Return the compiling member that reading or calling a member comes to."""
        members = self.compiling(cls)
        if name in members:
            return members[name]
        seen = seen if seen is not None else set()
        method = self._names.method(cls, name)
        if method is None or name in seen or not method.parameters:
            return None
        seen.add(name)
        instance = method.parameters[0].name
        for node in self._tree.body(method):
            if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == instance:
                found = self._reaches(cls, node.attr.value, seen)
                if found is not None:
                    return found
        return None

    # Instances

    def _instance(
        self, call: cst.Call, context: Context, cls: str, reaches: Callable[[str], Compiling | None]
    ) -> ShortLived | None:
        uses = self._uses(call, context)
        if uses is None:
            return None
        reached = [(use, found) for use, name in uses if (found := reaches(name)) is not None]
        if not reached:
            return None
        looped = any(self._is_looped(use, context) for use, _ in reached)
        return ShortLived(call, context, cls, reached[0][1], context.loop is not None, looped)

    def _uses(self, node: cst.CSTNode, made: Context) -> list[tuple[cst.CSTNode, str]] | None:
        """Return what is called of an instance, None where somebody may keep it."""
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Call) and parent.func is node:
            return [(parent, "__call__")]
        if isinstance(parent, cst.Attribute):
            outer = self._tree.parent(parent)
            if isinstance(outer, cst.Call) and outer.func is parent:
                return [(outer, parent.attr.value)]
            return []
        if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
            target = parent.targets[0].target
            if isinstance(target, cst.Name) and made.scope.frame.kind == "function":
                return self._of_binding(target, parent, made)
        return None

    def _of_binding(self, target: cst.Name, assign: cst.Assign, made: Context) -> list[tuple[cst.CSTNode, str]] | None:
        frame = made.scope.frame
        if target.value in frame.globals or target.value in frame.nonlocals:
            return None
        binding: Binding | None = next(
            (b for b in frame.bindings.get(target.value, ()) if b.value is assign.value), None
        )
        if binding is None:
            return None
        found: list[tuple[cst.CSTNode, str]] = []
        for use in self._names.uses(binding):
            if self._tree.context(use).function is not made.function:
                return None
            part = self._uses(use, made)
            if part is None:
                return None
            found.extend(part)
        return found

    def _is_looped(self, use: cst.CSTNode, made: Context) -> bool:
        loop = self._tree.context(use).loop
        while loop is not None:
            if made.loop is None or not made.loop.inside(loop):
                return True
            loop = loop.outer
        return False
