"""Which values have a length that nobody knows beforehand: lists that were filled until something happened.

An episode ends when the environment says so; the arrays that are made of its steps have another length each time, and
so has what is made of several episodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.names import Expression, Item
from jaxlint.facts.syntax.tree import Binding, Function, Loop, children, last_name, running

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


JOINING = frozenset("concatenate concat stack hstack vstack append block".split())
"""The functions that make one array of several."""

_CHANGING = frozenset({"append", "extend", "insert", "remove", "pop", "clear"})
_OF_LISTS = JOINING | {"array", "asarray"}
_AS_LONG = frozenset("astype copy reshape ravel flatten squeeze".split())
_REDUCTIONS = frozenset({"mean", "sum", "max", "min"})
_DEEPEST = 8


class Lengths:
    """Tells them apart; every answer is about what the source shows."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._known: dict[int, bool] = {}

    def varies(self, node: cst.CSTNode, depth: int = _DEEPEST) -> bool:
        """Whether an expression is an array, or holds one, whose length differs from one time to the next."""
        key = id(node)
        if key not in self._known:
            if depth <= 0:
                return False
            self._known[key] = False  # what is defined through itself ends here
            self._known[key] = self._varies(node, depth - 1)
        return self._known[key]

    def _varies(self, node: cst.CSTNode, depth: int) -> bool:
        if isinstance(node, cst.Name):
            return any(self._value_varies(value, node, depth) for value in self._names.values(node))
        if isinstance(node, (cst.Tuple, cst.List)):
            return any(self.varies(element.value, depth) for element in node.elements)
        if isinstance(node, cst.BinaryOperation):
            return self.varies(node.left, depth) or self.varies(node.right, depth)
        return isinstance(node, cst.Call) and self._call_varies(node, depth)

    def _value_varies(self, value: object, node: cst.Name, depth: int) -> bool:
        if isinstance(value, Item):
            return self._item_varies(value, depth)
        return isinstance(value, Expression) and value.node is not node and self.varies(value.node, depth)

    def _item_varies(self, item: Item, depth: int) -> bool:
        if not isinstance(item.node, cst.Call) or item.index is None:
            return False
        for returned in self._returned(item.node):
            elements = returned.elements if isinstance(returned, cst.Tuple) else ()
            if item.index < len(elements) and self.varies(elements[item.index].value, depth):
                return True
        return False

    def _returned(self, call: cst.Call) -> list[cst.BaseExpression]:
        functions = [function for function, _ in self._calls.callees(call)]
        return [returned for function in functions[:1] for returned in function.returns]

    def _call_varies(self, node: cst.Call, depth: int) -> bool:
        func = node.func
        names = self._names.externals(func)
        if any(name.rpartition(".")[2] in _OF_LISTS and name.partition(".")[0] in ("jax", "numpy") for name in names):
            return any(self.is_open(arg.value) or self._holds_such(arg.value, depth) for arg in node.args[:1])
        wrapped = self._wrappings.of(node)
        if wrapped is not None:
            joins = wrapped.wrapper.name.startswith("jax.tree.map") and self.joins(wrapped.targets[0])
            return joins and any(self._holds_such(arg.value, depth) for arg in node.args[1:])
        if isinstance(func, cst.Attribute) and func.attr.value in _AS_LONG:
            return self.varies(func.value, depth)
        return any(
            not isinstance(returned, cst.Tuple) and self.varies(returned, depth) for returned in self._returned(node)
        )

    def _holds_such(self, node: cst.CSTNode, depth: int) -> bool:
        """Whether an expression is a list, or another container, of things that vary."""
        if self.varies(node, depth):
            return True
        return any(
            self.varies(arg.value, depth)
            for binding in self._lists(node)
            for call in self._appends(binding)
            for arg in call.args[:1]
        )

    # Lists

    def is_open(self, node: cst.CSTNode) -> bool:
        """Whether a name holds a list that a loop fills until something happens."""
        for binding in self._lists(node):
            for call in self._appends(binding):
                loop = self._tree.context(call).loop
                while loop is not None and (binding.context.loop is None or not binding.context.loop.inside(loop)):
                    if self._ends_by_chance(loop):
                        return True
                    loop = loop.outer
        return False

    def _lists(self, node: cst.CSTNode) -> list[Binding]:
        """Return the bindings by which a name is an empty list."""
        if not isinstance(node, cst.Name):
            return []
        return [binding for binding in self._names.bindings(node) if is_empty_list(binding.value)]

    def _appends(self, binding: Binding) -> list[cst.Call]:
        """Return the calls that add one element to a list."""
        found = []
        for use in self._names.uses(binding):
            attribute = self._tree.parent(use)
            call = self._tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
            if isinstance(call, cst.Call) and call.func is attribute and last_name(call.func) == "append":
                found.append(call)
        return found

    def changes(self, name: cst.Name, loop: Loop) -> set[str]:
        """Return the methods by which each iteration of a loop changes a list's length; `if` where some do."""
        found = set()
        for use in self._tree.loads.get(name.value, ()):
            context = self._tree.context(use)
            attribute = self._tree.parent(use)
            if context.loop is None or not context.loop.inside(loop):
                continue
            if isinstance(attribute, cst.Subscript) and isinstance(self._tree.parent(attribute), cst.Del):
                found.add("del")
            call = self._tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
            if isinstance(call, cst.Call) and call.func is attribute and last_name(call.func) in _CHANGING:
                found.add(last_name(call.func) if self._is_certain(call, loop) else "if")
        return found

    def _is_certain(self, node: cst.CSTNode, loop: Loop) -> bool:
        """Whether each iteration of a loop gets to a place."""
        for parent in self._tree.ancestors(node):
            if parent is loop.node:
                return True
            if isinstance(parent, (cst.If, cst.IfExp, cst.ExceptHandler)):
                return False
        return False

    def _ends_by_chance(self, loop: Loop) -> bool:
        """Whether a loop runs until a flag says otherwise: `while not done`, or a `break` under `if done`."""
        node = loop.node
        if isinstance(node, cst.CompFor):
            return False
        if isinstance(node, cst.While) and _is_flag(node.test):
            return True
        work: list[cst.CSTNode] = [node.body]
        while work:
            part = work.pop()
            if isinstance(part, cst.If) and _is_flag(part.test) and _has_break(part.body):
                return True
            if not isinstance(part, (cst.For, cst.While, cst.FunctionDef, cst.ClassDef)):
                work.extend(children(part))
        return False

    # Joins

    def joins(self, node: cst.CSTNode) -> bool:
        """Whether a function does nothing but join its arguments, and perhaps reduce what it has joined."""
        values = self._names.values(node)
        return bool(values) and all(
            isinstance(value, Function) and len(value.returns) == 1 and self._is_join(value.returns[0])
            for value in values
        )

    def _is_join(self, returned: cst.CSTNode) -> bool:
        if not isinstance(returned, cst.Call):
            return False
        if isinstance(returned.func, cst.Attribute) and returned.func.attr.value in _REDUCTIONS:
            inner = returned.func.value if not self._names.externals(returned.func) else None
            inner = inner or (returned.args[0].value if returned.args else returned)
            return inner is not returned and self._is_join(inner)
        return any(name.rpartition(".")[2] in JOINING for name in self._names.externals(returned.func))


def calls_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a piece of code, those in functions that it defines aside."""
    yield from (part for part in running(node) if type(part) is cst.Call)


def is_empty_list(value: object) -> bool:
    """Whether what a name is bound to is `[]` or `list()`."""
    if isinstance(value, cst.List):
        return not value.elements
    return isinstance(value, cst.Call) and last_name(value.func) == "list" and not value.args


def _is_flag(test: cst.BaseExpression) -> bool:
    """Whether a test asks for a flag, by itself or among others, and counts nothing."""
    if isinstance(test, cst.BooleanOperation):
        return _is_flag(test.left) or _is_flag(test.right)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _is_flag(test.expression)
    if isinstance(test, cst.Call):
        return last_name(test.func) in ("any", "all") and not isinstance(test.func, cst.Name)
    name = last_name(test)
    return bool(name) and name not in ("True", "False")


def _has_break(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.For, cst.While, cst.FunctionDef, cst.ClassDef)):
        return False
    return isinstance(node, cst.Break) or any(_has_break(child) for child in children(node))
