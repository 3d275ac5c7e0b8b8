"""The places in traced code where Python needs a value: tests, loop counts, shapes, axes, conversions.

The table of JAX's own functions is `demands.toml`; each position in it was seen to raise on a traced value.
"""

from __future__ import annotations

import functools
import pkgutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.jax_api.name_priors import FUNCTIONS
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Expression, External, Names
from jaxlint.facts.syntax.tree import Function, Parameter, Tree, kinds
from jaxlint.facts.values.compiled_calls import CompiledCalls
from jaxlint.facts.values.values import Kind, Values

Table = Mapping[str, Mapping[str, tuple[int | str, ...]]]

STRUCTURAL = frozenset("shape size axis range slice index key dtype format text option static".split())
"""What a value is for where nothing but an option of the function can be meant."""

NUMPY = frozenset({"numpy", "table", "store"})
"""Where NumPy or `math` is given traced data: as an argument, as the index of an array, as what is stored in one."""

_TYPES_ONLY = frozenset("result_type can_cast isscalar iterable broadcast_shapes promote_types issubdtype".split())
"""Functions of NumPy that a list of traced arrays may be given."""


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """One place where a traced value is needed in Python.

    `node` is the traced expression, `use` what it is for: `test`, `order` (a comparison by a builtin), `conversion`,
    `call`, one of `NUMPY`, or one of `STRUCTURAL`.
    `parameters` are those that the value comes from, where it comes from parameters alone; otherwise it is data, the
    result of array operations.  `also` are those of the values that Python needs together with it, as in a shape.
    """

    node: cst.BaseExpression
    use: str
    function: Function
    parameters: tuple[Parameter, ...] = ()
    place: cst.CSTNode | None = None
    also: tuple[Parameter, ...] = ()

    @property
    def where(self) -> cst.CSTNode:
        """Where to report: where it fails, if that is another line than the expression's."""
        return self.place or self.node


_NEEDING = kinds(
    cst.If,
    cst.While,
    cst.Assert,
    cst.IfExp,
    cst.CompIf,
    cst.BooleanOperation,
    cst.UnaryOperation,
    cst.Match,
    cst.Comparison,
    cst.Subscript,
    cst.DictElement,
    cst.FormattedStringExpression,
    cst.Call,
    cst.Assign,
)
"""The classes of nodes that may need a value in Python."""


class Demands:
    """Finds the demands of a module's staged functions."""

    def __init__(self, tree: Tree, names: Names, calls: Calls, values: Values, compiled: CompiledCalls) -> None:
        self._tree = tree
        self._names = names
        self._calls = calls
        self._values = values
        self._compiled = {id(call.node): call for call in compiled.calls}
        self._behind: Answers[tuple[Parameter, ...] | None] = Answers(names.asking)

    def of(self, function: Function) -> list[Demand]:
        """Return the demands in a function's body, in source order, those of functions defined in it skipped."""
        found: list[Demand] = []
        for node in self._tree.body(function):
            for expression, use in self._needs(node):
                demand = self._demand(expression, use, function)
                if demand is None:
                    continue
                place = _first_pattern(node) if isinstance(node, cst.Match) else node if use in NUMPY else None
                if use not in NUMPY or not found or found[-1].place is not place:
                    found.append(replace(demand, place=place))
        return found

    # What is needed where

    def _needs(self, node: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, str]]:  # noqa: C901
        if node.__class__ not in _NEEDING:
            return
        if isinstance(node, (cst.If, cst.While, cst.Assert, cst.IfExp, cst.CompIf)):
            if not self._follows_traced_test(node):
                yield from self._tested(node.test)
        elif isinstance(node, cst.BooleanOperation):
            if not isinstance(self._tree.parent(node), (cst.If, cst.While, cst.Assert, cst.BooleanOperation)):
                yield from self._tested(node.left)
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            yield from self._tested(node.expression)
        elif isinstance(node, cst.Match):
            yield node.subject, "test"
        elif isinstance(node, cst.Comparison):
            yield from self._compared(node)
        elif isinstance(node, cst.Subscript):
            yield from self._subscripted(node)
        elif isinstance(node, cst.DictElement):
            yield node.key, "key"
        elif isinstance(node, cst.FormattedStringExpression):
            if node.format_spec:
                yield node.expression, "format"
        elif isinstance(node, cst.Call):
            yield from self._called(node)
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                if isinstance(target.target, cst.Subscript) and self._values.is_numpy_array(target.target.value):
                    yield from ((part, "store") for part in _parts(node.value))

    def _follows_traced_test(self, node: cst.CSTNode) -> bool:
        """Whether it is an `elif` that an earlier test of the chain keeps from being reached."""
        before = self._tree.parent(node)
        return (
            isinstance(node, cst.If)
            and isinstance(before, cst.If)
            and before.orelse is node
            and any(self._values.kind(part).traced for part, _ in self._tested(before.test))
        )

    def tested_after(self, node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
        """Yield what the `elif`s behind a test ask for, which fails no sooner than Python has the test's value."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.If):
                after = parent.orelse if parent.test is child else None
                while isinstance(after, cst.If):
                    yield from (part for part, _ in self._tested(after.test))
                    after = after.orelse
                return
            if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
                return
            child = parent

    def _tested(self, node: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, str]]:
        if isinstance(node, cst.BooleanOperation):
            yield from self._tested(node.left)
            yield from self._tested(node.right)
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return  # seen as a node of its own
        else:
            yield node, "test"

    def _compared(self, node: cst.Comparison) -> Iterator[tuple[cst.BaseExpression, str]]:
        operands = [node.left, *(target.comparator for target in node.comparisons)]
        for left, target in zip(operands, node.comparisons, strict=False):
            right = target.comparator
            if isinstance(target.operator, (cst.Equal, cst.NotEqual)):
                if self._is_text(right):
                    yield left, "text"
                elif self._is_text(left):
                    yield right, "text"
            elif len(node.comparisons) > 1 and not self._is_tested(node):
                yield from ((operand, "test") for operand in (left, right))
                return  # `a < b < c` is `a < b and b < c`
            elif isinstance(target.operator, (cst.In, cst.NotIn)) and isinstance(right, (cst.Tuple, cst.List, cst.Set)):
                yield left, "text" if self._values.is_text_or_none(right) else "test"

    def _is_tested(self, node: cst.Comparison) -> bool:
        """Whether Python asks for the value of a comparison anyhow."""
        parent = self._tree.parent(node)
        asks = (cst.If, cst.While, cst.Assert, cst.IfExp, cst.CompIf, cst.BooleanOperation)
        negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
        return negated or (isinstance(parent, asks) and getattr(parent, "test", node) is node)

    def _is_text(self, node: cst.BaseExpression) -> bool:
        return self._values.is_text_or_none(node) and not (isinstance(node, cst.Name) and node.value == "None")

    def _subscripted(self, node: cst.Subscript) -> Iterator[tuple[cst.BaseExpression, str]]:
        for element in node.slice:
            if isinstance(element.slice, cst.Slice):
                for bound in (element.slice.lower, element.slice.upper, element.slice.step):
                    if bound is not None:
                        yield bound, "slice"
        if (
            len(node.slice) == 1
            and isinstance(node.slice[0].slice, cst.Index)
            and self._is_python_container(node.value)
        ):
            yield node.slice[0].slice.value, "index"
        elif self._values.is_numpy_array(node.value):
            for element in node.slice:
                if isinstance(element.slice, cst.Index):
                    yield element.slice.value, "table"

    def _is_python_container(self, node: cst.BaseExpression) -> bool:
        values = self._names.values(node)
        return all(
            isinstance(value, Expression) and isinstance(value.node, (cst.List, cst.Tuple, cst.Dict))
            for value in values
        )

    def _called(self, node: cst.Call) -> Iterator[tuple[cst.BaseExpression, str]]:
        func = node.func
        compiled = self._compiled.get(id(node))
        if compiled is not None:
            given = [compiled.argument(parameter) for parameter in compiled.parameters if compiled.is_static(parameter)]
            yield from ((value, "static") for value in given if isinstance(value, cst.Name))
        externals = self._names.externals(func)
        if externals:
            # `jnp` may represent NumPy where JAX is missing: then nothing can be said.
            if len({name.partition(".")[0] for name in externals}) == 1:
                yield from self._external_call(externals[0], node)
        elif isinstance(func, cst.Name) and not self._names.bindings(func):
            yield from self._builtin_call(func.value, node)
        elif isinstance(func, cst.Name):
            if any(isinstance(value, Parameter) and self._is_callable(value) for value in self._names.values(func)):
                yield func, "call"
        elif isinstance(func, cst.Attribute) and not self._values.is_update(func):
            yield from self._method_call(func, node)

    def _is_callable(self, parameter: Parameter) -> bool:
        """Whether a parameter is given plain functions; a model or a tree_util.Partial is a tree that may be called."""
        given = [
            value
            for site in self._calls.of(parameter.function)
            if (argument := argument_of(site.node, parameter, bound=site.bound)) is not None
            for value in self._names.values(argument)
        ]
        if given:
            return all(isinstance(value, (Function, External)) for value in given)
        annotation = parameter.annotation
        base = annotation.value if isinstance(annotation, cst.Subscript) else annotation
        name = base.attr.value if isinstance(base, cst.Attribute) else base.value if isinstance(base, cst.Name) else ""
        return name == "Callable" or (annotation is None and bool(FUNCTIONS.fullmatch(parameter.name)))

    def _external_call(self, name: str, node: cst.Call) -> Iterator[tuple[cst.BaseExpression, str]]:
        module, _, last = name.rpartition(".")
        for use, table in _tables().items():
            places = table.get(module, {}).get(last)
            if places and not (
                last == "repeat" and use == "size" and _keyword(node, "total_repeat_length") is not None
            ):
                yield from ((value, use) for value in _arguments(node, places))
        if module.startswith("jax"):
            dtype = _keyword(node, "dtype")
            if dtype is not None:
                yield dtype, "dtype"
            if last == "einsum" and node.args and not node.args[0].star:
                yield node.args[0].value, "text"
        elif module == "math" or name == "operator.index":
            yield from ((arg.value, "numpy") for arg in node.args if not arg.star and last != "prod")
        else:
            yield from ((part, "numpy") for value in _given_to_numpy(module, last, node) for part in _parts(value))

    def _builtin_call(self, name: str, node: cst.Call) -> Iterator[tuple[cst.BaseExpression, str]]:
        args = [arg.value for arg in node.args if not arg.star and arg.keyword is None]
        if name == "range":
            yield from ((arg, "range") for arg in args)
        elif name in ("int", "float", "bool", "complex") and args:
            yield args[0], "conversion"
        elif name == "hash" and args:
            yield args[0], "key"
        elif name in ("min", "max") and len(args) > 1:
            yield from ((arg, "order") for arg in args)
        elif name in ("min", "max", "sorted", "any", "all") and len(args) == 1:
            yield from self._elements_tested(name, args[0])
        elif name == "getattr" and len(args) > 1:
            yield args[1], "key"

    def _elements_tested(self, name: str, node: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, str]]:
        """The builtins that test or compare the elements of what they are given."""
        if isinstance(node, (cst.GeneratorExp, cst.ListComp, cst.SetComp)):
            yield node.elt, "order"
        elif name in ("min", "max", "sorted") or self._values.kind(node) is Kind.ARRAY:
            yield node, "order"

    def _method_call(self, func: cst.Attribute, node: cst.Call) -> Iterator[tuple[cst.BaseExpression, str]]:
        name = func.attr.value
        kind = self._values.kind(func.value)
        if name in ("item", "tolist") and kind.traced:
            yield func.value, "conversion"
        if self._values.is_numpy_array(func.value):
            yield from ((value, "numpy") for value in _arguments(node, _METHODS_OF_NUMPY.get(name, ())))
        if kind.traced:
            for use, methods in _methods().items():
                places = methods.get(name)
                if places is not None:
                    yield from ((value, use) for value in _arguments(node, places))

    # What is given there

    def _demand(self, node: cst.BaseExpression, use: str, function: Function) -> Demand | None:
        """Return the demand of one expression, None where Python may well have its value."""
        found: Demand | None = None
        for part in _parts(node) if use in STRUCTURAL and use != "key" else (node,):
            kind = self._values.kind(part)
            if not kind.traced:
                continue
            parameters = self.parameters_behind(part)
            if kind is Kind.DATA and not parameters and use in ("test", "index", "key"):
                continue  # it may be a container, whose truth Python knows, or the key of a dictionary
            if found is None:
                found = Demand(part, use, function, parameters or ())
            elif found.parameters:
                found = replace(found, also=(*found.also, *(parameters or ())))
        return found

    def _is_named_item(self, node: cst.Subscript) -> bool:
        """Whether a subscript takes an item by its name: `config["rounds"]`."""
        if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
            return False
        return isinstance(node.slice[0].slice.value, cst.BaseString) and self._values.kind(node.value) is Kind.DATA

    def parameters_behind(self, node: cst.CSTNode) -> tuple[Parameter, ...] | None:
        """Return the traced parameters that a value is computed from by Python's own arithmetic.

        None where it holds anything else that is traced, such as the result of an array operation.
        """
        return self._behind.get(id(node), lambda: self._find_behind(node), ())

    def _find_behind(self, node: cst.CSTNode) -> tuple[Parameter, ...] | None:
        if not self._values.kind(node).traced:
            return ()
        found: dict[int, Parameter] = {}
        inner: list[cst.CSTNode] = []
        if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)):
            inner.extend(operands(node))
        elif isinstance(node, cst.Subscript) and self._is_named_item(node):
            inner.append(node.value)
        elif isinstance(node, cst.Name):
            for value in self._names.values(node):
                if isinstance(value, Parameter):
                    found[id(value)] = value
                elif isinstance(value, Expression) and value.node is not node:
                    inner.append(value.node)
                else:
                    return None
        else:
            return None
        for part in inner:
            behind = self.parameters_behind(part)
            if behind is None:
                return None
            found.update((id(parameter), parameter) for parameter in behind)
        return tuple(found.values())


def _first_pattern(node: cst.Match) -> cst.CSTNode | None:
    """Return the first pattern that compares a value, which is where Python asks for it."""
    return next((case.pattern for case in node.cases if isinstance(case.pattern, cst.MatchValue)), None)


def operands(node: cst.BinaryOperation | cst.UnaryOperation | cst.Comparison) -> list[cst.BaseExpression]:
    """Return what an operator is given."""
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    return [node.left, *(target.comparator for target in node.comparisons)]


def _parts(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield an expression, or the elements of a literal tuple or list and of what is added to one: `(n,) + shape`."""
    if isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from _parts(element.value)
    elif isinstance(node, cst.BinaryOperation) and any(
        isinstance(side, (cst.Tuple, cst.List)) for side in (node.left, node.right)
    ):
        yield from _parts(node.left)
        yield from _parts(node.right)
    else:
        yield node


def _arguments(node: cst.Call, places: tuple[int | str, ...]) -> Iterator[cst.BaseExpression]:
    """Yield the arguments of a call at positions and keywords; `*` represents every positional one."""
    position = 0
    for arg in node.args:
        if arg.star == "**":
            continue
        if arg.star:
            if "*" in places:
                yield arg.value
            return
        if arg.keyword is not None:
            if arg.keyword.value in places:
                yield arg.value
            continue
        if "*" in places or position in places:
            yield arg.value
        position += 1


_METHODS_OF_NUMPY: Mapping[str, tuple[int | str, ...]] = {
    "dot": (0,),
    "searchsorted": (0,),
    "take": (0,),
    "compress": (0,),
    "clip": (0, 1),
}
"""Methods of an array of NumPy, with the arguments that may not be traced."""


def _given_to_numpy(module: str, name: str, node: cst.Call) -> Iterator[cst.BaseExpression]:
    """Yield the arguments of a function of NumPy or SciPy that it makes arrays of."""
    places = _numpy().get(module, {}).get(name, ())
    yield from _arguments(node, places)
    first = node.args[0] if node.args else None
    if module != "numpy" or first is None or first.star or first.keyword is not None or 0 in places or "*" in places:
        return
    # What takes a traced array by calling its method makes an array of a list.
    if (
        isinstance(first.value, (cst.List, cst.Tuple))
        and name not in _TYPES_ONLY
        and not use_of_argument(f"numpy.{name}", 0)
    ):
        yield first.value


def _keyword(node: cst.Call, name: str) -> cst.BaseExpression | None:
    return next((arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value == name), None)


def needed_arguments(call: cst.Call, name: str) -> Iterator[cst.BaseExpression]:
    """Yield the arguments that a function of JAX, by its dotted name, needs the value of."""
    module, _, last = name.rpartition(".")
    for table in _tables().values():
        yield from _arguments(call, table.get(module, {}).get(last, ()))
    dtype = _keyword(call, "dtype")
    if dtype is not None:
        yield dtype


def needed_arguments_of_method(call: cst.Call, name: str) -> Iterator[cst.BaseExpression]:
    """Yield the arguments that a method of an array needs the value of."""
    for methods in _methods().values():
        yield from _arguments(call, methods.get(name, ()))


@functools.cache
def _raw() -> Mapping[str, Mapping[str, Mapping[str, list[int | str] | str]]]:
    data = pkgutil.get_data(__name__, "demands.toml") or b""
    return tomllib.loads(data.decode())


@functools.cache
def _tables() -> Mapping[str, Mapping[str, Mapping[str, tuple[int | str, ...]]]]:
    """Return use -> module -> function -> places."""
    return {
        use: {
            module: {name: tuple(places) for name, places in functions.items()} for module, functions in table.items()
        }
        for use, table in _raw().items()
        if use not in ("methods", "numpy")
    }


@functools.cache
def _numpy() -> Mapping[str, Mapping[str, tuple[int | str, ...]]]:
    """Return module -> function of NumPy or SciPy -> places of arrays."""
    return {
        module: {name: tuple(places) for name, places in functions.items()}
        for module, functions in _raw()["numpy"].items()
    }


def use_of_argument(name: str, place: int | str) -> str:
    """Return what a function of JAX needs an argument's Python value for, empty where it takes a traced one."""
    if place == "dtype":
        return "dtype"
    module, _, function = name.rpartition(".")
    for use, table in _tables().items():
        places = table.get(module, {}).get(function, ())
        if place in places or "*" in places:
            return use
    return ""


def use_of_method_argument(name: str, place: int | str) -> str:
    """Return what a method of an array needs an argument's Python value for, empty where it takes a traced one."""
    for use, methods in _methods().items():
        places = methods.get(name, ())
        if place in places or "*" in places:
            return use
    return ""


@functools.cache
def _methods() -> Mapping[str, Mapping[str, tuple[int | str, ...]]]:
    """Return use -> method of an array -> places."""
    return {
        use: {name: tuple(places) for name, places in methods.items()} for use, methods in _raw()["methods"].items()
    }
