"""Arrays that grow outside any trace: each length compiles again."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Loop, last_name, same_code
from jaxlint.facts.values.lengths import JOINING, is_empty_list
from jaxlint.facts.values.loops import mentions

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_JOINING = frozenset(f"jax.numpy.{name}" for name in JOINING)
_CHANGING = frozenset({"append", "remove", "pop", "extend", "insert"})


@dataclass(frozen=True, slots=True, eq=False)
class Growing:
    """A place where an array, or what is built from a list, has a different length in each iteration of a loop.

    `what` says in words what happens to `name`.  `loop` is None for what each call of a method makes longer;
    `by_index` says that `name` is a list that indexes an array, `is_list` that it is a list that is joined in the loop,
    `is_read` that others read the array before it has its last length.
    """

    node: cst.CSTNode
    name: str
    what: str
    loop: Loop | None
    by_index: bool = False
    is_list: bool = False
    is_read: bool = False


class GrowingArrays:
    """Finds what grows."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._contexts = facts.contexts
        self._loops = facts.loops
        self._compiled = facts.compiled

    @functools.cached_property
    def found(self) -> list[Growing]:
        """What grows outside any trace, where no jitted function receives it."""
        found: dict[int, Growing] = {}
        for call in self._names.calls_of(_JOINING.__contains__):
            context = self._tree.context(call)
            growing = self._growing_attribute(call)
            if growing is None and not self._contexts.is_traced_only(context.function):
                growing = self._growing_name(call) or self._growing_list(call)
            if growing is not None and id(call) not in found:
                found[id(call)] = growing
        for growing in self._operands_by_list():
            found.setdefault(id(growing.node), growing)
        return list(found.values())

    def _growing_name(self, call: cst.Call) -> Growing | None:
        """Return `x = jnp.concatenate([x, ...])` in a loop."""
        loop, target = self._tree.context(call).loop, self._target(call)
        if loop is None or not isinstance(target, cst.Name) or self._loops.is_small(loop):
            return None
        name = target.value
        if not self._joins(call, target) or self._is_received(name, loop) or self._is_cut(target, loop):
            return None
        if self._is_bound_anew(name, call, loop):
            return None
        what = f"`{name}` grows in each iteration of the loop"
        return Growing(call, name, what, loop, is_read=self._is_read(target, call, loop))

    def _growing_attribute(self, call: cst.Call) -> Growing | None:
        """Return `self.x = jnp.concatenate([self.x, ...])` in a method that is there to be called again."""
        target, context = self._target(call), self._tree.context(call)
        function = context.function
        if not isinstance(target, cst.Attribute) or function is None or not self._joins(call, target):
            return None
        if self._contexts.is_traced_only(function):
            return None
        if function.cls is None or function.name.startswith(("__", "setup", "init", "reset", "build")):
            return None
        stores = self._names.stores(function.cls, target.attr.value)
        if any(isinstance(value, cst.Subscript) and same_code(value.value, target) for value, _ in stores):
            return None  # cut to a length again
        name = f"self.{target.attr.value}"
        return Growing(call, name, f"`{name}` grows on each call of `{function.name}`", context.loop, is_read=True)

    def _is_read(self, target: cst.Name, call: cst.Call, loop: Loop) -> bool:
        """Whether an iteration reads an array elsewhere than where it is joined."""
        frame = self._tree.context(target).scope.frame
        return any(
            (context := self._tree.context(use)).scope.frame is frame
            and context.loop is not None
            and context.loop.inside(loop)
            and next((above for above in self._tree.ancestors(use) if isinstance(above, cst.Call)), None) is not call
            for use in self._tree.loads.get(target.value, ())
        )

    def _growing_list(self, call: cst.Call) -> Growing | None:
        """Return `jnp.stack(parts)` in a loop that appends to `parts`."""
        loop = self._tree.context(call).loop
        if loop is None or not call.args or not isinstance(call.args[0].value, cst.Name) or self._loops.is_small(loop):
            return None
        name = call.args[0].value
        bindings = [b for b in self._names.bindings(name) if b.kind != "parameter"]
        outside = bool(bindings) and not any(
            b.context.loop is not None and b.context.loop.inside(loop) for b in bindings
        )
        changes = self._changes(name, loop)
        if not outside or changes != {"append"} or self._stands_under_if(call, loop):
            return None
        return Growing(
            call, name.value, f"the list `{name.value}` is longer in each iteration of the loop", loop, is_list=True
        )

    def _operands_by_list(self) -> Iterator[Growing]:
        """Yield `x[indices]` as an operand, in a loop that makes the list `indices` longer or shorter."""
        for call in self._tree.calls:
            context = self._tree.context(call)
            loop = context.loop
            if loop is None or self._contexts.is_traced_only(context.function):
                continue
            if not any(arrays.is_operation(name) for name in self._names.externals(call.func)):
                continue
            for arg in call.args:
                root = _list_index(arg.value)
                outer = loop.outer if loop.outer is not None else loop
                if root is not None and self._changes(root, outer) and self._is_list(root):
                    what = f"the index `{root.value}` is a list whose length changes in each iteration"
                    yield Growing(arg.value, root.value, what, loop, by_index=True)

    def _is_list(self, name: cst.Name) -> bool:
        """Whether a name is bound to a list that is empty, or to one of such."""
        for value in self._names.values(name):
            node = value.node if isinstance(value, Expression) else None
            if is_empty_list(node) or (isinstance(node, cst.ListComp) and is_empty_list(node.elt)):
                return True
        return False

    def _changes(self, name: cst.Name, loop: Loop) -> set[str]:
        """Return the methods by which a loop changes the length of a list, or of an element of it."""
        found = set()
        for use in self._tree.loads.get(name.value, ()):
            context = self._tree.context(use)
            if context.loop is None or not context.loop.inside(loop):
                continue
            attribute = self._tree.parent(use)
            if isinstance(attribute, cst.Subscript):
                attribute = self._tree.parent(attribute)
            if isinstance(attribute, cst.Del):
                found.add("del")
            call = self._tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
            if isinstance(call, cst.Call) and call.func is attribute and last_name(call.func) in _CHANGING | {"clear"}:
                found.add(last_name(call.func))
        return found

    def _stands_under_if(self, node: cst.CSTNode, loop: Loop) -> bool:
        """Whether something is done in some iterations only."""
        for parent in self._tree.ancestors(node):
            if parent is loop.node:
                return False
            if isinstance(parent, (cst.If, cst.IfExp)):
                return True
        return False

    def _target(self, call: cst.Call) -> cst.BaseExpression | None:
        """Return what the result of a call is stored under, None for anything but one name or attribute."""
        parent = self._tree.parent(call)
        if not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
            return None
        target = parent.targets[0].target
        if isinstance(target, cst.Attribute) and not (
            isinstance(target.value, cst.Name) and target.value.value == "self"
        ):
            return None
        return target

    def _joins(self, call: cst.Call, target: cst.BaseExpression) -> bool:
        """Whether a call joins, as a whole, what it has given in the iteration before.

        A slice of it keeps a window of one length, and what each iteration binds again does not grow.
        """
        names = {name.rpartition(".")[2] for name in self._names.externals(call.func)}
        if "stack" in names:
            return False
        work = [arg.value for arg in call.args]
        if "append" not in names:
            work = [node for node in work if isinstance(node, (cst.List, cst.Tuple))]
        while work:
            node = work.pop()
            if isinstance(node, (cst.List, cst.Tuple)):
                work.extend(element.value for element in node.elements)
            elif isinstance(node, (cst.Name, cst.Attribute)) and same_code(node, target):
                bindings = self._names.bindings(node) if isinstance(node, cst.Name) else ()
                return isinstance(node, cst.Attribute) or any(binding.value is call for binding in bindings)
        return False

    def _is_bound_anew(self, name: str, call: cst.Call, loop: Loop) -> bool:
        """Whether each iteration binds a name, on every path, before a statement of the loop that holds a call."""
        if isinstance(loop.node, cst.CompFor):
            return False
        around = {id(call), *map(id, self._tree.ancestors(call))}
        for statement in loop.node.body.body:
            if id(statement) in around:
                return False
            if _binds(statement, name):
                return True
        return False

    def _is_cut(self, target: cst.Name, loop: Loop) -> bool:
        """Whether an iteration cuts an array to a length again, as `x = x[-n:]` does."""
        for binding in self._tree.context(target).scope.frame.bindings.get(target.value, ()):
            inside = binding.context.loop is not None and binding.context.loop.inside(loop)
            if inside and isinstance(binding.value, cst.Subscript) and same_code(binding.value.value, target):
                return True
        return False

    def _is_received(self, name: str, loop: Loop) -> bool:
        for call in self._compiled.calls:
            if call.context.loop is None or not call.context.loop.inside(loop):
                continue
            if any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args):
                return True
        return False


def _binds(statement: cst.CSTNode, name: str) -> bool:
    """Whether a statement gives a name a new value on every path: it assigns it, or both arms of an `if` do."""
    if isinstance(statement, cst.SimpleStatementLine):
        return any(_assigns(part, name) for part in statement.body)
    if isinstance(statement, cst.If):
        other = statement.orelse
        if other is None:
            return False
        arms = [statement.body, other if isinstance(other, cst.If) else other.body]
        return all(_binds(arm, name) for arm in arms)
    return isinstance(statement, cst.IndentedBlock) and any(_binds(part, name) for part in statement.body)


def _assigns(part: cst.CSTNode, name: str) -> bool:
    if not isinstance(part, cst.Assign):
        return False
    targets = [target.target for target in part.targets]
    bound = any(isinstance(target, cst.Name) and target.value == name for target in targets)
    return bound and not mentions(part.value, {name})


def _list_index(node: cst.BaseExpression) -> cst.Name | None:
    """Return the list of `x[indices]`, `x[indices[:]]` or `x[lists[k][:],]`."""
    if not isinstance(node, cst.Subscript):
        return None
    index = node.slice[0].slice
    part: cst.BaseExpression | None = index.value if isinstance(index, cst.Index) else None
    if isinstance(part, cst.Call) and last_name(part.func) in ("array", "asarray") and part.args:
        part = part.args[0].value
    while isinstance(part, cst.Subscript):
        part = part.value
    return part if isinstance(part, cst.Name) else None
