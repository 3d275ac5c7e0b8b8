"""How large an array is and of what type, where the text shows it: `jnp.zeros((4096, 4096))` and what is made of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import libcst as cst

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.constants import Constants
from jaxlint.facts.syntax.names import Expression, Names

_BY_SHAPE = frozenset({"zeros", "ones", "empty", "full"})
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "full_like"})
_RANDOM_FLOATS = frozenset(
    "normal uniform exponential gumbel laplace logistic cauchy truncated_normal rand randn random random_sample "
    "standard_normal".split()
)
_RANDOM_INTEGERS = frozenset({"randint", "integers", "random_integers"})
_DRAWS_OF_PYTHON = frozenset(f"random.{name}" for name in ("randint", "randrange", "random", "uniform"))
_PLACES_OF_SIZE = {"random": 0, "random_sample": 0, "standard_normal": 0, "exponential": 1}
"""Where NumPy's draws take the size that they make, unless it is the third argument."""
_JOINS = frozenset("concatenate concat stack vstack hstack dstack column_stack".split())
_CONVERSIONS = frozenset({"asarray", "array", "copy", "ascontiguousarray", "device_put"})
_KEEPING_SHAPE = frozenset(
    "sin cos tan tanh sinh cosh exp log log1p expm1 sqrt abs absolute square negative sign cumsum cumprod sort flip "
    "roll relu sigmoid softmax log_softmax clip conj astype copy block_until_ready ravel flatten reshape "
    "transpose".split()
)
_ATTRIBUTES = frozenset({"T", "mT"})
_LOADERS = frozenset("numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile numpy.memmap jax.numpy.load".split())
_TYPES = {
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 8),
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "bool_", "bool"), 1),
    "complex128": 16,
}
_PYTHON_TYPES = {"bool": "bool", "int": "int32", "float": "float32"}
_NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
"""What JAX makes of NumPy's types, unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Size:
    """An array with so many elements, None where that is not known, of a type, empty where that is not known.

    `numpy` says that it is an array of NumPy, `loaded` that it comes from a file.
    """

    count: int | None
    dtype: str
    numpy: bool = False
    loaded: bool = False

    @property
    def bytes(self) -> int:
        """How many bytes it takes at least, as an array of JAX."""
        return (self.count or 0) * _TYPES.get(_NARROWED.get(self.dtype, self.dtype), 4)


class Sizes:
    """Answers for one module."""

    def __init__(self, names: Names, constants: Constants) -> None:
        self._names = names
        self._constants = constants
        self._known: Answers[Size | None] = Answers(names.asking)

    def of(self, node: cst.CSTNode) -> Size | None:
        """Return what the text tells of an array, None where it does not show that there is one."""
        return self._known.get(id(node), lambda: self._of(node), None)

    def _of(self, node: cst.CSTNode) -> Size | None:
        found = [self._of_expression(v.node) if isinstance(v, Expression) else None for v in self._names.values(node)]
        return found[0] if found and all(size == found[0] for size in found) else None

    def _of_expression(self, node: cst.CSTNode) -> Size | None:
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.BinaryOperation):
            return self._of_operation(node)
        if isinstance(node, cst.UnaryOperation):
            return None if isinstance(node.operator, cst.Not) else self.of(node.expression)
        if isinstance(node, cst.Attribute) and node.attr.value in _ATTRIBUTES:
            return self.of(node.value)
        if isinstance(node, cst.Subscript):
            # An archive holds arrays by their names.
            base = self.of(node.value)
            index = node.slice[0].slice
            named = isinstance(index, cst.Index) and isinstance(self._constants.of(index.value), str)
            return base if named and base is not None and base.loaded else None
        return None

    def _of_operation(self, node: cst.BinaryOperation) -> Size | None:
        """Return the size of a sum or the like: the larger of two, since the smaller is spread over it."""
        if isinstance(node.operator, cst.MatrixMultiply):
            return None
        sides = [self.of(side) for side in (node.left, node.right)]
        known = [size for size in sides if size is not None]
        if not known:
            return None
        counts = [size.count for size in known if size.count is not None]
        number = any(isinstance(self._constants.of(side), (int, float)) for side in (node.left, node.right))
        same = {size.dtype for size in known}
        dtype = same.pop() if len(same) == 1 and (len(known) == 2 or number) else ""
        if isinstance(node.operator, cst.Divide) and "int" in dtype:
            dtype = ""
        numpy, loaded = all(size.numpy for size in known), any(size.loaded for size in known)
        return Size(max(counts, default=None), dtype, numpy, loaded)

    def _of_call(self, node: cst.Call) -> Size | None:
        func = node.func
        for name in self._names.externals(func):
            found = self._made(node, name)
            if found is not None:
                return found
        if not isinstance(func, cst.Attribute):
            return None
        method = func.attr.value
        if method in _RANDOM_FLOATS | _RANDOM_INTEGERS and is_generator(self._names, func.value):
            return replace(self._random(node, method, numpy=True), numpy=True)
        if method in ("astype", "view") and node.args:
            base = self.of(func.value)
            return replace(base, dtype=self._type_name(node.args[0].value)) if base is not None else None
        return self.of(func.value) if method in _KEEPING_SHAPE else None

    def _made(self, node: cst.Call, name: str) -> Size | None:
        module, _, last = name.rpartition(".")
        numpy = module.startswith("numpy")
        if name in _LOADERS:
            return Size(None, "", numpy, loaded=True)
        if module in ("jax.numpy", "numpy"):
            found = self._of_scalar(node, last) if last in _TYPES else self._of_numpy(node, last, numpy=numpy)
            return None if found is None else replace(found, numpy=numpy)
        if module in ("jax.random", "numpy.random") and last in _RANDOM_FLOATS | _RANDOM_INTEGERS:
            return replace(self._random(node, last, numpy=numpy), numpy=numpy)
        if name == "jax.device_put" and node.args:
            found = self.of(node.args[0].value)
            return None if found is None else replace(found, numpy=False)
        if arrays.is_array_function(name) and last in _KEEPING_SHAPE and node.args:
            return self.of(node.args[0].value)
        return None

    def _of_scalar(self, node: cst.Call, dtype: str) -> Size | None:
        if len(node.args) != 1:
            return None
        inner = self.of(node.args[0].value)
        return Size(inner.count if inner is not None else 1, dtype)

    def _of_numpy(self, node: cst.Call, last: str, *, numpy: bool) -> Size | None:
        floats, integers = ("float64", "int64") if numpy else ("float32", "int32")
        first = self._argument(node, 0, "shape", "N", "start", "a")
        if last in _BY_SHAPE:
            filled = self._argument(node, 1, "fill_value") if last == "full" else None
            whole = filled is not None and isinstance(self._constants.of(filled), int)
            dtype = self._dtype(node, 2 if last == "full" else 1, integers if whole else floats)
            if filled is not None and not isinstance(self._constants.of(filled), (int, float)):
                dtype = self._dtype(node, 2, "")
            return Size(self._count(first), dtype)
        if last == "arange":
            numbers = [self._constants.of(arg.value) for arg in node.args if arg.keyword is None]
            whole = all(isinstance(n, int) for n in numbers)
            return Size(_length(numbers), self._dtype(node, 3, integers if whole else floats))
        if last in ("linspace", "logspace", "geomspace"):
            number = self._argument(node, 2, "num")
            return Size(50 if number is None else self._constants.integer(number), self._dtype(node, 5, floats))
        if last in ("eye", "identity"):
            rows = self._constants.integer(first)
            columns = self._constants.integer(self._argument(node, 1, "M")) if last == "eye" else None
            return Size(None if rows is None else rows * (columns or rows), self._dtype(node, 3, floats))
        if last in _LIKE or last in _CONVERSIONS:
            base = self.of(first) if first is not None else None
            return None if base is None else replace(base, dtype=self._dtype(node, 1, base.dtype))
        if last in _JOINS:
            return self._joined(self._argument(node, 0, "arrays", "tup"))
        return self.of(first) if last in _KEEPING_SHAPE and first is not None else None

    def _joined(self, node: cst.BaseExpression | None) -> Size | None:
        """Return the size of what the arrays in a literal list make together, at least."""
        if not isinstance(node, (cst.List, cst.Tuple)):
            return None
        found = [size for element in node.elements if (size := self.of(element.value)) is not None]
        if not found:
            return None
        counts = [size.count for size in found if size.count is not None]
        dtypes = {size.dtype for size in found}
        dtype = dtypes.pop() if len(dtypes) == 1 and len(found) == len(node.elements) else ""
        loaded = any(size.loaded for size in found)
        return Size(sum(counts) if counts else None, dtype, loaded=loaded)

    def _random(self, node: cst.Call, last: str, *, numpy: bool) -> Size:
        dtype = "int32" if last in _RANDOM_INTEGERS else "float32"
        if numpy and last in ("rand", "randn"):
            sides = [self._constants.integer(arg.value) for arg in node.args]
            return Size(None if None in sides else math.prod(s for s in sides if s is not None), dtype)
        shape = self.shape_of_draw(node, last, numpy=numpy)
        if shape is None:
            return Size(1, dtype)
        place = 4 if last in _RANDOM_INTEGERS else 2
        return Size(self._count(shape), dtype if numpy else self._dtype(node, place, dtype))

    def shape_of_draw(self, node: cst.Call, last: str, *, numpy: bool) -> cst.BaseExpression | None:
        """Return what a draw is told of the shape that it makes; of `randn`, the first side."""
        place = _PLACES_OF_SIZE.get(last, 2) if numpy else 1
        return self._argument(node, 0 if last in ("rand", "randn") else place, "shape", "size")

    def _count(self, shape: cst.BaseExpression | None) -> int | None:
        sides = self._constants.integers(shape)
        return None if sides is None or any(side < 0 for side in sides) else math.prod(sides)

    def _dtype(self, node: cst.Call, position: int, default: str) -> str:
        given = self._argument(node, position, "dtype")
        return default if given is None else self._type_name(given)

    def _type_name(self, node: cst.BaseExpression) -> str:
        """Return the name of a type that is written out, empty for any other."""
        for name in self._names.externals(node):
            module, _, last = name.rpartition(".")
            if module in ("jax.numpy", "numpy") and last in _TYPES:
                return last
        if isinstance(node, cst.Name) and node.value in _PYTHON_TYPES and not self._names.bindings(node):
            return _PYTHON_TYPES[node.value]
        value = self._constants.of(node)
        return value if isinstance(value, str) and value in _TYPES else ""

    @staticmethod
    def _argument(node: cst.Call, position: int, *keywords: str) -> cst.BaseExpression | None:
        index = 0
        for arg in node.args:
            if arg.star:
                return None
            if arg.keyword is not None:
                if arg.keyword.value in keywords:
                    return arg.value
                continue
            if index == position:
                return arg.value
            index += 1
        return None


def _length(numbers: list[object]) -> int | None:
    """Return how many elements an `arange` of these numbers has."""
    known = [number for number in numbers if isinstance(number, (int, float)) and not isinstance(number, bool)]
    if not known or len(known) != len(numbers) or len(known) > 3:
        return None
    start, stop, step = (0, known[0], 1) if len(known) == 1 else (known[0], known[1], known[2] if known[2:] else 1)
    return max(math.ceil((stop - start) / step), 0) if step else None


def draws(name: str) -> bool:
    """Whether a function of NumPy, or of Python's `random`, draws numbers on the host."""
    module, _, last = name.rpartition(".")
    return (module == "numpy.random" and last in _RANDOM_FLOATS | _RANDOM_INTEGERS) or name in _DRAWS_OF_PYTHON


def is_generator(names: Names, node: cst.BaseExpression) -> bool:
    """Whether an expression is a random generator of NumPy."""
    return any(
        name in arrays.NUMPY_GENERATORS
        for value in names.values(node)
        if isinstance(value, Expression) and isinstance(value.node, cst.Call)
        for name in names.externals(value.node.func)
    )
