"""State that a jitted function stores becomes an argument and a result of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import indentation, removal, rows
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.errors.leaks import Leak
    from jaxlint.facts.module import ModuleFacts

_CONDITION = "all callers must be visible"
_BY_POSITION = frozenset({"in_shardings", "abstracted_axes", "donate_argnums"})
_WRAPPERS = ("jax.jit", "equinox.filter_jit")


def returned(facts: ModuleFacts, leak: Leak) -> Fix | None:
    """Pass the state to the function, return what it becomes, and store it where the function is called.

    Raises:
        NoFixError: the function stores more, gives something else, or is not only called.
    """
    return _State(facts, leak).fix()


class _State:
    """An attribute of the instance, or a name of the module, that a jitted function assigns."""

    def __init__(self, facts: ModuleFacts, leak: Leak) -> None:
        self._draft = draft = Draft(facts)
        self._syntax, self._scopes = draft.syntax, scopes_of(draft.syntax)
        target = self._syntax.at(draft.span(leak.target), ast.Attribute, ast.Name)
        node = self._syntax.at(draft.span(leak.function.node), ast.FunctionDef)
        if not isinstance(node, ast.FunctionDef) or not isinstance(target, (ast.Attribute, ast.Name)):
            raise NoFixError("no function that assigns an attribute or a name")
        self._function, self._target = node, target
        self._check_function()
        self._name = self._free_name()
        self._uses = [part for part in ast.walk(node) if self._is_state(part)]
        self._check_stores()
        self._calls = list(self._called())

    # What is taken

    def _check_function(self) -> None:
        node, target = self._function, self._target
        if len(node.decorator_list) != 1 or not self._is_jit(node.decorator_list[0]):
            raise NoFixError("not compiled by its one decorator")
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults or arguments.posonlyargs:
            raise NoFixError("its arguments are not plain")
        frame = self._scopes.frame(node)
        if isinstance(target, ast.Attribute):
            first = arguments.args[0].arg if arguments.args else ""
            if (
                not isinstance(frame, ast.ClassDef)
                or not isinstance(target.value, ast.Name)
                or target.value.id != first
            ):
                raise NoFixError("no attribute of the instance")
        elif frame is not self._scopes.module or not any(
            isinstance(part, ast.Global) and target.id in part.names for part in node.body
        ):
            raise NoFixError("no name of the module")
        if any(isinstance(part, (ast.Return, *FUNCTIONS, ast.ClassDef, ast.Yield)) for part in self._inner()):
            raise NoFixError("it gives something already, or defines functions")

    def _inner(self) -> list[ast.AST]:
        return [part for statement in self._function.body for part in ast.walk(statement)]

    def _is_jit(self, decorator: ast.expr) -> bool:
        call = decorator if isinstance(decorator, ast.Call) else None
        if call is not None and any(keyword.arg in _BY_POSITION or keyword.arg is None for keyword in call.keywords):
            return False
        parts = [decorator] if call is None else [call.func, *call.args[:1]]
        return any(dotted(self._scopes, part) in _WRAPPERS for part in parts)

    def _free_name(self) -> str:
        name = self._target.attr if isinstance(self._target, ast.Attribute) else self._target.id
        name = name.strip("_")
        taken = {part.id for part in ast.walk(self._function) if isinstance(part, ast.Name)}
        taken |= {argument.arg for argument in ast.walk(self._function.args) if isinstance(argument, ast.arg)}
        if isinstance(self._target, ast.Name):
            taken.discard(self._target.id)
        if not name.isidentifier() or name in taken:
            raise NoFixError("no name for the parameter")
        return name

    def _is_state(self, node: ast.AST) -> bool:
        target = self._target
        if isinstance(target, ast.Name):
            return isinstance(node, ast.Name) and node.id == target.id
        same = isinstance(node, ast.Attribute) and node.attr == target.attr and isinstance(node.value, ast.Name)
        return same and ast.unparse(node) == ast.unparse(target)

    def _check_stores(self) -> None:
        """Refuse a function that stores anything else, or this under a condition."""
        plain = [s for s in self._function.body if isinstance(s, (ast.Assign, ast.AugAssign))]
        for part in self._inner():
            if not isinstance(part, (ast.Attribute, ast.Subscript, ast.Name)) or isinstance(part.ctx, ast.Load):
                continue
            if isinstance(part, ast.Name) and not self._is_state(part):
                continue
            statement = self._syntax.statement(part)
            if not self._is_state(part) or isinstance(part.ctx, ast.Del) or statement not in plain:
                raise NoFixError("it stores more than that, or not always")
        if any(isinstance(part, ast.Global) and len(part.names) > 1 for part in self._function.body):
            raise NoFixError("it assigns other names of the module")

    def _called(self) -> list[ast.Call]:
        """Return the calls of the function, which all its uses must be, each a statement of its own."""
        name = self._function.name
        if sum(isinstance(part, DEFS) and part.name == name for part in ast.walk(self._syntax.tree)) != 1:
            raise NoFixError("several functions of one name")
        calls = []
        for part in ast.walk(self._syntax.tree):
            of_method = (
                isinstance(self._target, ast.Attribute) and isinstance(part, ast.Attribute) and part.attr == name
            )
            of_function = isinstance(self._target, ast.Name) and isinstance(part, ast.Name) and part.id == name
            if not of_method and not of_function:
                continue
            call = self._syntax.parents[part]
            statement = self._syntax.parents.get(call)
            if not isinstance(call, ast.Call) or call.func is not part or not isinstance(statement, ast.Expr):
                raise NoFixError("it is used otherwise than called")
            if any(isinstance(a, ast.Starred) for a in call.args) or call.keywords:
                raise NoFixError("a call with other arguments")
            if isinstance(part, ast.Attribute) and not isinstance(part.value, ast.Name):
                raise NoFixError("the instance is an expression")
            calls.append(call)
        if not calls:
            raise NoFixError("no visible call")
        return calls

    # The edit

    def fix(self) -> Fix | None:
        draft, node = self._draft, self._function
        unit = indentation(self._syntax, node.body[0])
        last = node.body[-1]
        stores = [use for use in self._uses if not isinstance(use.ctx, ast.Load)]  # type: ignore[attr-defined]
        once = isinstance(last, ast.Assign) and last.targets == stores
        for use in self._uses:
            if not (once and use is stores[0]):
                draft.replace(use, self._name)
        if once and isinstance(last, ast.Assign):
            draft.replace(Span(draft.span(stores[0]).start, self._start_of_value(last)), "return ")
        else:
            draft.insert(rows(self._syntax, last).end, f"{unit}return {self._name}\n")
        reads = len(self._uses) > len(stores) or any(isinstance(s, ast.AugAssign) for s in node.body)
        if reads:
            self._add_parameter()
        for declared in node.body:
            if isinstance(declared, ast.Global):
                for span in removal(self._syntax, {declared: rows(self._syntax, declared)}):
                    draft.delete(span)
        for call in self._calls:
            self._store_result(call, reads=reads)
        written = ast.unparse(self._target)
        return draft.fix(
            Applicability.UNSAFE, f"Return `{written}`, and store it where `{node.name}` is called", _CONDITION
        )

    def _start_of_value(self, node: ast.Assign) -> int:
        """Return where the value starts, with the parentheses around it."""
        text, start = self._draft.source.text, self._draft.span(node.targets[-1]).end
        sign = text.index("=", start) + 1
        return sign + len(text[sign:]) - len(text[sign:].lstrip(" \t"))

    def _add_parameter(self) -> None:
        draft, arguments = self._draft, self._function.args.args
        if arguments:
            draft.insert(draft.span(arguments[-1]).end, f", {self._name}")
            return
        start = draft.span(self._function).start
        opening = draft.source.text.index("(", draft.source.text.index(f"def {self._function.name}", start))
        draft.insert(opening + 1, self._name)

    def _store_result(self, call: ast.Call, *, reads: bool) -> None:
        draft, func = self._draft, call.func
        if isinstance(self._target, ast.Attribute):
            owner = func.value.id  # type: ignore[attr-defined]
            place = f"{owner}.{self._target.attr}"
        else:
            place = self._target.id
            frame = self._scopes.frame(call)
            declared = frame is self._scopes.module or any(
                isinstance(part, ast.Global) and place in part.names for part in ast.walk(frame)
            )
            if not declared:
                raise NoFixError("the caller would bind a name of its own")
        draft.insert(draft.span(call).start, f"{place} = ")
        if reads:
            end = draft.span(call.args[-1]).end if call.args else draft.span(call).end - 1
            draft.insert(end, f", {place}" if call.args else place)
