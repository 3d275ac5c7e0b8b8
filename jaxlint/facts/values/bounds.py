"""What bounds a loop: a constant, an axis of data, an axis of coordinates, a setting, a container of Python objects.

Only an axis of data makes a program grow with the data.  What a setting is worth is known where the text shows it: its
default, or what all visible callers give.  Names are priors, and all of them are in the tables below.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.jax_api.arrays import ARRAY_ATTRIBUTES, ARRAY_METHODS, ATTRIBUTES_OF_PYTHON
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.jax_api.name_priors import COORDINATES, DATA_LENGTHS, VECTORS
from jaxlint.facts.syntax.constants import Constants
from jaxlint.facts.syntax.names import Element, Expression, Item, Names, Value
from jaxlint.facts.syntax.tree import Loop, Parameter, Tree, children, last_name, within
from jaxlint.facts.values.values import Kind, Values

SPLITS = {
    **{f"jax.numpy.{name}": (1, "indices_or_sections") for name in "split array_split hsplit vsplit dsplit".split()},
    "jax.random.split": (1, "num"),
}
"""The functions that give as many parts as an argument says, by position and keyword."""
TUPLES = frozenset(
    f"jax.numpy.{name}"
    for name in ("meshgrid", "broadcast_arrays", "unravel_index", "nonzero", "where", "gradient", "ix_", "indices")
) | frozenset({"jax.tree.leaves", "jax.tree_util.tree_leaves", "jax.tree.flatten", "jax.tree_util.tree_flatten"})
"""The functions that give a Python sequence of arrays, one for each dimension, argument or leaf."""

_MODULES = ("jax.numpy", "numpy")
_SAME = frozenset({"jax.numpy.asarray", "jax.numpy.array", "jax.numpy.atleast_1d", "jax.numpy.ravel"})
"""Functions of which a vector comes out as long as it went in."""
_WRITTEN_OUT = frozenset(f"{module}.{name}" for module in _MODULES for name in ("array", "asarray", "stack"))
_AS_LONG_AS_TOLD = {
    f"{module}.{name}": position
    for module in _MODULES
    for name, position in (("arange", 0), ("ones", 0), ("zeros", 0), ("full", 0), ("eye", 0), ("linspace", 2))
}
"""The functions that make arrays as long as an argument says."""
_SEQUENCES = frozenset(
    {"list", "List", "tuple", "Tuple", "Sequence", "dict", "Dict", "Mapping", "Iterable", "Iterator", "set", "Set"}
)
"""Annotations of what holds objects of Python."""
_OF_ANY_ARRAY = frozenset({"ndim", "itemsize"})
"""Attributes of arrays and dtypes that are small whatever the data."""
_START_AND_STOP = 2
_DEPTH = 6


class BoundKind(enum.Enum):
    """What decides how often a loop runs."""

    CONSTANT = "constant"
    DATA_AXIS = "data axis"
    COMPONENTS = "axis of coordinates, channels or components"
    SETTING = "setting"
    CONTAINER = "Python container"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Bound:
    """What bounds a loop.

    `low` and `high` are the numbers of iterations that the text shows, None where it shows none; `name` is the setting,
    or the array, as it is written, and `axis` the array's axis where the text shows it.  `shown` is the longest that
    some of the visible callers make the axis, where what others give is unknown.  `chunked` says that an iteration
    takes a part of it, as long as a setting says.
    """

    kind: BoundKind
    low: int = 0
    high: int | None = None
    name: str = ""
    axis: int | None = None
    shown: int | None = None
    chunked: bool = False

    @property
    def words(self) -> str:
        """Say in words what the number of iterations is."""
        if self.kind is BoundKind.SETTING:
            return f"its length is set by `{self.name}`" if self.name else "its length is set by a setting"
        if self.kind is BoundKind.DATA_AXIS:
            array = f"`{self.name}`" if self.name else "an array"
            where = "" if self.axis is None else f" axis {self.axis} of"
            return f"it runs once per element along{where} {array}"
        return ""


UNKNOWN_BOUND = Bound(BoundKind.UNKNOWN)


class Bounds:
    """Tells what bounds the loops of a module; `count` gives the iterations that the text fixes, None for others."""

    def __init__(
        self,
        tree: Tree,
        names: Names,
        calls: Calls,
        constants: Constants,
        values: Values,
        count: Callable[[Loop], int | None],
    ) -> None:
        self._tree = tree
        self._names = names
        self._calls = calls
        self._constants = constants
        self._values = values
        self._count = count
        self._known: dict[int, Bound] = {}

    def of(self, loop: Loop) -> Bound:
        """Return what bounds a loop."""
        known = self._known.get(id(loop))
        if known is None:
            known = self._known[id(loop)] = self._of(loop)
        return known

    def _of(self, loop: Loop) -> Bound:
        count = self._count(loop)
        if count is not None:
            return Bound(BoundKind.CONSTANT, count, count)
        node = loop.node
        found = self._of_test(node.test) if isinstance(node, cst.While) else self._of_iterable(node.iter)
        if found.kind in (BoundKind.SETTING, BoundKind.DATA_AXIS) and self._goes_through_objects(loop, found):
            return Bound(BoundKind.CONTAINER, found.low, found.high, found.name)
        if found.kind is BoundKind.DATA_AXIS and self._counts_components(loop, found):
            return Bound(BoundKind.COMPONENTS, name=found.name, axis=found.axis)
        if found.kind in (BoundKind.DATA_AXIS, BoundKind.SETTING) and self._is_chunked(node, found.kind):
            return replace(found, chunked=True)
        return found

    def _of_test(self, test: cst.BaseExpression) -> Bound:
        if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
            return self._of_number(test.comparisons[0].comparator)
        return UNKNOWN_BOUND

    def _of_iterable(self, node: cst.BaseExpression) -> Bound:
        if isinstance(node, cst.Call):
            func, args = last_name(node.func), [arg.value for arg in node.args if arg.keyword is None]
            builtin = isinstance(node.func, cst.Name) and not self._names.bindings(node.func)
            if func in ("range", "trange") and args:
                stop = self._of_number(args[1] if len(args) > 1 else args[0])
                start = self._of_number(args[0]) if len(args) > 1 else None
                if start is not None and stop.kind is BoundKind.CONSTANT and start.kind is not BoundKind.CONSTANT:
                    # It counts up to a number, from wherever.
                    up = start.kind is BoundKind.DATA_AXIS and len(args) <= _START_AND_STOP
                    return replace(stop, low=0) if up else start
                return stop
            if (builtin and func in ("enumerate", "reversed", "list", "tuple", "sorted", "iter")) or func == "tqdm":
                return self._of_iterable(args[0]) if args else UNKNOWN_BOUND
            if builtin and func == "zip":
                return self._of_several([self._of_iterable(arg) for arg in args])
        return self._of_elements(node)

    @staticmethod
    def _of_several(found: list[Bound]) -> Bound:
        """Return the bound of a loop over several things at once: the shortest ends it."""
        order = (BoundKind.CONSTANT, BoundKind.CONTAINER, BoundKind.COMPONENTS, BoundKind.SETTING, BoundKind.DATA_AXIS)
        return next((bound for kind in order for bound in found if bound.kind is kind), UNKNOWN_BOUND)

    def _of_elements(self, node: cst.BaseExpression) -> Bound:
        """Return what bounds a loop over the elements of something."""
        for value in self._names.values(node):
            inner = value.node if isinstance(value, (Expression, Item)) else None
            if isinstance(inner, cst.Call):
                parts = self._parts_of(inner)
                if parts is not None:
                    return parts
            if isinstance(value, Parameter):
                short = self._length_of_parameter(value, _DEPTH)
                if short is not None and (short <= SHORT or not self._values.is_array(node)):
                    return Bound(BoundKind.CONTAINER, short, short, value.name)
        if self._is_sequence(node) or self._is_given_list(node):
            return Bound(BoundKind.CONTAINER, name=_written(node))
        if self._values.is_array(node) or self._values.kind(node) is Kind.DATA:
            return self._along(node, 0)
        return UNKNOWN_BOUND

    def _is_chunked(self, node: cst.For | cst.While | cst.CompFor, kind: BoundKind) -> bool:
        """Whether a loop takes many elements in each iteration, as many as a setting or a number says.

        What counts up to a setting by a setting, `range(0, n_steps, n_envs)`, has to cut them out as well.
        """
        if isinstance(node, cst.While) or not isinstance(node.iter, cst.Call):
            return False
        if last_name(node.iter.func) not in ("range", "trange"):
            return False
        args = node.iter.args
        step = args[-1].value if len(args) > _START_AND_STOP else None
        if step is None or isinstance(step, cst.UnaryOperation):
            return False
        size = self._of_number(step)
        known = kind is BoundKind.DATA_AXIS or size.high is not None
        return self._is_large(size) and (known or self._cuts_at_count(node))

    @staticmethod
    def _cuts_at_count(node: cst.For | cst.While | cst.CompFor) -> bool:
        """Whether a loop adds to what it counts, as in `x[i : i + size]`, or starts a slice with it."""
        if not isinstance(node, cst.For) or not isinstance(node.target, cst.Name):
            return True
        starts = (
            part.lower if isinstance(part, cst.Slice) else part.left
            for part in within(node.body)
            if isinstance(part, cst.Slice)
            or (isinstance(part, cst.BinaryOperation) and isinstance(part.operator, cst.Add))
        )
        return any(isinstance(start, cst.Name) and start.value == node.target.value for start in starts)

    @staticmethod
    def _is_large(size: Bound) -> bool:
        """Whether a chunk is as large as a setting says, or a number that is not small."""
        return size.high is None or size.high > SHORT

    def _is_sequence(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a parameter that its annotation says to hold objects: `xs: list[jax.Array]`."""
        values = self._names.values(node)
        return bool(values) and all(
            isinstance(value, Parameter)
            and value.annotation is not None
            and last_name(value.annotation.value if isinstance(value.annotation, cst.Subscript) else value.annotation)
            in _SEQUENCES
            for value in values
        )

    def _is_given_list(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a parameter for which a visible call gives a list, whatever its annotation says."""
        return any(
            isinstance(given, Expression) and isinstance(given.node, (cst.List, cst.ListComp))
            for value in self._names.values(node)
            if isinstance(value, Parameter)
            for site in self._calls.of(value.function)
            if (argument := argument_of(site.node, value, bound=site.bound)) is not None
            for given in self._names.values(argument)
        )

    def _parts_of(self, call: cst.Call) -> Bound | None:
        """Return the bound of a loop over what a call gives, where that is a sequence of parts: `jnp.split(x, 4)`."""
        names = self._names.externals(call.func)
        if not TUPLES.isdisjoint(names):
            return Bound(BoundKind.CONTAINER)
        for name in names:
            if name not in SPLITS:
                continue
            position, keyword = SPLITS[name]
            placed = [arg.value for arg in call.args if arg.keyword is None]
            named = {arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None}
            given = named.get(keyword) or (placed[position] if position < len(placed) else None)
            if given is None:
                return Bound(BoundKind.CONSTANT, 2, 2)
            cuts = self._constants.length(given)
            number = cuts + 1 if cuts is not None else self._constants.integer(given)
            return self._of_number(given) if number is None else Bound(BoundKind.CONSTANT, number, number)
        return None

    def _length_of_parameter(self, parameter: Parameter, depth: int) -> int | None:
        """Return how long the sequence is that a parameter is given, by its default where no visible call gives it."""
        return self._worth(parameter, self._constants.length, depth)

    # Numbers

    def _of_number(self, node: cst.CSTNode, depth: int = _DEPTH) -> Bound:
        """Return what decides a number: an axis beats a setting that it is computed with."""
        number = self._constants.integer(node)
        if number is not None:
            return Bound(BoundKind.CONSTANT, number, number)
        if depth <= 0:
            return UNKNOWN_BOUND
        axis = self._axis(node)
        if axis is not None:
            return axis
        if isinstance(node, cst.Name):
            return self._best([self._of_value(value, node, depth) for value in self._names.values(node)])
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node, depth)
        if isinstance(node, cst.BinaryOperation):
            return self._of_operation(node, depth)
        if isinstance(node, cst.Call) and last_name(node.func) == "min" and not self._names.externals(node.func):
            sides = [self._of_number(arg.value, depth - 1) for arg in node.args]
            highs = [side.high for side in sides if side.high is not None]
            if any(side.kind is BoundKind.CONSTANT for side in sides):
                return Bound(BoundKind.CONSTANT, 0, min(highs, default=None))
            return replace(self._best(sides), high=min(highs, default=None), low=0)
        if isinstance(node, (cst.Call, cst.UnaryOperation, cst.Arg, cst.Subscript)):
            return self._best([self._of_number(child, depth - 1) for child in children(node)])
        return UNKNOWN_BOUND

    def _of_operation(self, node: cst.BinaryOperation, depth: int) -> Bound:
        sides = [self._of_number(side, depth - 1) for side in (node.left, node.right)]
        left, right = sides
        if (
            isinstance(node.operator, cst.Subtract)
            and right.kind is BoundKind.DATA_AXIS
            and left.kind is not right.kind
        ):
            return UNKNOWN_BOUND  # what is missing of a number, and less the longer the axis is
        if all(side.kind is BoundKind.CONSTANT for side in sides):
            return sides[0] if isinstance(node.operator, (cst.Subtract, cst.FloorDivide)) else UNKNOWN_BOUND
        if isinstance(node.operator, (cst.Divide, cst.FloorDivide)) and left.kind is BoundKind.DATA_AXIS:
            return replace(left, chunked=left.chunked or self._is_large(right))
        return self._best(sides)

    @staticmethod
    def _best(found: list[Bound]) -> Bound:
        order = (BoundKind.DATA_AXIS, BoundKind.COMPONENTS, BoundKind.CONTAINER, BoundKind.SETTING, BoundKind.CONSTANT)
        return next((bound for kind in order for bound in found if bound.kind is kind), UNKNOWN_BOUND)

    def _of_value(self, value: object, node: cst.Name, depth: int) -> Bound:
        if isinstance(value, Parameter):
            if self._values.parameter(value).traced:
                return UNKNOWN_BOUND  # a traced bound fails, which is the business of JAX201
            number = self._worth(value, self._constants.integer, depth)
            return Bound(BoundKind.SETTING, number or 0, number, value.name)
        if isinstance(value, Item) and isinstance(value.node, cst.Attribute) and value.node.attr.value == "shape":
            return self._axis_of_unpacked(value.node, value.index, node)
        if isinstance(value, Expression) and value.node is not node:
            return self._of_number(value.node, depth - 1)
        return UNKNOWN_BOUND

    def _of_attribute(self, node: cst.Attribute, depth: int) -> Bound:
        if self._names.externals(node) or (node.attr.value in _OF_ANY_ARRAY and not self._is_stored(node)):
            return UNKNOWN_BOUND
        for value in self._names.values(node):
            if isinstance(value, Expression) and value.node is not node:
                found = self._of_number(value.node, depth - 2)
                if found.kind is not BoundKind.UNKNOWN:
                    return Bound(found.kind, found.low, found.high, found.name or node.attr.value, found.axis)
        return Bound(BoundKind.SETTING, name=node.attr.value)

    def _worth(self, parameter: Parameter, of: Callable[[cst.CSTNode | None], int | None], depth: int) -> int | None:
        """Return the largest value that visible calls, or else its default, give a parameter."""
        found: list[int | None] = []
        for site in self._calls.of(parameter.function):
            given = argument_of(site.node, parameter, bound=site.bound)
            if given is None:
                continue
            value = of(given)
            if value is None and depth > 0:
                inner = [v for v in self._names.values(given) if isinstance(v, Parameter) and v is not parameter]
                value = max((w for v in inner if (w := self._worth(v, of, depth - 2)) is not None), default=None)
            found.append(value)
        if parameter.default is not None:
            default = of(parameter.default)
            found.append(default)
            if default is not None and all(value is None for value in found[:-1]):
                return default  # of what others give nothing is known: the default tells what is meant
        return max((value for value in found if value is not None), default=None) if None not in found else None

    # Axes

    def _along(self, array: cst.CSTNode, axis: int | None) -> Bound:
        """Return the bound that an array's axis is: as long as the literals that visible callers make it of."""
        if axis != 0:
            return Bound(BoundKind.DATA_AXIS, name=_written(array), axis=axis)
        values = self._sources(array)
        lengths = [
            self._worth(value, self._length_of_array, _DEPTH)
            if isinstance(value, Parameter)
            else self._length_of_array(value.node if isinstance(value, Expression) else None)
            for value in values
        ]
        length = max((n for n in lengths if n is not None), default=None) if None not in lengths else None
        if length is not None:
            return Bound(BoundKind.CONSTANT, length, length, _written(array), axis)
        shown = [n for value in values if isinstance(value, Parameter) for n in self._given_lengths(value)]
        return Bound(BoundKind.DATA_AXIS, name=_written(array), axis=axis, shown=max(shown, default=None))

    def _sources(self, array: cst.CSTNode) -> list[Value]:
        """Return what an array may represent, behind what is as long as it."""
        found: list[Value] = []
        for value in self._names.values(array):
            same = self._as_long(value.node) if isinstance(value, Expression) else None
            found.extend([value] if same is None else self._names.values(same))
        return found

    def _given_lengths(self, parameter: Parameter) -> Iterator[int]:
        """Yield the lengths of the arrays that visible callers give, as far as the text shows them."""
        for site in self._calls.of(parameter.function):
            given = argument_of(site.node, parameter, bound=site.bound)
            length = self._length_of_array(given) if given is not None else None
            if length is not None:
                yield length

    def _length_of_array(self, node: cst.CSTNode | None, depth: int = _DEPTH) -> int | None:
        """Return the length of an array that is written out, or made of a size that the text shows.

        `jnp.array([[0.0, 1.0], [1.0, 1.0]])` and `jnp.ones((2, 3))` have two; of a list that a loop goes through, the
        longest element counts.
        """
        for value in self._names.values(node) if node is not None else ():
            inner = value.node if isinstance(value, Expression) else None
            if isinstance(value, Element) and depth:
                lengths = [self._length_of_array(part, depth - 1) for part in self._elements(value.node)]
                return max((n for n in lengths if n is not None), default=None) if None not in lengths else None
            same = self._as_long(inner) if depth else None
            if same is not None:
                return self._length_of_array(same, depth - 1)
            if isinstance(inner, cst.Call) and inner.args:
                names = self._names.externals(inner.func)
                if not _WRITTEN_OUT.isdisjoint(names):
                    return self._constants.length(inner.args[0].value)
                for name in names:
                    position = _AS_LONG_AS_TOLD.get(name)
                    if position is not None:
                        return self._told_length(inner, name, position)
        return self._constants.length(node)

    def _as_long(self, node: cst.CSTNode | None) -> cst.CSTNode | None:
        """Return what an expression has the length of: an array that it reverses, casts or combines with a number."""
        if isinstance(node, cst.Call) and node.args and not _SAME.isdisjoint(self._names.externals(node.func)):
            return node.args[0].value
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            return node.func.value if node.func.attr.value in ("astype", "copy") else None
        if isinstance(node, cst.Subscript) and len(node.slice) == 1:
            part = node.slice[0].slice
            return node.value if isinstance(part, cst.Slice) and part.lower is None and part.upper is None else None
        if isinstance(node, cst.BinaryOperation):
            arrays = [
                side for side in (node.left, node.right) if not isinstance(self._constants.of(side), (int, float))
            ]
            return arrays[0] if len(arrays) == 1 else None
        return node.target if isinstance(node, cst.AugAssign) else None

    def _told_length(self, call: cst.Call, name: str, position: int) -> int | None:
        placed = [arg.value for arg in call.args if arg.keyword is None]
        if name.endswith("arange") and len(placed) != 1:
            return None
        if position >= len(placed):
            return None
        size = placed[position]
        if isinstance(size, (cst.Tuple, cst.List)):
            return self._constants.integer(size.elements[0].value) if size.elements else None
        return self._constants.integer(size)

    def _elements(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Return the elements of a list or tuple that is written out, perhaps by a name."""
        for value in self._names.values(node):
            inner = value.node if isinstance(value, Expression) else None
            if isinstance(inner, (cst.List, cst.Tuple)):
                return [element.value for element in inner.elements]
        return []

    def _axis(self, node: cst.CSTNode) -> Bound | None:
        """Return the axis that a number is the length of: `x.shape[0]`, `len(x)`, `x.size`."""
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute):
            if node.value.attr.value != "shape" or len(node.slice) != 1:
                return None
            index = node.slice[0].slice
            axis = self._constants.integer(index.value) if isinstance(index, cst.Index) else None
            return self._along(node.value.value, axis)
        if isinstance(node, cst.Attribute) and node.attr.value in ("shape", "size") and not self._is_stored(node):
            return replace(self._along(node.value, 0), axis=None)
        if isinstance(node, cst.Call) and last_name(node.func) == "len" and node.args:
            found = self._of_elements(node.args[0].value)
            known = found.kind is not BoundKind.UNKNOWN
            return found if known else Bound(BoundKind.CONTAINER, name=_written(node.args[0].value))
        return None

    def _is_stored(self, node: cst.Attribute) -> bool:
        """Whether an attribute is one that a visible class gives its instances, as `self.size = ...` does."""
        return any(not isinstance(value, Expression) or value.node is not node for value in self._names.values(node))

    def _axis_of_unpacked(self, shape: cst.Attribute, axis: int | None, node: cst.Name) -> Bound:
        """Return the axis of a name of `height, width = x.shape`."""
        for binding in self._names.bindings(node):
            parent = self._tree.parent(shape)
            target = parent.targets[0].target if isinstance(parent, cst.Assign) and binding.kind == "unpack" else None
            if isinstance(target, (cst.Tuple, cst.List)) and len(target.elements) > 1:
                starred = any(isinstance(element, cst.StarredElement) for element in target.elements)
                last = axis is None if starred else axis == len(target.elements) - 1
                if last and not DATA_LENGTHS.fullmatch(node.value):
                    axis = -1
        return self._along(shape.value, axis)

    # What a loop does with its variable

    def _counts_components(self, loop: Loop, bound: Bound) -> bool:
        """Whether an axis holds coordinates, channels or components, of which there are few whatever the data.

        The trailing axis does, unless iterations look at their neighbours along it, as those over time do, or the
        number has the name of a length.  So does one along which a comprehension only takes an array apart.
        """
        variables = set(_targets(loop))
        if any(COORDINATES.fullmatch(name) for name in variables):
            return True
        if any(DATA_LENGTHS.fullmatch(name) for name in self._bound_names(loop)):
            return False
        if bound.axis is not None and bound.axis != 0 and VECTORS.fullmatch(bound.name.rpartition(".")[2].lower()):
            return True
        if bound.axis and self._only_splits(loop, bound):
            return True
        if bound.axis == -1 or self._is_last_of_array(loop, bound, variables):
            return not self._looks_at_neighbours(loop, variables)
        return False

    def _only_splits(self, loop: Loop, bound: Bound) -> bool:
        """Whether a comprehension only takes an array apart, for Python to name its parts: `[x[:, i] for i in ...]`."""
        whole = self._tree.parent(loop.node)
        element = getattr(whole, "elt", None)
        return isinstance(element, cst.Subscript) and _written(element.value) == bound.name

    def _is_last_of_array(self, loop: Loop, bound: Bound, variables: set[str]) -> bool:
        """Whether iterations take what lies behind whole axes at their number, as of channels: `x[:, :, i]`."""
        if bound.axis is None or bound.axis < _FEWEST_AXES:
            return False
        for node in self._nodes(loop):
            if not isinstance(node, cst.Subscript) or len(node.slice) != bound.axis + 1:
                continue
            *others, last = (element.slice for element in node.slice)
            if _written(node.value) != bound.name or not isinstance(last, cst.Index):
                continue
            whole = all(isinstance(s, cst.Slice) and s.lower is None and s.upper is None for s in others)
            if whole and isinstance(last.value, cst.Name) and last.value.value in variables:
                return True
        return False

    def _bound_names(self, loop: Loop) -> Iterator[str]:
        if isinstance(loop.node, cst.While):
            return
        work: list[cst.CSTNode] = [loop.node.iter]
        while work:
            node = work.pop()
            if isinstance(node, cst.Name):
                yield node.value
            elif not isinstance(node, cst.Attribute):
                work.extend(children(node))

    def _looks_at_neighbours(self, loop: Loop, variables: set[str]) -> bool:
        """Whether an iteration indexes by more than its variable alone: `x[..., t - 1]`, `x[:t]`.

        A window that begins at the variable, `x[k : k + n]`, is what a tap of a convolution is multiplied with.
        """
        for node in self._nodes(loop):
            if not isinstance(node, cst.Subscript):
                continue
            for element in node.slice:
                part = element.slice
                inner = part.value if isinstance(part, cst.Index) else part
                computed = isinstance(inner, (cst.BinaryOperation, cst.Slice))
                window = isinstance(inner, cst.Slice) and isinstance(inner.lower, cst.Name) and inner.upper is not None
                if computed and not window and not variables.isdisjoint(_names_in(inner)):
                    return True
        return False

    def _goes_through_objects(self, loop: Loop, bound: Bound) -> bool:
        """Whether iterations use what they take as no array can be: `self.models[i].f()`, `x = xs[i]; x["w"]`."""
        variables = set(_targets(loop))
        taken = [node for node in self._nodes(loop) if self._is_taken(node, loop, bound, variables)]
        names = {name for node in taken if (name := self._stored_as(node))}
        uses = (node for node in self._nodes(loop) if isinstance(node, cst.Name) and node.value in names)
        return any(map(self._is_used_as_object, (*taken, *uses)))

    def _is_taken(self, node: cst.CSTNode, loop: Loop, bound: Bound, variables: set[str]) -> bool:
        """Whether a node is what an iteration takes: by its number, or as the variable of the loop."""
        if isinstance(node, cst.Name):
            over = [value.node for value in self._names.values(node) if isinstance(value, Element)]
            return bool(over) and all(part is loop.iterable and _written(part) == bound.name for part in over)
        if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
            return False
        if bound.kind is BoundKind.DATA_AXIS and _written(node.value) != bound.name:
            return False
        index = node.slice[0].slice
        named = isinstance(index, cst.Index) and isinstance(index.value, cst.Name) and index.value.value in variables
        return named and (bound.kind is BoundKind.DATA_AXIS or not self._values.kind(node.value).traced)

    def _stored_as(self, node: cst.CSTNode) -> str:
        """Return the name that an element gets: `x` of `x = xs[i]`."""
        store = self._tree.parent(node)
        target = store.targets[0].target if isinstance(store, cst.Assign) and store.value is node else None
        return target.value if isinstance(target, cst.Name) else ""

    def _is_used_as_object(self, node: cst.CSTNode) -> bool:
        """Whether a method or an attribute is taken of an expression that arrays do not have, or it is called."""
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.value is node:
            return parent.attr.value not in _ARRAY_MEMBERS
        if isinstance(parent, cst.Subscript) and parent.value is node:
            return any(
                isinstance(e.slice, cst.Index) and isinstance(e.slice.value, cst.BaseString) for e in parent.slice
            )
        return isinstance(parent, cst.Call) and parent.func is node

    @staticmethod
    def _is_plain(index: cst.BaseSlice, variables: set[str]) -> bool:
        """Whether an index is a loop's variable, or next to it: `i`, `i + 1`."""
        value = index.value if isinstance(index, cst.Index) else None
        if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, (cst.Add, cst.Subtract)):
            value = value.left
        return isinstance(value, cst.Name) and value.value in variables

    def _is_made_of_settings(self, array: cst.CSTNode) -> bool:
        """Whether the function makes an array of a size that it is told: `split(key, n)`, `jnp.zeros((n, n))`."""
        for value in self._names.values(array):
            inner = value.node if isinstance(value, Expression) else None
            if isinstance(inner, cst.Call) and not _MAKERS.isdisjoint(self._names.externals(inner.func)):
                given = inner.args[-1].value if inner.args else inner
                return self._of_number(given).kind in (BoundKind.SETTING, BoundKind.UNKNOWN)
        return False

    def _around(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Return the comprehension of a `for` clause."""
        holder = self._tree.parent(node)
        return [holder] if holder is not None else []

    def _nodes(self, loop: Loop) -> Iterator[cst.CSTNode]:
        node = loop.node
        work: list[cst.CSTNode] = [node.body] if isinstance(node, (cst.For, cst.While)) else self._around(node)
        while work:
            current = work.pop()
            yield current
            work.extend(children(current))

    def indexes_leading(self, loop: Loop, nodes: Callable[[Loop], Iterator[cst.CSTNode]]) -> str:
        """Return the array that iterations read or update at their own number, other than along a trailing axis."""
        variables = set(_targets(loop))
        over_time = self._looks_at_neighbours(loop, variables)
        for node in nodes(loop):
            if not isinstance(node, cst.Subscript) or variables.isdisjoint(_names_in_slices(node)):
                continue
            is_update = isinstance(node.value, cst.Attribute) and node.value.attr.value == "at"
            array = node.value.value if isinstance(node.value, cst.Attribute) and is_update else node.value
            if not is_update and not self._values.kind(array).traced:
                continue
            first = node.slice[0].slice
            if len(node.slice) == 1 and isinstance(first, cst.Index) and isinstance(first.value, cst.BaseString):
                continue
            if not (is_update and self._is_plain(first, variables)) and self._is_made_of_settings(array):
                continue  # as long as the setting, and not the other way round
            if isinstance(first, cst.Index) and isinstance(first.value, cst.Ellipsis) and not over_time:
                continue  # the trailing axis
            return _written(array) or "an array"
        return ""


_FEWEST_AXES = 2
"""An axis behind so many others is one of channels: images, volumes and batches of both keep them last."""

_MAKERS = frozenset(f"jax.numpy.{name}" for name in ("zeros", "ones", "full", "empty", "arange", "linspace")) | {
    "jax.random.split"
}
_ARRAY_MEMBERS = ARRAY_METHODS | ARRAY_ATTRIBUTES | ATTRIBUTES_OF_PYTHON | {"item", "tolist", "block_until_ready"}


def _written(node: cst.CSTNode) -> str:
    """Return a dotted name as it is written, empty for any other expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = _written(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    if isinstance(node, cst.Subscript) and all(isinstance(element.slice, cst.Slice) for element in node.slice):
        return _written(node.value)
    return ""


def _targets(loop: Loop) -> Iterator[str]:
    if isinstance(loop.node, cst.While):
        test = loop.node.test
        if isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name):
            yield test.left.value
        return
    yield from _names_in(loop.node.target)


def _names_in(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    work = [node]
    while work:
        current = work.pop()
        if isinstance(current, cst.Name):
            found.add(current.value)
        else:
            work.extend(children(current))
    return found


def _names_in_slices(node: cst.Subscript) -> set[str]:
    return {name for element in node.slice for name in _names_in(element)}
