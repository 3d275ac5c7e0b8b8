"""What a function gives when it is traced instead of run: is it array code and nothing else?

A function that is compiled must neither ask for values, nor act on anything but its result, nor give what is no array.
All that is not known to be so counts as doubtful.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.errors.demands import needed_arguments, needed_arguments_of_method, use_of_argument
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.constants import UNKNOWN as _UNKNOWN
from jaxlint.facts.syntax.names import Expression, External
from jaxlint.facts.syntax.tree import Class, Function, children

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Gives(enum.IntEnum):
    """What an expression gives, from the best to the worst; what is made of several is as bad as the worst of them."""

    PYTHON = 0
    """A value that Python knows under trace as well: a number, a shape, a text."""
    ARRAYS = 1
    """Arrays of jax."""
    NUMBERS = 2
    """Numbers or arrays of some library: eagerly, arithmetic on them may stay outside jax."""
    DOUBTFUL = 3
    """Nothing is known."""
    FAILS = 4
    """Tracing raises, or skips what the code does."""


_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "full_like", "shape_dtype_struct"})
"""Functions that take anything with a shape and a dtype."""
_STATIC_BUILTINS = frozenset("len isinstance issubclass hasattr callable type range str repr tuple list zip".split())
_ASKING_BUILTINS = frozenset("len isinstance issubclass hasattr callable type repr str".split())
_CONVERSIONS = frozenset({"float", "int", "bool", "complex", "print", "max", "min", "sorted", "any", "all", "open"})
_HOST_ATTRIBUTES = frozenset("sharding device devices addressable_data addressable_shards is_deleted nbytes".split())
_HOST_METHODS = frozenset(
    "item tolist block_until_ready delete copy_to_host_async tobytes nonzero compress devices __array__".split()
)
_SEQUENCES = (cst.List, cst.Tuple, cst.ListComp, cst.BaseString)
_SHAPES = frozenset({"shape", "ndim", "dtype", "size", "itemsize", "weak_type"})
_DEPTH = 6


class Purity:
    """Answers for one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self.facts = facts
        self._busy: set[int] = set()

    def of_target(self, node: cst.BaseExpression, given: Iterable[Gives] = ()) -> Gives:
        """Return what a call of an expression gives, whose positional arguments are as `given`, else numbers."""
        values = self.facts.names.values(node)
        return max((self._of_value(value, tuple(given), _DEPTH) for value in values), default=Gives.DOUBTFUL)

    def _of_value(self, value: object, given: tuple[Gives, ...], depth: int) -> Gives:
        if isinstance(value, External):
            last = value.name.rpartition(".")[2]
            if not arrays.makes_array(value.name) or last in arrays.DATA_DEPENDENT:
                return Gives.FAILS if value.name.startswith("numpy.") else Gives.DOUBTFUL
            if any(use_of_argument(value.name, place) for place in range(max(len(given), 1))):
                return Gives.FAILS
            return Gives.DOUBTFUL if last in _LIKE else Gives.ARRAYS
        if isinstance(value, Function):
            return self.of_function(value, dict(enumerate(given)), depth)
        if isinstance(value, Expression) and isinstance(value.node, cst.Call):
            return self._of_made(value.node, given, depth)
        return Gives.DOUBTFUL

    def _of_made(self, call: cst.Call, given: tuple[Gives, ...], depth: int) -> Gives:
        """Return what `jax.vmap(f)` and `partial(f, rate)` give when they are called."""
        wrapped = self.facts.wrappings.of(call)
        if wrapped is None or depth <= 0:
            return Gives.DOUBTFUL
        if wrapped.wrapper.kind == "partial":
            if any(arg.star or arg.keyword is not None for arg in call.args):
                return Gives.DOUBTFUL
            bound = tuple(_Code(self, {}, depth).of(arg.value) for arg in call.args[1:])
            if max(bound, default=Gives.PYTHON) > Gives.NUMBERS:
                return max(bound)
            given = bound + given
        elif not wrapped.wrapper.keeps_arguments or len(wrapped.arguments) != 1:
            return Gives.DOUBTFUL
        values = self.facts.names.values(wrapped.targets[0])
        return max((self._of_value(value, given, depth - 1) for value in values), default=Gives.DOUBTFUL)

    def of_expression(self, node: cst.BaseExpression, function: Function) -> Gives:
        """Return what an expression in a function gives, whatever the function is given."""
        given = dict.fromkeys((parameter.name for parameter in function.parameters), Gives.NUMBERS)
        return _Code(self, given, _DEPTH).of(node)

    def of_function(self, function: Function, given: Mapping[int | str, Gives], depth: int = _DEPTH) -> Gives:
        """Return what a function gives; `given` says what some parameters hold, by position or name."""
        if depth <= 0 or id(function) in self._busy or function.yields:
            return Gives.DOUBTFUL
        if not function.is_lambda and function.node.asynchronous is not None:  # type: ignore[union-attr]
            return Gives.DOUBTFUL
        held: dict[str, Gives] = {}
        for parameter in function.parameters:
            fixed = parameter.position != 0 and self.facts.constants.of(parameter.default) is not _UNKNOWN
            default = Gives.PYTHON if fixed else Gives.NUMBERS
            key = parameter.name if parameter.position is None else parameter.position
            held[parameter.name] = given.get(key, given.get(parameter.name, default))
        numbers = {name for name, gives in held.items() if gives is Gives.NUMBERS}
        code = _Code(self, held, depth)
        self._busy.add(id(function))
        try:
            found = code.of_body(function)
        finally:
            self._busy.discard(id(function))
        untouched = numbers - code.touched if depth == _DEPTH or not code.touched else set[str]()
        if found <= Gives.NUMBERS and untouched:
            return Gives.DOUBTFUL  # no more than shapes are read, of what may be no array at all
        if found <= Gives.NUMBERS and code.sorted_out:
            return Gives.DOUBTFUL
        return found


class _Code:
    """The code of one function, given what its parameters hold."""

    def __init__(self, purity: Purity, held: dict[str, Gives], depth: int) -> None:
        self._purity = purity
        self._facts = purity.facts
        self._held = held
        self._depth = depth
        self._given = {name: {name} for name, gives in held.items() if gives is Gives.NUMBERS}
        """The names that hold what the function is given, each with the parameters that it is made of."""
        self.touched = set[str]()
        """The parameters from whose elements something is computed."""
        self.sorted_out = False
        """Whether it is asked what kind of thing a parameter is, so that not all of them need be arrays."""

    def _touch(self, *parts: cst.CSTNode) -> None:
        for part in parts:
            self.touched |= self._reads(part)

    def _reads(self, node: cst.CSTNode) -> set[str]:
        """Return the parameters of which code reads more than shapes and types."""
        if isinstance(node, cst.Name):
            return self._given.get(node.value, set())
        if isinstance(node, cst.Attribute):
            return set() if node.attr.value in _SHAPES else self._reads(node.value)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _ASKING_BUILTINS:
            return set()
        return set[str]().union(*(self._reads(child) for child in children(node)))

    # Statements

    def of_body(self, function: Function) -> Gives:
        body = function.node.body
        if isinstance(body, cst.BaseExpression):
            return self._of_result(body)
        found = self._of_block(body)
        return Gives.DOUBTFUL if found is Gives.PYTHON else found

    def _of_block(self, block: cst.BaseSuite) -> Gives:
        found = Gives.PYTHON
        for statement in block.body:
            if isinstance(statement, cst.SimpleStatementLine):
                found = max(found, *(self._of_statement(small) for small in statement.body))
            elif isinstance(statement, cst.BaseSmallStatement):
                found = max(found, self._of_statement(statement))
            elif isinstance(statement, cst.If):
                found = max(found, self._of_if(statement))
            else:
                return max(found, Gives.DOUBTFUL)
        return found

    def _of_if(self, node: cst.If) -> Gives:
        if self.of(node.test) is not Gives.PYTHON:
            return Gives.FAILS
        found = self._of_block(node.body)
        if isinstance(node.orelse, cst.If):
            return max(found, self._of_if(node.orelse))
        return max(found, self._of_block(node.orelse.body)) if node.orelse is not None else found

    def _of_statement(self, node: cst.BaseSmallStatement) -> Gives:
        """Return what a `return` gives; of other statements, whether they are harmless."""
        if isinstance(node, cst.Return):
            return Gives.PYTHON if node.value is None else self._of_result(node.value)
        if isinstance(node, cst.Expr):
            return Gives.PYTHON if isinstance(node.value, cst.BaseString) else Gives.DOUBTFUL
        if isinstance(node, (cst.Assign, cst.AnnAssign)):
            targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
            found = self.of(node.value) if node.value is not None else Gives.PYTHON
            stored = max(self._store(target, found) for target in targets)
            read = self._reads(node.value) if node.value is not None else set[str]()
            for target in targets if read else ():
                if isinstance(target, cst.Name):
                    self._given[target.value] = self._given.get(target.value, set()) | read
            return max(_harmless(found), stored)
        if isinstance(node, cst.AugAssign):
            found = max(self.of(node.value), self.of(node.target))
            return max(_harmless(found), self._store(node.target, found))
        if isinstance(node, cst.Assert):
            return Gives.PYTHON if self.of(node.test) is Gives.PYTHON else Gives.FAILS
        return Gives.PYTHON if isinstance(node, (cst.Pass, cst.Raise)) else Gives.DOUBTFUL

    def _of_result(self, node: cst.BaseExpression) -> Gives:
        """Return what comes of giving an expression back: text cannot be a result, and a number would be an array."""
        if is_none(node):
            return Gives.PYTHON
        if isinstance(node, cst.BaseString):
            return Gives.FAILS
        if isinstance(node, (cst.Tuple, cst.List, cst.Dict)) and node.elements:
            starred = any(isinstance(e, (cst.StarredDictElement, cst.StarredElement)) for e in node.elements)
            if not starred:
                return max(self._of_result(element.value) for element in node.elements)
        found = self.of(node)
        return Gives.DOUBTFUL if found is Gives.PYTHON else found

    def _store(self, target: cst.BaseExpression, found: Gives) -> Gives:
        if isinstance(target, cst.Name):
            before = self._held.get(target.value, Gives.PYTHON)
            self._held[target.value] = max(before, found)
            return Gives.PYTHON
        if isinstance(target, (cst.Tuple, cst.List)):
            return max(self._store(element.value, found) for element in target.elements)
        return Gives.FAILS  # a store into something that outlives the call

    # Expressions

    def of(self, node: cst.BaseExpression) -> Gives:  # noqa: C901  (one arm a kind of expression)
        """Return what an expression gives."""
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, (cst.Integer, cst.Float, cst.Imaginary, cst.BaseString, cst.Ellipsis)):
            return Gives.PYTHON
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.BinaryOperation):
            if any(isinstance(part, _SEQUENCES) for part in (node.left, node.right)):
                # `[x] * n` needs the number itself.
                sides = (node.left, node.right)
                known = all(self.of(part) is Gives.PYTHON for part in sides if not isinstance(part, _SEQUENCES))
                return max(self.of(part) for part in sides) if known else Gives.FAILS
            return self._computed(node.left, node.right)
        if isinstance(node, cst.UnaryOperation):
            found = self._computed(node.expression)
            return Gives.FAILS if isinstance(node.operator, cst.Not) and found is not Gives.PYTHON else found
        if isinstance(node, cst.Comparison):
            if all(isinstance(t.operator, (cst.Is, cst.IsNot)) for t in node.comparisons):
                self.sorted_out = self.sorted_out or bool(self._reads(node.left))
                return Gives.PYTHON
            if len(node.comparisons) > 1 or isinstance(node.comparisons[0].operator, (cst.In, cst.NotIn)):
                parts = [self.of(part) for part in (node.left, *(t.comparator for t in node.comparisons))]
                return Gives.PYTHON if max(parts) is Gives.PYTHON else Gives.FAILS
            return self._computed(node.left, node.comparisons[0].comparator)
        if isinstance(node, cst.BooleanOperation):
            return Gives.PYTHON if max(self.of(node.left), self.of(node.right)) is Gives.PYTHON else Gives.FAILS
        if isinstance(node, cst.IfExp):
            if self.of(node.test) is not Gives.PYTHON:
                return Gives.FAILS
            parts = [self.of(part) for part in (node.body, node.orelse) if not is_none(part)]
            return max(parts, default=Gives.PYTHON)
        if isinstance(node, (cst.Tuple, cst.List)):
            return max((self.of(element.value) for element in node.elements), default=Gives.PYTHON)
        if isinstance(node, cst.Dict):
            starred = any(isinstance(element, cst.StarredDictElement) for element in node.elements)
            held = max((self.of(element.value) for element in node.elements), default=Gives.PYTHON)
            return max(held, Gives.DOUBTFUL) if starred else held
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return Gives.DOUBTFUL

    def _computed(self, *parts: cst.BaseExpression) -> Gives:
        found = [self.of(part) for part in parts]
        worst = max(found)
        self._touch(*parts)
        return Gives.ARRAYS if worst is Gives.NUMBERS and Gives.ARRAYS in found else worst

    def _of_name(self, node: cst.Name) -> Gives:
        if node.value in ("True", "False", "None"):
            return Gives.PYTHON
        if node.value in self._held:
            return self._held[node.value]
        found = Gives.PYTHON
        for binding in self._facts.names.bindings(node):
            value = binding.value
            if isinstance(value, (str, Function, Class)):
                continue
            if binding.kind == "assign" and isinstance(value, cst.BaseExpression):
                if self._facts.constants.of(node) is not _UNKNOWN and binding.context.function is None:
                    continue
                if isinstance(value, cst.Lambda):
                    continue
            found = Gives.NUMBERS  # a value from around the function
        return found

    def _of_attribute(self, node: cst.Attribute) -> Gives:
        if self._facts.names.externals(node):
            return Gives.PYTHON
        base, name = self.of(node.value), node.attr.value
        if name in _SHAPES:
            return Gives.PYTHON if base < Gives.FAILS else base
        if base in (Gives.ARRAYS, Gives.NUMBERS):
            if name in arrays.ARRAY_ATTRIBUTES:
                self._touch(node.value)
                return base
            if name in _HOST_ATTRIBUTES:
                return Gives.FAILS
            return Gives.NUMBERS if not self._is_parameter(node.value) else Gives.DOUBTFUL
        return base

    def _is_parameter(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is what the function is given, which an attribute shows to be no array."""
        while isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
        return not isinstance(node, cst.Name) or node.value in self._held

    def _of_subscript(self, node: cst.Subscript) -> Gives:
        base = self.of(node.value)
        indices: list[Gives] = []
        for element in node.slice:
            if isinstance(element.slice, cst.Index):
                indices.append(self.of(element.slice.value))
            elif isinstance(element.slice, cst.Slice):
                bounds = (element.slice.lower, element.slice.upper, element.slice.step)
                found = max((self.of(bound) for bound in bounds if bound is not None), default=Gives.PYTHON)
                indices.append(found if found is Gives.PYTHON else Gives.FAILS)
        worst = max(indices)
        if base is Gives.PYTHON:
            return base if worst is Gives.PYTHON else Gives.FAILS
        self._touch(node.value)
        if worst in (Gives.ARRAYS, Gives.NUMBERS):
            return max(base, Gives.DOUBTFUL)  # it may be a mask
        return max(base, worst)

    # Calls

    def _of_call(self, node: cst.Call) -> Gives:
        given = [self.of(arg.value) for arg in node.args]
        worst = max(given, default=Gives.PYTHON)
        externals = self._facts.names.externals(node.func)
        if externals:
            return max(self._of_external(name, node, worst) for name in externals)
        if isinstance(node.func, cst.Name) and not self._facts.names.bindings(node.func):
            return self._of_builtin(node.func.value, node, worst)
        if worst >= Gives.DOUBTFUL:
            return worst
        if isinstance(node.func, cst.Attribute):
            found = self._of_method(node.func, node)
            if found is not None:
                return found
        return self._of_function_in_sight(node)

    def _of_external(self, name: str, node: cst.Call, worst: Gives) -> Gives:
        last = name.rpartition(".")[2]
        if name.startswith(("numpy.", "math.", "operator.")):
            return Gives.PYTHON if worst is Gives.PYTHON else Gives.FAILS
        if worst >= Gives.DOUBTFUL:
            return worst
        if name.startswith("jax.numpy.") and last in ("issubdtype", "result_type", "finfo", "iinfo", "ndim", "shape"):
            return Gives.PYTHON
        if not arrays.makes_array(name):
            return Gives.DOUBTFUL
        count = arrays.DATA_DEPENDENT.get(last) if name.startswith("jax.numpy.") else None
        if count is not None and (last != "where" or len(node.args) != 3):
            return Gives.FAILS
        if any(self.of(needed) is not Gives.PYTHON for needed in needed_arguments(node, name)):
            return Gives.FAILS
        if worst is Gives.PYTHON:
            return Gives.ARRAYS
        if last not in _LIKE:
            self._touch(*(arg.value for arg in node.args))
        return Gives.NUMBERS if last in _LIKE else Gives.ARRAYS

    def _of_builtin(self, name: str, node: cst.Call, worst: Gives) -> Gives:
        if name in _STATIC_BUILTINS and worst < Gives.DOUBTFUL:
            asks = name in ("isinstance", "hasattr", "callable", "type")
            self.sorted_out = self.sorted_out or (asks and any(self._reads(arg.value) for arg in node.args))
            return Gives.PYTHON
        if name in _CONVERSIONS:
            return Gives.PYTHON if worst is Gives.PYTHON and name not in ("print", "open") else Gives.FAILS
        if name in ("abs", "round", "pow") and worst <= Gives.NUMBERS:
            self._touch(*(arg.value for arg in node.args))
            return worst
        return max(worst, Gives.DOUBTFUL)

    def _of_method(self, func: cst.Attribute, node: cst.Call) -> Gives | None:
        """Return what a method of an array gives, None where it is none."""
        base, name = self.of(func.value), func.attr.value
        if base is Gives.PYTHON:
            return None
        if base >= Gives.DOUBTFUL:
            return base
        if self._facts.values.is_update(func):
            self._touch(func.value)
            return Gives.ARRAYS
        if name in _HOST_METHODS:
            return Gives.FAILS
        if name not in arrays.ARRAY_METHODS:
            return None
        self._touch(func.value)
        if any(self.of(needed) is not Gives.PYTHON for needed in needed_arguments_of_method(node, name)):
            return Gives.FAILS
        return base

    def _of_function_in_sight(self, node: cst.Call) -> Gives:
        callees = self._facts.calls.callees(node)
        if not callees or any(bound for _, bound in callees) or any(arg.star for arg in node.args):
            return Gives.DOUBTFUL
        found = Gives.PYTHON
        for function, bound in callees:
            given: dict[int | str, Gives] = {}
            for parameter in function.parameters:
                argument = argument_of(node, parameter, bound=bound)
                given[parameter.name] = Gives.PYTHON if argument is None else self.of(argument)
            found = max(found, self._purity.of_function(function, given, self._depth - 1))
        self._touch(*(arg.value for arg in node.args))
        return found


def is_none(node: cst.CSTNode) -> bool:
    """Whether an expression is `None`."""
    return isinstance(node, cst.Name) and node.value == "None"


def _harmless(found: Gives) -> Gives:
    return found if found >= Gives.DOUBTFUL else Gives.PYTHON
