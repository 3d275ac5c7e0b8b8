"""Options of wrappers that compile that name arguments, held against the visible signatures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.tree import Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_BY_NAME = ("static_argnames", "donate_argnames")
_BY_NUMBER = ("static_argnums", "static_broadcasted_argnums", "donate_argnums")


@dataclass(frozen=True, slots=True, eq=False)
class WrongArgument:
    """An option that names an argument which `function` lacks, or one that is both static and donated (`overlap`)."""

    wrapped: Wrapped
    function: Function
    option: str
    given: str | int
    parameters: tuple[str, ...]
    overlap: bool = False

    @property
    def node(self) -> cst.BaseExpression:
        """The call or decorator that has the option."""
        return self.wrapped.node


class Signatures:
    """Checks the options of the wrappers that compile of a module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._names = facts.names
        self._constants = facts.constants
        self._values = facts.values
        self.wrong = [
            wrong for wrapped in facts.wrappings.all() if wrapped.wrapper.compiles for wrong in self._check(wrapped)
        ]

    def _check(self, wrapped: Wrapped) -> Iterator[WrongArgument]:
        function = self._function(wrapped)
        if function is None or self._constants.is_dead(wrapped.node):
            return
        parameters = function.parameters[1:] if self._values.binds_instance(wrapped, function) else function.parameters
        positional = tuple(p.name for p in parameters if p.position is not None)
        named = tuple(p.name for p in parameters if not p.star)
        takes_any_name = any(p.star == "**" for p in parameters)
        takes_any_number = any(p.star == "*" for p in parameters)
        chosen: dict[str, set[str]] = {"static": set(), "donate": set()}
        for option in _BY_NAME:
            for name in self._constants.strings(wrapped.keyword(option)) or ():
                chosen[option.partition("_")[0]].add(name)
                if name not in named and not takes_any_name:
                    yield WrongArgument(wrapped, function, option, name, named)
        for option in _BY_NUMBER:
            for number in self._constants.integers(wrapped.keyword(option)) or ():
                if -len(positional) <= number < len(positional):
                    chosen[option.partition("_")[0]].add(positional[number])
                elif not takes_any_number:
                    yield WrongArgument(wrapped, function, option, number, positional)
        for name in sorted(chosen["static"] & chosen["donate"]):
            yield WrongArgument(wrapped, function, "static_argnames", name, named, overlap=True)

    def _function(self, wrapped: Wrapped) -> Function | None:
        """Return the function whose signature the wrapper sees; None where decorators or branches may change it."""
        if wrapped.decorated is not None:
            function = wrapped.decorated
            innermost = function.decorators[-1] is wrapped.node
            return function if innermost else None
        values = self._names.values(wrapped.targets[0])
        if len(values) == 1 and isinstance(values[0], Function) and not values[0].decorators:
            return values[0]
        return None
