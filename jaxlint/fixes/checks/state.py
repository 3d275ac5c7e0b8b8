"""Nothing is shared that somebody can change: what moved code reads must be the same at each call.

A jitted function keeps what it read when it was traced.  As long as it was new on each call, it read again each time;
so what it reads must be of a kind that nobody can change, under whatever name: constants, functions, imported libraries
that only compute, arrays of JAX, tuples and frozen objects of such.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import symtable
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.fixes.checks import known
from jaxlint.fixes.checks.at_import import imported_as, imports_of, replaced
from jaxlint.fixes.moved_code.captures import dotted, is_constant
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scopes, scopes_of
from jaxlint.fixes.text.syntax import Syntax

if TYPE_CHECKING:
    from jaxlint.fixes.checks.change import Change

_ACTING = frozenset(
    "print input open next exec eval setattr delattr globals locals vars breakpoint id __import__ iter".split()
)
"""Builtins that do more than compute, or give another value each time."""
_CONVERSIONS = frozenset("int float str bool complex bytes frozenset tuple len abs min max sum round".split())
"""Builtins that give what cannot be changed."""
_MAKERS = ("jax.numpy.", "jax.random.", "jax.lax.", "jax.nn.", "jax.sharding.", "optax.", "distrax.")
"""Modules whose functions give arrays of JAX, or records of functions."""

_WORD = re.compile(r"\w+")
_FROZEN = ("flax.struct.dataclass", "chex.dataclass", "jax_dataclasses.pytree_dataclass")
_BY_NAME = frozenset(
    "globals exec vars modules __dict__ reload import_module delattr f_globals __globals__ __import__ currentframe "
    "_getframe".split()
)
"""Identifiers of files that may bind names of the module by their texts."""


def reason(change: Change, *, raises: bool = False) -> str:
    """Say what the moved or newly compiled code reads that somebody may change; empty where there is nothing.

    A jitted function that is to be traced once where it was traced at each call is judged as if it moved, unless the
    calls raise.
    """
    check = _State(change)
    return check.of_inserted() or check.of_decorated() or ("" if raises else check.of_called())


class _State:
    def __init__(self, change: Change) -> None:
        self._change = change
        self._syntax = change.syntax
        self._scopes: Scopes = change.scopes
        self._seen: set[str] = set()

    def of_inserted(self) -> str:
        nodes = self._change.inserted
        if not nodes:
            return ""
        own = {node.name for node in nodes if isinstance(node, DEFS)} | set(imports_of(nodes))
        free = _free_names(nodes) - own
        return self._of_uses([n for node in nodes for n in _names(node) if n.id in free], nodes)

    def of_decorated(self) -> str:
        return next((found for node, _ in self._change.decorated if (found := self._of_code(node))), "")

    def of_called(self) -> str:
        """Judge the function of the module whose call the finding is about."""
        node = self._change.place
        while isinstance(node, ast.expr) and not isinstance(node, ast.Call):
            above = self._syntax.parents.get(node)
            node = self._syntax.parents.get(above) if isinstance(above, ast.keyword) else above
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return ""
        scope = self._scopes.binder(node.func.id, self._scopes.of(node.func))
        return self._of_use(node.func, []) if scope is self._scopes.module else ""

    def _of_code(self, node: ast.AST) -> str:
        """Judge code of the file: what it reads of the module and of builtins."""
        uses = [n for n in _names(node) if self._scopes.binder(n.id, self._scopes.of(n)) in (None, self._scopes.module)]
        return self._of_uses(uses, [node])

    def _of_uses(self, uses: Iterable[ast.Name], nodes: Iterable[ast.AST]) -> str:
        chains = _chains(nodes)
        return next((found for use in uses if (found := self._of_use(use, chains.get(use, [])))), "")

    def _of_use(self, use: ast.Name, attributes: list[str]) -> str:
        name = use.id
        bindings = self._scopes.bindings(name, self._scopes.module)
        if not bindings:
            if name in _ACTING:
                return f"`{name}` does more than compute"
            return "" if hasattr(builtins, name) else f"nothing shows what `{name}` is"
        imported = imported_as(self._syntax, name)
        if imported:
            whole = ".".join([imported, *attributes])
            if any(not isinstance(node, (ast.Import, ast.ImportFrom)) for node in bindings):
                return f"`{name}` is bound more than once"
            if name in bound_by_text(self._syntax, of_imports=True) or _is_replaced(self._syntax, whole):
                return f"`{'.'.join([name, *attributes])}` may be replaced"
            if known.only_computes(whole) or whole in table(self._change.facts.settings):
                return ""
            return f"`{'.'.join([name, *attributes])}` may read what changes"
        if found := self._of_attribute(name, attributes[0], bindings) if attributes else "":
            return found
        if name in self._seen:
            return ""
        self._seen.add(name)
        return self._of_name(name, bindings)

    def _of_attribute(self, name: str, attribute: str, bindings: list[ast.AST]) -> str:
        """Judge an attribute that is read of something of the module."""
        if isinstance(bindings[0], DEFS):
            return f"`{name}.{attribute}` belongs to a function, and may be set"
        if isinstance(bindings[0], ast.ClassDef) and (found := self._of_class_attribute(bindings[0], attribute)):
            return found
        return ""

    def _of_class_attribute(self, node: ast.ClassDef, attribute: str) -> str:
        names = {getattr(member, "name", "") for member in node.body}
        enum = any(dotted(self._scopes, base).startswith("enum.") for base in node.bases)
        return "" if enum or attribute in names else f"`{node.name}.{attribute}` may be set"

    # What a name of the module represents

    def _of_name(self, name: str, bindings: list[ast.AST]) -> str:
        if len(bindings) > 1 or any(isinstance(node, ast.Global) for node in bindings):
            return f"`{name}` is bound more than once"
        if name in bound_by_text(self._syntax):
            return f"`{name}` may be bound by its text"
        if name in changed_in_place(self._syntax):
            return f"what `{name}` holds is changed"
        node = bindings[0]
        if last_star_import(self._syntax) > getattr(node, "lineno", 0):
            return f"`{name}` may be bound again by a star import"
        parent = self._syntax.parents.get(node)
        if isinstance(node, DEFS):
            return self._of_function(node)
        if isinstance(node, ast.ClassDef):
            return self._of_class(node)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is not None:
            plain = parent.targets == [node] if isinstance(parent, ast.Assign) else True
            return self._of_value(name, parent.value) if plain else f"`{name}` is bound with others"
        return f"nothing shows what `{name}` is"

    def _of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None and not is_constant(default) and (found := self._of_value(node.name, default)):
                return found
        for decorator in node.decorator_list:
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = dotted(self._scopes, func)
            row = table(self._change.facts.settings).get(name)
            if row is None and not known.only_computes(name):
                return f"nothing shows that the decorator of `{node.name}` remembers nothing"
        return self._of_code(node)

    def _of_class(self, node: ast.ClassDef) -> str:
        if node.keywords:
            return f"`{node.name}` has a metaclass"
        for member in node.body:
            if isinstance(member, ast.Assign) and not is_constant(member.value):
                return f"`{node.name}` holds what its instances share"
            if isinstance(member, ast.AnnAssign) and member.value is not None and not is_constant(member.value):
                return f"`{node.name}` holds what its instances share"
        if node.name in counted_classes(self._syntax):
            return f"`{node.name}` changes itself"
        return self._of_code(node)

    def _of_value(self, name: str, node: ast.expr) -> str:
        """Judge what a name of the module is assigned."""
        refused = f"`{name}` holds what may be changed"
        if is_constant(node):
            return ""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._of_reference(node)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.IfExp, ast.Compare, ast.BoolOp)):
            parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
            return next((found for part in parts if (found := self._of_value(name, part))), "")
        if isinstance(node, ast.Lambda):
            return self._of_code(node)
        if isinstance(node, ast.JoinedStr):
            return ""
        if not isinstance(node, ast.Call):
            return refused
        called = dotted(self._scopes, node.func)
        row = table(self._change.facts.settings).get(called)
        if (row is not None and row.makes_callable) or called.startswith(_MAKERS):
            return self._of_parts(name, node)
        if isinstance(node.func, ast.Name) and not self._scopes.bindings(node.func.id, self._scopes.module):
            return "" if node.func.id in _CONVERSIONS else refused
        if isinstance(node.func, ast.Name) and is_frozen_class(self._syntax, node.func.id):
            changed = node.func.id in counted_classes(self._syntax) | changed_in_place(self._syntax)
            return f"`{node.func.id}` is changed" if changed else self._of_parts(name, node)
        return refused

    def _of_parts(self, name: str, node: ast.Call) -> str:
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        arrays = dotted(self._scopes, node.func).startswith("jax.numpy.")
        for part in parts:
            literal = isinstance(part, (ast.List, ast.ListComp)) and arrays
            if not literal and (found := self._of_value(name, part)):
                return found
        return ""

    def _of_reference(self, node: ast.expr) -> str:
        root = root_of(node)
        if not isinstance(root, ast.Name):
            return self._of_code(node)
        chain = []
        part: ast.AST = node
        while isinstance(part, ast.Attribute):
            chain.append(part.attr)
            part = part.value
        return self._of_use(root, chain[::-1])


def _names(node: ast.AST) -> Iterator[ast.Name]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner


def _chains(nodes: Iterable[ast.AST]) -> dict[ast.Name, list[str]]:
    """Return for each name the attributes that are read of it, one after the other."""
    found: dict[ast.Name, list[str]] = {}
    for node in nodes:
        for inner in ast.walk(node):
            chain: list[str] = []
            part = inner
            while isinstance(part, ast.Attribute):
                chain.append(part.attr)
                part = part.value
            if chain and isinstance(part, ast.Name) and len(found.get(part, ())) < len(chain):
                found[part] = chain[::-1]
    return found


def _free_names(nodes: list[ast.stmt]) -> set[str]:
    """Return the names that code takes from the module around it, or from builtins."""
    text = ast.unparse(ast.Module(nodes, []))
    found: set[str] = set()
    work = [symtable.symtable(text, "<fix>", "exec")]
    top = work[0]
    while work:
        scope = work.pop()
        work += scope.get_children()
        for symbol in scope.get_symbols():
            if scope is top:
                if symbol.is_referenced() and not symbol.is_assigned():
                    found.add(symbol.get_name())
            elif symbol.is_global():
                found.add(symbol.get_name())
    return found


# What the file does to its names


@functools.lru_cache(maxsize=4)
def bound_by_text(syntax: Syntax, *, of_imports: bool = False) -> frozenset[str]:
    """Return the names of the module that the file may bind by their texts.

    What is imported is replaced by its own name, or not at all: `of_imports` asks for names that the file spells out.
    """
    dynamic = not _BY_NAME.isdisjoint(syntax.identifiers) or _imports_itself(syntax) or _runs_text(syntax)
    if not dynamic and "setattr" not in syntax.identifiers and not any("patch" in word for word in syntax.identifiers):
        return frozenset()
    if dynamic and not of_imports:
        return frozenset(syntax.module_bindings)
    written = [
        node.value for node in ast.walk(syntax.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    texts = {text.rpartition(".")[2] for text in written}
    if "exec" in syntax.identifiers:
        texts.update(word for text in written for word in _WORD.findall(text))
    return frozenset(texts & set(syntax.module_bindings))


def _is_replaced(syntax: Syntax, whole: str) -> bool:
    """Whether the file replaces something imported, or what it is an attribute of."""
    return any(whole == name or whole.startswith(f"{name}.") for name in replaced(syntax) if "." in name)


def _imports_itself(syntax: Syntax) -> bool:
    """Whether the file imports the module that runs, which may be the file."""
    return any(
        "__main__" in (getattr(node, "module", None), *(alias.name for alias in node.names))
        for node in ast.walk(syntax.tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )


def _runs_text(syntax: Syntax) -> bool:
    """Whether code of the module itself has its names in a dictionary, or runs a text among them."""
    return any(
        isinstance(node, ast.Name)
        and node.id in ("locals", "eval")
        and not any(isinstance(around, FUNCTIONS) for around in syntax.around(node))
        for node in ast.walk(syntax.tree)
    )


@functools.lru_cache(maxsize=4)
def last_star_import(syntax: Syntax) -> int:
    """Return the last line of a star import, which may bind again what is bound above it; 0 if there is none."""
    stars = (node for node in ast.walk(syntax.tree) if isinstance(node, ast.alias) and node.name == "*")
    return max((node.lineno for node in stars), default=0)


@functools.lru_cache(maxsize=4)
def changed_in_place(syntax: Syntax) -> frozenset[str]:
    """Return the names of the module of which the file stores an attribute or an item, or calls a changing method."""
    scopes = scopes_of(syntax)
    found = set()
    for value, _ in changes(ast.walk(syntax.tree)):
        root = root_of(value)
        if isinstance(root, ast.Name) and scopes.binder(root.id, scopes.of(root)) is scopes.module:
            found.add(root.id)
    return frozenset(found)


@functools.lru_cache(maxsize=4)
def counted_classes(syntax: Syntax) -> frozenset[str]:
    """Return the classes of the file whose own attributes something stores, by whatever name it has the class."""
    stored = {
        node.attr
        for node in ast.walk(syntax.tree)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    found = set()
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.ClassDef):
            own = {
                target.id
                for member in node.body
                for target in (member.targets if isinstance(member, ast.Assign) else [getattr(member, "target", None)])
                if isinstance(target, ast.Name)
            }
            if own & stored:
                found.add(node.name)
    return frozenset(found)


def is_frozen_class(syntax: Syntax, name: str) -> bool:
    """Whether a name is a class of the module whose instances nobody can change."""
    scopes = scopes_of(syntax)
    bindings = scopes.bindings(name, scopes.module)
    node = bindings[0] if len(bindings) == 1 else None
    if not isinstance(node, ast.ClassDef) or node.keywords:
        return False
    own = {getattr(member, "name", "") for member in node.body}
    if own & {"__init__", "__post_init__", "__new__", "__setattr__", "setup", "__hash__", "__eq__"}:
        return False
    if any(dotted(scopes, base) in ("typing.NamedTuple", "flax.linen.Module") for base in node.bases):
        return len(node.bases) == 1 and not node.decorator_list
    if node.bases or len(node.decorator_list) != 1:
        return False
    decorator = node.decorator_list[0]
    if dotted(scopes, decorator) in _FROZEN:
        return True
    return (
        isinstance(decorator, ast.Call)
        and dotted(scopes, decorator.func) == "dataclasses.dataclass"
        and any(
            k.arg == "frozen" and isinstance(k.value, ast.Constant) and k.value.value is True
            for k in decorator.keywords
        )
    )
