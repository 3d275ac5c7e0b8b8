"""Which eager code needs values in Python, or NumPy, between its array operations, so that no program can hold all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.tree import Function, kinds, last_name, running, within
from jaxlint.facts.values.lengths import calls_in
from jaxlint.facts.values.loops import mentions

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_NUMPY = ("numpy.", "scipy.")
_READERS = frozenset({"float", "int", "bool", "complex"})
_CONVERTERS = frozenset({"numpy.array", "numpy.asarray", "numpy.float64", "numpy.float32"})
_METHODS = frozenset({"item", "tolist"})
_PASSING = _READERS | {"abs", "max", "min", "round", "sum", "list", "tuple", "sorted"}
"""Functions of Python whose results are made of what they are given."""
_DEPTH = 4
_KNOWN = frozenset({"jax", "functools", "operator"})
"""Packages whose functions a program can hold."""
_NEEDING = kinds(cst.If, cst.While, cst.IfExp, cst.Call)
_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break, cst.Pass)
_TELLS = frozenset(
    {"print", "info", "debug", "warning", "error", "append", "write", "add_scalar", "log", "set_postfix"}
)


class Hosted:
    """Finds it.  What is read last, to be returned, stored or told, is no hindrance: the rest can be compiled."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._calls = facts.calls
        self._arrays = facts.eager_arrays
        self._imports = facts.incoming.imports
        self._known: dict[int, bool] = {}

    def is_hosted(self, function: Function) -> bool:
        """Whether a function goes on with values that it reads from arrays, or calls one that does."""
        key = id(function)
        if key not in self._known:
            self._known[key] = False
            self._known[key] = self._needs_values(function.node.body)
        return self._known[key]

    def is_out_of_reach(self, function: Function, depth: int = _DEPTH) -> bool:
        """Whether a function is hosted, or passes an argument of its own to a function that is not visible."""
        if self.is_hosted(function):
            return True
        given = self._made_of_arguments(function)
        return any(
            any(mentions(arg.value, given) for arg in call.args)
            and (
                self._is_opaque(call)
                or (self.converts(call) and not self._is_result(call))
                or (depth > 0 and any(self.is_out_of_reach(f, depth - 1) for f, _ in self._calls.callees(call)))
            )
            for call in calls_in(function.node.body)
        )

    def converts(self, call: cst.Call) -> bool:
        """Whether a call makes Python's numbers or NumPy's arrays of what it is given."""
        if isinstance(call.func, cst.Name):
            return call.func.value in _READERS and not self._names.bindings(call.func)
        return _CONVERTERS.issuperset(self._names.externals(call.func) or ("",))

    def _is_result(self, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
        """Whether a function returns what a place gives, or the names that it gets, and computes nothing of it."""
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.Call) and not self.converts(parent) and not _passes_on(parent):
                return False
            if isinstance(parent, cst.Assign):
                uses = list(self._uses(parent))
                return depth > 0 and bool(uses) and all(self._is_result(use, depth - 1) for use in uses)
            if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.FunctionDef, cst.Lambda)):
                return isinstance(parent, (cst.Return, cst.Lambda))
        return False

    @staticmethod
    def _made_of_arguments(function: Function) -> set[str]:
        """Return the names of a function that hold its arguments, or what is made of them."""
        found = {parameter.name for parameter in function.parameters}
        before = -1
        while len(found) != before:
            before = len(found)
            for node in within(function.node.body):
                if isinstance(node, cst.Assign) and mentions(node.value, found):
                    found |= {
                        part.value
                        for target in node.targets
                        for part in within(target.target)
                        if isinstance(part, cst.Name)
                    }
        return found

    def _is_opaque(self, call: cst.Call) -> bool:
        """Whether a call is one of a function not visible that no program can hold, as far as anybody sees."""
        names = self._names.externals(call.func)
        if names:
            return not any(name.partition(".")[0] in _KNOWN or name in _CONVERTERS for name in names)
        if self._calls.callees(call) or not isinstance(call.func, cst.Name):
            return False
        return bool(self._names.bindings(call.func)) and not self._arrays.is_given(call)

    def compilable(self, node: cst.CSTNode) -> int:
        """Return how many array operations a piece of code dispatches, those within hosted functions skipped."""
        found = self._arrays.operations(node)
        for part in self._arrays.always(node):
            if isinstance(part, cst.Call) and self.calls_hosted(part):
                found -= self._arrays.of_call(part)
        return found

    def calls_hosted(self, node: cst.Call) -> bool:
        """Whether a call is one of a hosted function."""
        if any(self.is_hosted(function) for function, _ in self._calls.callees(node)):
            return True
        return any(name in self._imports and self._imports[name].hosted for name in self._names.externals(node.func))

    def goes_through_numpy(self, node: cst.CSTNode) -> bool:
        """Whether a piece of code passes arrays to NumPy and what comes of that to array operations again."""
        return any(
            isinstance(part, cst.Call) and self._is_of_numpy(part) and self._takes_arrays(part) and self._goes_on(part)
            for part in self._arrays.always(node)
        )

    def _needs_values(self, node: cst.CSTNode) -> bool:
        for part in self._arrays.always(node):
            if part.__class__ not in _NEEDING:
                continue
            if isinstance(part, (cst.If, cst.While, cst.IfExp)):
                if self._arrays.is_tested(part.test) and (not _only_leaves(part) or _gives_result(part)):
                    return True
            elif isinstance(part, cst.Call) and (
                self.calls_hosted(part) or (self._reads(part) and (self._goes_on(part) or self._picks_result(part)))
            ):
                return True
        return False

    def _picks_result(self, node: cst.CSTNode) -> bool:
        """Whether a place is part of a test that decides what its function returns."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.If):
                return parent.test is child and _gives_result(parent)
            if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.Lambda)):
                return False
            child = parent
        return False

    def _reads(self, node: cst.Call) -> bool:
        """Whether a call gives Python or NumPy the values of arrays."""
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in _METHODS:
            return self._holds_array(func.value)
        if isinstance(func, cst.Name) and func.value in _READERS and not self._names.bindings(func):
            return self._takes_arrays(node)
        return self._is_of_numpy(node) and self._takes_arrays(node)

    def _is_of_numpy(self, node: cst.Call) -> bool:
        return any(name.startswith(_NUMPY) for name in self._names.externals(node.func))

    def _takes_arrays(self, node: cst.Call) -> bool:
        return any(self._holds_array(arg.value) for arg in node.args)

    def _holds_array(self, node: cst.CSTNode) -> bool:
        """Whether an expression holds an array, or what an unknown function makes of one."""
        if self._arrays.is_array(node):
            return True
        return isinstance(node, cst.Call) and (
            self._arrays.of_call(node) > 0
            or (self._arrays.is_unseen(node) and any(self._arrays.is_array(arg.value) for arg in node.args))
        )

    def _goes_on(self, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
        """Whether array operations, or a branch that computes, depend on what a place gives."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.Call) and child is not parent.func:
                if self._arrays.is_array_call(parent) or self._arrays.of_call(parent) > 0:
                    return True
                if not self._is_of_numpy(parent) and last_name(parent.func) not in _PASSING:
                    return False
            elif isinstance(parent, (cst.If, cst.While)):
                return parent.test is child and not _only_leaves(parent)
            elif isinstance(parent, (cst.Assign, cst.AugAssign)):
                return depth > 0 and any(self._goes_on(use, depth - 1) for use in self._uses(parent))
            elif isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.FunctionDef, cst.Lambda)):
                return False
            child = parent
        return False

    def _uses(self, node: cst.Assign | cst.AugAssign) -> Iterator[cst.Name]:
        targets = [target.target for target in node.targets] if isinstance(node, cst.Assign) else [node.target]
        for target in targets:
            parts = within(target) if isinstance(target, (cst.Tuple, cst.List)) else (target,)
            for part in parts:
                if isinstance(part, cst.Name):
                    yield from self._names.uses_of_target(part)


def _passes_on(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value in _PASSING


def _gives_result(node: cst.CSTNode) -> bool:
    """Whether what a test decides on is what the function returns."""
    return any(isinstance(part, cst.Return) and part.value is not None for part in running(node))


def _only_leaves(node: cst.If | cst.While | cst.IfExp) -> bool:
    """Whether a branch does nothing but to end the loop or the function, or to tell people something."""
    if not isinstance(node, cst.If) or node.orelse is not None:
        return False
    return all(_leaves_or_tells(part) for part in node.body.body)


def _leaves_or_tells(node: cst.CSTNode) -> bool:
    parts = node.body if isinstance(node, cst.SimpleStatementLine) else [node]
    return all(
        isinstance(part, _LEAVES)
        or (isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) and last_name(part.value.func) in _TELLS)
        for part in parts
    )
