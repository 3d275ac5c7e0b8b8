"""The calls of visible jitted functions, and what they pass to which parameter."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.behind import Behind
from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.incoming import Imported
from jaxlint.facts.syntax.names import Expression, External, Item
from jaxlint.facts.syntax.tree import Class, Context, Function, Parameter

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCall:
    """One call of a jitted function.

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
        """The name of the jitted function."""
        return self.function.name if not self.function.is_lambda else "lambda"

    def argument(self, parameter: Parameter) -> cst.BaseExpression | None:
        """Return what the call passes to a parameter, None where it leaves it out or nothing can be seen."""
        return argument_of(self.node, parameter, bound=self.bound)

    def is_static(self, parameter: Parameter) -> bool:
        """Whether the source shows the parameter to be static."""
        return self.statics is not None and parameter.name in self.statics


@dataclass(frozen=True, slots=True, eq=False)
class ImportedCall:
    """One call of a function that is defined elsewhere: another module of the project compiles it, or this one does.

    `statics` are the arguments that it passes to static parameters, by their names; where the signature is not known,
    by their numbers.  `here` says that this module compiles it: `jax.jit(lax.map, static_argnums=0)`.
    """

    node: cst.Call
    context: Context
    name: str
    statics: tuple[tuple[str, cst.BaseExpression], ...]
    here: bool = False


class CompiledCalls:
    """Finds them, in source order."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._incoming = facts.incoming
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._graph = facts.calls
        self._origins = Behind(facts.names, facts.calls)
        self._values = facts.values
        self._contexts = facts.contexts

    @functools.cached_property
    def calls(self) -> list[CompiledCall]:
        """All of them."""
        if not any(wrapped.wrapper.compiles for wrapped in self._wrappings.all()):
            return []
        return [found for call in self._tree.calls if (found := self._find(call)) is not None]

    @functools.cached_property
    def imported(self) -> list[ImportedCall]:
        """The calls of jitted functions of other modules that pass static arguments."""
        compiled = {
            name: imported
            for name, imported in self._incoming.imports.items()
            if imported.kind == "compiled" and imported.statics
        }
        found = [self._imported(call, compiled) for call in self._tree.calls] if compiled else []
        if any(wrapped.wrapper.compiles and wrapped.decorated is None for wrapped in self._wrappings.all()):
            found.extend(self._compiled_here(call) for call in self._tree.calls)
        return [call for call in found if call is not None]

    def _imported(self, call: cst.Call, compiled: Mapping[str, Imported]) -> ImportedCall | None:
        callees = (call.func, *self._behind_transforms(call.func))
        names = [name for callee in callees for name in self._names.externals(callee) if name in compiled]
        statics = _statics_given(call, compiled[names[0]]) if names else ()
        return ImportedCall(call, self._tree.context(call), compiled[names[0]].name, statics) if statics else None

    def _compiled_here(self, call: cst.Call) -> ImportedCall | None:
        """Return a call of a function of another library that this module compiles, with static arguments."""
        values = self._names.values(call.func)
        wrapped = self._wrappings.of(values[0].node) if values and isinstance(values[0], Expression) else None
        if wrapped is None or len(values) != 1 or not wrapped.wrapper.compiles or wrapped.decorated is not None:
            return None
        target = self._names.values(wrapped.targets[0])
        if len(target) != 1 or not isinstance(target[0], External):
            return None
        if any(arg.star for arg in (*wrapped.arguments, *call.args)):
            return None
        numbers, names = self._values.static_places(wrapped)
        given = [arg.value for arg in call.args if arg.keyword is None]
        found = [(str(number), given[number]) for number in sorted(numbers) if 0 <= number < len(given)]
        found.extend(
            (a.keyword.value, a.value) for a in call.args if a.keyword is not None and a.keyword.value in names
        )
        name = target[0].name
        return ImportedCall(call, self._tree.context(call), name, tuple(found), here=True) if found else None

    def _behind_transforms(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Return what a transform that keeps the arguments is given: the `f` of `jax.vmap(f)`."""
        found = []
        for value in self._names.values(node):
            inner = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if inner is not None and inner.wrapper.keeps_arguments and not inner.wrapper.compiles:
                found.append(inner.targets[0])
        return found

    def wrapper_of(self, function: Function) -> Wrapped | None:
        """Return the decorator that compiles a function."""
        return next((w for w in self._wrappings.of_function(function) if w.wrapper.compiles), None)

    def _find(self, call: cst.Call) -> CompiledCall | None:
        found = [*self._candidates(call), *self._transformed(call)]
        if not found or any(function is not found[0][1] for _, function, _ in found):
            return None
        wrapped, function, bound = found[0]
        # What a decorator makes of a function may take other arguments than the function.
        statics = None if self._contexts.is_changed_unseen(function) else self._values.statics(wrapped, function)
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
            elif isinstance(value, (Expression, Item)) and isinstance(value.node, cst.Call):
                yield from self._made_by(value)
            elif isinstance(value, Expression) and value.node is call.func:
                for site in self._graph.of_node.get(id(call), ()):
                    wrapped = self.wrapper_of(site.function)
                    if wrapped is not None:
                        yield wrapped, site.function, site.bound

    def _made_by(self, value: Expression | Item) -> Iterator[tuple[Wrapped, Function, bool]]:
        """Yield what a wrapper's call makes, or a visible factory: `step = make_step(loss)`, `init, step = make()`."""
        wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
        if wrapped is not None and wrapped.wrapper.compiles:
            for function in self._functions(self._behind(wrapped))[:1]:
                yield wrapped, function, self._values.binds_instance(wrapped, function)
        elif wrapped is None:
            for made in self._origins.followed(value):
                if isinstance(made, Function) and made.cls is None and (by := self.wrapper_of(made)) is not None:
                    yield by, made, False
                elif isinstance(made, Expression) and self._wrappings.of(made.node) is not None:
                    yield from self._made_by(made)

    def _functions(self, target: cst.CSTNode) -> tuple[Function, ...]:
        """Return the functions that an expression represents, or that a call of a visible factory gives."""
        found = self._names.functions(target)
        if found or not isinstance(target, cst.Call) or self._wrappings.of(target) is not None:
            return found
        callees = self._graph.callees(target)
        returned = callees[0][0].returns if len(callees) == 1 else []
        made = [self._names.functions(node) for node in returned]
        return made[0] if len(made) == 1 and len(made[0]) == 1 else ()

    def _behind(self, wrapped: Wrapped) -> cst.CSTNode:
        """Return what a wrapper compiles, without the transforms around it that take the same arguments."""
        target = wrapped.targets[0]
        while isinstance(target, cst.Call):
            inner = self._wrappings.of(target)
            if inner is None or inner.wrapper.kind != "transform" or not inner.wrapper.keeps_arguments:
                break
            target = inner.targets[0]
        return target

    def _transformed(self, call: cst.Call) -> Iterator[tuple[Wrapped, Function, bool]]:
        for target in self._behind_transforms(call.func):
            for function in self._names.functions(target)[:1]:
                wrapped = self.wrapper_of(function) if function.cls is None else None
                if wrapped is not None:
                    yield wrapped, function, False

    def _is_bound(self, function: Function, func: cst.BaseExpression) -> bool:
        if function.cls is None or not isinstance(func, cst.Attribute) or self._names.is_static(function):
            return False
        return self._names.is_classmethod(function) or not any(
            isinstance(base, Class) for base in self._names.values(func.value)
        )


def _statics_given(call: cst.Call, imported: Imported) -> tuple[tuple[str, cst.BaseExpression], ...]:
    """Return the arguments that a call gives to static parameters, by name."""
    params = imported.params
    names = {
        params[static] if isinstance(static, int) else static
        for static in imported.statics
        if isinstance(static, str) or -len(params) <= static < len(params)
    }
    found = []
    for position, arg in enumerate(call.args):
        if arg.star:
            break
        name = arg.keyword.value if arg.keyword is not None else params[position] if position < len(params) else ""
        if name in names:
            found.append((name, arg.value))
    return tuple(found)
