"""Static arguments get a hash: tuples for lists, frozen dataclasses, or arrays that are traced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Class, Parameter
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses import unstatic
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.text import edits, options
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.scopes import Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax, syntax_of

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.arguments import Given
    from jaxlint.facts.module import ModuleFacts

_HASHED = frozenset(
    "int float bool str bytes complex None tuple Tuple frozenset Enum Literal Callable Optional".split()
)
"""Annotations of fields whose values have a hash."""
_UNHASHED = frozenset("list dict set List Dict Set ndarray Array ArrayLike bytearray MutableMapping".split())
_OF_LISTS = frozenset("append extend insert remove pop clear sort reverse copy __setitem__".split())
"""Methods that lists have and tuples do not."""
_OF_SETS = frozenset("add remove discard pop clear update".split())


def fixes(facts: ModuleFacts, given: Given) -> Iterator[Fix]:
    """Yield the ways to fix a static argument without a hash, the preferred one first."""
    if given.what == "an array":
        return edits.offered(lambda: unstatic.left_to_be_traced(facts, given, array=True))
    return edits.offered(lambda: frozen_sequence(facts, given), lambda: frozen_class(facts, given))


# Lists and sets


def frozen_sequence(facts: ModuleFacts, given: Given) -> Fix | None:
    """Return the fix that passes a tuple instead of a list, a frozenset instead of a set.

    Raises:
        NoFixError: it is neither, or the function does with it what a tuple cannot.
    """
    values = facts.names.values(given.node)
    nodes = [value.node for value in values if isinstance(value, Expression)]
    if len(nodes) != len(values) or len(nodes) != 1 or given.what not in ("a list", "a set"):
        raise NoFixError("no list")
    draft = Draft(facts)
    kind = "tuple" if given.what == "a list" else "frozenset"
    sure = given.parameter is not None and _suits(facts, given.parameter, kind)
    place = draft.syntax.at(draft.span(given.node), ast.expr)
    made = draft.syntax.at(draft.span(nodes[0]), ast.expr)
    if place is made and kind == "tuple":
        sure = _to_tuple(draft, made) and sure
    else:
        sure = _has_hashed_elements(made) and sure
        draft.replace(place, f"{kind}({draft.code(place)})")
    if kind in draft.syntax.module_bindings:
        raise NoFixError(f"{kind} is another thing here")
    level = Applicability.SAFE if sure else Applicability.UNSAFE
    return draft.fix(level, f"Pass a {kind}", "" if sure else f"the function must take a {kind}")


def _to_tuple(draft: Draft, node: ast.AST) -> bool:
    """Turn a list into a tuple, those in it as well; tell whether all of it has a hash for sure."""
    if isinstance(node, ast.List):
        span = draft.span(node)
        sure = all(_to_tuple(draft, element) for element in node.elts)
        comma = "," if len(node.elts) == 1 and not draft.code(node)[1:-1].rstrip().endswith(",") else ""
        draft.replace(Span(span.start, span.start + 1), "(")
        draft.replace(Span(span.end - 1, span.end), f"{comma})")
        return sure
    if isinstance(node, ast.ListComp):
        span = draft.span(node)
        draft.replace(Span(span.start, span.start + 1), "tuple(")
        draft.replace(Span(span.end - 1, span.end), ")")
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "list":
        draft.replace(node.func, "tuple")
        return False
    if isinstance(node, ast.Call):
        draft.replace(node, f"tuple({draft.code(node)})")
        return False
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def _has_hashed_elements(node: ast.AST) -> bool:
    elements = node.elts if isinstance(node, (ast.List, ast.Set)) else None
    return elements is not None and all(isinstance(element, ast.Constant) for element in elements)


def _suits(facts: ModuleFacts, parameter: Parameter, kind: str) -> bool:
    """Whether a parameter's visible uses are the same for a tuple as for a list.

    Raises:
        NoFixError: one of them is not.
    """
    refused = _OF_LISTS if kind == "tuple" else _OF_SETS
    sure = True
    for binding in parameter.function.scope.bindings.get(parameter.name, ()):
        for use in facts.names.uses(binding):
            parent = facts.tree.parent(use)
            if isinstance(parent, cst.Attribute) and parent.attr.value in refused:
                raise NoFixError(f"{parent.attr.value} is called of it")
            if isinstance(parent, (cst.BinaryOperation, cst.Comparison, cst.ComparisonTarget, cst.AugAssign)):
                raise NoFixError("it is added to, or compared with, a list")
            if isinstance(parent, cst.Index):
                raise NoFixError("a tuple is another index than a list")
            if isinstance(parent, cst.Arg):
                sure = _takes_any(facts, facts.tree.parent(parent)) and sure
    return sure


def _takes_any(facts: ModuleFacts, call: cst.CSTNode | None) -> bool:
    """Whether a call does the same for a tuple as for a list, as far as is known.

    Raises:
        NoFixError: it does not.
    """
    if not isinstance(call, cst.Call):
        return False
    if facts.names.externals(call.func):
        return True
    if not isinstance(call.func, cst.Name) or facts.names.bindings(call.func):
        return isinstance(call.func, cst.Attribute)  # a method of an array: `x.reshape(sizes)`
    if call.func.value in ("isinstance", "type"):
        raise NoFixError("its type is asked for")
    return call.func.value in _BUILTINS


_BUILTINS = frozenset("len sum max min any all tuple list set enumerate zip reversed sorted iter map range".split())


# Dataclasses


def frozen_class(facts: ModuleFacts, given: Given) -> Fix | None:
    """Return the fix that freezes the dataclass of an instance, which gives it a hash.

    Raises:
        NoFixError: it is no dataclass of the file, is changed somewhere, or has fields without a hash.
    """
    cls = _class_of(facts, given.node)
    if cls is None:
        raise NoFixError("no visible class")
    if not facts.arguments.has_no_hash(cls):
        raise NoFixError("the class can be hashed, what it holds cannot")
    return frozen(facts, cls)


def frozen(facts: ModuleFacts, cls: Class) -> Fix | None:
    """Return the fix that freezes a dataclass.

    Raises:
        NoFixError: it is no dataclass, is changed somewhere, or has fields without a hash.
    """
    draft = Draft(facts)
    node = draft.syntax.at(draft.span(cls.node), ast.ClassDef)
    if not isinstance(node, ast.ClassDef):
        raise NoFixError("no class")
    scopes = scopes_of(draft.syntax)
    decorator = next((d for d in node.decorator_list if _is_dataclass(scopes, d)), None)
    if decorator is None:
        raise NoFixError("no dataclass")
    heirs = [
        other
        for other in ast.walk(draft.syntax.tree)
        if isinstance(other, ast.ClassDef) and any(_is_named(base, cls.name) for base in other.bases)
    ]
    if node.bases or node.keywords or heirs:
        raise NoFixError("a frozen dataclass and one that is not cannot inherit from each other")
    sure = _fields_have_hashes(node) and not _may_be_changed(facts, cls, node)
    if not isinstance(decorator, ast.Call):
        draft.insert(draft.span(decorator).end, "(frozen=True)")
    elif (known := options.keyword(decorator, "frozen")) is not None:
        draft.replace(known.value, "True")
    else:
        options.add_keyword(draft, decorator, "frozen=True")
    # Other files may change an instance of a class that they know of.
    level = Applicability.SAFE if sure and cls.name.startswith("_") else Applicability.UNSAFE
    condition = "" if level is Applicability.SAFE else "nothing may assign to its fields"
    return draft.fix(level, f"Freeze the dataclass `{cls.name}`", condition)


def _class_of(facts: ModuleFacts, node: cst.CSTNode) -> Class | None:
    values = facts.names.values(node)
    classes = [facts.names.instance_class(value) for value in values]
    return classes[0] if len(classes) == 1 else None


def _is_dataclass(scopes: Scopes, node: ast.expr) -> bool:
    return dotted(scopes, node.func if isinstance(node, ast.Call) else node) == "dataclasses.dataclass"


def _fields_have_hashes(node: ast.ClassDef) -> bool:
    """Whether the annotations of all fields mention values with a hash.

    Raises:
        NoFixError: one mentions a value without.
    """
    sure = True
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign):
            continue
        words = {name for part in ast.walk(statement.annotation) for name in _words(part)}
        if words & _UNHASHED:
            raise NoFixError("a field has no hash")
        sure = sure and words <= _HASHED
    return sure


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant):
        yield from re.findall(r"\w+", str(node.value))


def _may_be_changed(facts: ModuleFacts, cls: Class, node: ast.ClassDef) -> bool:
    """Whether something visible assigns an attribute that may be one of an instance.

    Raises:
        NoFixError: something does for sure.
    """
    if any(isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load) for part in ast.walk(node)):
        raise NoFixError("its methods change it")
    names = {s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    syntax = syntax_of(facts.source)
    changed = False
    for other in ast.walk(syntax.tree):
        if isinstance(other, ast.Attribute) and not isinstance(other.ctx, ast.Load) and other.attr in names:
            if _is_instance(scopes_of(syntax), syntax, other.value, cls.name):
                raise NoFixError("an instance is changed")
            changed = True
        changed = changed or (isinstance(other, ast.Name) and other.id in ("setattr", "delattr"))
    return changed


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_instance(scopes: Scopes, syntax: Syntax, node: ast.expr, name: str) -> bool:
    """Whether an expression is a name that is bound to a call of the class, or annotated with it."""
    scope = scopes.binder(node.id, scopes.of(node)) if isinstance(node, ast.Name) else None
    if not isinstance(node, ast.Name) or scope is None:
        return False
    for binding in scopes.bindings(node.id, scope):
        if isinstance(binding, ast.arg) and binding.annotation is not None and _is_named(binding.annotation, name):
            return True
        parent = syntax.parents.get(binding)
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        if isinstance(value, ast.Call) and _is_named(value.func, name):
            return True
    return False
