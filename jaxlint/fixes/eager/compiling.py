"""Compiling a function of the module: what Python needs becomes static, Python's loops become those of jax.

Offered where the function does nothing but compute arrays from its arguments, as far as the source shows.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import External
from jaxlint.facts.syntax.tree import Class, Function, Loop, Parameter
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.errors import statics
from jaxlint.fixes.loops import loops
from jaxlint.fixes.moved_code.counters import unbounded
from jaxlint.fixes.moved_code.programs import (
    OF_ARRAYS,
    Program,
    given_in_sight,
    is_in,
    is_optimiser,
    refuse_more_than_computing,
    refuse_text,
    refuse_unhashable,
    refuse_what_is_new,
    words_of,
)
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text import options
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import indentation
from jaxlint.fixes.text.scopes import DEFS, scopes_of
from jaxlint.fixes.text.steps import Steps
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.values.loops import Unrolled

_ROUNDS = 8
_SHORT = 32
"""A loop of at most so many iterations may be unrolled, and of at most so many equations:"""
_LIGHT = 300
_TEXT = frozenset({"str", "Callable", "Literal", "type", "Type"})
"""Annotations of what can be no argument of a program but a static one."""


def enclosing_function(facts: ModuleFacts, node: cst.CSTNode, *, loop: Loop | None = None) -> Fix | None:
    """Return the fix that compiles the function of the module around a place.

    Args:
        facts: the module's.
        node: the place.
        loop: a loop that must not be unrolled.

    Raises:
        NoFixError: the function may do more than compute arrays from its arguments, or it would become too long a
            program.
    """
    function = _outermost(facts, node)
    if function is None:
        raise NoFixError("in no function of the module")
    return _Compiling(facts, function).fix(loop)


def _outermost(facts: ModuleFacts, node: cst.CSTNode) -> Function | None:
    function = facts.tree.context(node).function
    while function is not None and function.outer is not None:
        function = function.outer
    return function


def named(facts: ModuleFacts, name: str) -> Function:
    """Return the function of the module of that name.

    Raises:
        NoFixError: there is none, or more than one.
    """
    found = [f for f in facts.tree.functions if f.outer is None and f.cls is None and f.name == name]
    if len(found) != 1:
        raise NoFixError(f"{name} is defined more than once")
    return found[0]


class _Compiling:
    """One function on its way to a compiled one."""

    def __init__(self, facts: ModuleFacts, function: Function) -> None:
        self._before = facts
        self._name = function.name
        draft = Draft(facts)
        syntax, scopes = draft.syntax, scopes_of(draft.syntax)
        if function.is_lambda or function.cls is not None or function.outer is not None:
            raise NoFixError("not a function of the module")
        node = syntax.at(draft.span(function.node), *DEFS)
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or syntax.parents[node] is not syntax.tree:
            raise NoFixError("not a plain function")
        if node.args.vararg is not None or node.args.kwarg is not None or not function.parameters:
            raise NoFixError("any number of arguments, or none")
        if scopes.bindings(node.name, scopes.module) != [node]:
            raise NoFixError("its name also means something else")
        refuse_more_than_computing(syntax, node)
        refuse_or_doubt(facts, syntax, node)
        for call in ast.walk(node):
            own = isinstance(call, ast.Name) and call.id == node.name
            if own and scopes.binder(node.name, scopes.of(call)) is scopes.module:
                raise NoFixError("it calls itself")
        if syntax.text[: syntax.span(node).start].rpartition("\n")[2].strip():
            raise NoFixError("the function shares a line")
        self._sure = True
        self._before_loops = [loop for loop in facts.tree.loops if is_in(loop.context.function, function)]
        self._static = list(self._never_traced(function))
        self._steps = self._decorated()

    def _decorated(self) -> Steps:
        """Return the text with the function compiled, as far as its static arguments are known."""
        draft = Draft(self._before)
        function = named(self._before, self._name)
        node = draft.syntax.at(draft.span(function.node), ast.FunctionDef)
        jit = draft.name("jax.jit", node)
        if self._static:
            names = [parameter.name for parameter in function.parameters if parameter.name in self._static]
            listed = options.listed([options.quoted(draft, name) for name in names])
            jit = f"{draft.name('functools.partial', node)}({jit}, static_argnames={listed})"
        draft.insert(draft.span(node).start, f"@{jit}\n{indentation(draft.syntax, node)}")
        steps = Steps(self._before)
        steps.take(draft.fix(Applicability.UNSAFE, ""))
        return steps

    @property
    def _facts(self) -> ModuleFacts:
        return self._steps.facts

    @property
    def _function(self) -> Function:
        return named(self._facts, self._name)

    def fix(self, loop: Loop | None) -> Fix | None:
        """Return the fix, with a loop turned that must not stay."""
        long = None if loop is None else next(i for i, other in enumerate(self._before_loops) if other is loop)
        self._make_static()
        turned = self._turn_loops(long)
        refuse_what_is_new(self._before, self._facts)
        sure = Program(self._facts, self._function).check() and self._sure
        level = Applicability.UNSAFE if sure else Applicability.DISPLAY
        return self._steps.fix(level, self._message(turned), ROUNDING)

    def _message(self, turned: list[str]) -> str:
        names = [p.name for p in self._function.parameters if p.name in self._static]
        static = f", with {_and(names)} static" if names else ""
        loop = f", with its loop as {_and(list(dict.fromkeys(turned)))}" if turned else ""
        return f"Jit `{self._name}`{static}{loop}"

    # Static arguments

    def _never_traced(self, function: Function) -> Iterator[str]:
        """Yield the parameters that can only be static: texts and functions, by annotation, default or a caller."""
        facts = self._before
        for parameter in function.parameters:
            words = words_of(parameter.annotation)
            default = parameter.default
            static = bool(words & _TEXT) or (default is not None and self._is_no_data(default))
            given = list(given_in_sight(facts, parameter))
            refuse_text(facts, parameter)
            static = static or any(self._is_no_data(node) for node in given) or is_optimiser(facts, parameter)
            static = static or (bool(given) and all(isinstance(facts.constants.of(node), bool) for node in given))
            if static:
                refuse_unhashable(facts, parameter)
                yield parameter.name

    def _is_no_data(self, node: cst.CSTNode) -> bool:
        facts = self._before
        if isinstance(facts.constants.of(node), str) or isinstance(node, cst.BaseString):
            return True
        values = facts.names.values(node)
        return any(
            isinstance(v, (Function, Class)) or (isinstance(v, External) and _is_function(v.name)) for v in values
        )

    def _make_static(self) -> None:
        """Name the parameters static whose values Python needs, as JAX201 does."""
        for _ in range(_ROUNDS):
            function, facts = self._function, self._facts
            names: list[str] = []
            for demand, parameter in facts.staged.missing_statics:
                if not any(is_in(outer, function) for outer in (parameter.function, demand.function)):
                    continue
                names += statics.names_to_add(facts, demand, parameter, function)
            if not names:
                # Arrays have their type in any case, so this is no reason to call for a static argument.
                free = unbounded(facts, function) - set(self._static)
                self._sure = self._sure and not free
                return
            for name in names:
                parameter = function.parameter(name)  # type: ignore[assignment]
                if parameter is None or self._is_data(parameter):
                    raise NoFixError(f"Python needs the value of {name}, which is data")
            self._static += names
            self._steps = self._decorated()
        raise NoFixError("too many static arguments")

    def _is_data(self, parameter: Parameter) -> bool:
        """Whether something shows that a parameter holds arrays, which cannot be static."""
        function = self._function
        if words_of(parameter.annotation) & arrays.ANNOTATIONS:
            return True
        for binding in function.scope.bindings.get(parameter.name, ()):
            for use in self._facts.names.uses(binding):
                above = self._facts.tree.parent(use)
                if isinstance(above, cst.Attribute) and above.value is use and above.attr.value in OF_ARRAYS:
                    return True
        return False

    # Loops

    def _loops(self) -> list[Loop]:
        function = self._function
        return [loop for loop in self._facts.tree.loops if is_in(loop.context.function, function)]

    def _turn_loops(self, long: int | None) -> list[str]:
        """Turn loops into those of jax that would make too long a program; `long` is the number of one that does."""
        found: list[str] = []
        for _ in range(_ROUNDS):
            own = self._loops()
            unrolled = {id(item.loop): item for item in self._facts.loops.unrolled}
            wanted = [
                loop
                for index, loop in enumerate(own)
                if (index == long and not self._is_short(unrolled.get(id(loop))))
                or (id(loop) in unrolled and not self._may_stay(unrolled[id(loop)]))
            ]
            if not wanted:
                return found
            # Innermost first: then the loop around it has one array operation in its place.
            loop = next(one for one in wanted if not any(one in other.around for other in wanted))
            if id(loop) not in unrolled:
                raise NoFixError("nothing is known of the loop")
            fix = loops.as_jax_loop(self._facts, unrolled[id(loop)])
            if fix is None:
                raise NoFixError("the loop stays as it is")
            self._sure = self._sure and fix.applicability is not Applicability.DISPLAY
            self._steps.take(fix)
            found.append("`" + fix.message.partition("`")[2])
            turned = own.index(loop)
            if long is not None:
                long = None if turned == long else long - (turned < long)
        raise NoFixError("too many loops")

    @staticmethod
    def _is_short(unrolled: Unrolled | None) -> bool:
        return (
            unrolled is not None
            and unrolled.trips is not None
            and unrolled.trips <= _SHORT
            and unrolled.total.equations <= _LIGHT
        )

    def _may_stay(self, unrolled: Unrolled) -> bool:
        if unrolled.trips is None:
            return self._facts.loops.is_small(unrolled.loop)
        return self._is_short(unrolled)


def _is_function(name: str) -> bool:
    return arrays.is_array_function(name) or name.startswith(("numpy.", "math.", "operator."))


def _and(names: Collection[str]) -> str:
    quoted = [name if name.startswith("`") else f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
