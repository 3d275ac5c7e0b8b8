"""What a function must be to become a program: code that computes arrays from its arguments and does nothing else."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import Expression, Item
from jaxlint.facts.syntax.tree import Class, Function, Parameter, within
from jaxlint.facts.values.values import Kind
from jaxlint.fixes.moved_code.purity import is_none
from jaxlint.fixes.moved_code.quiet import Quiet
from jaxlint.fixes.text.inplace import root_of
from jaxlint.fixes.text.scopes import scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

_DEPTH = 4
_REFUSED = (
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.With,
    ast.Try,
    ast.TryStar,
    ast.ClassDef,
    ast.Delete,
    ast.Match,
)
_DYNAMIC = frozenset(
    {"locals", "vars", "exec", "eval", "globals", "print", "input", "open", "setattr", "delattr", "id"}
)
_GROWING = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "pop", "reverse", "sort"})
CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
OF_TREES = frozenset({"optax.apply_updates", "optax.incremental_update", "optax.global_norm"})
"""Functions of Optax that give arrays, or trees of them."""
OF_ARRAYS = arrays.ARRAY_ATTRIBUTES | arrays.ARRAY_METHODS | arrays.ATTRIBUTES_OF_PYTHON
"""What arrays have, and what there is of them in Python."""


class Program:
    """A jitted function; `sure` is False where something in it is not visible."""

    def __init__(self, facts: ModuleFacts, function: Function) -> None:
        self._facts = facts
        self._function = function
        self.sure = True

    def check(self) -> bool:
        """Tell whether all of it is known to compute arrays.

        Raises:
            NoFixError: it does more, takes more, or gives more.
        """
        self._check_code()
        self._check_parameters()
        self._check_results()
        return self.sure

    def _own(self) -> list[Function]:
        function = self._function
        return [other for other in self._facts.tree.functions if is_in(other, function)]

    def _check_code(self) -> None:
        """Refuse calls that do more than compute, or that take values out of the program."""
        facts, quiet = self._facts, Quiet(self._facts)
        for function in self._own():
            for node in facts.tree.body(function):
                if not isinstance(node, cst.Call):
                    continue
                if isinstance(node.func, cst.Attribute) and node.func.attr.value in _GROWING and self._is_list(node):
                    continue
                if facts.values.is_update(node.func) or self._asks_optimiser(node):
                    continue
                wrapped = facts.wrappings.of(node)
                if wrapped is not None and wrapped.wrapper.kind == "host":
                    raise NoFixError("it asks the host to compute")
                for name in facts.names.externals(node.func):
                    host = name.startswith(("numpy.", "scipy.", "math."))
                    if host and not all(facts.values.kind(arg.value).known for arg in node.args):
                        raise NoFixError(f"{name} computes outside of jax")
                quiet.check_call(node)
        self.sure = self.sure and quiet.sure

    def _asks_optimiser(self, call: cst.Call) -> bool:
        """Whether it is the `update` of an optimizer that is static."""
        func = call.func
        values = self._facts.names.values(func.value) if isinstance(func, cst.Attribute) else ()
        return bool(values) and all(
            isinstance(v, Parameter) and not self._facts.values.parameter(v).traced and is_optimiser(self._facts, v)
            for v in values
        )

    def _is_list(self, call: cst.Call) -> bool:
        """Whether a method is called of a list or a dictionary that the function has made."""
        func = call.func
        values = self._facts.names.values(func.value) if isinstance(func, cst.Attribute) else ()
        return bool(values) and all(
            isinstance(v, Expression) and isinstance(v.node, (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp))
            for v in values
        )

    def _check_parameters(self) -> None:
        """Refuse a parameter that may be anything, doubt one that looks like an object."""
        function, facts = self._function, self._facts
        for parameter in function.parameters:
            if not facts.values.parameter(parameter).traced:
                continue
            uses = [u for b in function.scope.bindings.get(parameter.name, ()) for u in facts.names.uses(b)]
            if not uses and not words_of(parameter.annotation) & arrays.ANNOTATIONS:
                raise NoFixError("a parameter may be anything")
            for use in uses:
                above = facts.tree.parent(use)
                if isinstance(above, cst.Attribute) and above.value is use and above.attr.value not in OF_ARRAYS:
                    self.sure = self.sure and self._is_record(parameter)

    def _is_record(self, parameter: Parameter) -> bool:
        """Whether a parameter's annotation is a visible class whose instances are trees."""
        if parameter.annotation is None:
            return False
        for value in self._facts.names.values(parameter.annotation):
            if not isinstance(value, Class):
                return False
            known = {*self._facts.names.base_names(value), *self._facts.names.decorator_names(value)}
            if not any(
                name.endswith(("NamedTuple", "struct.dataclass", "register_pytree_node_class")) for name in known
            ):
                return False
        return True

    def _check_results(self) -> None:
        """Refuse results that are no arrays; doubt those of which nothing is known."""
        returns = self._function.returns
        if not returns:
            raise NoFixError("it returns nothing")
        results = Results(self._facts)
        for node in returns:
            given = results.of(node)
            if given == "python":
                raise NoFixError("a result that is no array")
            self.sure = self.sure and given == "arrays"


class Results:
    """What expressions of a jitted function give: `arrays`, `python`, or empty where nothing is known."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts

    def of(self, node: cst.CSTNode, depth: int = _DEPTH) -> str:
        """Return what an expression gives, trees of arrays being arrays."""
        parts = _parts(node)
        if parts is not None:
            return _worst([self.of(part, depth) for part in parts if not is_none(part)])
        if isinstance(node, cst.IfExp):
            return _worst([self.of(node.body, depth), self.of(node.orelse, depth)])
        kind = self._facts.values.kind(node)
        if kind.traced:
            return "arrays"
        if kind.known:
            return "python"
        if depth == 0:
            return ""
        if isinstance(node, cst.Call):
            callees = [function for function, _ in self._facts.calls.callees(node)]
            found = [self.of(value, depth - 1) for function in callees for value in function.returns]
            return _worst(found) if found else self._of_call(node)
        if isinstance(node, (cst.Attribute, cst.Subscript)):
            made = not any(isinstance(v, Parameter) for v in self._facts.names.values(node.value))
            return "arrays" if made and self.of(node.value, depth - 1) == "arrays" else ""
        found = []
        for value in self._facts.names.values(node):
            inner = value.node if isinstance(value, (Expression, Item)) else None
            found.append(self.of(inner, depth - 1) if inner is not None and inner is not node else "")
        return _worst(found) if found else ""

    def _of_call(self, node: cst.Call) -> str:
        """Return what a call gives of something that is not visible: jax computes with arrays."""
        made = self._facts.wrappings.of(node)
        if made is not None and made.wrapper.makes_callable:
            return "python"
        inner = self._facts.wrappings.of(node.func) if isinstance(node.func, cst.Call) else None
        if inner is not None and inner.wrapper.makes_callable and inner.wrapper.library == "jax":
            return "arrays"
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value == "update":
            # Of an optimizer: a static object has no other use for the name.
            return "arrays" if self._facts.values.kind(func.value) is Kind.STATIC else ""
        names = self._facts.names.externals(func)
        return "arrays" if names and all(name.startswith("jax.") or name in OF_TREES for name in names) else ""


def is_optimiser(facts: ModuleFacts, parameter: Parameter) -> bool:
    """Whether a parameter is used as an optimizer of Optax is, which holds functions."""
    uses = [u for b in parameter.function.scope.bindings.get(parameter.name, ()) for u in facts.names.uses(b)]
    above = [facts.tree.parent(use) for use in uses]
    return bool(above) and all(
        isinstance(node, cst.Attribute)
        and node.attr.value in ("update", "init")
        and isinstance(call := facts.tree.parent(node), cst.Call)
        and call.func is node
        for node in above
    )


def _parts(node: cst.CSTNode) -> list[cst.BaseExpression] | None:
    if isinstance(node, (cst.Tuple, cst.List)) and node.elements:
        return [element.value for element in node.elements]
    if isinstance(node, cst.Dict) and node.elements:
        return [element.value for element in node.elements]
    if isinstance(node, (cst.ListComp, cst.GeneratorExp)):
        return [node.elt]
    return None


def _worst(found: list[str]) -> str:
    return "python" if "python" in found or not found else "" if "" in found else "arrays"


def is_in(function: Function | None, outer: Function) -> bool:
    """Whether a function is another one, or is defined in it."""
    while function is not None:
        if function is outer:
            return True
        function = function.outer
    return False


def words_of(node: cst.BaseExpression | None) -> set[str]:
    """Return the names in an annotation."""
    if node is None:
        return set()
    found = set[str]()
    for part in within(node):
        if isinstance(part, cst.Name):
            found.add(part.value)
        elif isinstance(part, cst.SimpleString):
            found.update(str(part.evaluated_value).replace("[", ".").replace("]", ".").replace("|", ".").split("."))
    return found


def refuse_more_than_computing(syntax: Syntax, function: ast.AST) -> None:
    """Refuse code that acts on anything but what it makes itself.

    Raises:
        NoFixError: it does.
    """
    scopes, own = scopes_of(syntax), set(ast.walk(function))
    for node in own:
        if isinstance(node, _REFUSED):
            raise NoFixError(f"{type(node).__name__}: it may do more than compute")
        if isinstance(node, ast.Name) and node.id in _DYNAMIC and scopes.binder(node.id, scopes.of(node)) is None:
            raise NoFixError(f"{node.id} does more than compute")
        if isinstance(node, ast.Expr) and not _is_text_or_growing(syntax, node, own):
            raise NoFixError("a statement that does more than compute")
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            root = root_of(node)
            if isinstance(node, ast.Attribute) or not isinstance(root, ast.Name) or not _is_own(syntax, root, own):
                raise NoFixError("it stores into something")


def _is_text_or_growing(syntax: Syntax, node: ast.Expr, own: Collection[ast.AST]) -> bool:
    """Whether a statement is a text, or lets a list grow that the code has made."""
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    base = value.func.value
    return value.func.attr in _GROWING and isinstance(base, ast.Name) and _is_own(syntax, base, own)


def _is_own(syntax: Syntax, name: ast.Name, own: Collection[ast.AST]) -> bool:
    """Whether a name represents nothing but containers that the code makes."""
    scopes = scopes_of(syntax)
    scope = scopes.binder(name.id, scopes.of(name))
    if scope is None or scope not in own or scope is not scopes.frame(name):
        return False
    for bound in scopes.bindings(name.id, scope):
        parent = syntax.parents[bound]
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        empty = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "dict")
        if value is None or not (isinstance(value, CONTAINERS) or empty):
            return False
    return True


# What callers give


def given_in_sight(facts: ModuleFacts, parameter: Parameter) -> Iterator[cst.BaseExpression]:
    """Yield what visible callers give for a parameter."""
    for site in facts.calls.of(parameter.function):
        given = argument_of(site.node, parameter, bound=site.bound)
        if given is not None:
            yield given


def refuse_unhashable(facts: ModuleFacts, parameter: Parameter) -> None:
    """Refuse to make a parameter static for which a visible caller gives a list or a dictionary.

    Raises:
        NoFixError: one does.
    """
    for given in given_in_sight(facts, parameter):
        for value in facts.names.values(given):
            if isinstance(value, Expression) and isinstance(value.node, (cst.List, cst.Dict, cst.Set)):
                raise NoFixError("a caller gives what cannot be hashed")


def refuse_text(facts: ModuleFacts, parameter: Parameter) -> None:
    """Refuse a parameter for which a visible caller gives a list or a dictionary that holds more than arrays.

    Raises:
        NoFixError: one does.
    """
    if any(_holds_text(facts, node) for node in given_in_sight(facts, parameter)):
        raise NoFixError(f"{parameter.name} holds more than arrays")


def _holds_text(facts: ModuleFacts, node: cst.CSTNode) -> bool:
    """Whether an expression is a list or a dictionary with a text in it, which no program takes."""
    for value in facts.names.values(node):
        inner = value.node if isinstance(value, Expression) else None
        parts = inner.elements if isinstance(inner, (cst.List, cst.Tuple, cst.Dict)) else ()
        if any(isinstance(element.value, cst.BaseString) for element in parts):
            return True
    return False


# What must not be new


def refuse_what_is_new(before: ModuleFacts, after: ModuleFacts) -> None:
    """Refuse a change with which more fails under trace, or more loops are unrolled, than before.

    Raises:
        NoFixError: that is so.
    """
    # What a fix leaves as it is may be not visible afterwards.
    names = {"", *(function.name for function in after.tree.functions)}
    left_out = set(re.findall(r"\bdef\s+(\w+)", after.source.text)) - names
    for found in (_failing, _long):
        if sum(found(after).values()) > sum(count for name, count in found(before).items() if name not in left_out):
            raise NoFixError("more would fail under trace, or be unrolled")


@functools.lru_cache(maxsize=4)
def _failing(facts: ModuleFacts) -> Counter[str]:
    """Return how many places fail under trace, by the functions that they are in."""
    staged = facts.staged
    nodes: list[cst.CSTNode] = [demand.node for demand, _ in staged.missing_statics]
    nodes += [demand.node for demand in staged.data_in_python]
    nodes += [shape.node for shape in staged.data_shapes]
    nodes += [wrong.node for wrong in facts.wrong_arguments]
    return _by_function(facts, nodes)


@functools.lru_cache(maxsize=4)
def _long(facts: ModuleFacts) -> Counter[str]:
    return _by_function(facts, [loop.node for loop in (*facts.long_loops, *facts.data_loops)])


def _by_function(facts: ModuleFacts, nodes: Iterable[cst.CSTNode]) -> Counter[str]:
    functions = (facts.tree.context(node).function for node in nodes)
    return Counter(function.name if function is not None else "" for function in functions)
