"""Attributes that compiled methods keep as they were when they were traced, and what changes them later.

A compiled method knows its instance as a constant: a static `self`, or the instance of a bound method.  What it reads
of the instance is read once, when it is traced, and stays in the program, whatever is assigned afterwards.  This holds
for instances that compare by value as well: the cache's key is the changed instance itself.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import CallSite, argument_of
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.jax_api.frameworks import MODULE_BASES
from jaxlint.facts.jax_api.name_priors import RUN_FIRST
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import (
    Branch,
    Class,
    Context,
    Function,
    Loop,
    Parameter,
    last_name,
    same_code,
    within,
)

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_MAKERS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "__init_subclass__", "__set_name__"})
_BINDING = frozenset({"jax.jit", "jax.pmap", "jax_dataclasses.jit"})
"""Wrappers that take a bound method as a function like any other; others look into the instance."""
IN_PLACE = frozenset("append extend insert remove clear update add discard sort reverse fill setdefault pop".split())
CLEARING = frozenset({"clear_cache", "clear_caches", "_clear_cache"})
_CARRIED = frozenset({"apply_fn", "tx"})
"""Static fields of flax's `TrainState`, which its steps pass on as they are."""
SAID = (cst.Raise, cst.FormattedString, cst.Assert)
_DEEPEST = 4

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Handle:
    """A jitted function that holds an instance of `cls`: `function` is traced, `node` is where it is compiled.

    `attribute` is the name under which the instance has it where it is no method, `local` the function that it dies
    with where it has a local name, `instance` the name of the one instance where it is not `self`.  `parameter` is the
    static one that is given the instance, where that is not the method's own.
    """

    cls: Class
    function: Function
    node: cst.CSTNode
    attribute: str = ""
    local: Function | None = None
    instance: str = ""
    parameter: Parameter | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One place where traced code reads an attribute of its instance."""

    path: Path
    node: cst.Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One place that changes an attribute of an instance; `root` is the expression that represents the instance."""

    path: Path
    node: cst.CSTNode
    root: cst.BaseExpression
    context: Context


@dataclass(frozen=True, slots=True, eq=False)
class StaleRead:
    """An attribute that a jitted function reads and that something changes after it was traced.

    `looped` says that it is called and the attribute changed in one loop, `repeated` that the visible code does both
    one after the other, `set_up` that the change likely comes before the first call, `unseen` that the traced code
    calls a method of what changes, of which nothing says that it reads that.
    """

    read: Read
    handle: Handle
    change: Change
    looped: bool = False
    repeated: bool = False
    set_up: bool = False
    unseen: bool = False

    @property
    def name(self) -> str:
        """The attribute, as it is written behind the instance."""
        return ".".join(self.read.path)

    @property
    def rank(self) -> tuple[bool, bool, bool, bool]:
        """How sure it is, to be compared."""
        return not self.unseen, self.looped, self.repeated, not self.set_up


class Stale:
    """Finds them, for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._compiled = facts.compiled
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._instances = facts.instances
        self._runs = facts.runs
        self._changes_by_class: dict[int, list[Change]] = {}
        self._changes_by_attribute: dict[int, dict[str, list[Change]]] = {}

    @functools.cached_property
    def reads(self) -> list[StaleRead]:
        """The stale attributes, one for each jitted function and attribute, at the first place that reads it."""
        found: dict[int, StaleRead] = {}
        seen = set[tuple[int, Path]]()
        for handle in self.handles:
            for read in sorted(self._reads(handle), key=lambda read: self._tree.context(read.node).order):
                key = (id(handle.function), read.path)
                stale = self._stale(handle, read) if key not in seen and id(read.node) not in found else None
                if stale is not None:
                    seen.add(key)
                    found[id(read.node)] = stale
        return sorted(found.values(), key=lambda stale: self._tree.context(stale.read.node).order)

    def would_be(self, method: Function) -> bool:
        """Whether a method reads what changes after `__init__`: compiled once for an instance, it would be stale."""
        if method.cls is None:
            return False
        handle = Handle(method.cls, method, method.node)
        changed = [c.path[0] for c in self.changes_of(method.cls) if not self._is_made(c, method.cls)]
        return bool(changed) and any(read.path[0] in changed for read in self._reads(handle))

    # Jitted functions that hold an instance

    @functools.cached_property
    def handles(self) -> list[Handle]:
        """The jitted functions that know an instance of a visible class as a constant."""
        found = []
        for function in self._tree.functions:
            if function.cls is not None and self._instances.static_self(function):
                wrapped = next(w for w in self._wrappings.of_function(function) if w.wrapper.compiles)
                found.append(Handle(function.cls, function, wrapped.node))
        for wrapped in self._wrappings.calls.values():
            if wrapped.wrapper.name in _BINDING:
                found.extend(self._kept(wrapped))
        found.extend(self._given_as_static())
        return [handle for handle in found if not self._is_of_library(handle.cls)]

    def _given_as_static(self) -> Iterator[Handle]:
        """Yield what is compiled for an instance that a call passes to a static parameter."""
        seen = set[tuple[int, int, str]]()
        for call in self._compiled.calls:
            for parameter in call.parameters:
                node = call.argument(parameter) if call.is_static(parameter) else None
                if not isinstance(node, cst.Name):
                    continue
                values = self._names.values(node)
                cls = self._names.instance_class(values[0]) if len(values) == 1 else None
                if cls is not None and (key := (id(parameter), id(cls), node.value)) not in seen:
                    seen.add(key)
                    wrapper = call.wrapped.node
                    yield Handle(cls, call.function, wrapper, instance=node.value, parameter=parameter)

    def _is_of_library(self, cls: Class) -> bool:
        return any(name in MODULE_BASES for name in self._names.base_names(cls))

    def _kept(self, wrapped: Wrapped) -> Iterator[Handle]:
        """Yield what a wrapper's call makes of a bound method, or of a function that uses the instance around it."""
        parent = self._tree.parent(wrapped.node)
        if not isinstance(parent, (cst.Assign, cst.AnnAssign)):
            return
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else parent.target
        attribute = target.attr.value if isinstance(target, cst.Attribute) else ""
        local = self._tree.context(wrapped.node).function if isinstance(target, cst.Name) else None
        for function, instance in self._held(wrapped):
            owner = function.cls or self._class_around(function)
            if owner is not None:
                yield Handle(owner, function, wrapped.node, attribute, local, instance)

    def _held(self, wrapped: Wrapped) -> Iterator[tuple[Function, str]]:
        """Yield the bound methods, and the functions that are defined in a method, behind a wrapper's call."""
        work, seen = list(wrapped.targets), set[int]()
        while work:
            node = work.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            for value in self._names.values(node):
                if isinstance(value, Function):
                    bound = isinstance(node, cst.Attribute) and not any(
                        isinstance(base, Class) for base in self._names.values(node.value)
                    )
                    if value.cls is None or (bound and not self._names.is_static(value)):
                        yield value, self._named_instance(node)
                elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                    inner = self._wrappings.of(value.node)
                    work.extend(inner.targets if inner is not None and inner.wrapper.makes_callable else ())

    def _named_instance(self, node: cst.CSTNode) -> str:
        """Return the name of the instance of a bound method, empty for `self` and for what has no name."""
        base = node.value if isinstance(node, cst.Attribute) else None
        if not isinstance(base, cst.Name) or any(isinstance(v, Parameter) for v in self._names.values(base)):
            return ""
        return base.value

    def _class_around(self, function: Function) -> Class | None:
        outer = function.outer
        while outer is not None and outer.cls is None:
            outer = outer.outer
        return outer.cls if outer is not None else None

    # What they read

    def _reads(self, handle: Handle) -> Iterator[Read]:
        work, seen = [handle.function], set[int]()
        while work:
            function = work.pop()
            if id(function) in seen:
                continue
            seen.add(id(function))
            work.extend(inner for inner in self._tree.functions if inner.outer is function)
            for node in self._tree.body(function):
                if not isinstance(node, cst.Attribute) or not self._is_held(node.value, handle):
                    continue
                if id(node) not in self._tree.contexts:
                    continue  # a target of an unpacking
                method = self._names.method(handle.cls, node.attr.value)
                if method is not None:
                    work.append(method)
                elif self._is_plain(node, handle.cls):
                    path, _ = self._chain(node)
                    yield Read(path, node)
                    yield from self._reads_of_alias(node, path)

    def _reads_of_alias(self, node: cst.Attribute, path: Path) -> Iterator[Read]:
        """Yield what is read of an attribute under a local name: the `kernel.length` of `kernel = self.kernel`."""
        parent = self._tree.parent(node)
        target = parent.targets[0].target if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
        for use in self._names.uses_of_target(target) if isinstance(target, cst.Name) else ():
            inner = self._tree.parent(use)
            if isinstance(inner, cst.Attribute) and inner.value is use and self._aliased(use) is not None:
                yield Read((*path, *self._chain(inner)[0]), node)

    def _aliased(self, node: cst.Name) -> tuple[cst.BaseExpression, Path] | None:
        """Return the instance and the attributes that a local name represents, None where it represents others."""
        bindings = self._names.bindings(node)
        value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        path: list[str] = []
        root = value
        while isinstance(root, cst.Attribute):
            path.insert(0, root.attr.value)
            root = root.value
        return (root, tuple(path)) if isinstance(root, cst.Name) and path else None

    def _is_held(self, node: cst.BaseExpression, handle: Handle) -> bool:
        """Whether an expression is the instance that a jitted function holds."""
        if handle.parameter is not None and isinstance(node, cst.Name):
            values = self._names.values(node)
            if any(value is handle.parameter for value in values):
                return True
        return self._is_instance(node, handle.cls)

    def _is_instance(self, node: cst.BaseExpression, cls: Class) -> bool:
        """Whether an expression is the instance that a method of the class, or of a base of it, was called on."""
        if not isinstance(node, cst.Name):
            return False
        family = self._names.mro(cls)
        return any(
            isinstance(value, Parameter) and value.function.cls in family and value.position == 0
            for value in self._names.values(node)
        )

    def _is_plain(self, node: cst.Attribute, cls: Class) -> bool:
        """Whether an attribute is data that the traced code reads, rather than stores, or says in a message."""
        parent = self._tree.parent(node)
        if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del)):
            return getattr(parent, "value", None) is node
        if any(isinstance(around, SAID) for around in self._tree.ancestors(node)):
            return False
        if isinstance(parent, cst.Attribute) and parent.attr.value in _CARRIED:
            return False
        return not any(
            isinstance(value, Expression)
            and isinstance(value.node, cst.Call)
            and (wrapped := self._wrappings.of(value.node)) is not None
            and wrapped.wrapper.makes_callable
            for value in self._names.members(cls, node.attr.value)
        )

    def _chain(self, node: cst.Attribute) -> tuple[Path, cst.Attribute]:
        """Return the attributes that are read one after the other, and the first of them."""
        path, outer = [node.attr.value], self._tree.parent(node)
        while isinstance(outer, cst.Attribute):
            above = self._tree.parent(outer)
            if isinstance(above, cst.Call) and above.func is outer:
                break
            path.append(outer.attr.value)
            outer = above
        return tuple(path), node

    # What changes them

    @functools.cached_property
    def _changes(self) -> list[Change]:
        """All places that assign an attribute of something, or change it in place."""
        found: list[Change] = []
        for node in self._nodes():
            place = node.value if isinstance(node, cst.Expr) else node
            for target in _changed(node):
                root: cst.BaseExpression = target
                path: list[str] = []
                while isinstance(root, cst.Attribute):
                    path.insert(0, root.attr.value)
                    root = root.value
                    found.append(Change(tuple(path), place, root, self._tree.context(place)))
                alias = self._aliased(root) if path and isinstance(root, cst.Name) else None
                if alias is not None:
                    found.append(Change((*alias[1], *path), place, alias[0], self._tree.context(place)))
        return found

    @functools.cached_property
    def _changes_in(self) -> dict[int, list[Change]]:
        """The same by the function in which they are."""
        found: dict[int, list[Change]] = defaultdict(list)
        for change in self._changes:
            found[id(change.context.function)].append(change)
        return found

    def _nodes(self) -> Iterator[cst.CSTNode]:
        yield from (node for node in within(self._tree.module) if id(node) in self._tree.contexts)

    def changes_of(self, cls: Class) -> list[Change]:
        """Return the places that assign an attribute of an instance, or change it in place."""
        if id(cls) not in self._changes_by_class:
            self._changes_by_class[id(cls)] = [change for change in self._changes if self._may_be_of(cls, change)]
        return self._changes_by_class[id(cls)]

    def _changes_to(self, cls: Class, attribute: str) -> list[Change]:
        """Return those that change an attribute, or something in it."""
        if id(cls) not in self._changes_by_attribute:
            found = self._changes_by_attribute[id(cls)] = defaultdict(list)
            for change in self.changes_of(cls):
                found[change.path[0]].append(change)
        return self._changes_by_attribute[id(cls)].get(attribute, [])

    def _may_be_of(self, cls: Class, change: Change) -> bool:
        """Whether what a place changes may be an instance of a class."""
        known = map(self._names.instance_class, self._names.values(change.root))
        return any(one and (one in self._names.mro(cls) or cls in self._names.mro(one)) for one in known)

    def _is_made(self, change: Change, cls: Class) -> bool:
        """Whether a change is a part of making the instance, or fills in what was skipped once."""
        if self._is_filled_in(change):
            return True
        function = self._method_around(change.context.function)
        if function is None:
            return False
        if function.cls is not None and function.name in _MAKERS:
            return True
        family = self._names.mro(cls)
        return function.cls in family and self._is_called_by_maker(function, {id(function)})

    def _is_called_by_maker(self, function: Function, seen: set[int]) -> bool:
        """Whether all calls of a method that are visible are made by the constructor, and there are some."""
        sites = self._calls.of(function)
        for site in sites:
            caller = self._method_around(site.context.function)
            if caller is None or id(caller) in seen:
                return False
            if caller.name not in _MAKERS and not self._is_called_by_maker(caller, seen | {id(caller)}):
                return False
        return bool(sites)

    def _method_around(self, function: Function | None) -> Function | None:
        """Return the outermost function around a place, up to a method."""
        while function is not None and function.cls is None and function.outer is not None:
            function = function.outer
        return function

    def _is_filled_in(self, change: Change) -> bool:
        """Whether the change is below a test that says that the attribute has no value yet."""
        return any(
            isinstance(around, cst.If) and _says_missing(around.test, change.path[0])
            for around in self._tree.ancestors(change.node)
        )

    # Both

    def _stale(self, handle: Handle, read: Read) -> StaleRead | None:
        found: list[StaleRead] = []
        if read.path in set(self._stored_by(handle.function)):
            return None
        for change in self._changes_to(handle.cls, read.path[0]):
            shorter = min(len(change.path), len(read.path))
            if change.path[:shorter] != read.path[:shorter] or self._is_made(change, handle.cls):
                continue
            if not self._concerns(change, handle):
                continue
            if self._tracing.is_traced(change.context.function) or self._is_renewed(handle, change):
                continue
            asked = self._methods_asked(read) if len(change.path) > len(read.path) else None
            if asked and not any(self._reads_by_itself(method, change.path[len(read.path)]) for method in asked):
                continue
            stale = self._judged(StaleRead(read, handle, change, unseen=asked == []))
            if stale is not None and handle.attribute and not self._is_by_maker(handle.node):
                # What is compiled in a method of its own is compiled again by whoever calls that.
                stale = replace(stale, looped=False, repeated=False, set_up=True)
            if stale is not None:
                found.append(stale)
        return max(found, key=lambda stale: stale.rank, default=None)

    def _methods_asked(self, read: Read) -> list[Function] | None:
        """Return the visible methods that traced code calls on what it reads, None where it does something else."""
        node: cst.CSTNode | None = read.node
        for _ in read.path:
            node = self._tree.parent(node) if node is not None else None
        call = self._tree.parent(node) if isinstance(node, cst.Attribute) else None
        if not isinstance(node, cst.Attribute) or not isinstance(call, cst.Call) or call.func is not node:
            return None
        name = node.attr.value
        return [cls.methods[name] for cls in self._tree.classes if name in cls.methods]

    def _reads_by_itself(self, method: Function, attribute: str) -> bool:
        """Whether a method, or another one of its class, reads an attribute, and no jitted function of its own does."""
        if method.cls is None or self._instances.static_self(method):
            return False  # what it reads is told of at its own place
        return any(
            isinstance(node, cst.Attribute)
            and node.attr.value == attribute
            and not isinstance(self._tree.parent(node), cst.AssignTarget)
            for node in within(method.cls.node.body)
        )

    def _concerns(self, change: Change, handle: Handle) -> bool:
        """Whether a change may be one of the instance that a jitted function holds, while that function lives."""
        if handle.local is not None and change.context.function is not handle.local:
            return False
        if not handle.instance or last_name(change.root) == handle.instance:
            return True
        method = self._method_around(change.context.function)
        calls = self._calls.of(method) if method is not None else []
        receivers = (call.node.func.value for call in calls if isinstance(call.node.func, cst.Attribute))
        return any(last_name(receiver) == handle.instance for receiver in receivers)

    def _stored_by(self, function: Function) -> Iterator[Path]:
        yield from (change.path for change in self._changes_in.get(id(function), ()))

    def _is_renewed(self, handle: Handle, change: Change) -> bool:
        """Whether whoever changes the attribute compiles the function again as well, or empties its cache."""
        function = change.context.function
        if self._renews(handle, function, change.context.branch, _DEEPEST):
            return True
        calls = self._calls.of(function) if function is not None else []
        return bool(calls) and all(
            self._renews(handle, call.context.function, call.context.branch, _DEEPEST) for call in calls
        )

    def _renews(self, handle: Handle, function: Function | None, branch: Branch, depth: int) -> bool:
        """Whether a function does so whenever it comes to a place in this branch."""
        if function is None or depth == 0:
            return False
        for node in self._tree.body(function):
            empties = isinstance(node, cst.Call) and last_name(node.func) in CLEARING
            if (empties or (handle.attribute and self._assigns(node, handle.attribute))) and self._always(node, branch):
                return True
        return any(
            self._always(site.node, branch) and self._renews(handle, site.function, (), depth - 1)
            for site in self._calls.made_by(function)
            if site.function.cls is not None and site.function.name not in _MAKERS
        )

    def _always(self, node: cst.CSTNode, branch: Branch) -> bool:
        """Whether what comes to a place in a branch comes to a node as well."""
        around = self._tree.context(node).branch
        return branch[: len(around)] == around

    def _assigns(self, node: cst.CSTNode, attribute: str) -> bool:
        """Whether a statement gives an attribute a new value in any case."""
        return any(
            isinstance(target, cst.Attribute)
            and target.attr.value == attribute
            and not any(
                isinstance(around, cst.If) and _says_missing(around.test, attribute)
                for around in self._tree.ancestors(node)
            )
            for target in _changed(node)
        )

    def _judged(self, stale: StaleRead) -> StaleRead | None:
        """Say how sure it is that the function has been called before the change; None where it has not been."""
        change = stale.change
        function = change.context.function
        made = self._made_here(change)
        sites = self._sites_in(stale.handle, function, change)
        if made is not None:
            looped = any(share(change.context.loop, site.context.loop, made.loop) for site in sites)
            before = [site for site in sites if site.context.order < change.context.order]
            if not looped and not before:
                return None
            again = looped or any(site.context.order > change.context.order for site in sites)
            return replace(stale, looped=looped, repeated=again)
        if any(share(change.context.loop, site.context.loop, None) for site in sites):
            return replace(stale, looped=True)
        named = function is not None and RUN_FIRST.match(function.name.strip("_")) is not None
        set_up = named or not self._is_declared(stale.handle.cls, change.path[0])
        if sites:
            between = any(s.context.order < change.context.order for s in sites) and any(
                s.context.order > change.context.order for s in sites
            )
            again = self._runs.is_repeated(function) or between
            return replace(stale, repeated=again, set_up=set_up and not again)
        return self._judged_by_callers(stale, function, set_up=set_up)

    def _is_declared(self, cls: Class, attribute: str) -> bool:
        """Whether the constructor or the class gives the attribute a value; if not, somebody has to before a call."""
        for item in self._names.mro(cls):
            if attribute in item.scope.bindings or attribute in item.fields:
                return True
            if any(self._is_by_maker(value) for value, _ in item.stores.get(attribute, ())):
                return True
        return False

    def _is_by_maker(self, node: cst.CSTNode) -> bool:
        """Whether code is the constructor's, or of a method that only the constructor calls."""
        method = self._method_around(self._tree.context(node).function)
        return method is not None and (method.name in _MAKERS or self._is_called_by_maker(method, {id(method)}))

    def _judged_by_callers(self, stale: StaleRead, function: Function | None, *, set_up: bool) -> StaleRead:
        """Judge a method that only changes the attribute by what its callers do before and after."""
        calls = self._calls.of(function) if function is not None else []
        set_up = set_up or (bool(calls) and all(map(self._is_on_new_instance, calls)))
        orders = []
        for call in calls:
            caller = call.context.function
            for site in self._calls_of(stale.handle):
                if site.context.function is not caller:
                    continue
                if share(call.context.loop, site.context.loop, None):
                    return replace(stale, looped=True)
                orders.append((site.context.order < call.context.order, site.context.order > call.context.order))
        if any(before for before, _ in orders):
            return replace(stale, repeated=any(after for _, after in orders))
        return replace(stale, set_up=set_up or bool(orders))

    def _is_on_new_instance(self, site: CallSite) -> bool:
        """Whether a method is called on what a call in the same function has just returned."""
        receiver = site.node.func.value if isinstance(site.node.func, cst.Attribute) else None
        if not isinstance(receiver, cst.Name):
            return False
        bindings = self._names.bindings(receiver)
        return bool(bindings) and all(
            b.kind == "assign" and isinstance(b.value, cst.Call) and b.context.function is site.context.function
            for b in bindings
        )

    def _made_here(self, change: Change) -> Context | None:
        """Return where the function that changes an instance has made it, None where it comes from elsewhere."""
        root = change.root
        if not isinstance(root, cst.Name):
            return self._stored_here(change)
        for binding in self._names.bindings(root):
            made = binding.kind == "assign" and isinstance(binding.value, cst.Call)
            if made and binding.context.function is change.context.function:
                return binding.context
        return None

    def _stored_here(self, change: Change) -> Context | None:
        """Return where `self.model = Model()` makes what `self.model.size = 3` changes, in any case and before it."""
        for made in self._changes_in[id(change.context.function)]:
            if (
                isinstance(made.node, cst.Assign)
                and any(same_code(target.target, change.root) for target in made.node.targets)
                and any(map(self._names.instance_class, self._names.values(made.node.value)))
                and made.context.order < change.context.order
                and self._always(made.node, change.context.branch)
            ):
                return made.context
        return None

    def _sites_in(self, handle: Handle, function: Function | None, change: Change) -> list[CallSite]:
        """Return the calls in a function that come to the compiled one, on the same instance as far as names tell."""
        return [
            site
            for site in self._calls_of(handle)
            if site.context.function is function and self._same_instance(site, change, handle)
        ]

    def _same_instance(self, site: CallSite, change: Change, handle: Handle) -> bool:
        func = site.node.func
        root: cst.BaseExpression = func
        given = argument_of(site.node, handle.parameter, bound=site.bound) if handle.parameter is not None else None
        if site.function is handle.function and isinstance(given, cst.Name):
            return not isinstance(change.root, cst.Name) or change.root.value == given.value
        while isinstance(root, cst.Attribute):
            root = root.value
        base: cst.BaseExpression = change.root
        while isinstance(base, cst.Attribute):
            base = base.value
        if not isinstance(root, cst.Name) or not isinstance(base, cst.Name) or not isinstance(func, cst.Attribute):
            return True
        return root.value == base.value

    def _calls_of(self, handle: Handle) -> list[CallSite]:
        """Return the calls of a jitted function, and of the functions that call it, by way of a few others."""
        found: dict[int, CallSite] = {}
        work, seen = [(handle.function, _DEEPEST)], set[int]()
        while work:
            function, depth = work.pop()
            if id(function) in seen or depth == 0:
                continue
            seen.add(id(function))
            for site in self._calls.of(function):
                if self._tracing.is_traced(site.context.function):
                    continue
                found[id(site.node)] = site
                if site.context.function is not None:
                    work.append((site.context.function, depth - 1))
        return list(found.values())


def _changed(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield what a statement assigns to or changes in place, short of indices."""
    targets: list[cst.BaseExpression] = []
    if isinstance(node, cst.Assign):
        targets.extend(target.target for target in node.targets)
    elif isinstance(node, cst.AugAssign) or (isinstance(node, cst.AnnAssign) and node.value is not None):
        targets.append(node.target)
    elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        func = node.value.func
        if isinstance(func, cst.Attribute) and func.attr.value in IN_PLACE:
            targets.append(func.value)
    while targets:
        target = targets.pop()
        if isinstance(target, (cst.Tuple, cst.List)):
            targets.extend(element.value for element in target.elements)
            continue
        while isinstance(target, cst.Subscript):
            target = target.value
        yield target


def share(one: Loop | None, other: Loop | None, outside: Loop | None) -> bool:
    """Whether two places are in one loop that is not around the place `outside`, or the loop that it is in."""
    while one is not None:
        if other is not None and other.inside(one) and not (outside is not None and outside.inside(one)):
            return True
        one = one.outer
    return False


def _says_missing(test: cst.BaseExpression, attribute: str) -> bool:
    """Whether a test asks whether an attribute has no value yet: `x is None`, `key not in x`, `not x`."""
    work: list[cst.BaseExpression] = [test]
    while work:
        node = work.pop()
        asked: cst.CSTNode | None = None
        if isinstance(node, cst.BooleanOperation):
            work.extend((node.left, node.right))
        elif isinstance(node, cst.Comparison) and any(
            isinstance(target.operator, cst.Is) and getattr(target.comparator, "value", "") == "None"
            for target in node.comparisons
        ):
            asked = node.left
        elif isinstance(node, cst.Comparison) and isinstance(node.comparisons[0].operator, cst.NotIn):
            asked = node.comparisons[0].comparator
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            asked = node.expression
        if asked is not None and attribute in _attributes(asked):
            return True
    return False


def _attributes(node: cst.CSTNode) -> set[str]:
    """Return the attributes that an expression reads, those that `hasattr` and `getattr` name included."""
    found = set[str]()
    for part in within(node):
        if isinstance(part, cst.Attribute):
            found.add(part.attr.value)
        elif isinstance(part, cst.SimpleString):
            found.add(str(part.evaluated_value))
    return found
