"""Maps over the leaves of a tree that dispatch array operations for each of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.name_priors import PARAMETER_TREES
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import Expression, External, Item
from jaxlint.facts.syntax.tree import Function, Parameter, kinds, last_name, same_code, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_TRANSFERS = frozenset({"asarray", "array", "copy"})
_NO_ARRAYS = frozenset({"PartitionSpec", "P", "NamedSharding", "Sharding", "ShapeDtypeStruct", "str", "tuple"})
_NUMBERS_AND_TEXT = frozenset({"str", "bytes", "int", "bool", "Callable"})
_REDUCTIONS = frozenset({"mean", "sum", "max", "min", "median", "std", "nanmean", "average"})
_TO_HOST = frozenset({"device_get", "get_metrics", "process_allgather"})
"""Functions of jax and of flax's training helpers that return arrays of NumPy."""
_COUNTING = (cst.Add, cst.Subtract, cst.FloorDivide, cst.Modulo)
_PLACING = frozenset(
    "device_put device_get device_put_sharded device_put_replicated make_array_from_callback "
    "make_array_from_single_device_arrays make_array_from_process_local_data process_allgather".split()
)
_PLACED = frozenset({"addressable_shards", "addressable_data", "global_shards"})
"""What moves arrays between host and devices, and what tells how they lie there."""
_DEPTH = 6
_A_FEW = 2


@dataclass(frozen=True, slots=True, eq=False)
class LeafMap:
    """A `tree.map` whose function dispatches array operations on each leaf.

    `light` says that it is a single operation that no loop repeats, or no more than an index (`x[0]`), or a join of
    trees that are alike, and perhaps a sum over them.  `reads` says that its function asks for values of arrays, so
    that no program can hold it.  `updates` says that it works one tree into another, as a step of an optimizer, an
    average of parameters or a sum of gradients does.  `varies` says that it joins, in each iteration of a loop, arrays
    whose lengths differ from those of the one before, so that it compiles again.
    """

    node: cst.Call
    operations: int
    light: bool = False
    reads: bool = False
    updates: bool = False
    varies: bool = False


class LeafMaps:
    """Finds them."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._constants = facts.constants
        self._lengths = facts.lengths
        self._busy: set[int] = set()

    @functools.cached_property
    def found(self) -> list[LeafMap]:
        """The `tree.map` calls that dispatch array operations, whether a trace surrounds them or not."""
        found = (self._leaf_map(wrapped) for wrapped in self._wrappings.calls.values())
        return [leaf_map for leaf_map in found if leaf_map is not None]

    def _leaf_map(self, wrapped: Wrapped) -> LeafMap | None:
        """Return a `tree.map` that dispatches array operations, None for one that does not."""
        node = wrapped.node
        if not isinstance(node, cst.Call) or not wrapped.wrapper.name.startswith("jax.tree.map"):
            return None
        if all(self._is_written_out(arg.value) for arg in node.args[1:]):
            return None  # a tree of numbers
        if all(self._is_on_host(arg.value) for arg in node.args[1:]):
            return None  # NumPy's arrays
        if wrapped.keyword("is_leaf") is not None and self._asks_for_type(wrapped.keyword("is_leaf")):
            return None  # the leaves are objects, such as specifications of shardings
        if self._moves_data(wrapped.targets[0]):
            return None  # between host and devices, which no program does
        # With the path of a leaf, which is no array, comes the leaf.
        skipped = 1 if wrapped.wrapper.name.endswith("with_path") else 0
        operations = self._operations_of(wrapped.targets[0], _DEPTH, skipped)
        if not operations:
            return None
        repeated = self._tree.context(node).loop is not None
        target = wrapped.targets[0]
        if operations == 1:
            light = (
                not repeated
                or self._only_indexes(target)
                or self._only_reduces(target)
                or self._joins_alike(target, node)
            )
        else:
            joins = operations == _A_FEW and repeated and self._joins_alike(target, node)
            light = joins or self._only_indexes(target)
        varies = repeated and self._lengths.joins(target) and self._lengths.varies(node)
        return LeafMap(node, operations, light, self._reads_values(target), self._updates(node, target), varies)

    def _updates(self, node: cst.Call, target: cst.CSTNode) -> bool:
        """Whether a map works trees of parameters into each other: into one of its own, or by their names."""
        trees = [arg.value for arg in node.args[1:] if arg.keyword is None]
        if len(trees) < _A_FEW or not self._computes_with_all(target):
            return False
        if any(PARAMETER_TREES.fullmatch(last_name(tree)) for tree in trees):
            return True
        parent = self._tree.parent(node)
        return isinstance(parent, cst.Assign) and any(
            same_code(target.target, tree) for target in parent.targets for tree in trees
        )

    def _computes_with_all(self, target: cst.CSTNode) -> bool:
        """Whether a function gives what arithmetic makes of all that it is given."""
        for function in self._names.functions(target):
            given = {parameter.name for parameter in function.parameters if parameter.default is None}
            used = {
                part.value
                for root in function.returns
                for node in within(root)
                if isinstance(node, cst.BinaryOperation)
                for part in within(node)
                if isinstance(part, cst.Name)
            }
            if len(given) >= _A_FEW and given <= used:
                return True
        return False

    def _moves_data(self, node: cst.CSTNode, depth: int = _A_FEW) -> bool:
        """Whether a function, perhaps with arguments bound, places arrays on devices or takes parts that lie there."""
        functions = list(self._names.functions(node))
        for value in self._names.values(node):
            inner = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if inner is not None and inner.wrapper.kind == "partial" and depth:
                functions.extend(self._names.functions(inner.targets[0]))
        return any(
            (isinstance(part, cst.Call) and last_name(part.func) in _PLACING)
            or (isinstance(part, cst.Attribute) and part.attr.value in _PLACED)
            for function in functions
            for part in self._tree.body(function)
        )

    def _reads_values(self, node: cst.CSTNode) -> bool:
        """Whether a function reads a value by `.item()`, `.tolist()` or `float(...)`."""
        return any(
            isinstance(part, cst.Call)
            and (
                (isinstance(part.func, cst.Attribute) and part.func.attr.value in ("item", "tolist"))
                or (isinstance(part.func, cst.Name) and part.func.value in ("float", "int", "bool"))
            )
            for function in self._names.functions(node)
            for part in self._tree.body(function)
        )

    def _only_indexes(self, node: cst.CSTNode) -> bool:
        """Whether a function only takes an element of its argument, as to undo a replication over devices."""
        values = self._names.values(node)
        return all(
            isinstance(v, Function) and len(v.returns) == 1 and isinstance(v.returns[0], cst.Subscript) for v in values
        )

    def _only_reduces(self, node: cst.CSTNode) -> bool:
        """Whether a function only takes a mean or a sum, as of the metrics of an epoch, which are few."""
        values = self._names.values(node)
        return bool(values) and all(
            _reduces(value.name)
            if isinstance(value, External)
            else isinstance(value, Function)
            and len(value.returns) == 1
            and isinstance(call := value.returns[0], cst.Call)
            and last_name(call.func) in _REDUCTIONS
            for value in values
        )

    def _is_on_host(self, node: cst.CSTNode) -> bool:
        """Whether a tree was brought to the host, so that its leaves are arrays of NumPy."""
        values = [value.node for value in self._names.values(node) if isinstance(value, (Expression, Item))]
        return bool(values) and all(
            isinstance(value, cst.Call) and last_name(value.func) in _TO_HOST for value in values
        )

    def _joins_alike(self, target: cst.CSTNode, node: cst.Call) -> bool:
        """Whether a map joins trees, of which nothing says that they differ in length, or averages what it joins."""
        return self._lengths.joins(target) and not self._lengths.varies(node)

    def _asks_for_type(self, node: cst.CSTNode | None) -> bool:
        """Whether a function tells leaves by a class of which no instance is an array."""
        tests = [
            test
            for value in (self._names.values(node) if node is not None else ())
            if isinstance(value, Function)
            for test in value.returns
            if isinstance(test, cst.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2
        ]
        return any(last_name(test.args[1].value) in _NO_ARRAYS for test in tests)

    def _is_written_out(self, node: cst.CSTNode) -> bool:
        if self._constants.of(node) not in (UNKNOWN, ()):
            return True
        for value in self._names.values(node):
            inner = value.node if isinstance(value, Expression) else None
            if not isinstance(inner, (cst.Dict, cst.List, cst.Tuple)) or not inner.elements:
                return False  # an empty one is there to be filled
            if inner is not node or not all(self._constants.of(e.value) is not UNKNOWN for e in inner.elements):
                return inner is not node and self._is_written_out(inner)
        return True

    def _operations_of(
        self, node: cst.CSTNode, depth: int, skipped: int = 0, gets: Callable[[Parameter], bool] = lambda _: True
    ) -> int:
        """Count the array operations of a function on what it is given; `gets` says which parameters get arrays."""
        if depth <= 0:
            return 0
        most = 0
        for value in self._names.values(node):
            if isinstance(value, External):
                found = int(_dispatches(value.name))
            elif isinstance(value, Function):
                found = self._operations_in(value, depth, skipped, gets)
            elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                inner = self._wrappings.of(value.node)
                traced = inner is not None and not inner.wrapper.compiles and inner.wrapper.makes_callable
                found = self._operations_of(inner.targets[0], depth - 1) if inner is not None and traced else 0
            else:
                found = 0
            most = max(most, found)
        return most

    def _assigns_items(self, function: Function, given: set[str]) -> bool:
        """Whether a function changes one of its arguments in place, element by element."""
        return any(
            isinstance(target.target, cst.Subscript)
            and isinstance(target.target.value, cst.Name)
            and target.target.value.value in given
            for node in self._tree.body(function)
            if isinstance(node, cst.Assign)
            for target in node.targets
        )

    def _operations_in(
        self, function: Function, depth: int, skipped: int = 0, gets: Callable[[Parameter], bool] = lambda _: True
    ) -> int:
        if (
            id(function) in self._busy
            or depth == 0
            or any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(function))
        ):
            return 0
        given = {
            p.name
            for p in function.parameters[skipped:]
            if p.default is None
            and gets(p)
            and not (p.annotation is not None and last_name(p.annotation) in _NUMBERS_AND_TEXT)
        }
        if self._assigns_items(function, given):
            return 0  # which arrays of JAX refuse
        counter = _Counter(self, given, depth)
        self._busy.add(id(function))
        for node in self._tree.body(function):
            counter.visit(node)
        self._busy.discard(id(function))
        return counter.operations


def _reduces(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return module in ("jax.numpy", "numpy") and last in _REDUCTIONS


class _Counter:
    """Counts the operations on the arrays that a function is given, and on what is made of them."""

    def __init__(self, maps: LeafMaps, given: set[str], depth: int) -> None:
        self._names = maps._names
        self._maps = maps
        self._arrays = given
        self._depth = depth
        self._known: dict[int, bool] = {}
        self.operations = 0

    def visit(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Assign) and self.is_array(node.value) and self._is_of_leaf(node.value):
            for target in node.targets:
                if isinstance(target.target, cst.Name):
                    self._arrays = self._arrays | {target.target.value}
        self.operations += self._operation(node)

    def _operation(self, node: cst.CSTNode) -> int:
        if node.__class__ not in _OPERATIONS:
            return 0
        if isinstance(node, cst.BinaryOperation):
            # Of axis numbers and counts, which trees hold as well, Python does this much.
            counts = isinstance(node.operator, _COUNTING) and isinstance(node.right, cst.Integer)
            return int((self.is_array(node.left) or self.is_array(node.right)) and not counts)
        if isinstance(node, cst.UnaryOperation):
            return int(not isinstance(node.operator, cst.Not) and self.is_array(node.expression))
        if isinstance(node, cst.Comparison):
            by_value = not isinstance(node.comparisons[0].operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn))
            return int(by_value and self.is_array(node.left))
        if isinstance(node, cst.Subscript):
            at = isinstance(node.value, cst.Attribute) and node.value.attr.value == "at"
            # Text is a key of a mapping; `[...]` reads what a reference or a variable holds.
            kinds = (cst.BaseString, cst.Ellipsis)
            text = any(isinstance(e.slice, cst.Index) and isinstance(e.slice.value, kinds) for e in node.slice)
            return int(not at and not text and self.is_array(node.value))
        if isinstance(node, cst.Attribute):
            return int(node.attr.value in ("T", "mT", "real", "imag") and self.is_array(node.value))
        if isinstance(node, cst.Call):
            return self._call(node)
        return 0

    def _call(self, node: cst.Call) -> int:
        externals = self._names.externals(node.func)
        if externals:
            return int(any(_dispatches(name) for name in externals) and any(map(self._is_of_leaf, node.args)))
        given = any(self.is_array(arg.value) for arg in node.args)
        if isinstance(node.func, cst.Attribute) and self.is_array(node.func.value):
            name = node.func.attr.value
            if name == "astype":
                return int(not (node.args and _is_dtype_of_array(node.args[0].value)))
            return int(name in arrays.ARRAY_METHODS or name in arrays.UPDATES)
        return self._maps._operations_of(node.func, self._depth - 1, gets=self._gets(node)) if given else 0

    def _gets(self, call: cst.Call) -> Callable[[Parameter], bool]:
        """Return whether a parameter of what is called gets something that is made of the leaf."""
        by_star = any(arg.star for arg in call.args)

        def gets(parameter: Parameter) -> bool:
            argument = argument_of(call, parameter, bound=False)
            return by_star or (argument is not None and self._is_of_leaf(argument))

        return gets

    def _is_of_leaf(self, node: cst.CSTNode) -> bool:
        """Whether an expression has the leaf in it, or what is made of it."""
        return any(isinstance(part, cst.Name) and part.value in self._arrays for part in within(node))

    def is_array(self, node: cst.CSTNode) -> bool:
        """Whether an expression holds an array, as far as the function's own parameters decide."""
        if isinstance(node, cst.Name):
            return node.value in self._arrays
        if isinstance(node, cst.Attribute):
            return node.attr.value in arrays.ARRAY_ATTRIBUTES and self.is_array(node.value)
        if isinstance(node, cst.Subscript):
            return self.is_array(node.value)
        if isinstance(node, cst.BinaryOperation):
            return self.is_array(node.left) or self.is_array(node.right)
        if isinstance(node, cst.UnaryOperation):
            return self.is_array(node.expression)
        if isinstance(node, cst.Call):
            if any(arrays.is_array_function(name) for name in self._names.externals(node.func)):
                return True
            func = node.func
            return (
                isinstance(func, cst.Attribute)
                and func.attr.value in arrays.ARRAY_METHODS
                and self.is_array(func.value)
            )
        return False


_OPERATIONS = kinds(cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript, cst.Attribute, cst.Call)


def _dispatches(name: str) -> bool:
    return arrays.is_array_function(name) and name.rpartition(".")[2] not in _TRANSFERS


def _is_dtype_of_array(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "dtype"
