"""Which scope binds a name where it is used: what a piece of code needs from the functions around it."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator

from jaxlint.fixes.text.syntax import Syntax, own_bindings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Scope = ast.AST
"""A module, class, function, lambda or comprehension."""


class Scopes:
    """The scopes of a file, by Python's rules."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.module = syntax.tree
        self._outer: dict[Scope, Scope] = {}
        self._scope: dict[ast.AST, Scope] = {}
        self._bound: dict[Scope, dict[str, list[ast.AST]]] = defaultdict(lambda: defaultdict(list))
        self._global: dict[Scope, set[str]] = defaultdict(set)
        self._nonlocal: dict[Scope, set[str]] = defaultdict(set)
        self._loads: dict[str, list[ast.Name]] = defaultdict(list)
        self._loads_of: dict[str, dict[Scope | None, list[ast.Name]]] = {}
        self._loads_of_others: dict[tuple[str, Scope], list[ast.Name]] = {}
        stack: list[tuple[ast.AST, Scope]] = [(node, self.module) for node in reversed(self.module.body)]
        while stack:
            node, scope = stack.pop()
            self._scope[node] = scope
            self._note(node, scope)
            stack.extend(reversed(list(self._children(node, scope))))
        for scope, names in list(self._global.items()):
            for name in names:
                self._bound[self.module][name].extend(self._bound[scope].pop(name, ()))

    def _note(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._loads[node.id].append(node)
        elif isinstance(node, ast.Global):
            self._global[scope].update(node.names)
        elif isinstance(node, ast.Nonlocal):
            self._nonlocal[scope].update(node.names)
        for name, binder in own_bindings(node):
            self._bound[scope][name].append(binder)

    def _children(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """Yield the children with the scopes that they run in."""
        if isinstance(node, FUNCTIONS):
            yield from self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._outer[node] = scope
            for child in (*node.decorator_list, *node.bases, *node.keywords):
                yield child, scope
            for child in node.body:
                yield child, node
        elif isinstance(node, COMPREHENSIONS):
            self._outer[node] = scope
            for index, clause in enumerate(node.generators):
                self._scope[clause] = node
                yield clause.iter, scope if index == 0 else node
                yield clause.target, node
                for test in clause.ifs:
                    yield test, node
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.comprehension):
                    yield child, node
        elif isinstance(node, ast.NamedExpr):
            yield node.target, self._frame(scope)
            yield node.value, scope
        else:
            for child in ast.iter_child_nodes(node):
                yield child, scope

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> Iterator[tuple[ast.AST, Scope]]:
        self._outer[node] = scope
        arguments = node.args
        self._scope[arguments] = scope
        for argument in all_arguments(arguments):
            self._scope[argument] = node
            self._bound[node][argument.arg].append(argument)
            if argument.annotation is not None:
                yield argument.annotation, scope
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                yield default, scope
        if isinstance(node, ast.Lambda):
            yield node.body, node
            return
        for child in node.decorator_list:
            yield child, scope
        if node.returns is not None:
            yield node.returns, scope
        for child in (*getattr(node, "type_params", ()), *node.body):
            yield child, node

    def _frame(self, scope: Scope) -> Scope:
        while isinstance(scope, COMPREHENSIONS):
            scope = self._outer[scope]
        return scope

    # Questions

    def of(self, node: ast.AST) -> Scope:
        """Return the scope that a node is evaluated in; for a definition the one that it is made in."""
        return self._scope.get(node, self.module)

    def frame(self, node: ast.AST) -> Scope:
        """Return the function, class or module whose code a node is; comprehensions belong to theirs."""
        return self._frame(self.of(node))

    def binder(self, name: str, scope: Scope) -> Scope | None:
        """Return the scope that binds `name` as it is seen in `scope`, None for builtins and unknown names."""
        current: Scope | None = scope
        own = True
        while current is not None:
            if name in self._global.get(current, ()):
                return self.module
            hidden = isinstance(current, ast.ClassDef) and not own
            if name in self._bound.get(current, ()) and not hidden and name not in self._nonlocal.get(current, ()):
                return current
            own = own and isinstance(current, COMPREHENSIONS)
            current = self._outer.get(current)
        return None

    def bindings(self, name: str, scope: Scope) -> list[ast.AST]:
        """Return what binds a name in a scope, those of functions that declare it nonlocal included."""
        found = list(self._bound[scope].get(name, ()))  # asking must not bind
        for inner, names in list(self._nonlocal.items()):  # asking for a binder may add to it
            if name in names and self.binder(name, self._outer[inner]) is scope:
                found += self._bound[inner].get(name, ())
        return found

    def loads(self, name: str, scope: Scope) -> list[ast.Name]:
        """Return the loads of a name that `scope` binds, in the order of the text."""
        known = self._loads_of.get(name)
        if known is None:
            known = self._loads_of[name] = defaultdict(list)
            for node in sorted(self._loads.get(name, ()), key=lambda node: (node.lineno, node.col_offset)):
                known[self.binder(name, self.of(node))].append(node)
        return known.get(scope, [])

    def loads_of_others(self, name: str, scope: Scope) -> list[ast.Name]:
        """Return those of them that are in functions and classes inside that scope."""
        loads = self._loads_of_others.get((name, scope))
        if loads is None:
            loads = [load for load in self.loads(name, scope) if self.frame(load) is not scope]
            self._loads_of_others[name, scope] = loads
        return loads

    def captured(self, *nodes: ast.AST) -> dict[str, list[ast.Name]]:
        """Return the names in `nodes` that functions and classes around them bind, each with its loads."""
        inside = {inner for node in nodes for inner in ast.walk(node)}
        found: dict[str, list[ast.Name]] = {}
        for node in inside:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                scope = self.binder(node.id, self.of(node))
                if scope is not None and scope is not self.module and scope not in inside:
                    found.setdefault(node.id, []).append(node)
        for loads in found.values():
            loads.sort(key=lambda load: (load.lineno, load.col_offset))
        return dict(sorted(found.items(), key=lambda item: (item[1][0].lineno, item[1][0].col_offset)))

    def repeated(self, text: str, place: ast.AST) -> Iterator[ast.FunctionDef]:
        """Yield the private functions of the module, above a place, that a definition of that text would only repeat.

        Their parameters may have other names.
        """
        top = self.syntax.top(self.syntax.span(place))
        for node in self._private.get(_form(text), ()):
            alone = self.bindings(node.name, self.module) == [node]
            if alone and node.lineno < top.lineno and self.binder(node.name, self.of(place)) is self.module:
                yield node

    @functools.cached_property
    def _private(self) -> dict[str, list[ast.FunctionDef]]:
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in self.module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
                text = self.syntax.text[self.syntax.start(node) : self.syntax.span(node).end]
                found.setdefault(_form(text), []).append(node)
        return found

    def module_names(self, *nodes: ast.AST) -> set[str]:
        """Return the names in `nodes` that the module binds."""
        return {
            node.id
            for root in nodes
            for node in ast.walk(root)
            if isinstance(node, ast.Name) and self.binder(node.id, self.of(node)) is self.module
        }


@functools.lru_cache(maxsize=4)
def scopes_of(syntax: Syntax) -> Scopes:
    """Return the scopes of a file, found once however many of its findings are fixed in a line."""
    return Scopes(syntax)


def _form(text: str) -> str:
    """Return what tells a definition from others that do the same: all but its name and those of its parameters."""
    node = ast.parse(text).body[0]
    if not isinstance(node, ast.FunctionDef):
        return text
    arguments = all_arguments(node.args)
    numbers = {node.name: "", **{argument.arg: f"parameter {number}" for number, argument in enumerate(arguments)}}
    inner = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg) and part not in arguments}
    node.name = ""
    if inner.isdisjoint(numbers):
        for part in ast.walk(node):
            if isinstance(part, ast.arg):
                part.arg = numbers.get(part.arg, part.arg)
            elif isinstance(part, ast.Name):
                part.id = numbers.get(part.id, part.id)
    return ast.dump(node)


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters of a function in the order in which they are written."""
    found = [*arguments.posonlyargs, *arguments.args]
    found += [arguments.vararg] if arguments.vararg is not None else []
    found += arguments.kwonlyargs
    return found + ([arguments.kwarg] if arguments.kwarg is not None else [])
