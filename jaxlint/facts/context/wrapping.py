"""Which calls and decorators wrap or trace a function, and which function: the wrapper table applied to a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from jaxlint.facts.jax_api.wrappers import Wrapper
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Expression, External, Names
from jaxlint.facts.syntax.tree import Function, Parameter, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Wrapping:
    """An expression that acts as a wrapper: `jax.jit`, `partial(jax.jit, ...)`, `jax.jit(static_argnames=...)`.

    `bound` holds the arguments that are given already, in the order in which they are written.
    """

    wrapper: Wrapper
    bound: tuple[cst.Arg, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped:
    """A call or decorator that applies a wrapper to functions.

    `node` is the call, or the decorator's expression.  `targets` are the arguments that the wrapper traces; for a
    decorator it is the `def` below.  `arguments` are all arguments, those bound by `partial` included.
    """

    node: cst.BaseExpression
    wrapper: Wrapper
    targets: tuple[cst.CSTNode, ...]
    arguments: tuple[cst.Arg, ...] = field(default=())
    decorated: Function | None = None

    def keyword(self, name: str) -> cst.BaseExpression | None:
        """Return the value of a keyword argument."""
        return next((a.value for a in self.arguments if a.keyword is not None and a.keyword.value == name), None)


class Wrappings:
    """All wrapped functions of a module, by the node that wraps them."""

    def __init__(self, tree: Tree, names: Names, table: Mapping[str, Wrapper]) -> None:
        self.tree = tree
        self.names = names
        self.table = table
        self._wrappings: Answers[Wrapping | None] = Answers(names.asking)
        self.calls: dict[int, Wrapped] = {}
        self.decorators: dict[int, list[Wrapped]] = {}
        for call in tree.calls:
            wrapped = self._of_call(call)
            if wrapped is not None:
                self.calls[id(call)] = wrapped
        for function in tree.functions:
            found = [w for d in function.decorators if (w := self._of_decorator(d, function)) is not None]
            if found:
                self.decorators[id(function)] = found

    def all(self) -> list[Wrapped]:
        """Return everything that is wrapped: decorators first, then calls, each in source order."""
        return [*(wrapped for found in self.decorators.values() for wrapped in found), *self.calls.values()]

    def wrapping(self, node: cst.CSTNode) -> Wrapping | None:
        """Return how an expression acts as a wrapper, None where it does not."""
        return self._wrappings.get(id(node), lambda: self._wrapping(node), None)

    def of(self, node: cst.CSTNode) -> Wrapped | None:
        """Return what a call wraps, None where it wraps nothing."""
        return self.calls.get(id(node))

    def of_function(self, function: Function) -> list[Wrapped]:
        """Return the wrapping decorators of a function, outermost first."""
        return self.decorators.get(id(function), [])

    def _wrapping(self, node: cst.CSTNode) -> Wrapping | None:
        for value in self.names.values(node):
            if isinstance(value, External):
                wrapper = self.table.get(value.name)
                if wrapper is not None:
                    return Wrapping(wrapper)
            elif isinstance(value, Function):
                found = self._of_forwarder(value)
                if found is not None:
                    return found
            elif isinstance(value, Expression) and value.node.__class__ is cst.Call:
                found = self._of_making_call(value.node)
                if found is not None:
                    return found
        return None

    def _of_forwarder(self, function: Function) -> Wrapping | None:
        """Read a project's own wrapper: a function that returns its parameter, compiled."""
        if len(function.returns) != 1 or function.is_lambda or not isinstance(function.returns[0], cst.Call):
            return None
        wrapped = self._of_call(function.returns[0])
        if wrapped is None or not wrapped.wrapper.compiles:
            return None
        for value in self.names.values(wrapped.targets[0]):
            if isinstance(value, Parameter) and value.function is function and value.position is not None:
                return Wrapping(replace(wrapped.wrapper, traces=(value.position, value.name)))
        return None

    def _of_making_call(self, call: cst.Call) -> Wrapping | None:
        """Read `partial(jax.jit, ...)` and `jax.jit(static_argnames=...)`."""
        inner = self.wrapping(call.func)
        if inner is None:
            return None
        if inner.wrapper.kind == "partial" and not inner.bound:
            if not call.args or call.args[0].keyword is not None or call.args[0].star:
                return None
            base = self.wrapping(call.args[0].value)
            return None if base is None else Wrapping(base.wrapper, (*base.bound, *call.args[1:]))
        if inner.wrapper.makes_callable and not self._targets(inner.wrapper, (*inner.bound, *call.args)):
            # A decorator factory, unless it is a call with `*args`, of which nothing can be said.
            if any(arg.star or arg.keyword is None for arg in call.args):
                return None
            return Wrapping(inner.wrapper, (*inner.bound, *call.args))
        return None

    def _of_call(self, call: cst.Call) -> Wrapped | None:
        wrapping = self.wrapping(call.func)
        if wrapping is None:
            return None
        arguments = (*wrapping.bound, *call.args)
        targets = self._targets(wrapping.wrapper, arguments)
        if not targets:
            return None
        if wrapping.wrapper.kind == "partial":
            inner = self.wrapping(targets[0])
            if inner is not None and inner.wrapper.makes_callable:
                return None  # partial(jax.jit, ...) wraps no function yet
        return Wrapped(call, wrapping.wrapper, targets, arguments)

    def _of_decorator(self, decorator: cst.BaseExpression, function: Function) -> Wrapped | None:
        wrapping = self.wrapping(decorator)
        if wrapping is None or wrapping.wrapper.kind in ("partial", "register", "map-leaves"):
            return None
        return Wrapped(decorator, wrapping.wrapper, (function.node,), wrapping.bound, function)

    @staticmethod
    def _targets(wrapper: Wrapper, arguments: tuple[cst.Arg, ...]) -> tuple[cst.CSTNode, ...]:
        positional: list[cst.BaseExpression] = []
        keywords: dict[str, cst.BaseExpression] = {}
        for arg in arguments:
            if arg.star:
                break
            if arg.keyword is not None:
                keywords[arg.keyword.value] = arg.value
            else:
                positional.append(arg.value)
        found: list[cst.CSTNode] = []
        for place in wrapper.traces:
            is_list = isinstance(place, str) and place.startswith("list:")
            key = place.removeprefix("list:") if isinstance(place, str) else place
            index = int(key) if isinstance(key, int) or key.isdigit() else None
            value = (
                keywords.get(str(key)) if index is None else (positional[index] if index < len(positional) else None)
            )
            if value is None:
                continue
            if is_list and isinstance(value, (cst.List, cst.Tuple)):
                found.extend(element.value for element in value.elements)
            else:
                found.append(value)
        return tuple(found)
