"""What code reads and does besides its arguments: a function that is compiled once keeps what it read when traced."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.moved_code.made import LOOPS
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

_IMPORTS = (ast.Import, ast.ImportFrom)
_OTHERWISE = (
    "random.",
    "numpy.random.",
    "time.",
    "secrets.",
    "uuid.",
    "os.environ",
    "os.getenv",
    "os.urandom",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
)
"""Imported things that give another value each time."""
_OTHERWISE_BUILTINS = frozenset({"input", "open", "next", "globals"})
_EFFECTS = frozenset({"print", "setattr", "delattr"})
_EFFECTS_IMPORTED = ("logging.", "warnings.", "absl.logging.", "sys.std", "os.system", "subprocess.")
_CONTAINERS = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque"})
_PURE_BUILTINS = frozenset(
    "int float complex bool str bytes tuple frozenset len min max abs round sum range slice type".split()
)
_PURE_DECORATORS = frozenset({"property", "staticmethod", "classmethod"})
_PURE_MODULES = ("jax.", "numpy.", "math.", "functools.partial", "operator.", "optax.", "flax.")
_KNOWN_DECORATORS = ("jax.", "functools.", "typing.", "jaxtyping.", "contextlib.", "beartype.", "equinox.", "flax.")


def refuse_or_doubt(facts: ModuleFacts, syntax: Syntax, *nodes: ast.AST) -> bool:
    """Whether code, with the functions of the module that it uses, reads what may change, or does more than compute.

    Raises:
        NoFixError: it reads what does change: a name that is bound again, a clock, random numbers.
    """
    reads = _Reads(facts, syntax)
    for node in nodes:
        reads.of(node)
    return reads.doubtful


class _Reads:
    def __init__(self, facts: ModuleFacts, syntax: Syntax) -> None:
        self._facts = facts
        self._syntax = syntax
        self._scopes: Scopes = scopes_of(syntax)
        self._seen: set[ast.AST] = set()
        self._names: set[str] = set()
        self._changed = changed_names(syntax)
        self.doubtful = False

    def of(self, node: ast.AST) -> None:
        if node in self._seen:
            return
        self._seen.add(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                self._name(inner)
            elif isinstance(inner, (ast.Attribute, ast.Subscript)) and not isinstance(inner.ctx, ast.Load):
                self._store(inner)
            elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                self._definition(inner)

    def _name(self, node: ast.Name) -> None:
        scope = self._scopes.binder(node.id, self._scopes.of(node))
        if scope is None:
            parent = self._syntax.parents.get(node)
            called = isinstance(parent, ast.Call) and parent.func is node
            if node.id in _OTHERWISE_BUILTINS and called and not (node.id == "next" and self._is_own(parent)):
                raise NoFixError(f"{node.id} gives another value each time")
            self.doubtful = self.doubtful or node.id in _EFFECTS
        elif scope is self._scopes.module:
            self._module_name(node)

    def _is_own(self, call: ast.AST | None) -> bool:
        """Whether `next` goes over what the code makes itself."""
        return isinstance(call, ast.Call) and bool(call.args) and isinstance(call.args[0], (ast.Call, ast.GeneratorExp))

    def _module_name(self, node: ast.Name) -> None:
        name, scopes = node.id, self._scopes
        whole = self._dotted(node)
        if whole.startswith(_OTHERWISE):
            raise NoFixError(f"{whole} gives another value each time")
        self.doubtful = self.doubtful or whole.startswith(_EFFECTS_IMPORTED)
        if name in self._names:
            return
        self._names.add(name)
        if self._changed.get(name):
            raise NoFixError(f"what {name} holds is changed by a function")
        self.doubtful = self.doubtful or name in self._changed
        bindings = scopes.bindings(name, scopes.module)
        if any(scopes.frame(bound) is not scopes.module for bound in bindings):
            raise NoFixError(f"{name} is bound again by a function")
        if len(bindings) > 1 and any(isinstance(bound, ast.Name) for bound in bindings):
            raise NoFixError(f"{name} is bound more than once")
        for bound in bindings:
            if any(isinstance(around, LOOPS) for around in (bound, *self._syntax.around(bound))):
                raise NoFixError(f"{name} is bound again in each iteration of a loop")
            if isinstance(bound, (*DEFS, ast.ClassDef)):
                self.of(bound)
            parent = self._syntax.parents.get(bound)
            if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is not None:
                self._value(parent.value)

    def _dotted(self, node: ast.expr) -> str:
        parent = self._syntax.parents.get(node)
        while isinstance(parent, ast.Attribute):
            node, parent = parent, self._syntax.parents.get(parent)
        return dotted(self._scopes, node)

    def _value(self, node: ast.expr) -> None:
        """Judge what a name of the module is bound to."""
        if isinstance(node, ast.Lambda):
            self.of(node)
        elif _is_container(node):
            self.doubtful = True
        elif isinstance(node, ast.Call):
            name = dotted(self._scopes, node.func)
            if name.startswith(("numpy.random.", "random.")):
                raise NoFixError("a generator of random numbers")
            row = table(self._facts.settings).get(name)
            if row is not None and row.makes_callable:
                self.of(node)
            elif isinstance(node.func, ast.Name):
                self.doubtful = self.doubtful or self._changes_itself(node.func.id)

    def _changes_itself(self, name: str) -> bool:
        """Whether a class of the module has methods that store into the instance."""
        for cls in self._scopes.bindings(name, self._scopes.module):
            if isinstance(cls, ast.ClassDef):
                for method in cls.body:
                    if isinstance(method, DEFS) and not method.name.startswith("__") and any(_stores(method)):
                        return True
        return False

    def _store(self, node: ast.Attribute | ast.Subscript) -> None:
        root = root_of(node)
        if not isinstance(root, ast.Name):
            return
        scope = self._scopes.binder(root.id, self._scopes.of(root))
        if scope is self._scopes.module or (scope is not None and scope not in self._seen and not self._inside(scope)):
            self.doubtful = True

    def _inside(self, scope: ast.AST) -> bool:
        return any(around in self._seen for around in self._syntax.around(scope))

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """Judge what is evaluated where a function is defined, no longer on each call of the function around."""
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is None:
                continue
            self.doubtful = self.doubtful or _is_container(default)
            for call in (inner for inner in ast.walk(default) if isinstance(inner, ast.Call)):
                name = dotted(self._scopes, call.func)
                plain = isinstance(call.func, ast.Name) and call.func.id in _PURE_BUILTINS
                if not plain and not name.startswith(_PURE_MODULES):
                    raise NoFixError("a default is computed on each call")
        for decorator in node.decorator_list if not isinstance(node, ast.Lambda) else ():
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = dotted(self._scopes, func)
            known = name in table(self._facts.settings) or name.startswith(_KNOWN_DECORATORS)
            self.doubtful = self.doubtful or not (known or self._is_known_decorator(func))

    def _is_known_decorator(self, node: ast.expr) -> bool:
        """Whether a decorator is one of Python's, a function of the module, or another name for a wrapper."""
        if not isinstance(node, ast.Name):
            return False
        for bound in self._scopes.bindings(node.id, self._scopes.module):
            parent = self._syntax.parents.get(bound)
            value = parent.value if isinstance(parent, ast.Assign) else None
            alias = value is not None and dotted(self._scopes, value) in table(self._facts.settings)
            if not alias and not isinstance(bound, DEFS):
                return False
        return node.id in _PURE_DECORATORS or bool(self._scopes.bindings(node.id, self._scopes.module))


def _is_container(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        return (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in _CONTAINERS
    return isinstance(node, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp))


def _stores(node: ast.AST) -> Iterator[ast.AST]:
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and not isinstance(inner.ctx, ast.Load):
            yield inner


@functools.lru_cache(maxsize=4)
def changed_names(syntax: Syntax) -> dict[str, bool]:
    """Return the names of the module of which something visible changes what they hold; True where a function does."""
    scopes = scopes_of(syntax)
    found: dict[str, bool] = {}
    for value, place in changes(ast.walk(syntax.tree)):
        root = root_of(value)
        if isinstance(root, ast.Name) and scopes.binder(root.id, scopes.of(root)) is scopes.module:
            later = any(isinstance(around, FUNCTIONS) for around in syntax.around(place))
            found[root.id] = found.get(root.id, False) or later
    return found
