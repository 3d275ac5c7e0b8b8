"""Names from outside that jitted functions read while they are traced, and what binds or fills them again later.

A jitted function takes what it closes over as it is at the first call: the value is a part of the program, whatever the
name is bound to afterwards, or what is put into the list or the dictionary.  A function that is defined again is traced
again.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.cache_misses.stale import CLEARING, IN_PLACE, SAID, share
from jaxlint.facts.context.calls import CallSite
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Context, Function, Scope, last_name, same_code, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_ABOUT = frozenset({"shape", "dtype", "ndim", "size"})
"""Attributes of an array that mostly stay as they are."""
_ASKING = frozenset({"len", "isinstance", "print", "type", "id"})
_LITERALS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)
_MAKING = frozenset({"list", "dict", "set", "deque", "defaultdict", "OrderedDict"})
_STATEMENTS = (cst.Assign, cst.AugAssign, cst.Expr)
_DEEPEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A place that binds a name of an outer scope again, or changes what it holds, `key` by `key`."""

    node: cst.CSTNode
    context: Context
    key: cst.BaseExpression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rebound:
    """A name that a jitted function reads once, though something changes it between calls.

    `looped` says that one loop does both.
    """

    use: cst.Name
    function: Function
    change: Change
    looped: bool


class ReboundNames:
    """Finds them, for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._constants = facts.constants
        self._known: dict[tuple[int, str], list[Change]] = {}

    @functools.cached_property
    def found(self) -> list[Rebound]:
        """The names, once for each jitted function, at the first place that reads them."""
        found: list[Rebound] = []
        for function in self._tree.functions:
            if any(wrapped.wrapper.compiles for wrapped in self._tracing.direct(function)):
                found.extend(self._of(function))
        return sorted(found, key=lambda rebound: self._tree.context(rebound.use).order)

    def _of(self, function: Function) -> Iterator[Rebound]:
        reached = self._reached(function)
        seen = set[str]()
        for reader in reached.values():
            for node in self._tree.body(reader):
                if type(node) is not cst.Name or node.value in seen or id(node) not in self._tree.contexts:
                    continue
                scope = self._names.scope_of(node.value, self._tree.context(node).scope)
                if scope is None or (scope.function is not None and id(scope.function) in reached):
                    continue
                changes = self._changes_to(node.value, scope)
                if changes and not self._is_beside_the_value(node):
                    rebound = self._judged(node, function, scope, changes, reached)
                    if rebound is not None:
                        seen.add(node.value)
                        yield rebound

    def _reached(self, function: Function) -> dict[int, Function]:
        """Return what is traced with a jitted function: what is defined in it, and what it calls."""
        found: dict[int, Function] = {}
        work = [(function, _DEEPEST)]
        while work:
            current, depth = work.pop(0)
            if id(current) in found:
                continue
            found[id(current)] = current
            work.extend((inner, depth) for inner in self._tree.functions if inner.outer is current)
            if depth:
                work.extend((site.function, depth - 1) for site in self._calls.made_by(current))
        return found

    # What changes

    def _changes_to(self, name: str, scope: Scope) -> list[Change]:
        """Return what may change a name of a scope after its first binding."""
        key = (id(scope), name)
        if key not in self._known:
            self._known[key] = [*self._bound_again(name, scope), *self._filled(name, scope)]
        return self._known[key]

    def _bound_again(self, name: str, scope: Scope) -> Iterator[Change]:
        bindings = scope.bindings[name]
        for number, binding in enumerate(bindings):
            value = binding.value.node if isinstance(binding.value, Function) else binding.value
            if binding.kind not in ("assign", "unpack", "loop", "function") or not isinstance(value, cst.CSTNode):
                continue
            first = not number and binding.context.loop is None and binding.context.function is scope.function
            if not first and not self._keeps_value(value, name, alone=len(bindings) == 1):
                yield Change(value, binding.context)

    def _filled(self, name: str, scope: Scope) -> Iterator[Change]:
        """Yield the statements that set an item of what a name holds, or change it in place by a method."""
        for use in self._tree.loads.get(name, ()):
            part = self._tree.parent(use)
            if not isinstance(part, (cst.Subscript, cst.Attribute)) or part.value is not use:
                continue
            statement = next((one for one in self._tree.ancestors(part) if isinstance(one, _STATEMENTS)), None)
            if statement is None or not _sets(statement, part):
                continue
            context = self._tree.context(use)
            of_numpy = isinstance(part, cst.Subscript)
            if self._names.scope_of(name, context.scope) is scope and self._is_python(use, of_numpy=of_numpy):
                yield Change(statement, context, _key(part) if isinstance(part, cst.Subscript) else None)

    def _is_python(self, node: cst.Name, *, of_numpy: bool) -> bool:
        """Whether a name holds a list, a dictionary or an array of NumPy; what is put into a `jax.new_ref` is seen."""
        made = [value.node for value in self._names.values(node) if isinstance(value, Expression)]
        calls = [one.func for one in made if isinstance(one, cst.Call)]
        return (
            any(isinstance(one, _LITERALS) for one in made)
            or any(last_name(func) in _MAKING for func in calls)
            or (of_numpy and any(name.startswith("numpy.") for func in calls for name in self._names.externals(func)))
        )

    def _keeps_value(self, value: cst.CSTNode, name: str, *, alone: bool) -> bool:
        """Whether a binding leaves a name as it was: `f = jax.jit(f)`, or the same constant in each iteration."""
        wrapped = self._wrappings.of(value)
        if wrapped is not None and any(isinstance(t, cst.Name) and t.value == name for t in wrapped.targets):
            return True
        return alone and self._constants.of(value) is not UNKNOWN

    # What reads

    def _is_beside_the_value(self, node: cst.Name) -> bool:
        """Whether a place does not use what a name holds: it stores it, asks for a shape, or says it in a message."""
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.attr.value in _ABOUT:
            return True
        if isinstance(parent, cst.Arg):
            call = self._tree.parent(parent)
            if isinstance(call, cst.Call) and last_name(call.func) in _ASKING:
                return True
        return any(isinstance(around, (*SAID, cst.AssignTarget, cst.Del)) for around in self._tree.ancestors(node))

    def _reads_key(self, node: cst.Name, change: Change) -> bool:
        """Whether a place may read what a change puts under a key."""
        parent = self._tree.parent(node)
        if change.key is None or not isinstance(parent, cst.Subscript) or parent.value is not node:
            return True
        key = _key(parent)
        known = [self._constants.of(one) for one in (key, change.key) if one is not None]
        return key is None or UNKNOWN in known or same_code(key, change.key)

    # Both

    def _judged(
        self, node: cst.Name, function: Function, scope: Scope, changes: list[Change], reached: dict[int, Function]
    ) -> Rebound | None:
        """Return the first change that visible code makes between two calls."""
        sites = self._sites(function)
        for change in changes:
            if not self._reads_key(node, change) or self._is_first_value(change, node.value):
                continue
            inside = change.context.function
            if inside is not None and (self._clears(inside) or self._tracing.is_traced(inside)):
                if id(inside) not in reached or not self._uses_own_change(node, change, scope):
                    continue
                if len(sites) > 1 or any(site.context.loop is not None for site in sites):
                    return Rebound(node, function, change, looped=False)
                continue
            for place in self._places(change, scope):
                looped = self._between(place, sites, function)
                if looped is not None:
                    return Rebound(node, function, change, looped)
        return None

    def _uses_own_change(self, node: cst.Name, change: Change, scope: Scope) -> bool:
        """Whether traced code reads the number of Python that it has changed itself, other than to count or to test."""
        if change.key is not None or scope.function is not None:
            return False
        return change.node is not self._tree.parent(node) and not any(
            around is change.node or (isinstance(around, (cst.If, cst.While)) and around.test is child)
            for child, around in self._upwards(node)
        )

    def _upwards(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        child = node
        for around in self._tree.ancestors(node):
            if isinstance(around, (cst.FunctionDef, cst.Lambda)):
                return
            yield child, around
            child = around

    def _places(self, change: Change, scope: Scope) -> Iterator[Context]:
        """Yield where a change happens: its own place, and the calls of the function that makes it."""
        yield change.context
        function = change.context.function
        if function is not None and function is not scope.function:
            yield from (site.context for site in self._calls.of(function))

    def _sites(self, function: Function) -> list[CallSite]:
        """Return the eager calls of a jitted function, and of what calls it, short of what defines it again."""
        found: dict[int, CallSite] = {}
        work, seen = [(function, _DEEPEST)], set[int]()
        while work:
            current, depth = work.pop()
            if id(current) in seen or not depth:
                continue
            seen.add(id(current))
            for site in self._calls.of(current):
                caller = site.context.function
                if self._tracing.is_traced(caller) or not all(_is_found(one, site) for one in (current, function)):
                    continue
                found[id(site.node)] = site
                if caller is not None and not _is_around(caller, function):
                    work.append((caller, depth - 1))
        return list(found.values())

    @staticmethod
    def _between(place: Context, sites: list[CallSite], function: Function) -> bool | None:
        """Say whether a loop, or code that follows a call and comes before another, makes the change; None if neither.

        What defines the function in the same iteration makes another function of it.
        """
        here = [site.context for site in sites if site.context.function is place.function]
        made = function.context.loop if function.context.function is place.function else None
        if any(share(place.loop, one.loop, made) for one in here):
            return True
        before = any(one.order < place.order for one in here)
        return False if before and any(one.order > place.order for one in here) else None

    def _is_first_value(self, change: Change, name: str) -> bool:
        """Whether a test around a change asks for the name itself, as `if scale is None` does."""
        return any(
            isinstance(around, cst.If)
            and any(isinstance(part, cst.Name) and part.value == name for part in within(around.test))
            for around in self._tree.ancestors(change.node)
        )

    def _clears(self, function: Function) -> bool:
        return any(
            isinstance(node, cst.Call) and last_name(node.func) in CLEARING for node in self._tree.body(function)
        )


def _is_found(function: Function, site: CallSite) -> bool:
    """Whether a call may find a function under its name, which its block may have given to another one by then."""
    here, made = site.context, function.context
    by_name = site.function is not function or last_name(site.node.func) == function.name
    if not by_name or here.scope is not made.scope or share(here.loop, made.loop, None):
        return True
    others = [b.context for b in made.scope.bindings.get(function.name, ()) if b.value is not function]
    last = max((other.order for other in others if other.order < here.order and not other.branch), default=-1)
    return not others or last < made.order < here.order


def _is_around(outer: Function, function: Function) -> bool:
    inner: Function | None = function
    while inner is not None:
        if inner is outer:
            return True
        inner = inner.outer
    return False


def _sets(statement: cst.CSTNode, part: cst.Subscript | cst.Attribute) -> bool:
    """Whether a statement assigns to an item, or is a call of a method that changes its object in place."""
    if isinstance(statement, cst.Assign):
        return any(target.target is part for target in statement.targets)
    if isinstance(statement, cst.AugAssign):
        return statement.target is part
    call = statement.value if isinstance(statement, cst.Expr) else None
    return isinstance(call, cst.Call) and call.func is part and last_name(part) in IN_PLACE


def _key(node: cst.Subscript) -> cst.BaseExpression | None:
    part = node.slice[0].slice if len(node.slice) == 1 else None
    return part.value if isinstance(part, cst.Index) else None
