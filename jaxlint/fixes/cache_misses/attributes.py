"""Passing what a compiled method reads of its instance as an argument, so that it is read on each call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.tree import Function
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import add_arguments, name_span
from jaxlint.fixes.errors import statics
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.moving import indent_unit, indentation, rows
from jaxlint.fixes.text.scopes import DEFS, Scopes, all_arguments, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.stale import StaleRead
    from jaxlint.facts.module import ModuleFacts

_KEEPING = ("jax.grad", "jax.value_and_grad")
"""Transforms that pass further arguments on as they are."""


def passed(facts: ModuleFacts, stale: StaleRead) -> Fix | None:
    """Return the fix that makes an argument of an attribute.

    Raises:
        NoFixError: the attribute is read in another function, or cannot be an argument.
    """
    return _Passing(facts, stale).fix()


class _Passing:
    def __init__(self, facts: ModuleFacts, stale: StaleRead) -> None:
        self.facts = facts
        self.stale = stale
        self.draft = Draft(facts)
        self.syntax = self.draft.syntax
        self.scopes: Scopes = scopes_of(self.syntax)
        self.function: Function = stale.handle.function
        method = None if self.function.is_lambda else self.syntax.at(facts.span(self.function.node))
        if not isinstance(method, ast.FunctionDef) or self.function.cls is None:
            raise NoFixError("no method")
        self.method = method
        self.instance = all_arguments(method.args)[0].arg
        self.text = f"{self.instance}.{stale.name}"
        self.reads = [
            node
            for part in method.body
            for node in ast.walk(part)
            if isinstance(node, ast.Attribute) and ast.unparse(node) == self.text
        ]
        self.wrapped = next(
            (w for w in facts.wrappings.all() if w.node is stale.handle.node and w.wrapper.compiles), None
        )

    def fix(self) -> Fix | None:
        read = self.syntax.at(self.facts.span(self.stale.read.node))
        if not any(read is inner for node in self.reads for inner in ast.walk(node)):
            raise NoFixError("it is read in a function that the compiled one calls")
        if any(not isinstance(node.ctx, ast.Load) for node in self.reads):
            raise NoFixError("it is stored as well")
        if any(ast.unparse(value) == self.text for value, _ in changes(ast.walk(self.method))):
            raise NoFixError("it is changed as well")
        if any(self.facts.tracing.is_traced(site.context.function) for site in self.facts.calls.of(self.function)):
            raise NoFixError("it is called under trace as well, where it would be read once, too")
        name = self._given_already()
        if name is None:
            name = self._added()
        for node in self.reads:
            self.draft.replace(node, name)
        return self.draft.fix(
            Applicability.UNSAFE, f"Pass `{self.text}` as the argument `{name}`", f"`{self.text}` must hold arrays"
        )

    def _given_already(self) -> str | None:
        """Return the parameter that every visible call is given the attribute for."""
        parameter = self.function.parameter(self.stale.read.path[-1])
        if parameter is None or len(self.scopes.bindings(parameter.name, self.method)) != 1:
            return None
        calls = [call for call in self.facts.compiled.calls if call.function is self.function]
        for call in calls:
            given = call.argument(parameter)
            if given is None or not isinstance(given, cst.Attribute):
                return None
            if self.facts.code(given).partition(".")[2] != self.stale.name:
                return None
        return parameter.name if calls else None

    # A new parameter

    def _added(self) -> str:
        name = self.stale.read.path[-1].strip("_")
        taken = {node.id for node in ast.walk(self.method) if isinstance(node, ast.Name)}
        taken |= {argument.arg for argument in all_arguments(self.method.args)}
        if name in taken or not name.isidentifier():
            raise NoFixError("the name is taken")
        static = self._is_static()
        if self.wrapped is None or (static and not self.wrapped.wrapper.static):
            raise NoFixError("the wrapper is not visible")
        if any(self.wrapped.keyword(option) for option in ("in_shardings", "in_axes", "donate_argnums", "axis_name")):
            raise NoFixError("another option has one entry per argument")
        if self.wrapped.decorated is self.function:
            calls = self._private_calls()
            if calls:
                self._parameter(name)
                self._give(name, calls)
            else:
                self._split(name, self.wrapped)
        else:
            self._pass_to_calls(name, self.wrapped)
        if static:
            arguments = self.method.args
            number = len(arguments.posonlyargs) + len(arguments.args)
            number -= self.facts.values.binds_instance(self.wrapped, self.function)
            added = {name: number} if self._is_positional() else {}
            statics.extend_statics(self.draft, self.wrapped, [name], added)
        return name

    def _is_static(self) -> bool:
        """Whether Python needs the value.

        Raises:
            NoFixError: it may have no hash then.
        """
        reads = [
            node
            for node in self.facts.tree.body(self.function)
            if isinstance(node, cst.Attribute) and self.facts.code(node) == self.text
        ]
        if all(self.facts.traceable.use(node) for node in reads):
            return False
        cls, path = self.stale.handle.cls, self.stale.read.path
        values = [value for value, _ in self.facts.names.stores(cls, path[0])] if len(path) == 1 else []
        known = [self.facts.constants.of(value) for value in values]
        kinds = {type(value) for value in known if value is not UNKNOWN}
        if not kinds or not kinds <= {bool, str, int}:
            raise NoFixError("nothing says that it can be a static argument")
        return True

    def _is_positional(self) -> bool:
        """Whether a new parameter may be given by position."""
        arguments = self.method.args
        return arguments.vararg is None and not arguments.kwonlyargs and not arguments.defaults

    def _parameter(self, name: str) -> bool:
        """Declare the new parameter; tell whether it has to be given by keyword."""
        arguments = self.method.args
        last = all_arguments(arguments)[-1]
        if arguments.kwarg is not None or (last.annotation is not None and self.draft.code(last).count("\n")):
            raise NoFixError("its parameters cannot be extended")
        positional = self._is_positional()
        star = "" if positional or arguments.vararg is not None or arguments.kwonlyargs else "*, "
        inner = [last, *arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        place = max(self.draft.span(node).end for node in inner)
        self.draft.insert(place, f", {star}{name}")
        return not positional

    def _split(self, name: str, wrapped: Wrapped) -> None:
        """Keep the method's name for a method that reads the attribute and calls the compiled one."""
        method, draft = self.method, self.draft
        from_the_end = wrapped.keyword("static_argnums") is not None and self._numbers_end(wrapped)
        if len(method.decorator_list) != 1 or from_the_end:
            raise NoFixError("another decorator, or numbers that count from the end")
        compiled = self._fresh(f"_{method.name.strip('_')}", f"_{method.name.strip('_')}_compiled")
        by_keyword = self._parameter(name)
        draft.replace(name_span(self.syntax, method), compiled)
        margin = indentation(self.syntax, method)
        unit = indent_unit(self.syntax, method)
        span = draft.span(method)
        head = draft.source.text[span.start : draft.span(method.body[0]).start]
        head = self._head(head)
        given = self._forwarded()
        given.append(f"{name}={self.text}" if by_keyword else self.text)
        lines = [margin + head, *self._docstring(margin + unit)]
        lines.append(f"{margin}{unit}return {self.instance}.{compiled}({', '.join(given)})")
        place = draft.source.line_starts[draft.source.position(self.syntax.start(method))[0] - 1]
        draft.insert(place, "\n".join(lines) + "\n\n")

    def _numbers_end(self, wrapped: Wrapped) -> bool:
        numbers = self.facts.constants.integers(wrapped.keyword("static_argnums"))
        return numbers is None or any(number < 0 for number in numbers)

    def _head(self, text: str) -> str:
        """Return the `def` line of the method, comments behind it skipped."""
        body = self.method.body[0]
        row = self.draft.source.position(self.draft.span(body).start)[0]
        if row == self.method.lineno:
            raise NoFixError("the body is on the line of the def")
        head = text.rstrip()
        if "#" in head:
            raise NoFixError("a comment in the head")
        return head

    def _forwarded(self) -> list[str]:
        arguments = self.method.args
        found = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][1:]
        found += [f"*{arguments.vararg.arg}"] if arguments.vararg is not None else []
        return found + [f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs]

    def _docstring(self, margin: str) -> list[str]:
        """Take the docstring out of the compiled method, and return its lines."""
        first = self.method.body[0]
        if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant) or len(self.method.body) == 1:
            return []
        span = rows(self.syntax, first, comments=False)
        text = self.draft.source.text[self.draft.span(first).start : self.draft.span(first).end]
        end = span.end
        following = self.draft.source.position(end)[0]
        if not self.draft.source.line(following).strip():
            end = self.draft.source.line_starts[following]
        self.draft.delete(Span(span.start, end))
        return [margin + text]

    def _fresh(self, *bases: str) -> str:
        words = self.syntax.words
        for base in bases:
            if base not in words:
                return base
        raise NoFixError("the names are taken")

    def _pass_to_calls(self, name: str, wrapped: Wrapped) -> None:
        """Add the attribute to each call of what the method was compiled to."""
        handle, method = self.stale.handle, self.method
        if not handle.attribute or not method.name.startswith("_") or not handle.attribute.startswith("_"):
            raise NoFixError("others may call it")
        if method.decorator_list or not self._is_direct(wrapped):
            raise NoFixError("a decorator or a transform is between")
        self._parameter(name)
        within = {inner for made in self._makers() for inner in ast.walk(made)}
        calls = self._calls(handle.attribute, method.name, within=within)
        if calls is None:
            raise NoFixError("not every use of it is a plain call")
        self._give(name, calls)

    def _private_calls(self) -> list[ast.Call] | None:
        """Return the calls of a decorated method that only this file knows of, None where it may be used otherwise."""
        name = self.method.name
        private = name.startswith("_") and not name.endswith("__") and len(self.method.decorator_list) == 1
        return self._calls(name, within=set()) if private else None

    def _calls(self, *names: str, within: set[ast.AST]) -> list[ast.Call] | None:
        """Return the calls of attributes of these names but for those `within`, None where one is used otherwise."""
        owners = [
            cls
            for cls in ast.walk(self.syntax.tree)
            if isinstance(cls, ast.ClassDef) and any(_defines(node, names) for node in ast.walk(cls))
        ]
        if len(owners) != 1:
            return None  # another class may have a method of that name
        found = []
        for node in ast.walk(self.syntax.tree):
            if not isinstance(node, ast.Attribute) or node.attr not in names:
                continue
            if node in within or not isinstance(node.ctx, ast.Load):
                continue
            call = self.syntax.parents[node]
            if not isinstance(call, ast.Call) or call.func is not node or not isinstance(root_of(node), ast.Name):
                return None
            if any(isinstance(argument, ast.Starred) for argument in call.args):
                return None
            found.append(call)
        return found

    def _give(self, name: str, calls: list[ast.Call]) -> None:
        """Add the attribute to calls."""
        for call in calls:
            given = f"{ast.unparse(call.func.value)}.{self.stale.name}"  # type: ignore[attr-defined]
            add_arguments(self.draft, self.syntax, call, f"{name}={given}")

    def _makers(self) -> list[ast.AST]:
        """Return the wrappers' calls that compile the method."""
        handles = [h for h in self.facts.stale.handles if h.function is self.function]
        if any(handle.attribute != self.stale.handle.attribute for handle in handles):
            raise NoFixError("it is compiled under several names")
        return [self.syntax.at(self.facts.span(handle.node)) for handle in handles]

    def _is_direct(self, wrapped: Wrapped) -> bool:
        """Whether nothing but a gradient is between the wrapper and the method."""
        node: cst.CSTNode = wrapped.targets[0]
        while True:
            values = self.facts.names.values(node)
            if len(values) == 1 and values[0] is self.function:
                return True
            inner = self.facts.wrappings.of(node)
            if inner is None or inner.wrapper.name not in _KEEPING or len(inner.arguments) != 1:
                return False
            node = inner.targets[0]


def _defines(node: ast.AST, names: tuple[str, ...]) -> bool:
    """Whether code defines a method, or stores into an attribute, of one of these names."""
    if isinstance(node, ast.Attribute):
        return node.attr in names and isinstance(node.ctx, ast.Store)
    return isinstance(node, DEFS) and node.name in names
