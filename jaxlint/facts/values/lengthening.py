"""What a function returns longer than it got it: a cache that is joined with what is new, and whose length comes back.

A function is read statement by statement.  Only what keeps an array whole is followed: names, fields, entries of
dictionaries, lists and tuples, constructors, and calls of visible functions; what cuts, reduces or computes with an
array gives one of a length that nothing says.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Class, Function, last_name
from jaxlint.facts.values.lengths import JOINING

_DEEPEST = 6
_JOINED = JOINING - {"stack"}
_ABOUT = frozenset({"shape", "ndim", "size", "dtype", "T", "mT", "at", "sharding", "real", "imag"})
"""Attributes of arrays that hold no array of that length."""
_KEEPING = frozenset({"astype", "copy", "block_until_ready"})
_REPLACING = frozenset({"_replace", "replace"})
_CONTAINERS = frozenset({"list", "tuple", "dict"})
_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple", "collections.namedtuple"})


class Length(enum.IntEnum):
    """What a value is to a parameter: nothing, the parameter or a part of it, or one of its arrays made longer."""

    OTHER = 0
    SAME = 1
    LONGER = 2


Places = Mapping[int | None, Length]
"""What a function returns: as a whole under None, or by the element of the tuple that it returns."""


class Lengthening:
    """Answers for the functions of one module."""

    def __init__(self, names: Names, wrappings: Wrappings, calls: Calls) -> None:
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._known: dict[tuple[int, str], Places] = {}

    def places(self, function: Function, name: str, depth: int = _DEEPEST) -> Places:
        """Return where a function returns a parameter, or one of its arrays made longer."""
        key = (id(function), name)
        if key not in self._known:
            if depth <= 0:
                return {}
            self._known[key] = {}  # what a function gives by calling itself, its other returns say
            self._known[key] = _Reading(self, function, name, depth - 1).places
        return self._known[key]

    # What the reading asks

    def joined(self, call: cst.Call) -> list[cst.BaseExpression] | None:
        """Return the parts that a call joins, None where it joins nothing."""
        if not any(
            name.rpartition(".")[2] in _JOINED and name.startswith("jax.numpy.")
            for name in self._names.externals(call.func)
        ):
            return None
        parts = call.args[0].value if call.args else None
        if isinstance(parts, (cst.List, cst.Tuple)):
            return [element.value for element in parts.elements if not isinstance(element, cst.StarredElement)]
        return [arg.value for arg in call.args if arg.keyword is None]  # `append(x, y)`

    def mapped(self, call: cst.Call) -> tuple[Function, list[cst.BaseExpression]] | None:
        """Return the function that a call maps over the leaves of trees, and the trees."""
        wrapped = self._wrappings.of(call)
        if wrapped is None or not wrapped.wrapper.name.startswith("jax.tree.map"):
            return None
        functions = self._names.functions(wrapped.targets[0])
        return (functions[0], [arg.value for arg in call.args[1:]]) if len(functions) == 1 else None

    def callee(self, call: cst.Call) -> tuple[Function, bool] | None:
        """Return the one visible function that a call runs, and whether its instance is bound."""
        found = self._calls.callees(call)
        return found[0] if len(found) == 1 and found[0][0].name not in CONSTRUCTORS else None

    def makes_container(self, call: cst.Call) -> bool:
        """Whether a call makes a list, a tuple, or an instance of a class that keeps what it is given."""
        func = call.func
        if isinstance(func, cst.Name) and not self._names.bindings(func):
            return func.value in _CONTAINERS
        if "dataclasses.replace" in self._names.externals(func):
            return True
        for value in self._names.values(func):
            if isinstance(value, Class) and "__init__" not in value.methods:
                return True
            made = value.node if isinstance(value, Expression) else None
            if isinstance(made, cst.Call) and not _TUPLES.isdisjoint(self._names.externals(made.func)):
                return True
            # An alias of a type, as `Cache = tuple[Layer, ...]` is one.
            if isinstance(made, cst.Subscript) and last_name(made.value) in _CONTAINERS:
                return True
        return False


class _Reading:
    """Reads one function, with what its names hold after each statement."""

    def __init__(self, facts: Lengthening, function: Function, name: str, depth: int) -> None:
        self._facts = facts
        self._depth = depth
        self._held: dict[str, Length] = {name: Length.SAME}
        self._containers: set[str] = set()
        self._places: dict[int | None, Length] = {}
        body = function.node.body
        if isinstance(body, cst.BaseExpression):
            self._return(body)
        else:
            self._block(body)
        self.places: Places = {place: found for place, found in self._places.items() if found}

    # Statements

    def _block(self, node: cst.BaseSuite) -> None:
        for statement in node.body:
            if isinstance(statement, cst.SimpleStatementLine):
                for part in statement.body:
                    self._simple(part)
            elif isinstance(statement, cst.BaseSmallStatement):
                self._simple(statement)
            else:
                self._compound(statement)

    def _compound(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.If):
            before = dict(self._held)
            self._block(node.body)
            after, self._held = self._held, before
            if isinstance(node.orelse, cst.If):
                self._compound(node.orelse)
            elif node.orelse is not None:
                self._block(node.orelse.body)
            self._join(after)
        elif isinstance(node, (cst.For, cst.While)):
            before = dict(self._held)
            for _ in range(2):  # the second time with what the first has left
                if isinstance(node, cst.For):
                    self._loop_variable(node.target, node.iter)
                self._block(node.body)
            self._join(before)
        elif isinstance(node, cst.With):
            self._block(node.body)
        elif isinstance(node, (cst.Try, cst.TryStar)):
            self._block(node.body)
            if node.orelse is not None:
                self._block(node.orelse.body)

    def _join(self, other: Mapping[str, Length]) -> None:
        for name, found in other.items():
            self._held[name] = max(found, self._of_name(name))

    def _simple(self, node: cst.BaseSmallStatement) -> None:
        if isinstance(node, cst.Return) and node.value is not None:
            self._return(node.value)
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                self._store(target.target, node.value)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self._store(node.target, node.value)
        elif isinstance(node, cst.AugAssign):
            if isinstance(node.target, cst.Name):
                self._held.pop(node.target.value, None)
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            self._append(node.value)

    def _return(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.Tuple):
            for index, element in enumerate(node.elements):
                self._note(index, self._of(element.value))
            return
        if isinstance(node, cst.Call):
            for place, found in self._of_call(node).items():
                self._note(place, found)
            return
        self._note(None, self._of(node))

    def _note(self, place: int | None, found: Length) -> None:
        self._places[place] = max(found, self._places.get(place, Length.OTHER))

    def _store(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            self._unpack(target, value)
        else:
            self._set(target, self._of(value), container=self._is_container(value))

    def _unpack(self, target: cst.Tuple | cst.List, value: cst.BaseExpression) -> None:
        if isinstance(value, (cst.Tuple, cst.List)) and len(value.elements) == len(target.elements):
            found = [self._of(element.value) for element in value.elements]
        elif isinstance(value, cst.Call):
            places = self._of_call(value)
            whole = places.get(None, Length.OTHER)
            found = [max(whole, places.get(index, Length.OTHER)) for index in range(len(target.elements))]
        else:
            found = [self._of(value)] * len(target.elements)
        for element, length in zip(target.elements, found, strict=True):
            self._set(element.value, length)

    def _set(self, target: cst.CSTNode, found: Length, *, container: bool = False) -> None:
        if isinstance(target, cst.Name):
            self._held[target.value] = found
            (self._containers.add if container else self._containers.discard)(target.value)
        elif isinstance(target, (cst.Subscript, cst.Attribute)) and isinstance(target.value, cst.Name):
            name = target.value.value  # one of the things that it holds
            self._held[name] = max(found, self._of_name(name))
            self._containers.add(name)

    def _append(self, call: cst.Call) -> None:
        """Take in what `caches.append(cache)` keeps."""
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value == "append" and isinstance(func.value, cst.Name):
            name = func.value.value
            self._held[name] = max([self._of_name(name), *(self._of(arg.value) for arg in call.args)])
            self._containers.add(name)

    def _loop_variable(self, target: cst.BaseExpression, iterable: cst.BaseExpression) -> None:
        parts = [target]
        given = [iterable]
        if isinstance(iterable, cst.Call) and isinstance(iterable.func, cst.Name):
            arguments = [arg.value for arg in iterable.args]
            if iterable.func.value == "enumerate" and isinstance(target, cst.Tuple) and arguments:
                self._loop_variable(target.elements[-1].value, arguments[0])
                return
            if iterable.func.value == "zip" and isinstance(target, cst.Tuple):
                parts, given = [element.value for element in target.elements], arguments
        for part, source in zip(parts, given, strict=False):
            self._set(part, self._of(source))

    # Expressions

    def _of_name(self, name: str) -> Length:
        return self._held.get(name, Length.OTHER)

    def _of(self, node: cst.CSTNode) -> Length:
        """Return what an expression is to the parameter."""
        if isinstance(node, cst.Name):
            return self._of_name(node.value)
        if isinstance(node, cst.Attribute):
            return Length.OTHER if node.attr.value in _ABOUT else self._of(node.value)
        if isinstance(node, cst.Subscript):
            return self._of(node.value) if self._is_entry(node) else Length.OTHER
        if isinstance(node, (cst.Tuple, cst.List)):
            return self._most(element.value for element in node.elements)
        if isinstance(node, cst.Dict):
            return self._most(element.value for element in node.elements)
        if isinstance(node, cst.IfExp):
            return self._most((node.body, node.orelse))
        if isinstance(node, cst.BooleanOperation):
            return self._most((node.left, node.right))
        if isinstance(node, cst.NamedExpr):
            return self._of(node.value)
        if isinstance(node, (cst.ListComp, cst.GeneratorExp)):
            return self._of_comprehension(node)
        return self._of_call(node).get(None, Length.OTHER) if isinstance(node, cst.Call) else Length.OTHER

    def _most(self, nodes: Iterable[cst.CSTNode]) -> Length:
        return max(map(self._of, nodes), default=Length.OTHER)

    def _of_comprehension(self, node: cst.ListComp | cst.GeneratorExp) -> Length:
        before = dict(self._held)
        self._loop_variable(node.for_in.target, node.for_in.iter)
        found = self._of(node.elt)
        self._held = before
        return found

    def _is_container(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a container, of which `x[i]` takes one thing out."""
        if isinstance(node, (cst.List, cst.Tuple, cst.Dict, cst.ListComp)):
            return True
        return isinstance(node, cst.Call) and self._facts.makes_container(node)

    def _is_entry(self, node: cst.Subscript) -> bool:
        """Whether a subscript takes an entry of a container, and no element of an array."""
        index = node.slice[0].slice
        if len(node.slice) != 1 or not isinstance(index, cst.Index):
            return False
        if isinstance(index.value, (cst.SimpleString, cst.FormattedString)):
            return True
        return isinstance(node.value, cst.Name) and node.value.value in self._containers

    def _of_call(self, call: cst.Call) -> Places:
        facts = self._facts
        parts = facts.joined(call)
        if parts is not None:
            longer = len(parts) > 1 and self._most(parts) is not Length.OTHER
            return {None: Length.LONGER if longer else self._most(parts)}
        mapped = facts.mapped(call)
        if mapped is not None:
            function, trees = mapped
            return self._through(function, [*zip(function.parameters, trees, strict=False)])
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value in _KEEPING:
            return {None: self._of(func.value)}
        replaces = isinstance(func, cst.Attribute) and func.attr.value in _REPLACING
        if replaces or facts.makes_container(call):
            return {None: self._most(arg.value for arg in call.args)}
        callee = facts.callee(call)
        if callee is None:
            return {}
        function, bound = callee
        given = [(p, argument_of(call, p, bound=bound)) for p in function.parameters]
        return self._through(function, [(p, node) for p, node in given if node is not None])

    def _through(self, function: Function, given: Iterable[tuple[object, cst.CSTNode]]) -> Places:
        """Return what a function makes of its arguments."""
        found: dict[int | None, Length] = {}
        for parameter, node in given:
            length = self._of(node)
            if length is Length.OTHER:
                continue
            for place, inner in self._facts.places(function, parameter.name, self._depth).items():  # type: ignore[attr-defined]
                found[place] = max(length, inner, found.get(place, Length.OTHER))
        return found
