"""The calls of compiled functions in sight, and what they hand to which parameter."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.calls import Calls
from jaxlint.facts.names import Expression, Names
from jaxlint.facts.tree import Class, Context, Function, Parameter, Tree
from jaxlint.facts.values import Values, argument_of
from jaxlint.facts.wrapping import Wrapped, Wrappings


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCall:
    """One call of a compiled function.

    `function` is what was compiled; `statics` names its static parameters, None where the source does not show them.
    `bound` says that its first parameter is the instance.
    """

    node: cst.Call
    context: Context
    wrapped: Wrapped
    function: Function
    statics: frozenset[str] | None
    bound: bool

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters that the call may give."""
        return self.function.parameters[1:] if self.bound else self.function.parameters

    @property
    def name(self) -> str:
        """The name of the compiled function."""
        return self.function.name if not self.function.is_lambda else "the compiled function"

    def argument(self, parameter: Parameter) -> cst.BaseExpression | None:
        """Return what the call hands to a parameter, None where it leaves it out or nothing can be seen."""
        return argument_of(self.node, parameter, bound=self.bound)

    def is_static(self, parameter: Parameter) -> bool:
        """Whether the source shows the parameter to be static."""
        return self.statics is not None and parameter.name in self.statics


class CompiledCalls:
    """Finds them, in source order."""

    def __init__(self, tree: Tree, names: Names, wrappings: Wrappings, calls: Calls, values: Values) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._graph = calls
        self._values = values

    @functools.cached_property
    def calls(self) -> list[CompiledCall]:
        """All of them."""
        if not any(wrapped.wrapper.compiles for wrapped in self._wrappings.all()):
            return []
        return [found for call in self._tree.calls if (found := self._find(call)) is not None]

    def wrapper_of(self, function: Function) -> Wrapped | None:
        """Return the decorator that compiles a function."""
        return next((w for w in self._wrappings.of_function(function) if w.wrapper.compiles), None)

    def _find(self, call: cst.Call) -> CompiledCall | None:
        found = list(self._candidates(call))
        if not found or any(function is not found[0][1] for _, function, _ in found):
            return None
        wrapped, function, bound = found[0]
        statics = self._values.statics(wrapped, function)
        return CompiledCall(
            call,
            self._tree.context(call),
            wrapped,
            function,
            None if statics is None else frozenset(statics),
            bound,
        )

    def _candidates(self, call: cst.Call) -> Iterator[tuple[Wrapped, Function, bool]]:
        for value in self._names.values(call.func):
            if isinstance(value, Function):
                wrapped = self.wrapper_of(value)
                if wrapped is not None:
                    yield wrapped, value, self._is_bound(value, call.func)
            elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                wrapped = self._wrappings.of(value.node)
                if wrapped is None or not wrapped.wrapper.compiles:
                    continue
                for function in self._names.functions(self._behind(wrapped))[:1]:
                    yield wrapped, function, self._values.binds_instance(wrapped, function)
            elif isinstance(value, Expression) and value.node is call.func:
                for site in self._graph.of_node.get(id(call), ()):
                    wrapped = self.wrapper_of(site.function)
                    if wrapped is not None:
                        yield wrapped, site.function, site.bound

    def _behind(self, wrapped: Wrapped) -> cst.CSTNode:
        """Return what a wrapper compiles, without the transforms around it that take the same arguments."""
        target = wrapped.targets[0]
        while isinstance(target, cst.Call):
            inner = self._wrappings.of(target)
            if inner is None or inner.wrapper.kind != "transform" or not inner.wrapper.keeps_arguments:
                break
            target = inner.targets[0]
        return target

    def _is_bound(self, function: Function, func: cst.BaseExpression) -> bool:
        if function.cls is None or not isinstance(func, cst.Attribute) or self._names.is_static(function):
            return False
        return not any(isinstance(base, Class) for base in self._names.values(func.value))
