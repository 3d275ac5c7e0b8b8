"""An error that somebody expects must stay: what fixes code that raises is safe only where nothing waits for it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jaxlint.facts.syntax.guards import EXPECTING
from jaxlint.fixes.text.scopes import DEFS
from jaxlint.fixes.text.syntax import Syntax

if TYPE_CHECKING:
    from jaxlint.fixes.checks.change import Change

_OTHERS = frozenset(
    "OSError IOError FileNotFoundError KeyError ImportError ModuleNotFoundError KeyboardInterrupt StopIteration "
    "SystemExit FileExistsError PermissionError TimeoutError BrokenPipeError EOFError GeneratorExit".split()
)
"""Exceptions that JAX does not raise about arguments."""


def reason(change: Change) -> str:
    """Say so where something catches the exception that the code of a finding raises; empty where nothing does."""
    if change.place is None:
        return ""
    around = list(change.syntax.around(change.place))
    names = [node.name for node in around if isinstance(node, DEFS)]
    caught = any(isinstance(n, (ast.Try, ast.TryStar)) and any(map(_catches, n.handlers)) for n in around)
    caught = caught or any(isinstance(n, (ast.With, ast.AsyncWith)) and any(map(_is_raises, n.items)) for n in around)
    return "something catches the error, which would be gone" if caught or expected(change.syntax, *names) else ""


def expected(syntax: Syntax, *names: str) -> bool:
    """Whether something in the file catches what a call of one of these functions raises, or passes on."""
    return not catching(syntax).isdisjoint(callers(syntax, names))


def callers(syntax: Syntax, names: Iterable[str]) -> set[str]:
    """Return these functions, and what in the file uses them, directly or through others."""
    found, work = set(names), list(names)
    uses = _uses(syntax)
    while work:
        for caller in uses.get(work.pop(), ()):
            if caller not in found:
                found.add(caller)
                work.append(caller)
    return found


@functools.lru_cache(maxsize=4)
def _uses(syntax: Syntax) -> dict[str, set[str]]:
    """Return for each name the functions whose code has it, and what is made of it under another name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(syntax.tree):
        name = _name_of(node)
        for around in syntax.around(node) if name else ():
            if isinstance(around, DEFS):
                found.setdefault(name, set()).add(around.name)
            elif isinstance(around, ast.Assign):
                found.setdefault(name, set()).update(t.id for t in around.targets if isinstance(t, ast.Name))
    return found


def _name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@functools.lru_cache(maxsize=4)
def catching(syntax: Syntax) -> frozenset[str]:
    """Return the names that the file uses where an exception is caught that JAX may raise."""
    found: set[str] = set()
    through: set[str] = set()
    for node in ast.walk(syntax.tree):
        parts = _caught(node)
        if not parts:
            continue
        found.update(name for part in parts for inner in ast.walk(part) if (name := _name_of(inner)))
        around = [node.name for node in syntax.around(node) if isinstance(node, DEFS)]
        found.update(around)
        through.update(around)
    through |= _managers(syntax)
    for node in ast.walk(syntax.tree):
        found.update(name for part in _given(node, through) for inner in ast.walk(part) if (name := _name_of(inner)))
        if isinstance(node, DEFS) and any(_name_of(_called(d)) in through for d in node.decorator_list):
            found.add(node.name)
        if isinstance(node, DEFS) and _TRACEBACK in (ast.get_docstring(node, clean=False) or ""):
            found.add(node.name)
    return frozenset(found)


_TRACEBACK = "Traceback (most recent call last)"
"""How an example in a docstring says that it raises."""


def _caught(node: ast.AST) -> list[ast.AST]:
    """Return the code whose exceptions a statement or a call catches."""
    if isinstance(node, (ast.Try, ast.TryStar)):
        leaves = any(isinstance(n, (ast.Return, ast.Break, ast.Continue)) for s in node.finalbody for n in ast.walk(s))
        if leaves or any(_catches(handler) for handler in node.handlers):
            return list(node.body)
    elif isinstance(node, (ast.With, ast.AsyncWith)) and any(_is_raises(item) for item in node.items):
        return list(node.body)
    elif isinstance(node, ast.Call) and _name_of(node.func) in EXPECTING:
        return list(node.args)
    return []


def _given(node: ast.AST, through: set[str]) -> list[ast.AST]:
    """Return what is handed to something that catches what it raises: a function, a manager, the pool of a future."""
    if isinstance(node, ast.Call) and (_name_of(node.func) in through or _name_of(node.func) in _LATER):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        managers = {_name_of(_called(item.context_expr)) for item in node.items}
        return list(node.body) if managers & through else []
    return []


_LATER = frozenset({"submit", "apply_async", "create_task", "run_in_executor"})
"""Methods that run a function elsewhere, and keep the exception that it ends with."""


def _managers(syntax: Syntax) -> set[str]:
    """Return the classes of the file that may stop an exception at the end of a `with`."""
    return {
        node.name
        for node in ast.walk(syntax.tree)
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, DEFS) and member.name in ("__exit__", "__aexit__")
        if any(isinstance(part, ast.Return) and part.value is not None for part in ast.walk(member))
    }


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_name_of(node) not in _OTHERS for node in types)


def _is_raises(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and _name_of(call.func) in EXPECTING
