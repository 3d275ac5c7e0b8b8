"""What moved code took from the functions around it, and how it gets that as arguments."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxlint.facts.errors.demands import use_of_argument, use_of_method_argument
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Span
from jaxlint.fixes.moved_code.counters import unbounded
from jaxlint.fixes.moved_code.made import Made
from jaxlint.fixes.text.inplace import changes, changes_in_function
from jaxlint.fixes.text.scopes import COMPREHENSIONS, DEFS, FUNCTIONS, Scope, Scopes, all_arguments
from jaxlint.fixes.text.steps import facts_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax
from jaxlint.settings import Settings

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

_IMPORTS = (ast.Import, ast.ImportFrom)
_ARRAY_ATTRIBUTES = arrays.ARRAY_ATTRIBUTES | arrays.ARRAY_METHODS | arrays.ATTRIBUTES_OF_PYTHON
_OPTIONS = frozenset({"bool", "str", "int", "Callable", "Literal", "type", "Type", "tuple", "Tuple", "Enum"})
_DATA = frozenset({"float", "complex", "Array", "ArrayLike", "ndarray", "Float", "Scalar", "ScalarLike", "Num"})
_STRUCTURAL = frozenset({"shape", "size", "axis", "range", "slice", "index", "dtype", "text", "option", "call"})
"""Uses for which nothing but an option can be meant; see `jaxlint.facts.errors.demands`."""
UNBOUNDED = "unbounded"
"""The use of a number of which integers are made that no traced one can hold."""
_DEEPEST = 3
_MOST = 5
"""A function that captures more than so many values is better fixed by hand."""
ARRAY_MODULES = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.scipy.")
"""Modules of functions that take arrays."""


@dataclass(eq=False)
class Captured:
    """A value that moved code takes from around it.

    `parameter` is the name that it gets in the moved code, `argument` what a call passes, `places` what the parameter
    replaces.  `constant` is a value that the text fixes, an `attribute` one that is read from an object, and a
    `given` one a parameter.  `evidence` is `data`, `number` (Python's), `option` or empty; what is `unsure` may be data
    or an option.
    """

    parameter: str
    argument: str
    places: list[Span]
    constant: bool = False
    evidence: str = ""
    called: bool = False
    attribute: bool = False
    given: bool = True
    unsure: bool = False


@dataclass
class Captures:
    """All of them, in the order of the text."""

    items: list[Captured] = field(default_factory=list)

    @property
    def changes(self) -> dict[Span, str]:
        """What to replace in the moved code."""
        return {place: item.parameter for item in self.items for place in item.places}

    @property
    def constant(self) -> bool:
        """Whether the text fixes all of them."""
        return all(item.constant for item in self.items)

    @property
    def unsure(self) -> bool:
        """Whether one of them may be data or an option; to be asked after `statics`."""
        return any(item.unsure for item in self.items)

    def statics(self, needed: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """Return the parameters that must be static, where `needed` says for what Python needs their values.

        Raises:
            NoFixError: one is a function that may be new each time.
        """
        return tuple(item.parameter for item in self.items if _is_static(item, needed.get(item.parameter, ())))


def _is_static(item: Captured, uses: Collection[str]) -> bool:
    if (item.attribute or not item.given) and ("call" in uses or item.called):
        raise NoFixError(f"{item.argument} is a function that may be new each time")
    if item.constant or item.called or not _STRUCTURAL.isdisjoint(uses):
        return True
    if set(uses) == {UNBOUNDED} and item.evidence == "data":
        item.unsure = True  # an array has its type in any case, a number has not
        return False
    if uses:
        if item.evidence in ("option", "number"):
            return True
        item.unsure = True  # it may be an array, which cannot be static
        return True
    item.unsure = item.unsure or not item.evidence
    return item.evidence == "option"


def captures(made: Made, nodes: Iterable[ast.AST], known: Collection[str] = ()) -> Captures:
    """Return what `nodes` take from the functions around them, names in `known` skipped.

    Raises:
        NoFixError: something that they take cannot be an argument.
    """
    nodes = list(nodes)
    found = Captures()
    identifiers = {name for node in nodes for name in _identifiers(node)}
    for name, loads in made.scopes.captured(*nodes).items():
        if name in known:
            continue
        scope = made.scopes.binder(name, made.scopes.of(loads[0]))
        if scope is None or not isinstance(scope, (*FUNCTIONS, *COMPREHENSIONS)):
            raise NoFixError("taken from a class body")
        check_argument(made, name, scope)
        found.items += of_name(made, name, scope, loads, identifiers)
    if len(found.items) > _MOST:
        raise NoFixError("too many arguments")
    return found


def check_argument(made: Made, name: str, scope: Scope) -> None:
    """Refuse a name whose value where the function is called may not be what it captured.

    Raises:
        NoFixError: it is refused.
    """
    bindings = made.scopes.bindings(name, scope)
    if any(isinstance(node, (*DEFS, ast.ClassDef, *_IMPORTS, ast.ExceptHandler)) for node in bindings):
        raise NoFixError(f"{name} is a function, a class or a module")
    if any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) for node in bindings):
        raise NoFixError(f"{name} is deleted")
    if not made.is_steady(name, scope):
        raise NoFixError(f"{name} may change before it is used")
    refuse_changes_between(made, name)
    for call in made.known_calls():
        if made.scopes.binder(name, made.scopes.of(call)) is not scope:
            raise NoFixError(f"{name} is hidden where the function is called")


def refuse_changes_between(made: Made, text: str) -> None:
    """Refuse what changes in place between the making of the function, which would have read it then, and its calls.

    Raises:
        NoFixError: it does.
    """
    if any(made.comes_between(place) for place in changes_in_function(made.syntax, made.function, text)):
        raise NoFixError(f"what {text} holds changes before it is used")


def _refuse_changing_property(syntax: Syntax, node: ast.expr) -> None:
    """Refuse an attribute that is a visible property which changes its object: it is read more or less often then."""
    for method in ast.walk(syntax.tree):
        if not isinstance(method, ast.FunctionDef) or not isinstance(node, ast.Attribute) or method.name != node.attr:
            continue
        named = any(isinstance(d, ast.Name) and d.id == "property" for d in method.decorator_list)
        if named and any(changes(ast.walk(method))):
            raise NoFixError(f"{node.attr} changes its object")


def _identifiers(node: ast.AST) -> Iterable[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, DEFS):
            yield inner.name


def of_name(made: Made, name: str, scope: Scope, loads: list[ast.Name], identifiers: set[str]) -> list[Captured]:
    """Return what moved code takes by a name: the value as it is, or what is read from an object: `self.length`."""
    syntax = made.syntax
    instance = _is_first_of_method(made, name, scope)
    chains = {load: _chain(syntax, load, any_attribute=instance) for load in loads}
    if any(chain is not load for load, chain in chains.items()):
        if any(chain is load for load, chain in chains.items()):
            raise NoFixError(f"{name} is used as an object and as a value")
        by_text: dict[str, list[ast.expr]] = {}
        for chain in chains.values():
            by_text.setdefault(ast.unparse(chain), []).append(chain)
        for text, places in by_text.items():
            refuse_changes_between(made, text)
            _refuse_changing_property(syntax, places[0])
        items = [_item(made, text, _parameter(text, identifiers), places, None) for text, places in by_text.items()]
        for item in items:
            item.attribute = True
        return items
    if instance:
        raise NoFixError("the instance itself is used")
    return [_item(made, name, name, list(loads), scope)]


def _chain(syntax: Syntax, load: ast.Name, *, any_attribute: bool) -> ast.expr:
    """Return the longest chain of attributes that a name starts, short of what arrays have."""
    node: ast.expr = load
    parent = syntax.parents[node]
    while isinstance(parent, ast.Attribute) and (
        parent.attr not in _ARRAY_ATTRIBUTES or (any_attribute and node is load)
    ):
        if not isinstance(parent.ctx, ast.Load):
            raise NoFixError("an attribute is stored")
        above = syntax.parents[parent]
        if isinstance(above, ast.Call) and above.func is parent:
            raise NoFixError("a method is called")
        node, parent = parent, above
    return node


def _parameter(chain: str, identifiers: set[str]) -> str:
    parts = chain.split(".")
    for start in range(len(parts) - 1, -1, -1):
        name = "_".join(part.strip("_") for part in parts[start:])
        if name.isidentifier() and name not in identifiers:
            identifiers.add(name)
            return name
    raise NoFixError(f"no name for {chain}")


def _is_first_of_method(made: Made, name: str, scope: Scope) -> bool:
    if not isinstance(scope, DEFS) or not isinstance(made.syntax.parents[scope], ast.ClassDef):
        return False
    arguments = all_arguments(scope.args)
    return bool(arguments) and arguments[0].arg == name


def _item(made: Made, text: str, parameter: str, places: list[ast.expr], scope: Scope | None) -> Captured:
    roles = {_role(made.scopes, made.syntax, place) for place in places}
    bindings = made.scopes.bindings(text, scope) if scope is not None else []
    if "object" in roles:
        raise NoFixError(f"a method of {text} is called")
    constant = len(bindings) == 1 and _is_constant_binding(made.syntax, bindings[0])
    known = evidence(made, text, scope) if scope is not None else ""
    unsure = "test" in roles and known not in ("number", "option")
    if not known or roles & {"test", "option"}:
        known = "option" if roles & {"test", "option"} else "data" if "data" in roles else ""
    spans = [made.syntax.span(place) for place in places]
    given = all(isinstance(node, ast.arg) for node in bindings)
    return Captured(parameter, text, spans, constant, known, called="call" in roles, given=given, unsure=unsure)


# What a value is, by what is done with it


def _role(scopes: Scopes, syntax: Syntax, node: ast.expr, depth: int = 0) -> str:
    """Return what one use needs: `data`, `option`, `test` (its value in Python), `call`, `object`, or nothing clear."""
    parent = syntax.parents[node]
    if isinstance(parent, ast.Call):
        if parent.func is node:
            return "call"
        return _argument_role(scopes, syntax, parent, parent.args.index(node), depth) if node in parent.args else ""
    if isinstance(parent, ast.keyword):
        call = syntax.parents[parent]
        return _argument_role(scopes, syntax, call, parent.arg, depth) if isinstance(call, ast.Call) else ""
    if isinstance(parent, (ast.BinOp, ast.Compare)):
        return _operand_role(syntax, parent)
    if isinstance(parent, (ast.UnaryOp, ast.AugAssign)):
        return _role_of_result(syntax, parent)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert, ast.BoolOp)):
        return "test"
    if isinstance(parent, (ast.Slice, ast.FormattedValue)):
        return "option"
    if isinstance(parent, ast.Attribute):
        above = syntax.parents[parent]
        method = isinstance(above, ast.Call) and above.func is parent
        return "data" if parent.attr in _ARRAY_ATTRIBUTES else "object" if method else ""
    if isinstance(parent, ast.Subscript):
        return "data" if parent.value is node else _index_role(scopes, syntax, node, parent, depth)
    if isinstance(parent, (ast.Tuple, ast.List)):
        return _role(scopes, syntax, parent, depth + 1) if depth < _DEEPEST else ""
    return ""


def _index_role(scopes: Scopes, syntax: Syntax, node: ast.expr, parent: ast.Subscript, depth: int) -> str:
    """Return what an index is: data where arrays are updated; what a loop goes over may as well be a key."""
    if isinstance(parent.value, ast.Attribute) and parent.value.attr == "at":
        return "data"
    scope = scopes.binder(node.id, scopes.of(node)) if isinstance(node, ast.Name) else None
    bindings = scopes.bindings(node.id, scope) if isinstance(node, ast.Name) and scope is not None else []
    if depth >= _DEEPEST or any(isinstance(syntax.parents[b], (ast.For, ast.comprehension)) for b in bindings):
        return ""
    role = _role(scopes, syntax, parent, depth + 1)
    return "" if role == "object" else role


def _operand_role(syntax: Syntax, parent: ast.BinOp | ast.Compare) -> str:
    operands = [parent.left, parent.right] if isinstance(parent, ast.BinOp) else [parent.left, *parent.comparators]
    if any(_is_text(operand) or isinstance(operand, _SEQUENCES) for operand in operands):
        return "option"
    if isinstance(parent, ast.Compare) and all(isinstance(operator, (ast.Is, ast.IsNot)) for operator in parent.ops):
        return ""  # `x is None` holds of an argument as it did of what was captured
    return _role_of_result(syntax, parent)


def _role_of_result(syntax: Syntax, node: ast.expr | ast.stmt) -> str:
    """Return what a number is needed for that Python's arithmetic makes of a value."""
    parent = syntax.parents[node]
    while isinstance(node, ast.expr) and isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)):
        node, parent = parent, syntax.parents[parent]
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return "test" if parent.test is node else "data"
    if isinstance(parent, (ast.Slice, ast.FormattedValue)):
        return "option"
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "range":
        return "option"
    return "data"


_SEQUENCES = (ast.List, ast.Tuple, ast.JoinedStr)
_KEYWORDS_OF_OPTIONS = frozenset(
    "axis axes shape dtype keepdims mode num_classes length size ord method order ndim indexing side".split()
)
_CONVERSIONS = frozenset({"int", "float", "bool", "complex", "str", "max", "min"})


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def _argument_role(scopes: Scopes, syntax: Syntax, call: ast.Call, key: int | str | None, depth: int) -> str:
    func = call.func
    if key in _KEYWORDS_OF_OPTIONS:
        return "option"
    name = dotted(scopes, func)
    if name.startswith(ARRAY_MODULES):
        return "option" if use_of_argument(name, key if key is not None else "") else "data"
    if name.startswith(("numpy.", "math.")):
        return "test"
    row = table(Settings()).get(name)
    if row is not None and key in row.traces:
        return "call"
    if name in ("jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"):
        return "data" if key != 0 else "call"
    if isinstance(func, ast.Attribute) and not name:
        if use_of_method_argument(func.attr, key if key is not None else ""):
            return "option"
        return "data" if func.attr in _ARRAY_ATTRIBUTES | arrays.UPDATES else ""
    if name == "functools.partial" and isinstance(key, str) and call.args:
        func = call.args[0]
    scope = scopes.binder(func.id, scopes.of(func)) if isinstance(func, ast.Name) else None
    if isinstance(func, ast.Name) and scope is None:
        return "option" if func.id == "range" else "test" if func.id in _CONVERSIONS else ""
    if isinstance(func, ast.Name) and depth < _DEEPEST and scope is not None:
        bindings = scopes.bindings(func.id, scope)
        if len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef):
            return parameter_role(scopes, syntax, bindings[0], key, depth)
    return ""


def parameter_role(
    scopes: Scopes, syntax: Syntax, function: ast.FunctionDef, key: int | str | None, depth: int = 0
) -> str:
    """Return what a function does with a parameter: `data`, `option`, `call`, `object`, or nothing that is clear."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if isinstance(key, int):
        name = arguments[key].arg if key < len(arguments) else None
    else:
        name = next((a.arg for a in all_arguments(function.args) if a.arg == key), None)
    if name is None or len(scopes.bindings(name, function)) != 1:
        return ""
    roles = {_role(scopes, syntax, load, depth + 1) for load in scopes.loads(name, function)}
    return next((role for role in ("object", "call", "test", "option", "data") if role in roles), "")


def dotted(scopes: Scopes, node: ast.expr) -> str:
    """Return the full dotted name of something imported at module level, empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or scopes.binder(node.id, scopes.of(node)) is not scopes.module:
        return ""
    for binding in scopes.bindings(node.id, scopes.module):
        if isinstance(binding, _IMPORTS):
            for alias in binding.names:
                root = alias.name.partition(".")[0]
                plain = isinstance(binding, ast.Import)
                if (alias.asname or (root if plain else alias.name)) == node.id:
                    whole = alias.name if alias.asname or not plain else root
                    base = whole if plain else f"{getattr(binding, 'module', '')}.{alias.name}"
                    return ".".join([base, *reversed(parts)])
    return ""


# What a value is, by where it comes from


def _is_constant_binding(syntax: Syntax, node: ast.AST) -> bool:
    parent = syntax.parents[node]
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1 or parent.targets[0] is not node:
        return False
    return is_constant(parent.value)


def is_constant(node: ast.expr) -> bool:
    """Whether an expression is a number, text, True, False, None, or a tuple of such."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Tuple) and all(is_constant(item) for item in node.elts)


def evidence(made: Made, name: str, scope: Scope) -> str:
    """Return what the bindings of a name say that it is: `data`, `number`, `option` or nothing."""
    found = {_evidence(made, node) for node in made.scopes.bindings(name, scope)}
    return found.pop() if len(found) == 1 else ""


def _evidence(made: Made, node: ast.AST) -> str:
    syntax, scopes = made.syntax, made.scopes
    if isinstance(node, ast.arg):
        return _of_argument(syntax, node)
    parent = syntax.parents[node]
    if isinstance(parent, ast.Assign) and node in parent.targets:
        return _of_value(scopes, parent.value)
    if isinstance(parent, (ast.For, ast.comprehension)) and parent.target is node:
        iterable = parent.iter
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range":
            return "number"
    return ""


def _of_value(scopes: Scopes, node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return "option" if isinstance(node.value, (str, bool)) else "number"
    if isinstance(node, ast.Call):
        name = dotted(scopes, node.func)
        if name.startswith(("jax.numpy.", "jax.random.", "jax.nn.", "jax.lax.")):
            return "data"
        return "number" if isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "float") else ""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return "number"
    return "number" if isinstance(node, ast.Attribute) and node.attr in ("ndim", "size") else ""


def _of_argument(syntax: Syntax, node: ast.arg) -> str:
    names = set(_annotation_names(node.annotation)) if node.annotation is not None else set()
    if names & _DATA:
        return "data"
    default = _default(syntax, node)
    if names & {"int"} or (isinstance(default, ast.Constant) and type(default.value) in (int, float)):
        return "number"
    if names & _OPTIONS or (isinstance(default, ast.Constant) and isinstance(default.value, (str, bool))):
        return "option"
    return ""


def _annotation_names(node: ast.AST) -> Iterator[str]:
    """Yield the names in an annotation, but not what a function that it means takes and returns."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if name:
        yield name
    inner = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Subscript) and "Callable" in _annotation_names(node.value):
        inner = [node.value]
    for part in inner:
        yield from _annotation_names(part)


def _default(syntax: Syntax, node: ast.arg) -> ast.expr | None:
    arguments = syntax.parents[node]
    if not isinstance(arguments, ast.arguments):
        return None
    positional = [*arguments.posonlyargs, *arguments.args]
    if node in positional:
        index = positional.index(node) - len(positional)
        return arguments.defaults[index] if -index <= len(arguments.defaults) else None
    if node in arguments.kwonlyargs:
        return arguments.kw_defaults[arguments.kwonlyargs.index(node)]
    return None


# What Python needs of the parameters of a new function


def needed(facts: ModuleFacts, text: str, name: str) -> dict[str, set[str]]:
    """Return for what Python needs the parameters of the jitted function `name` in a text, by the facts of it.

    Raises:
        NoFixError: the text has no such function.
    """
    new = facts_of(text, facts)
    functions = {id(function) for function in new.tree.functions if function.name == name}
    if not functions:
        raise NoFixError(f"no function {name}")
    found: dict[str, set[str]] = {}
    for demand in new.staged.demands:
        for parameter in demand.parameters:
            if id(parameter.function) in functions:
                found.setdefault(parameter.name, set()).add(demand.use)
    for function in new.tree.functions:
        for parameter_name in unbounded(new, function) if id(function) in functions else ():
            found.setdefault(parameter_name, set()).add(UNBOUNDED)
    return found
