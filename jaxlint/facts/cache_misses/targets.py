"""What a compiling wrapper is given, and where that object is made: the compile cache's key, seen from the source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import libcst as cst

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.context.wrapping import Wrapped, Wrappings
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.facts.jax_api.wrappers import Wrapper
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Element, Expression, External, Item, Names, Value
from jaxlint.facts.syntax.tree import Class, Context, Function, Tree

NAMED = "named"
NESTED_DEF = "nested-def"
LAMBDA = "lambda"
PARTIAL = "partial"
TRANSFORM = "transform"
BOUND_METHOD = "bound-method"
CALL_RESULT = "call-result"
UNKNOWN = "unknown"

_ONE_SHOT = ("init", "reset", "setup", "create", "restore")
_RECORDS_OF = ("optax", "haiku")
"""Libraries whose objects hold plain functions in NamedTuples: `tx.update` and `net.apply` are the same each time."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The function that a compiling wrapper is given.

    `made_at` is where the object is made, None for one that lives as long as the module or that somebody else keeps.
    `owner` is the loop variable that it is made from.  `sure` is False where only a guess says that the object is new,
    `always` is False where some branch gives a long-lived one.  `root` is the `def` or lambda behind it, if visible.
    """

    kind: str
    node: cst.CSTNode
    made_at: Context | None = None
    root: Function | None = None
    owner: Element | None = None
    sure: bool = True
    always: bool = True
    one_shot: bool = False

    @property
    def fresh(self) -> bool:
        """Whether the object is made again and again, as far as the function that makes it runs again."""
        return self.made_at is not None


class Targets:
    """Finds out what wrappers that compile are given."""

    def __init__(
        self, tree: Tree, names: Names, wrappings: Wrappings, calls: Calls, incoming: Incoming = NOTHING
    ) -> None:
        self._imports = incoming.imports
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._method_names = {name for cls in tree.classes for name in cls.methods}
        self._known: Answers[Target] = Answers(names.asking)
        self.is_factory: Callable[[Function], bool] = lambda _: False

    def of(self, wrapped: Wrapped) -> Target:
        """Return the target of a compiling wrapper's call or decorator."""
        wrapper, node = wrapped.wrapper, wrapped.targets[0]
        context = self._tree.context(wrapped.node)
        if wrapped.decorated is not None:
            target = self._of_def(wrapped.decorated, wrapped.decorated.context, node)
        else:
            target = self._of(node, context, wrapper)
        if wrapper.compares == "wrapper" and target.kind == NAMED:
            # Every new nnx.jit object compiles again, whatever it wraps; a decorator on a long-lived def is made once.
            made_at = None if wrapped.decorated is not None else context
            return replace(target, kind=TRANSFORM, made_at=made_at)
        return target

    def of_argument(self, node: cst.CSTNode, wrapped: Wrapped) -> Target:
        """Return what one of the function arguments of a call is, for calls that take several."""
        return self._of(node, self._tree.context(wrapped.node), wrapped.wrapper)

    # By syntax

    def _of(self, node: cst.CSTNode, context: Context, wrapper: Wrapper) -> Target:
        key = (id(node), id(context), id(wrapper))
        return self._known.get(key, lambda: self._find(node, context, wrapper), Target(UNKNOWN, node))

    def _find(self, node: cst.CSTNode, context: Context, wrapper: Wrapper) -> Target:
        if isinstance(node, cst.Name):
            return self._of_name(node, wrapper)
        if isinstance(node, cst.Lambda):
            return Target(LAMBDA, node, context, self._tree.function_of.get(id(node)))
        if isinstance(node, cst.Call):
            return self._of_call(node, context, wrapper)
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node, context, wrapper)
        if isinstance(node, cst.IfExp):
            return self._join(node, [self._of(part, context, wrapper) for part in (node.body, node.orelse)])
        if isinstance(node, cst.BooleanOperation):
            return self._join(node, [self._of(part, context, wrapper) for part in (node.left, node.right)])
        if isinstance(node, cst.NamedExpr):
            return self._of(node.value, context, wrapper)
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node, context)
        return Target(UNKNOWN, node)

    def _of_name(self, node: cst.Name, wrapper: Wrapper) -> Target:
        found = []
        for binding in self._names.bindings(node):
            value, made_at = binding.value, binding.context
            if isinstance(value, Function):
                found.append(self._of_def(value, made_at, node))
            elif isinstance(value, (str, Class)):
                found.append(Target(NAMED, node))
            elif binding.kind == "assign" and value is not None:
                inner = self._of(value, made_at, wrapper)
                # An object of the module, or of a call around this one, outlives the site.
                found.append(inner if made_at.function is not None else replace(inner, made_at=None))
            elif binding.kind == "unpack" and isinstance(value, cst.CSTNode):
                found.append(self._of_item(Item(value, binding.index), node, made_at))
            elif binding.kind == "loop" and isinstance(value, cst.CSTNode):
                found.append(Target(UNKNOWN, node, owner=Element(value, binding)))
            else:
                found.append(Target(UNKNOWN, node))
        return self._join(node, found)

    def _of_def(self, function: Function, made_at: Context, node: cst.CSTNode) -> Target:
        if made_at.function is None:
            in_loop = made_at.loop is not None and made_at.scope.kind == "module"
            return Target(NESTED_DEF if in_loop else NAMED, node, made_at if in_loop else None, function)
        return Target(NESTED_DEF, node, made_at, function)

    def _of_call(self, node: cst.Call, context: Context, wrapper: Wrapper) -> Target:
        wrapped = self._wrappings.of(node)
        if wrapped is not None:
            if wrapped.wrapper.result == "record":
                return Target(TRANSFORM, node, context)
            if wrapped.wrapper.makes_callable:
                inner = self._of(wrapped.targets[0], context, wrapper)
                if wrapper.compares == "pytree" and wrapped.wrapper.compares == "pytree":
                    return inner  # equinox compares its own transforms by what they wrap
                kind = PARTIAL if wrapped.wrapper.kind == "partial" else TRANSFORM
                return Target(kind, node, context, inner.root, inner.owner, one_shot=inner.one_shot)
            return Target(UNKNOWN, node)
        for function, _ in self._calls.callees(node):
            if function.name in ("__init__", "__post_init__", "__call__"):
                continue
            if self.is_factory(function):
                return Target(CALL_RESULT, node, context, root=self._returned_def(function), owner=self._owner(node))
        for value in self._names.values(node.func):
            if isinstance(value, External) and (imported := self._imports.get(value.name)) and imported.makes:
                return Target(CALL_RESULT, node, context)
            if isinstance(value, Class) and self._names.method(value, "__call__") is not None:
                if wrapper.compares == "pytree":
                    return Target(NAMED, node)
                return Target(CALL_RESULT, node, context)
        return Target(UNKNOWN, node)

    def _returned_def(self, function: Function) -> Function | None:
        for returned in function.returns:
            for value in self._names.values(returned):
                if isinstance(value, Function):
                    return value
        return None

    def _owner(self, node: cst.Call) -> Element | None:
        """Return the loop variable that is the factory itself."""
        return next((value for value in self._names.values(node.func) if isinstance(value, Element)), None)

    def _of_subscript(self, node: cst.Subscript, context: Context) -> Target:
        if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            index = node.slice[0].slice.value
            if isinstance(index, cst.Integer) and isinstance(node.value, cst.Call):
                return self._of_item(Item(node.value, int(index.value, 0)), node, context)
        return Target(UNKNOWN, node)

    def _of_item(self, item: Item, node: cst.CSTNode, made_at: Context) -> Target:
        wrapped = self._wrappings.of(item.node)
        if wrapped is not None and wrapped.wrapper.result == "pair" and item.index == 1:
            # The pullback of vjp: a new function each time; module-level ones live on.
            return Target(TRANSFORM, node, made_at if made_at.function is not None or made_at.loop else None)
        return Target(UNKNOWN, node)

    # Bound methods

    def _of_attribute(self, node: cst.Attribute, context: Context, wrapper: Wrapper) -> Target:
        found = [self._of_member(node, base, context, wrapper) for base in self._names.values(node.value)]
        target = self._join(node, found)
        name = node.attr.value.lstrip("_")
        if target.kind in (BOUND_METHOD, TRANSFORM) and name.startswith(_ONE_SHOT):
            target = replace(target, one_shot=True)
        return target

    def _of_member(self, node: cst.Attribute, base: Value, context: Context, wrapper: Wrapper) -> Target:
        name = node.attr.value
        if isinstance(base, External):
            imported = self._imports.get(base.name)
            if imported is not None and name in imported.methods:
                return self._bound(node, context, wrapper, None)
            return Target(NAMED, node)
        if isinstance(base, Class):
            method = self._names.method(base, name)
            if method is not None and "classmethod" in self._names.decorator_names(method):
                return self._bound(node, context, wrapper, method)
            return Target(NAMED, node)
        if isinstance(base, Element):
            return self._of_element_member(node, base, context, wrapper)
        cls = self._names.instance_class(base)
        if cls is not None:
            return self._of_instance_member(node, cls, base, context, wrapper)
        made_here = isinstance(base, Expression) and isinstance(base.node, cst.Call)
        if made_here and self._is_foreign_instance(base.node):  # type: ignore[union-attr]
            fresh_object = self._tree.context(base.node).function is context.function  # type: ignore[union-attr]
            return self._bound(node, context, wrapper, None, fresh_object=fresh_object)
        if isinstance(base, Expression) and self._holds_functions(base.node):
            # The functions of a record are as new as the record; one that was made outside is the same each time.
            made_at = self._tree.context(base.node)
            inside = made_at.function is context.function is not None
            return Target(TRANSFORM if inside else NAMED, node, made_at if inside else None)
        if name in self._method_names:
            return self._bound(node, context, wrapper, None)
        return replace(self._bound(node, context, wrapper, None), sure=False)

    def _of_element_member(self, node: cst.Attribute, base: Element, context: Context, wrapper: Wrapper) -> Target:
        target = replace(self._bound(node, context, wrapper, None), owner=base)
        return target if node.attr.value in self._method_names else replace(target, sure=False)

    def _of_instance_member(
        self, node: cst.Attribute, cls: Class, base: Value, context: Context, wrapper: Wrapper
    ) -> Target:
        name = node.attr.value
        if self._names.stores(cls, name) or any(name in c.fields for c in self._names.mro(cls)):
            return Target(NAMED, node)
        method = self._names.method(cls, name)
        if method is not None:
            decorators = self._names.decorator_names(method)
            if "staticmethod" in decorators or any("property" in d for d in decorators):
                return Target(NAMED, node)
        elif not self._has_unseen_base(cls):
            return Target(UNKNOWN, node)
        fresh_object = (
            isinstance(base, Expression) and self._tree.context(base.node).function is context.function is not None
        )
        return self._bound(node, context, wrapper, method, fresh_object=fresh_object)

    def _has_unseen_base(self, cls: Class) -> bool:
        return any(
            not any(isinstance(value, Class) for value in self._names.values(base))
            for item in self._names.mro(cls)
            for base in item.bases
        )

    def _is_foreign_instance(self, node: cst.CSTNode) -> bool:
        """Whether a call makes an object of an imported class, judged by its CapWords name."""
        if not isinstance(node, cst.Call):
            return False
        for name in self._names.externals(node.func):
            last = name.rpartition(".")[2]
            if name.partition(".")[0] not in _RECORDS_OF and last[:1].isupper() and not last.isupper():
                return True
        return False

    def _holds_functions(self, node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Call):
            return False
        wrapped = self._wrappings.of(node)
        if wrapped is not None and wrapped.wrapper.result == "record":
            return True
        return any(name.partition(".")[0] in _RECORDS_OF for name in self._names.externals(node.func))

    def _bound(
        self,
        node: cst.Attribute,
        context: Context,
        wrapper: Wrapper,
        method: Function | None,
        *,
        fresh_object: bool = False,
    ) -> Target:
        if wrapper.compares == "pytree" or (wrapper.compares == "equality" and not fresh_object):
            return Target(NAMED, node, root=method)
        return Target(BOUND_METHOD, node, context, method)

    def _join(self, node: cst.CSTNode, targets: list[Target]) -> Target:
        """One target for an expression of which several may hold."""
        if not targets:
            return Target(UNKNOWN, node)
        fresh = [target for target in targets if target.fresh]
        if not fresh:
            owned = [target for target in targets if target.owner is not None]
            return (owned or targets)[0]
        return fresh[0] if len(fresh) == len(targets) else replace(fresh[0], always=False)
