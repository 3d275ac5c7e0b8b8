"""A `tree.map` that runs eagerly becomes one program: its function is compiled, and so is the walk over the leaves."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import External
from jaxlint.facts.syntax.tree import Function
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import names_in
from jaxlint.fixes.checks import eager
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.moved_code.purity import Gives, Purity
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import (
    at_margin,
    changed,
    comments_in,
    indent_unit,
    indentation,
    removal,
    rows,
    tokens_of,
)
from jaxlint.fixes.text.scopes import DEFS, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.eager.tree_maps import LeafMap
    from jaxlint.facts.module import ModuleFacts

_LEVELS = {
    Gives.ARRAYS: Applicability.SAFE,
    Gives.NUMBERS: Applicability.UNSAFE,
    Gives.DOUBTFUL: Applicability.DISPLAY,
}
_PLACING = frozenset(
    {"device_put", "devices", "local_devices", "NamedSharding", "SingleDeviceSharding", "default_device"}
)
"""Words of files in which the leaves of a tree may be on several devices, so that they cannot share a program."""
_NEWLINE = re.compile(r"\r\n|\r|\n")
_WIDTH = 88
"""From here on a call is spread over several lines."""
_MESSAGE = "Jit the `tree.map`"


@dataclass
class _Map:
    """One call of `tree.map`, with the function that it maps and whether that is array code."""

    facts: ModuleFacts
    draft: Draft
    scopes: Scopes
    call: ast.Call
    node: cst.Call
    gives: Gives

    def fix(self, message: str) -> Fix | None:
        """Return the drafted fix, with what may be claimed of it."""
        if any(isinstance(node, ast.BinOp) and _repeats(node) for node in ast.walk(self.call.args[0])):
            raise NoFixError("a number of repetitions would be traced")
        level = _LEVELS[self.gives]
        condition = eager.reason(self.draft.syntax, self.call.args[0]) or self._may_compile_again()
        if level is Applicability.SAFE and condition:
            level = Applicability.UNSAFE
        elif level is Applicability.UNSAFE:
            condition = "leaves that are no arrays of JAX become such"
        return self.draft.fix(level, message, condition)

    def _may_compile_again(self) -> str:
        """Say why calls may differ in shape, so that each would compile a program; empty where they are alike."""
        if any(isinstance(tree, ast.Starred) for tree in self.call.args[1:]):
            return "each tree is an argument, and each number of trees compiles a program"
        called = {node.attr for node in ast.walk(self.call.args[0]) if isinstance(node, ast.Attribute)}
        return "each new shape compiles a program" if called & _GROWING else ""


_GROWING = frozenset("concatenate append hstack vstack".split())
"""Functions that make arrays longer, which is done again and again in loops."""


def _repeats(node: ast.BinOp) -> bool:
    """Whether a list, a tuple or a text is repeated by something that may be captured."""
    parts = (node.left, node.right)
    sequence = any(isinstance(part, (ast.List, ast.Tuple, ast.JoinedStr)) for part in parts)
    return sequence and any(not isinstance(part, (ast.List, ast.Tuple, ast.Constant)) for part in parts)


def _read(facts: ModuleFacts, leaf_map: LeafMap) -> _Map:
    """Read a call.

    Raises:
        NoFixError: its function cannot be traced, or it is given in another way than first and by position.
    """
    node = leaf_map.node
    if len(node.args) < 2 or node.args[0].star or node.args[0].keyword is not None:
        raise NoFixError("the function is not the first argument")
    if any(arg.star == "**" or (arg.keyword is not None and arg.keyword.value != "is_leaf") for arg in node.args):
        raise NoFixError("a keyword that is not known")
    by_path = any("path" in name for name in facts.names.externals(node.func))
    trees = [Gives.NUMBERS for arg in node.args[1:] if arg.keyword is None and not arg.star]
    gives = Purity(facts).of_target(node.args[0].value, (*([Gives.PYTHON] if by_path else []), *trees))
    if gives is Gives.FAILS:
        raise NoFixError("the function cannot be traced")
    if gives is Gives.PYTHON or (gives is Gives.NUMBERS and not _speaks_of_arrays(facts, node.args[0].value)):
        gives = Gives.DOUBTFUL
    draft = Draft(facts)
    call = draft.syntax.at(draft.span(node), ast.Call)
    if not isinstance(call, ast.Call):
        raise NoFixError("not a call")
    read = _Map(facts, draft, scopes_of(draft.syntax), call, node, gives)
    placed = not _PLACING.isdisjoint(draft.syntax.words)
    if (refuse_or_doubt(facts, draft.syntax, *_judged(read)) or placed) and gives is Gives.ARRAYS:
        read.gives = Gives.NUMBERS
    return read


def _judged(read: _Map) -> list[ast.Name]:
    """Return what the mapped function uses besides variables, which become arguments: functions, imports, builtins."""
    scopes, mapped = read.scopes, read.call.args[0]
    nodes: list[ast.AST] = [mapped]
    scope = scopes.binder(mapped.id, scopes.of(mapped)) if isinstance(mapped, ast.Name) else None
    if isinstance(mapped, ast.Name) and scope is not None and scope is not scopes.module:
        nodes += [read.draft.syntax.statement(bound) for bound in scopes.bindings(mapped.id, scope)]
    names = [name for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)]
    return [
        name
        for name in names
        if scopes.binder(name.id, scopes.of(name)) in (None, scopes.module)
        and not any(isinstance(bound, ast.Name) for bound in scopes.bindings(name.id, scopes.module))
    ]


def _speaks_of_arrays(facts: ModuleFacts, node: cst.BaseExpression) -> bool:
    """Whether arithmetic looks like that of arrays: of several trees, of fractions, by an array's methods.

    `lambda n: n + 2` may as well walk over a tuple of axes.
    """
    for function in facts.names.functions(node):
        if sum(parameter.default is None for parameter in function.parameters) > 1:
            return True
        for inner in facts.tree.body(function):
            if isinstance(inner, (cst.Float, cst.Subscript, cst.MatrixMultiply)):
                return True
            if isinstance(inner, cst.Attribute) and inner.attr.value in arrays.ARRAY_ATTRIBUTES | arrays.ARRAY_METHODS:
                return True
    return False


# The function around it, where that does nothing else


def compile_caller(facts: ModuleFacts, leaf_map: LeafMap) -> Fix | None:
    """Compile the function around a `tree.map` that does nothing but return it.

    Raises:
        NoFixError: it does more, or is given what no program takes.
    """
    read = _read(facts, leaf_map)
    draft, syntax = read.draft, read.draft.syntax
    function = facts.tree.context(leaf_map.node).function
    if function is None or function.is_lambda or function.outer is not None or function.cls is not None:
        raise NoFixError("not in a function of the module")
    node = syntax.at(draft.span(function.node), *DEFS)
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        raise NoFixError("not a plain function")
    if not _only_returns(node, read.call):
        raise NoFixError("the function does more")
    if any(parameter.star for parameter in function.parameters) or not function.parameters:
        raise NoFixError("the function takes any arguments")
    trees = read.call.args[1:]
    if not all(isinstance(tree, ast.Name) and function.parameter(tree.id) is not None for tree in trees):
        raise NoFixError("a tree is made in the function")
    used = {load.id for load in ast.walk(read.call) if isinstance(load, ast.Name)}
    if not {parameter.name for parameter in function.parameters} <= used:
        raise NoFixError("a parameter may be anything")
    _check_free(read, read.call, allowed=node)
    free = _Free(read, [read.call.args[0]])
    free.add(read.call.args[0])
    if any(argument not in used for argument in free.arguments):
        raise NoFixError("a parameter is an object")
    row = draft.source.line_starts[node.lineno - 1]
    indent = draft.source.text[row : draft.span(node).start]
    if indent.strip():
        raise NoFixError("the function shares a line")
    draft.insert(draft.span(node).start, f"@{draft.name('jax.jit', node)}\n{indent}")
    return read.fix(f"Jit `{node.name}`")


def _only_returns(node: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether all that a function does is to return what a call gives, perhaps under a name."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    result = body[-1].value if body and isinstance(body[-1], ast.Return) else None
    if len(body) == 2 and isinstance(body[0], ast.Assign) and body[0].value is call and isinstance(result, ast.Name):
        return [ast.unparse(target) for target in body[0].targets] == [result.id]
    return len(body) == 1 and result is call


# In place


def compile_in_place(facts: ModuleFacts, leaf_map: LeafMap) -> Fix | None:
    """Write `jax.jit(jax.tree.map, static_argnums=0)(f, tree)`, which finds its program again as long as f lives.

    Raises:
        NoFixError: f is created again on each call.
    """
    read = _read(facts, leaf_map)
    draft = read.draft
    if len(read.call.keywords) > 0 or not _is_long_lived(read):
        raise NoFixError("something static dies with the call")
    draft.replace(read.call.func, f"{draft.name('jax.jit', read.call)}({draft.code(read.call.func)}, static_argnums=0)")
    # What it does nobody sees at once, so it is an idea rather than a change to merge.
    return draft.fix(Applicability.DISPLAY, _MESSAGE)


def _is_long_lived(read: _Map) -> bool:
    values = read.facts.names.values(read.node.args[0].value)
    return all(
        isinstance(value, External) or (isinstance(value, Function) and not value.is_lambda and _is_of_module(value))
        for value in values
    )


def _is_of_module(function: Function) -> bool:
    return function.outer is None and function.cls is None and function.context.loop is None


# As a function of the module


@dataclass
class _Moved:
    """The mapped function as the new one writes it: `code` of the argument, lines before it, statements that go."""

    code: str
    before: str = ""
    gone: dict[ast.stmt, Span] = field(default_factory=dict)


def compile_at_module_level(facts: ModuleFacts, leaf_map: LeafMap) -> Fix | None:
    """Move a `tree.map` to a jitted function of the module, whose arguments are the trees and what f captures.

    Raises:
        NoFixError: what f captures cannot be arguments.
    """
    read = _read(facts, leaf_map)
    draft, syntax, call = read.draft, read.draft.syntax, read.call
    mapped, definition = _resolved(read)
    free = _Free(read, [mapped, call.func, *call.keywords, *([definition] if definition is not None else [])])
    if definition is None:
        free.add(mapped)
    for keyword in call.keywords:
        free.add(keyword.value)
    moved = _moved(read, mapped, definition, free)
    operation = _operation(read, mapped)
    trees = _Trees(read, free, plain=bool(operation))
    kept = [draft.span(mapped), *(draft.span(k.value) for k in call.keywords), *moved.gone.values()]
    if comments_in(syntax, draft.span(call), *kept):
        raise NoFixError("a comment would be lost")
    whole = draft.span(call)
    if any(whole.start <= span.start < whole.end for span in tokens_of(syntax).inner_rows.values()):
        raise NoFixError("a string of several lines would change")
    around = facts.tree.context(leaf_map.node).function
    name = draft.fresh(*((f"_tree_{operation}",) if operation else ()), *_names(read, around, definition))
    given = [moved.code, *trees.written, *(_keyword(read, k, free) for k in call.keywords)]
    unit = indent_unit(syntax, call)
    jit = draft.name("jax.jit", call)
    head = f"@{jit}\ndef {name}({', '.join(trees.before(free.parameters))}):\n"
    result = _called(f"return {draft.code(call.func)}", given, unit, unit)
    definition_text = f"{head}{moved.before}{unit}{result}\n"
    known = next(read.scopes.repeated(definition_text, call), None)
    if known is None:
        draft.insert_above(call, definition_text)
    else:
        name = known.name
    row = draft.source.line(draft.source.position(draft.span(call).start)[0])
    before = row[: draft.source.position(draft.span(call).start)[1] - 1]
    margin = indentation(syntax, call)
    text = _called(name, trees.before(free.arguments, given=True), margin, unit, room=_WIDTH - len(before))
    draft.replace(call, text)
    for span in removal(syntax, moved.gone):
        draft.delete(span)
    said = (
        f"Use `{name}`, which is equivalent"
        if known
        else f"Run the `tree.map` in a module-level jitted function `{name}`"
    )
    return read.fix(said)


_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


def _operation(read: _Map, mapped: ast.expr) -> str:
    """Return the name of the function that is all that a mapped function calls, or that it is, if there is one."""
    scopes = read.scopes
    if isinstance(mapped, ast.Call) and dotted(scopes, mapped.func) == "functools.partial" and mapped.args:
        mapped = mapped.args[0]
    if isinstance(mapped, ast.Name) and scopes.binder(mapped.id, scopes.of(mapped)) is scopes.module:
        return mapped.id.strip("_")
    if isinstance(mapped, ast.Lambda):
        arguments = {argument.arg for argument in ast.walk(mapped.args) if isinstance(argument, ast.arg)}
        body = mapped.body
        if isinstance(body, ast.BinOp):
            operands = [part.id for part in (body.left, body.right) if isinstance(part, ast.Name)]
            both = len(operands) == len(arguments) == len(arguments & set(operands)) > 1
            return _OPERATORS.get(type(body.op), "") if both else ""
        given = body.args if isinstance(body, ast.Call) and isinstance(body.func, ast.Attribute) else []
        plain = [item for part in given for item in (part.elts if isinstance(part, (ast.List, ast.Tuple)) else [part])]
        plain = [part.value if isinstance(part, ast.Starred) else part for part in plain]
        if not plain or not any(isinstance(part, ast.Name) and part.id in arguments for part in plain):
            return ""
        mapped = body.func  # type: ignore[attr-defined]
        if isinstance(mapped, ast.Attribute) and isinstance(mapped.value, ast.Name) and mapped.value.id in arguments:
            return ""
    return mapped.attr.strip("_") if isinstance(mapped, ast.Attribute) else ""


def _names(read: _Map, function: Function | None, definition: ast.stmt | None) -> tuple[str, ...]:
    """Return names for the new function: that of the one it maps, or after what is assigned, or the function around."""
    while function is not None and function.is_lambda:
        function = function.outer
    base = function.name.strip("_") if function is not None else ""
    if isinstance(read.call.args[0], ast.Name) and definition is not None:
        return tuple(names_in(read.call.args[0].id, base))
    found = [f"_{base}_tree", f"_{base}_leaves"] if base else ["_map_tree", "_map_leaves"]
    if "tree" in base:
        found = [f"_{base}", f"_{base}_leaves"]
    parent = read.draft.syntax.parents[read.call]
    target = parent.targets[0] if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else None
    own = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
    own = own.strip("_").lower()
    given = (
        any(ast.unparse(tree) == ast.unparse(target) for tree in read.call.args[1:]) if target is not None else False
    )
    return (f"_{'update' if given else 'compute'}_{own}", *found) if len(own) > 1 else tuple(found)


def _called(function: str, arguments: list[str], margin: str, unit: str, room: int = 0) -> str:
    """Return a call on one line, or with its arguments on lines of their own where that is too long."""
    text = f"{function}({', '.join(arguments)})"
    several = any(_NEWLINE.search(argument) for argument in arguments)
    if len(text) <= (room or _WIDTH - len(margin)) and not several:
        return text
    rest = ", ".join(arguments)
    if several or len(margin + unit + rest) > _WIDTH:
        rest = f",\n{margin}{unit}".join(_at(argument, margin + unit) for argument in arguments) + ","
    return f"{function}(\n{margin}{unit}{rest}\n{margin})"


def _at(code: str, margin: str) -> str:
    """Return code of several lines with those behind the first moved to a margin."""
    first, *others = _NEWLINE.split(code)
    least = min((len(row) - len(row.lstrip()) for row in others if row.strip()), default=0)
    return "\n".join([first, *(margin + row[least:] if row.strip() else row for row in others)])


def _keyword(read: _Map, keyword: ast.keyword, free: _Free) -> str:
    return f"{keyword.arg}={free.written(read.draft.span(keyword.value))}"


def _resolved(read: _Map) -> tuple[ast.expr, ast.stmt | None]:
    """Return the mapped function, and the statement that defines it where that is a local name."""
    mapped, scopes = read.call.args[0], read.scopes
    if not isinstance(mapped, ast.Name):
        return mapped, None
    scope = scopes.binder(mapped.id, scopes.of(mapped))
    if scope is None or scope is scopes.module:
        return mapped, None
    bindings = scopes.bindings(mapped.id, scope)
    loads = scopes.loads(mapped.id, scope)
    if len(bindings) != 1 or loads != [mapped] or scopes.of(mapped) is not scope:
        raise NoFixError("the function is used elsewhere too")
    binding = bindings[0]
    if isinstance(binding, ast.FunctionDef) and not binding.decorator_list:
        return mapped, binding
    parent = read.draft.syntax.parents[binding]
    if isinstance(parent, ast.Assign) and parent.targets == [binding] and isinstance(parent.value, ast.Lambda):
        return mapped, parent
    raise NoFixError("the function is not visible")


def _moved(read: _Map, mapped: ast.expr, definition: ast.stmt | None, free: _Free) -> _Moved:
    syntax = read.draft.syntax
    if definition is None:
        return _Moved(free.written(read.draft.span(mapped)))
    free.add(definition, but={read.draft.code(mapped)})
    gone = {definition: rows(syntax, definition)}
    if isinstance(definition, ast.Assign):
        if comments_in(syntax, gone[definition]):
            raise NoFixError("a comment would be lost")
        return _Moved(free.written(read.draft.span(definition.value)), gone=gone)
    unit = indent_unit(syntax, read.call)
    text = at_margin(syntax, gone[definition], free.changes, unit)
    return _Moved(read.draft.code(mapped), text.rstrip("\n") + "\n\n", gone)


class _Free:
    """The values that moved code takes from around it: names, and attributes of objects, each an argument."""

    def __init__(self, read: _Map, nodes: list[ast.AST]) -> None:
        self._read = read
        self.words = {word for node in nodes for word in _words(node)}
        self.parameters: list[str] = []
        self.arguments: list[str] = []
        self.changes: dict[Span, str] = {}

    def add(self, node: ast.AST, but: set[str] | frozenset[str] = frozenset()) -> None:
        """Make what a piece of code captures arguments.

        Raises:
            NoFixError: it captures what is no value.
        """
        read = self._read
        for name, loads in _captured(read, node).items():
            if name in but:
                continue
            for load in loads:
                self._add_load(name, load)

    def _add_load(self, name: str, load: ast.Name) -> None:
        read, syntax = self._read, self._read.draft.syntax
        place: ast.expr = load
        parent = syntax.parents[place]
        while isinstance(parent, ast.Attribute) and parent.attr not in _OF_ARRAYS:
            place, parent = parent, syntax.parents[parent]
        if isinstance(parent, ast.Call) and parent.func is place:
            raise NoFixError("a function or a method is captured")
        if isinstance(parent, ast.Subscript) and parent.value is place and _is_text(parent.slice):
            raise NoFixError("a dictionary is captured")
        self._check_use(place, parent, option=place is load and self._is_option(name))
        text = read.draft.code(place)
        if text not in self.arguments:
            parameter = name if place is load else text.rpartition(".")[2].strip("_")
            if place is not load and parameter in self.words:
                parameter = f"{name}_{parameter}"
            if parameter in self.parameters or (place is not load and parameter in self.words):
                raise NoFixError("two things of one name")
            self.parameters.append(parameter)
            self.arguments.append(text)
        parameter = self.parameters[self.arguments.index(text)]
        if parameter != text:
            self.changes[read.draft.span(place)] = parameter

    @staticmethod
    def _check_use(place: ast.expr, parent: ast.AST, *, option: bool) -> None:
        """Refuse what looks like an option, which a program would need the value of."""
        if isinstance(parent, ast.keyword) and parent.arg not in _DATA_KEYWORDS:
            raise NoFixError("an option is captured")
        if option and not isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            raise NoFixError("an option is captured")
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.right is place:
            raise NoFixError("a power is captured")

    def _is_option(self, name: str) -> bool:
        """Whether the function around has a parameter of this name that looks like an option."""
        facts = self._read.facts
        function = facts.tree.context(self._read.node).function
        while function is not None:
            parameter = function.parameter(name)
            if parameter is not None:
                return facts.staged.options(parameter).option_like
            function = function.outer
        return False

    def written(self, span: Span) -> str:
        """Return code with what it captures replaced by the parameters."""
        return changed(self._read.draft.source.text, span, self.changes)


_DATA_KEYWORDS = frozenset("a_min a_max min max where fill_value initial weights rtol atol total_repeat_length".split())
"""Keywords by which functions take data."""
_OF_ARRAYS = arrays.ARRAY_ATTRIBUTES | arrays.ARRAY_METHODS | arrays.ATTRIBUTES_OF_PYTHON


def _words(node: ast.AST) -> set[str]:
    """Return the names that code uses or binds."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class _Trees:
    """The trees as arguments of the new function: its parameters, how it passes them on, and what it is given."""

    def __init__(self, read: _Map, free: _Free, *, plain: bool) -> None:
        self._plain = plain
        self.parameters: list[str] = []
        self.written: list[str] = []
        self.arguments: list[str] = []
        for tree in read.call.args[1:]:
            star = isinstance(tree, ast.Starred)
            value = tree.value if isinstance(tree, ast.Starred) else tree
            text = read.draft.code(value)
            if self.parameters and self.parameters[-1].startswith("*"):
                raise NoFixError("a tree behind a starred one")
            if not star and text in free.arguments:
                self.written.append(free.parameters[free.arguments.index(text)])
                continue
            parameter = self._name(value, {*free.parameters, *free.words}, star=star)
            self.parameters.append("*" * star + parameter)
            self.written.append("*" * star + parameter)
            self.arguments.append("*" * star + text)
        if any(isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)) for node in ast.walk(read.call)):
            raise NoFixError("an expression that does more than compute")

    def before(self, free: list[str], *, given: bool = False) -> list[str]:
        """Return the trees with what is captured: behind them, unless the last tree takes all that follow."""
        own = self.arguments if given else self.parameters
        return [*free, *own] if own and own[-1].startswith("*") else [*own, *free]

    def _name(self, node: ast.expr, taken: set[str], *, star: bool) -> str:
        own = node.id if isinstance(node, ast.Name) else node.attr.strip("_") if isinstance(node, ast.Attribute) else ""
        own = "" if own in ("self", "cls") or self._plain else own.lower() if own.isupper() else own
        taken = {*taken, *self.parameters}
        for name in (own, "trees" if star else "tree", "other"):
            if name and name not in taken:
                return name
        return next(name for number in itertools.count(2) if (name := f"tree_{number}") not in taken)


def _captured(read: _Map, node: ast.AST) -> dict[str, list[ast.Name]]:
    """Return the names that a piece of code takes from functions around it, or from what changes in the module.

    Raises:
        NoFixError: it takes a function, a class or a module from there.
    """
    found = {name: list(loads) for name, loads in read.scopes.captured(node).items()}
    for name, loads in found.items():
        scope = read.scopes.binder(name, read.scopes.of(loads[0]))
        if scope is None or isinstance(scope, ast.ClassDef):
            raise NoFixError("taken from a class body")
        for binding in read.scopes.bindings(name, scope):
            if isinstance(binding, (*DEFS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.ExceptHandler)):
                raise NoFixError("a function, a class or a module is captured")
    module = read.scopes.module
    for inner in ast.walk(node):
        of_module = isinstance(inner, ast.Name) and read.scopes.binder(inner.id, read.scopes.of(inner)) is module
        if isinstance(inner, ast.Name) and of_module and _changes(read, inner.id):
            found.setdefault(inner.id, []).append(inner)
    return found


def _changes(read: _Map, name: str) -> bool:
    """Whether a name of the module is a variable, whose value a jitted function would keep from its first call."""
    bindings = read.scopes.bindings(name, read.scopes.module)
    if all(isinstance(b, (*DEFS, ast.ClassDef, ast.Import, ast.ImportFrom)) for b in bindings):
        return False
    if len(bindings) != 1:
        return True
    parent = read.draft.syntax.parents[bindings[0]]
    return not (isinstance(parent, ast.Assign) and isinstance(parent.value, (ast.Constant, ast.UnaryOp)))


def _check_free(read: _Map, node: ast.AST, *, allowed: ast.AST) -> None:
    """Refuse code that takes values from the module, which a jitted function would keep from its first call."""
    for name, loads in _captured(read, node.args[0] if isinstance(node, ast.Call) else node).items():
        if read.scopes.binder(name, read.scopes.of(loads[0])) is not allowed:
            raise NoFixError("a variable of the module is captured")
