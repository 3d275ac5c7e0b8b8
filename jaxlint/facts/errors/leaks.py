"""Traced values that outlive their trace: stored on an object, in a global name or in a container from outside.

JAX traces a function once a signature and drops what it traced with.  What is stored on the way holds a tracer ever
after: whatever reads it fails, and later calls of the jitted function, which do not run Python, do not renew it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import (
    Binding,
    Class,
    Function,
    Parameter,
    Scope,
    kinds,
    last_name,
    same_code,
    within,
)
from jaxlint.facts.values.values import Kind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_STORING = kinds(cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Expr)
_MAKERS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "setup", "tree_unflatten", "build"})
_ADDS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft"})
_CONTAINERS = frozenset({"list", "dict", "set", "deque", "defaultdict", "OrderedDict"})
_LIFTING = ("Module", "Pytree", "PyTreeNode", "Object")
"""The last names of bases whose libraries have their own ways with attributes under trace."""
_MAKES_PYTREES = frozenset({"register_pytree_node_class", "register_pytree_with_keys_class", "register_dataclass"})
_CACHES = frozenset(
    {"functools.cached_property", "functools.lru_cache", "functools.cache", "functools.cached_property.cached_property"}
)
_DEEPEST = 6


@dataclass(frozen=True, slots=True, eq=False)
class Leak:
    """One place where traced code stores a traced value in what outlives the trace.

    `target` is what it is stored in, `read` a place that reads it when the trace is over, None where none is visible.
    `lost` says that the object is an argument of the jitted function, whose change nobody sees, `cached` that the
    function remembers its result, `sometimes` that the function may have returned before.
    """

    node: cst.CSTNode
    target: cst.BaseExpression
    function: Function
    read: cst.CSTNode | None
    lost: bool = False
    cached: bool = False
    sometimes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Store:
    node: cst.CSTNode
    target: cst.BaseExpression
    value: cst.BaseExpression
    adds: bool = False


class Leaks:
    """Finds them, for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._values = facts.values
        self._staged = facts.staged

    @functools.cached_property
    def found(self) -> list[Leak]:
        """All of them, in source order within each function."""
        staged = self._staged.functions()
        leaks = [leak for function in staged for leak in self._of(function)]
        known = {id(function) for function in staged}
        for function in self._staged.transformed():
            leaks.extend(self._of(function, arguments=True) if id(function) not in known else ())
        return [*leaks, *self._kept]

    def _of(self, function: Function, *, arguments: bool = False) -> Iterator[Leak]:
        """Yield the leaks of a function; with `arguments`, only what comes of its arguments is traced there."""
        seen = set[str]()
        outer = function.scope.globals | function.scope.nonlocals
        for node in self._tree.body(function) if function.name not in _MAKERS else ():
            for store in self._stores(node):
                if isinstance(store.target, cst.Name) and not store.adds and store.target.value not in outer:
                    continue  # a name of the function's own, which most are
                leak = self._leak(store, function)
                if leak is None or (arguments and not any(map(self._staged.comes_from_argument, within(store.value)))):
                    continue
                if (name := last_name(leak.target)) not in seen:
                    seen.add(name)
                    yield leak

    # What a cache keeps

    @property
    def _kept(self) -> Iterator[Leak]:
        """The results of cached functions and properties that traced code asks for first."""
        for function in self._tree.functions:
            if not _CACHES.isdisjoint(self._names.decorator_names(function)) and not function.yields:
                asked = [node for node in self._askers(function) if node is not None]
                read = self._read_again(function, asked)
                returned = next((r for r in function.returns if self._values.kind(r) is Kind.ARRAY), None)
                if read is not None and returned is not None:
                    yield Leak(returned, returned, function, read, cached=True)

    def _askers(self, function: Function) -> Iterator[cst.BaseExpression]:
        """Yield the places that ask a cached function or property for its value."""
        if function.cls is None:
            yield from (site.node for site in self._calls.of(function))
            return
        for node in within(self._tree.module):
            if isinstance(node, cst.Attribute) and node.attr.value == function.name and id(node) in self._tree.contexts:
                root = node.value
                if isinstance(root, cst.Name) and any(value is function for value in self._names.values(node)):
                    yield node

    def _read_again(self, function: Function, asked: list[cst.BaseExpression]) -> cst.CSTNode | None:
        """Return a place that asks again after a trace has; None where eager code may well ask first."""
        traced = [node for node in asked if self._is_staged(self._tree.context(node).function)]
        eager = [node for node in asked if not self._tracing.is_traced(self._tree.context(node).function)]
        if not traced or (function.cls is not None and not self._stays(traced[0])):
            return None
        starts = {id(self._tree.context(node).function) for node in traced}
        for node in eager:
            context = self._tree.context(node)
            before = [
                site
                for site in self._calls.made_by(context.function)
                if id(site.function) in starts and site.context.order <= context.order
            ]
            if not before or (context.function is not None and context.function.name in _MAKERS):
                return None
        return eager[0] if eager else traced[1] if len(starts) > 1 else None

    def _is_staged(self, function: Function | None) -> bool:
        return any(trace.staged and trace.compiled for trace in self._tracing.traces(function))

    def _stays(self, node: cst.BaseExpression) -> bool:
        root: cst.BaseExpression = node
        while isinstance(root, cst.Attribute):
            root = root.value
        function = self._tree.context(node).function
        return isinstance(root, cst.Name) and function is not None and self._outlives(root, function, _DEEPEST)

    # What stores

    def _stores(self, node: cst.CSTNode) -> Iterator[_Store]:
        if node.__class__ not in _STORING:
            return
        if isinstance(node, cst.Assign):
            for target in node.targets:
                yield from self._assigned(node, target.target, node.value)
        elif isinstance(node, cst.AugAssign) or (isinstance(node, cst.AnnAssign) and node.value is not None):
            yield _Store(node, node.target, node.value)  # type: ignore[arg-type]
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            call = node.value
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in _ADDS and call.args:
                yield _Store(node, call.func.value, call.args[-1].value, adds=True)

    def _assigned(self, node: cst.CSTNode, target: cst.BaseExpression, value: cst.BaseExpression) -> Iterator[_Store]:
        if not isinstance(target, (cst.Tuple, cst.List)):
            yield _Store(node, target, value)
            return
        pairs = isinstance(value, (cst.Tuple, cst.List)) and len(value.elements) == len(target.elements)
        for index, element in enumerate(target.elements):
            part = value.elements[index].value if pairs else value  # type: ignore[attr-defined]
            yield from self._assigned(node, element.value, part)

    # What is stored where

    def _leak(self, store: _Store, function: Function) -> Leak | None:
        target = store.target
        container = store.adds or isinstance(target, cst.Subscript)
        while isinstance(target, cst.Subscript):
            target = target.value
        held = isinstance(target, cst.Attribute) and not store.adds  # `self.table[key] = ...`, whatever the table is
        if container and not held and not self._is_container(target):
            return None
        if self._staged.is_guarded(store.node) or self._values.is_numpy_array(target):
            return None
        fate = self._fate(target, function, container=container)
        if fate is None:
            return None
        lost = fate == "lost"
        if not lost and not self._values.holds_traced(store.value):
            return None
        if not container and self._is_put_back(store, function):
            return None
        if not container and self._is_replaced(target, function):
            return None
        read = self._read(store, target, function, container=container)
        if lost and read is None:
            return None
        return Leak(store.node, target, function, read, lost, sometimes=self._may_have_left(store.node))

    def _is_put_back(self, store: _Store, function: Function) -> bool:
        """Whether the function gives the place a value of its own again before it returns, as one that it had saved."""
        contexts = self._tree.contexts
        here = contexts.get(id(store.node))
        return here is not None and any(
            same_code(other.target, store.target) and not self._values.holds_traced(other.value)
            for node in self._tree.body(function)
            if (after := contexts.get(id(node))) is not None and after.order > here.order and not after.branch
            for other in self._stores(node)
            if not other.adds
        )

    def _is_replaced(self, target: cst.BaseExpression, function: Function) -> bool:
        """Whether the function around gives the place another value after the trace, before anybody reads it."""
        around, name = function.outer, last_name(target)
        contexts = self._tree.contexts
        traced = [contexts[id(w.node)] for w in self._tracing.direct(function) if id(w.node) in contexts]
        if around is None or not traced or any(context.function is not around for context in traced):
            return False
        start = max(context.order for context in traced)
        after = [
            contexts[id(node)].order
            for node in self._tree.body(around)
            if id(node) in contexts and contexts[id(node)].order > start and not contexts[id(node)].branch
            for other in self._stores(node)
            if not other.adds and same_code(other.target, target)
        ]
        reads = (contexts[id(load)] for load in self._loads(target) if last_name(load) == name and id(load) in contexts)
        return bool(after) and not any(
            context.function is around and start < context.order <= min(after) for context in reads
        )

    def _may_have_left(self, node: cst.CSTNode) -> bool:
        """Whether a test before a place lets the function return, or one around it fills in what was not given.

        It may do so while it is traced.
        """
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                break
            if isinstance(parent, cst.If) and child is parent.body and self._asks_for_missing(parent.test):
                return True
            child = parent
        return any(isinstance(earlier, cst.If) and guards.leaves(earlier.body) for earlier in self._before(node))

    def _before(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the statements of a function that certainly ran before a place of it, those in their blocks not."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                return
            if isinstance(parent, cst.IndentedBlock):
                for earlier in parent.body:
                    if earlier is child:
                        break
                    yield earlier
            child = parent

    def _asks_for_missing(self, test: cst.BaseExpression) -> bool:
        """Whether a test asks if a parameter was left out: `x is None`, where the default of `x` is None."""
        if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, cst.Is):
            return False
        return any(
            isinstance(value, Parameter) and isinstance(value.default, cst.Name) and value.default.value == "None"
            for value in self._names.values(test.left)
        )

    def _is_container(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a list, a dictionary or a set of Python, as far as the source shows."""
        return all(
            isinstance(value, Expression)
            and (
                isinstance(value.node, (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp))
                or (isinstance(value.node, cst.Call) and last_name(value.node.func) in _CONTAINERS)
            )
            for value in self._names.values(node)
        )

    # What outlives a trace

    def _fate(self, target: cst.BaseExpression, function: Function, *, container: bool) -> str | None:
        """Say what becomes of a change: it leaks, it is lost, or (None) nothing supports either."""
        if isinstance(target, cst.Name):
            return "leaks" if self._name_outlives(target, function, container=container) else None
        root = _root(target)
        if not isinstance(root, cst.Name):
            return None
        if self._outlives(root, function, _DEEPEST):
            return "leaks"
        own = isinstance(target, cst.Attribute) and target.value is root and not container
        return "lost" if own and self._is_lost(root, function) else None

    def _name_outlives(self, target: cst.Name, function: Function, *, container: bool) -> bool:
        if target.value in function.scope.globals:
            return True
        if target.value in function.scope.nonlocals:
            bindings = self._names.bindings_at(target.value, self._tree.context(target))
            return any(self._is_outside(binding, function) for binding in bindings if binding.context.function)
        return container and self._outlives(target, function, _DEEPEST)

    def _is_outside(self, binding: Binding, function: Function) -> bool:
        """Whether a name belongs to code around the trace of a function: eager code, or what traces it as a body."""
        owner = binding.context.function
        if owner is function:
            return False
        inner = any(wrapped.wrapper.stages for wrapped in self._tracing.direct(function))
        return not self._tracing.is_traced(owner) or inner

    def _outlives(self, node: cst.Name, function: Function, depth: int) -> bool:
        """Whether the object that a name represents was there before the trace."""
        bindings = self._names.bindings(node)
        return depth > 0 and bool(bindings) and all(self._made_before(b, function, depth) for b in bindings)

    def _made_before(self, binding: Binding, function: Function, depth: int) -> bool:
        owner, value = binding.context.function, binding.value
        if binding.kind == "parameter" and owner is not None:
            parameter = owner.parameter(binding.name)
            if owner is not function and not self._tracing.is_traced(owner):
                return True
            return parameter is not None and self._given_from_outside(parameter, depth - 1)
        if binding.kind != "assign" or not isinstance(value, cst.CSTNode):
            return False
        if owner is None or (owner is not function and self._is_outside(binding, function)):
            return True
        root = value
        while isinstance(root, (cst.Attribute, cst.Subscript)):
            root = root.value
        return isinstance(root, cst.Name) and root is not value and self._outlives(root, owner, depth - 1)

    def _given_from_outside(self, parameter: Parameter, depth: int) -> bool:
        """Whether a parameter of a traced function is an object that was there before."""
        function = parameter.function
        is_self = function.cls is not None and parameter.position == 0 and not self._names.is_static(function)
        if is_self and function.cls is not None and self._lifts_state(function.cls):
            return False
        direct = self._tracing.direct(function)
        if self._values.parameter(parameter) is Kind.STATIC and any(w.wrapper.compiles for w in direct):
            return True
        staged = any(w.wrapper.stages for w in direct)
        if is_self and staged and any(self._values.binds_instance(w, function) for w in direct):
            bound = (w.targets[0] for w in direct)
            return any(isinstance(target, cst.Attribute) and self._is_old(target, depth) for target in bound)
        if direct or depth <= 0:
            return False
        for site in self._calls.of(function):
            caller = site.context.function
            if caller is None or not self._tracing.is_traced(caller):
                continue
            if not any(value is function for value in self._names.values(site.node.func)):
                continue  # the name alone says that it is this method
            given = argument_of(site.node, parameter, bound=site.bound)
            if is_self and site.bound:
                given = site.node.func.value if isinstance(site.node.func, cst.Attribute) else None
            while isinstance(given, cst.Attribute):
                given = given.value
            if isinstance(given, cst.Name) and self._outlives(given, caller, depth - 1):
                return True
        return False

    def _is_old(self, target: cst.Attribute, depth: int) -> bool:
        """Whether the instance of a bound method that something traces was there before."""
        root: cst.BaseExpression = target
        while isinstance(root, cst.Attribute):
            root = root.value
        maker = self._tree.context(target).function
        if not self._tracing.is_traced(maker):
            return True
        return isinstance(root, cst.Name) and maker is not None and self._outlives(root, maker, depth - 1)

    def _lifts_state(self, cls: Class) -> bool:
        return any(name.rpartition(".")[2] in _LIFTING for name in self._names.base_names(cls)) or any(
            isinstance(base, (cst.Name, cst.Attribute)) and last_name(base) in _LIFTING
            for item in self._names.mro(cls)
            for base in item.bases
        )

    # What is lost

    def _is_lost(self, root: cst.Name, function: Function) -> bool:
        """Whether a name is the instance that a compiled method takes apart as a pytree, and does not return."""
        cls = function.cls
        if cls is None or not function.parameters or function.parameters[0].name != root.value:
            return False
        compiled = [w for w in self._tracing.direct(function) if w.wrapper.compiles]
        if not compiled or any(w.wrapper.library != "jax" or w.decorated is None for w in compiled):
            return False
        known = "tree_flatten" in cls.methods or any(
            name.rpartition(".")[2] in _MAKES_PYTREES for name in self._names.decorator_names(cls)
        )
        if not known or self._lifts_state(cls) or self._values.parameter(function.parameters[0]) is Kind.STATIC:
            return False
        return not any(self._is_given_away(node, root.value) for node in self._tree.body(function))

    def _is_given_away(self, node: cst.CSTNode, name: str) -> bool:
        """Whether the instance itself is returned, or passed to something: `return self`, `dict(vars(self))`."""
        if not isinstance(node, cst.Name) or node.value != name:
            return False
        parent = self._tree.parent(node)
        return not (isinstance(parent, cst.Attribute) and parent.value is node)

    # Who reads it

    def _read(
        self, store: _Store, target: cst.BaseExpression, function: Function, *, container: bool
    ) -> cst.CSTNode | None:
        """Return a place that reads what was stored when the trace is over, or in the next trace first."""
        order = self._tree.context(store.node).order
        if isinstance(store.node, cst.AugAssign):
            return store.node.target
        name = last_name(target)
        for node in self._loads(target):
            if node is target or last_name(node) != name:
                continue
            if self._is_of_another(node, target) or self._is_before(node, target, function):
                continue
            reader = self._tree.context(node).function
            if reader is function:
                earlier = self._tree.context(node).order <= order
                if earlier and not container and not self._is_set_before(node, target):
                    return node
                continue
            later = not self._tracing.is_traced(reader) or self._is_body_in(function, reader)
            if later and (reader is None or reader.name not in _MAKERS | {"tree_flatten"}):
                return node
        return None

    def _is_set_before(self, node: cst.BaseExpression, target: cst.BaseExpression) -> bool:
        """Whether what a place reads was given a value in the same call."""
        lines = (line for line in self._before(node) if isinstance(line, cst.SimpleStatementLine))
        stores = (store for line in lines for statement in line.body for store in self._stores(statement))
        return any(not store.adds and same_code(store.target, target) for store in stores)

    def _is_of_another(self, node: cst.BaseExpression, target: cst.BaseExpression) -> bool:
        """Whether an attribute is not of the same local variable as another one, nor of an instance in its method."""
        own, root = self._local_scope(target), _root(node)
        if own is None or not isinstance(root, cst.Name) or self._scope_of(root) is own:
            return False
        values = self._names.values(root)
        return not any(isinstance(v, Parameter) and v.function.cls is not None and v.position == 0 for v in values)

    def _is_before(self, node: cst.BaseExpression, target: cst.BaseExpression, function: Function) -> bool:
        """Whether a place of the function around comes before the trace, each time with a new object."""
        here, made = self._tree.context(node), function.context
        if here.loop is not None or here.scope is not made.scope or self._local_scope(target) is not here.scope:
            return False
        traced = [self._tree.context(wrapped.node) for wrapped in self._tracing.direct(function)]
        return here.order < min((c.order for c in traced if c.scope is here.scope), default=made.order)

    def _local_scope(self, node: cst.BaseExpression) -> Scope | None:
        """Return the scope of the local variable of a function that an attribute is of, None for any other."""
        root = _root(node)
        scope = self._scope_of(root) if isinstance(root, cst.Name) else None
        if not isinstance(root, cst.Name) or scope is None or scope.kind != "function":
            return None
        return scope if all(binding.kind == "assign" for binding in scope.bindings[root.value]) else None

    def _is_body_in(self, function: Function, reader: Function | None) -> bool:
        """Whether a function has a trace of its own within another's, where what it leaves behind is dead."""
        inner = any(wrapped.wrapper.stages for wrapped in self._tracing.direct(function))
        outer = function.outer
        while outer is not None and outer is not reader:
            outer = outer.outer
        return inner and outer is not None

    def _loads(self, target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        if isinstance(target, cst.Name):
            own = self._scope_of(target)
            yield from (load for load in self._tree.loads.get(target.value, ()) if self._scope_of(load) is own)
            return
        for node in within(self._tree.module):
            if isinstance(node, cst.Attribute) and id(node) in self._tree.contexts and not self._is_stored_to(node):
                yield node

    def _scope_of(self, node: cst.Name) -> Scope | None:
        """Return the scope of the variable that a name means."""
        scope = self._tree.context(node).scope
        if node.value in scope.nonlocals and scope.parent is not None:
            scope = scope.parent
        return self._names.scope_of(node.value, scope)

    def _is_stored_to(self, node: cst.Attribute) -> bool:
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Element):
            group = self._tree.parent(parent)
            parent = self._tree.parent(group) if group is not None else None
        return isinstance(parent, (cst.AssignTarget, cst.Del)) or (
            isinstance(parent, cst.AnnAssign) and parent.target is node
        )


def _root(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return what an attribute, or an item, is of in the end: `a` of `a.b[0].c`."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node
