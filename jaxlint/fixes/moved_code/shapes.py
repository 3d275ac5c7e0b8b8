"""What the source shows of shapes in the iterations of a loop: which names keep theirs between iterations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.tree import Binding, Function, children

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

SCALAR = "()"
CHANGED = "changed"
UNKNOWN = "?"
"""It may be no array at all, or another structure of them."""

_DEPTH = 4
_BOOLEAN = frozenset("logical_and logical_or logical_not logical_xor isnan isinf isfinite any all isclose".split())
_ELEMENTWISE = _BOOLEAN - {"any", "all"} | frozenset(
    "sin cos tan tanh sinh cosh exp expm1 log log1p sqrt rsqrt cbrt square abs absolute fabs sign floor ceil round "
    "rint maximum minimum fmax fmin clip add subtract multiply divide true_divide floor_divide power mod "
    "remainder negative positive reciprocal arctan arctan2 arcsin arccos "
    "relu sigmoid gelu silu swish softplus elu leaky_relu softmax log_softmax roll flip sort cumsum cumprod "
    "zeros_like ones_like full_like stop_gradient nan_to_num conj real imag astype copy asarray array".split()
)
_OF_FIRST = frozenset("roll flip astype sort cumsum cumprod clip round asarray array full_like softmax".split())
_FLOATING = frozenset(
    "sin cos tan tanh sinh cosh exp expm1 log log1p sqrt rsqrt cbrt divide true_divide reciprocal arctan arctan2 "
    "arcsin arccos sigmoid gelu silu swish softplus softmax log_softmax mean var std normal uniform".split()
)
_REDUCTIONS = frozenset("sum mean max min prod std var any all dot vdot norm median logsumexp argmax argmin".split())
_RESHAPING = frozenset(
    "concatenate append stack hstack vstack dstack column_stack reshape ravel flatten expand_dims squeeze repeat tile "
    "pad insert delete resize diff outer kron".split()
)
_LOOPS = {"jax.lax.fori_loop": 3, "jax.lax.while_loop": 2}
"""Which argument of these comes back as it was."""
_OF_FIRST_TREE = frozenset({"optax.apply_updates", "optax.incremental_update"})
_OPERATORS = frozenset({"add", "sub", "mul", "truediv", "neg", "pow", "mod"})
_CONTAINERS = (
    cst.Tuple,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.DictComp,
    cst.SetComp,
    cst.GeneratorExp,
    cst.BaseString,
    cst.Lambda,
)


def shape_of(facts: ModuleFacts, node: cst.CSTNode, names: Collection[str]) -> str:
    """Return `()` for a number, the one of `names` whose shape an expression has, or an empty text."""
    found = Shapes(facts, {name: name for name in names}).of(node)
    return "" if found in (CHANGED, UNKNOWN) else found


class Shapes:
    """What the source shows of shapes, relative to those of some names.

    Args:
        facts: the module's.
        known: the names, and what is to be answered for each of them.
        function: the function whose parameters the names are, None where they have those shapes wherever they are.
    """

    def __init__(
        self, facts: ModuleFacts, known: Mapping[str, str], function: Function | None = None, depth: int = _DEPTH
    ) -> None:
        self._facts = facts
        self._known = known
        self._function = function
        self._depth = depth
        self._pending: set[int] = set()

    def is_number(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a number of Python's, or one that a library has a name for."""
        if not isinstance(node, cst.BaseExpression):
            return False
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            node = node.expression
        if isinstance(self._facts.constants.of(node), (int, float, complex)):
            return True
        names = self._facts.names.externals(node)
        return bool(names) and all(name.rpartition(".")[2] in ("inf", "nan", "pi", "e") for name in names)

    def type_of(self, node: cst.CSTNode) -> str:
        """Return `bool` or `int` for what surely gives such values, whatever it is given; an empty text otherwise."""
        constant = self._facts.constants.of(node)
        if isinstance(constant, (bool, int)):
            return type(constant).__name__
        if isinstance(node, cst.Comparison) or (
            isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
        ):
            return "bool"
        last = self._last_name(node) if isinstance(node, cst.Call) else ""
        if last in _BOOLEAN or last in ("argmax", "argmin", "argsort"):
            return "bool" if last in _BOOLEAN else "int"
        size = self._facts.sizes.of(node)
        if size is None or "." in size.dtype:
            return ""
        return "bool" if size.dtype.startswith("bool") else "int" if "int" in size.dtype else ""

    def is_fraction(self, node: cst.CSTNode) -> bool:
        """Whether something in a value makes fractions of whole numbers."""
        return any(
            isinstance(inner, (cst.Float, cst.Divide, cst.DivideAssign))
            or (isinstance(inner, cst.Call) and self._last_name(inner) in _FLOATING)
            for inner in nodes_in(node)
        )

    def is_complex(self, node: cst.CSTNode) -> bool:
        """Whether a complex number is written out in a value."""
        return any(isinstance(inner, cst.Imaginary) for inner in nodes_in(node))

    def converts(self, call: cst.Call) -> bool:
        """Whether a call gives another type by its name, other than that of an array: `x.astype(jnp.int32)`."""
        types = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == "dtype"]
        if self._last_name(call) == "astype" and call.args:
            types.append(call.args[0].value)
        return any(not isinstance(node, cst.Attribute) or node.attr.value != "dtype" for node in types)

    def _last_name(self, call: cst.Call) -> str:
        names = self._facts.names.externals(call.func)
        if names:
            return names[0].rpartition(".")[2]
        return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""

    def of(self, node: cst.CSTNode, place: int | None = None) -> str:
        """Return the shape of an expression, or of one of the elements to which it unpacks.

        That is `()`, what is known of the name whose shape it is, `changed`, an empty text for an array of which the
        source does not show more, and `?` for what may be no array.
        """
        if place is not None:
            return self._of_element(node, place)
        if isinstance(node, cst.AugAssign):
            if isinstance(node.operator, cst.MatrixMultiplyAssign):
                return ""
            return self._joined(node.target, node.value)
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if self.is_number(node):
            return SCALAR
        if isinstance(node, cst.BinaryOperation):
            return "" if isinstance(node.operator, cst.MatrixMultiply) else self._joined(node.left, node.right)
        if isinstance(node, cst.UnaryOperation):
            return self.of(node.expression)
        if isinstance(node, cst.Comparison):
            return self._joined(node.left, *(target.comparator for target in node.comparisons))
        if isinstance(node, cst.IfExp):
            return _agreed([self.of(node.body), self.of(node.orelse)])
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return "" if self._facts.values.kind(node).traced else UNKNOWN

    def _joined(self, *parts: cst.CSTNode) -> str:
        """Return the shape of what is computed from several values, each spread over the others."""
        if any(isinstance(part, _CONTAINERS) for part in parts):
            return UNKNOWN
        found = {self.of(part) for part in parts}
        if found <= {UNKNOWN}:
            return UNKNOWN
        found.discard(SCALAR)
        if not found:
            return SCALAR
        only = found.pop() if len(found) == 1 else ""
        return "" if only == UNKNOWN else only

    # Names

    def _of_name(self, node: cst.Name) -> str:
        if self._function is None and node.value in self._known:
            return self._known[node.value]
        if self.is_number(node):
            return SCALAR
        context = self._facts.tree.contexts.get(id(node))
        bindings = self._facts.names.bindings_at(node.value, context) if context is not None else []
        found = [self._of_binding(binding) for binding in bindings if id(binding.value) not in self._pending]
        if found:
            shape = _agreed(found)
            if shape != UNKNOWN:
                return shape
        kind = self._facts.values.kind(node)
        return "" if kind.traced else SCALAR if kind.known else UNKNOWN

    def _of_binding(self, binding: Binding) -> str:
        value, function = binding.value, binding.context.function
        if binding.kind == "parameter":
            if self._function is not None and binding.context.scope is self._function.scope:
                return self._known.get(binding.name, UNKNOWN)
            return UNKNOWN
        if binding.kind not in ("assign", "unpack") or not isinstance(value, cst.CSTNode) or function is None:
            return UNKNOWN
        self._pending.add(id(value))
        try:
            return self.of(value, binding.index if binding.kind == "unpack" else None)
        finally:
            self._pending.discard(id(value))

    # Elements

    def _of_element(self, node: cst.CSTNode, place: int) -> str:
        if isinstance(node, (cst.Tuple, cst.List)):
            return self.of(node.elements[place].value) if place < len(node.elements) else UNKNOWN
        if not isinstance(node, cst.Call):
            return "" if self._facts.values.kind(node).traced else UNKNOWN
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        names = self._facts.names.externals(node.func)
        if given and names and all(name == "jax.random.split" for name in names):
            return self.of(given[0])
        made = self._facts.wrappings.of(node.func) if isinstance(node.func, cst.Call) else None
        if made is not None and made.wrapper.name == "jax.value_and_grad":
            return self.of(given[0]) if place == 1 and given and made.keyword("argnums") is None else ""
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "update" and len(given) in (2, 3):
            # An optimizer's: the updates are like the gradients, and the state is like the state.
            return self.of(given[place]) if place < 2 else UNKNOWN
        if self._facts.calls.callees(node):
            return self._of_function(node, place)
        return "" if names and all(arrays.is_array_function(name) for name in names) else UNKNOWN

    def _of_subscript(self, node: cst.Subscript) -> str:
        base = self.of(node.value)
        if base in self._known.values() and base not in ("", SCALAR, CHANGED, UNKNOWN):
            sliced = any(isinstance(element.slice, cst.Slice) for element in node.slice)
            return CHANGED if sliced or len(node.slice) == 1 else ""
        index = node.slice[0].slice
        first = isinstance(index, cst.Index) and self._facts.constants.integer(index.value) == 0
        call = node.value if first and isinstance(node.value, cst.Call) and len(node.value.args) > 1 else None
        if call is not None and self._facts.names.externals(call.func) == ("jax.lax.scan",):
            return self.of(call.args[1].value)
        return UNKNOWN if base == UNKNOWN and not self._facts.values.kind(node).traced else ""

    # Calls

    def _of_call(self, node: cst.Call) -> str:
        func = node.func
        if isinstance(func, cst.Attribute) and self._facts.values.is_update(func):
            at = func.value.value if isinstance(func.value, cst.Subscript) else None
            return self.of(at.value) if isinstance(at, cst.Attribute) and func.attr.value != "get" else ""
        wrapped = self._facts.wrappings.of(node)
        if wrapped is not None and wrapped.wrapper.name == "jax.tree.map":
            return self._of_map(node)
        names = self._facts.names.externals(func)
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if names:
            return self._of_library(node, names, given)
        if self._facts.calls.callees(node):
            return self._of_function(node)
        if isinstance(func, cst.Attribute) and self._is_array(func.value):
            return self._of_operation(node, func.attr.value, [func.value, *given])
        inner = self._facts.wrappings.of(func) if isinstance(func, cst.Call) else None
        if inner is not None and inner.wrapper.name == "jax.grad":
            return self.of(given[0]) if given and inner.keyword("argnums") is None else ""
        if isinstance(func, cst.Name) and func.value in ("abs", "round", "pow", "sum", "max", "min"):
            return self._joined(*given) if func.value in ("abs", "round") and given else ""
        return "" if inner is not None and inner.wrapper.name == "jax.vmap" else UNKNOWN

    def _is_array(self, node: cst.CSTNode) -> bool:
        return self._facts.values.kind(node).traced or self._is_kept(node)

    def _is_kept(self, node: cst.CSTNode) -> bool:
        return self.of(node) not in ("", SCALAR, CHANGED, UNKNOWN)

    def _of_library(self, node: cst.Call, names: Sequence[str], given: list[cst.BaseExpression]) -> str:
        name = names[0]
        if name in _LOOPS and len(given) > _LOOPS[name]:
            return self.of(given[_LOOPS[name]])
        if name in _OF_FIRST_TREE and given:
            return self.of(given[0])
        if not all(arrays.is_array_function(one) for one in names):
            return SCALAR if self._facts.values.kind(node).known and name.startswith("math.") else UNKNOWN
        return self._of_operation(node, name.rpartition(".")[2], given)

    def _of_operation(self, node: cst.Call, last: str, given: list[cst.BaseExpression]) -> str:
        """Return the shape that an operation on arrays gives."""
        if last == "where":
            return self._joined(*given) if len(given) == 3 else UNKNOWN
        if last in _ELEMENTWISE and given:
            return self._joined(given[0]) if last in _OF_FIRST else self._joined(*given)
        if last in _REDUCTIONS and given:
            return self._of_reduction(node, given)
        if last in _RESHAPING and any(self._mentions_kept(value) for value in given):
            return CHANGED if last != "reshape" else ""
        if last in ("zeros", "ones") and given:
            return SCALAR if isinstance(given[0], (cst.Tuple, cst.List)) and not given[0].elements else ""
        return SCALAR if last in ("float32", "float64", "int32", "int64") and self._joined(*given) == SCALAR else ""

    def _of_reduction(self, node: cst.Call, given: list[cst.BaseExpression]) -> str:
        keywords = {arg.keyword.value for arg in node.args if arg.keyword is not None}
        if len(given) == 1 and not keywords & {"axis", "keepdims"}:
            return SCALAR
        return CHANGED if self._mentions_kept(given[0]) and "keepdims" not in keywords and "axis" in keywords else ""

    def _mentions_kept(self, node: cst.CSTNode) -> bool:
        parts = [e.value for e in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
        return any(self._is_kept(part) for part in parts)

    def _of_map(self, node: cst.Call) -> str:
        """Return the shape of a tree of which each leaf is what a function makes of the leaves of others."""
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if len(given) < 2:
            return UNKNOWN
        tree, mapped = self.of(given[1]), given[0]
        names = self._facts.names.externals(mapped)
        functions = self._facts.names.functions(mapped)
        if names:
            last = names[0].rpartition(".")[2]
            like = last in _ELEMENTWISE if arrays.is_array_function(names[0]) else last in _OPERATORS
            return UNKNOWN if not like or last in _BOOLEAN else tree if len(given) == 2 else ""
        if not functions or self._depth == 0 or tree == UNKNOWN:
            return UNKNOWN
        found = []
        for function in functions:
            parameters = [parameter.name for parameter in function.parameters]
            shapes = Shapes(self._facts, {name: name for name in parameters}, function, self._depth - 1)
            for value in function.returns:
                leaf = UNKNOWN if shapes.type_of(value) else shapes.of(value)
                same = leaf == parameters[0]
                found.append(tree if same else UNKNOWN if leaf in (UNKNOWN, CHANGED, SCALAR) else "")
        return _agreed(found) if found else UNKNOWN

    def _of_function(self, node: cst.Call, place: int | None = None) -> str:
        """Return the shape of what visible functions give."""
        if self._depth == 0 or any(arg.star for arg in node.args):
            return UNKNOWN
        found: list[str] = []
        for function, bound in self._facts.calls.callees(node):
            known = {}
            for parameter in function.parameters:
                argument = argument_of(node, parameter, bound=bound) or parameter.default
                known[parameter.name] = UNKNOWN if argument is None or parameter.star else self.of(argument)
            shapes = Shapes(self._facts, known, function, self._depth - 1)
            found += [
                UNKNOWN if place is None and shapes.type_of(value) else shapes.of(value, place)
                for value in function.returns
            ]
        return _agreed(found) if found else UNKNOWN


def _agreed(found: Sequence[str]) -> str:
    """Return the shape of what may be one of several values."""
    if UNKNOWN in found:
        return UNKNOWN
    return found[0] if all(shape == found[0] for shape in found) else ""


def nodes_in(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes of a piece of code, names of attributes and of keyword arguments skipped."""
    work = [node]
    while work:
        current = work.pop()
        yield current
        if isinstance(current, (cst.Attribute, cst.Arg)):
            work.append(current.value)
        else:
            work.extend(children(current))


def mentions(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether a piece of code uses one of these names."""
    return any(isinstance(inner, cst.Name) and inner.value in names for inner in nodes_in(node))
