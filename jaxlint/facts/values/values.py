"""What each expression holds when its function runs: a Python value, a static one, a traced one, or nothing known.

The kinds follow the bindings that reach a use, so a name may be an array here and a number there.  Nothing is said
where several kinds may meet: rules that claim an error rest on this.
"""

from __future__ import annotations

import enum
import functools
from collections import defaultdict
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import CallSite, argument_of
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import MOST, Element, Expression, External, Item
from jaxlint.facts.syntax.tree import Binding, Class, Function, Parameter, kinds, within
from jaxlint.facts.values.pytrees import Pytrees
from jaxlint.facts.values.sizes import is_generator

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Kind(enum.Enum):
    """What an expression holds.

    ARRAY is a traced array, DATA a traced array or a pytree of them, STATIC a value that the compile cache keys by,
    PYTHON any other value that Python knows under trace.  CONCRETE is an array of JAX that was made outside: it has its
    values, but whatever is computed from it under trace is traced.
    """

    PYTHON = "python"
    STATIC = "static"
    ARRAY = "array"
    DATA = "data"
    CONCRETE = "concrete"
    UNKNOWN = "unknown"

    @property
    def traced(self) -> bool:
        """Whether it is known to have no value in Python."""
        return self in (Kind.ARRAY, Kind.DATA)

    @property
    def known(self) -> bool:
        """Whether Python knows its value under trace."""
        return self in (Kind.PYTHON, Kind.STATIC)


_STRING_METHODS_OF_TREES = frozenset({"items", "keys", "values", "get", "copy", "pop", "replace", "_replace"})
_PYTHON_CALLS = frozenset(
    "len isinstance issubclass type callable hasattr id repr str print format dir vars range slice hash int float bool "
    "complex ord chr open input super".split()
)
_OF_PYTHON = kinds(
    *(cst.Integer, cst.Float, cst.Imaginary, cst.Lambda, cst.Ellipsis),
    *(cst.SimpleString, cst.FormattedString, cst.ConcatenatedString),
)
_ARRAY_CALLS = frozenset({"abs", "sum", "round", "pow", "divmod", "min", "max"})
_MOST_CALLERS = 200
"""Through how many callers a value is followed: Python's stack must hold them."""


class Values:
    """Tells the kinds of expressions in traced functions; outside a trace nothing is traced."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._constants = facts.constants
        self._known: dict[int, Kind] = {}
        self._pending: set[int] = set()
        self._parameters: dict[int, Kind] = {}
        self._callers = 0
        self._numpy: dict[int, bool] = {}
        self.pytrees = Pytrees(facts.tree, facts.names, facts.source.text)
        self._computes_early = "ensure_compile_time_eval" in facts.source.text

    # Parameters

    def parameter(self, parameter: Parameter) -> Kind:
        """Return what a parameter holds when its function is traced."""
        key = id(parameter)
        if key not in self._parameters:
            if self._callers == _MOST_CALLERS:
                return Kind.UNKNOWN
            self._parameters[key] = Kind.UNKNOWN  # recursion ends here
            self._callers += 1
            self._parameters[key] = self._parameter(parameter)
            self._callers -= 1
        return self._parameters[key]

    def _parameter(self, parameter: Parameter) -> Kind:
        function = parameter.function
        trace = self._tracing.trace(function)
        if trace is None:
            return Kind.UNKNOWN
        if self._is_static_annotation(parameter.annotation):
            return Kind.STATIC
        direct = self._tracing.direct(function)
        # What is compiled around a grad or a vmap says what arrives, not the transform inside.
        outer = [w for w in direct if w.wrapper.compiles and self._is_immediate(w, function)]
        given = _join([self._given_by(wrapped, parameter) for wrapped in outer or direct]) if direct else Kind.UNKNOWN
        if given is Kind.UNKNOWN and all(w.wrapper.keeps_arguments and not w.wrapper.compiles for w in direct):
            given = self._given_by_callers(parameter)
        if given is Kind.UNKNOWN and not direct:
            given = self._given_by_maps(parameter)
        if given is Kind.UNKNOWN and not direct and _is_python_type(parameter.annotation):
            return Kind.STATIC
        return given

    def _given_by_maps(self, parameter: Parameter) -> Kind:
        """What `tree.map` passes to a parameter: the leaves of the tree at its place."""
        kinds = []
        for wrapped in self._leaf_maps.get(id(parameter.function), ()):
            if wrapped.wrapper.name == "jax.tree.reduce":
                return Kind.UNKNOWN
            paths = wrapped.wrapper.name.endswith("_with_path")
            place = None if parameter.position is None else parameter.position + (not paths)
            trees = [arg.value for arg in wrapped.arguments if arg.keyword is None and not arg.star]
            if place is None or not 0 < place < len(trees) or parameter.default is not None:
                return Kind.UNKNOWN
            kind = self.kind(trees[place])
            leaf = Kind.DATA if wrapped.keyword("is_leaf") is not None else Kind.ARRAY
            kinds.append(leaf if kind.traced else Kind.UNKNOWN)
        return _join(kinds) if kinds and not self._calls.of(parameter.function) else Kind.UNKNOWN

    @functools.cached_property
    def _leaf_maps(self) -> dict[int, list[Wrapped]]:
        """The calls of `tree.map` by the functions that they are given."""
        found: dict[int, list[Wrapped]] = defaultdict(list)
        for wrapped in self._wrappings.all():
            if wrapped.wrapper.kind == "map-leaves":
                for function in self._names.functions(wrapped.targets[0]):
                    found[id(function)].append(wrapped)
        return found

    def _is_static_annotation(self, node: cst.BaseExpression | None) -> bool:
        base = node.value if isinstance(node, cst.Subscript) else node
        name = base.attr.value if isinstance(base, cst.Attribute) else base.value if isinstance(base, cst.Name) else ""
        return name == "Static"

    def _given_by(self, wrapped: Wrapped, parameter: Parameter) -> Kind:
        """What a wrapper passes to a parameter of the function that it traces."""
        function, wrapper = parameter.function, wrapped.wrapper
        if not self._is_immediate(wrapped, function) or (parameter.star and not wrapper.compiles):
            return Kind.UNKNOWN
        if function.cls is not None and parameter.position == 0 and not self._names.is_static(function):
            return self._self(wrapped, parameter)
        if wrapper.compiles:
            if function.is_lambda and isinstance(parameter.default, cst.Name):
                return Kind.UNKNOWN  # `lambda x, n=n: ...` binds a value, which callers skip
            static = self.statics(wrapped, function)
            if static is None or wrapper.scalars == "static" or (static and parameter.star == "**"):
                return Kind.UNKNOWN
            return Kind.STATIC if parameter.name in static else Kind.DATA
        if wrapper.name == "jax.vmap":
            return Kind.DATA if self._is_mapped(wrapped, parameter) else Kind.UNKNOWN
        if wrapper.differentiates == "first":
            first = wrapped.keyword("argnums") is None and parameter.position == 0
            return Kind.DATA if first else Kind.UNKNOWN
        if wrapper.differentiates == "all":
            return Kind.DATA if parameter.position is not None and parameter.default is None else Kind.UNKNOWN
        if not wrapper.traces_numbers or parameter.default is not None:
            return Kind.UNKNOWN  # what control flow does not pass keeps its default
        if not wrapper.static:
            return Kind.DATA
        static = self.statics(wrapped, function)
        return Kind.UNKNOWN if static is None else Kind.STATIC if parameter.name in static else Kind.DATA

    def _is_mapped(self, wrapped: Wrapped, parameter: Parameter) -> bool:
        """Whether `vmap` maps over a parameter, as far as its axes are written out."""
        placed = [arg.value for arg in wrapped.arguments if arg.keyword is None and not arg.star]
        first = 0 if wrapped.decorated is not None else 1
        axes = wrapped.keyword("in_axes") or (placed[first] if len(placed) > first else None)
        if axes is None:
            return not any(arg.star for arg in wrapped.arguments)
        if isinstance(axes, (cst.Tuple, cst.List)):
            place = -1 if parameter.position is None else parameter.position
            place -= self.binds_instance(wrapped, parameter.function)
            axes = axes.elements[place].value if 0 <= place < len(axes.elements) else None
        axis = self._constants.of(axes) if axes is not None else None
        return isinstance(axis, int) and parameter.position is not None

    def _self(self, wrapped: Wrapped, parameter: Parameter) -> Kind:
        static = self.statics(wrapped, parameter.function)
        if static is not None and parameter.name in static:
            return Kind.STATIC
        return Kind.UNKNOWN

    def _is_immediate(self, wrapped: Wrapped, function: Function) -> bool:
        """Whether a wrapper is given the function itself, or a transform that takes the same arguments."""
        if wrapped.decorated is function:
            return True
        work, seen = list(wrapped.targets), set[int]()
        while work:
            for value in self._names.values(work.pop()):
                if value is function:
                    return True
                if isinstance(value, Expression) and isinstance(value.node, cst.Call) and id(value.node) not in seen:
                    seen.add(id(value.node))  # `f = grad(f)` comes back to itself
                    inner = self._wrappings.of(value.node)
                    if inner is not None and inner.wrapper.keeps_arguments:
                        work.extend(inner.targets)
        return False

    def statics(self, wrapped: Wrapped, function: Function) -> set[str] | None:
        """Return the names of the static parameters under a wrapper, None where the source does not show them.

        A method that is wrapped as `obj.method` has its instance bound already: numbers count from the next parameter.
        """
        found: set[str] = set()
        positional = [p for p in function.parameters if p.position is not None]
        if self.binds_instance(wrapped, function):
            positional = positional[1:]
        for keyword in wrapped.wrapper.static:
            node = wrapped.keyword(keyword)
            if node is None or self._constants.of(node) is None:
                continue
            if keyword.endswith("names"):
                strings = self._constants.strings(node)
                if strings is None:
                    return None
                if any(function.parameter(name) is None for name in strings) and not function.takes_any_name:
                    return None  # a mistake that is reported as such
                found.update(strings)
                continue
            numbers = self._constants.integers(node)
            if numbers is None:
                return None
            for number in numbers:
                if not -len(positional) <= number < len(positional):
                    return None  # one of `*args`, or a mistake that is reported as such
                found.add(positional[number].name)
        if any(arg.star for arg in wrapped.arguments):
            return None
        return found

    def static_places(self, wrapped: Wrapped) -> tuple[frozenset[int], frozenset[str]]:
        """Return the numbers and the names of static arguments that a wrapper over an unknown signature shows."""
        nodes = {keyword: wrapped.keyword(keyword) for keyword in wrapped.wrapper.static}
        names = [self._constants.strings(node) for key, node in nodes.items() if node and key.endswith("names")]
        numbers = [self._constants.integers(node) for key, node in nodes.items() if node and not key.endswith("names")]
        return (
            frozenset(number for found in numbers for number in found or ()),
            frozenset(name for found in names for name in found or ()),
        )

    def binds_instance(self, wrapped: Wrapped, function: Function) -> bool:
        """Whether the wrapper is given `obj.method`, so that the first parameter is bound."""
        if function.cls is None or wrapped.decorated is not None or self._names.is_static(function):
            return False
        target = wrapped.targets[0]
        if not isinstance(target, cst.Attribute):
            return False
        # Taken from its class, a method is a plain function.
        of_class = any(isinstance(value, Class) for value in self._names.values(target.value))
        return not of_class or self._names.is_classmethod(function)

    def _given_by_callers(self, parameter: Parameter) -> Kind:
        """What the traced visible callers pass to a parameter."""
        function = parameter.function
        kinds = []
        for site in self._calls.of(function):
            if not self._tracing.is_traced(site.context.function):
                continue
            node = argument_of(site.node, parameter, bound=site.bound)
            if node is None:
                kinds.append(Kind.UNKNOWN if _spreads(site.node) or parameter.default is None else Kind.PYTHON)
            else:
                kinds.append(self.kind(node))
        return _join(kinds) if kinds else Kind.UNKNOWN

    # Expressions

    def kind(self, node: cst.CSTNode) -> Kind:
        """Return what an expression holds where it is."""
        key = id(node)
        known = self._known.get(key)
        if known is None:
            if key in self._pending:
                return Kind.UNKNOWN
            self._pending.add(key)
            known = self._kind(node)
            if known is Kind.ARRAY and self._computes_early and guards.is_for_compile_time(self._tree, node):
                known = Kind.UNKNOWN  # a value of Python, unless it comes from an argument
            if known is Kind.ARRAY and self._is_captured_under_map(node):
                known = Kind.CONCRETE
            self._pending.discard(key)
            self._known[key] = known
        return known

    def is_array(self, node: cst.CSTNode) -> bool:
        """Whether an expression is one array of JAX, traced or not: by how it is made, or by an annotation."""
        if self.kind(node) in (Kind.ARRAY, Kind.CONCRETE):
            return True
        values = self._names.values(node)
        return any(isinstance(value, Parameter) and self._names.is_annotated_array(value) for value in values)

    def _is_captured_under_map(self, node: cst.CSTNode) -> bool:
        """Whether an array is made of no argument in a function that only `vmap` traces, so that it has its values."""
        context = self._tree.contexts.get(id(node))
        if context is None or not self._tracing.is_only_mapped(context.function):
            return False
        parts = (part for part in within(node) if part is not node and isinstance(part, (cst.Name, cst.Attribute)))
        return not (isinstance(node, (cst.Name, cst.Attribute)) or any(self.kind(part).traced for part in parts))

    def _kind(self, node: cst.CSTNode) -> Kind:  # noqa: C901  (one arm a kind of expression)
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if node.__class__ in _OF_PYTHON:
            return Kind.PYTHON
        if isinstance(node, cst.Attribute):
            return self._of_attribute(node)
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.Subscript):
            return self._of_subscript(node)
        if isinstance(node, cst.BinaryOperation):
            return self._of_arithmetic([node.left, node.right])
        if isinstance(node, cst.UnaryOperation):
            if isinstance(node.operator, cst.Not):
                return Kind.PYTHON
            return self._of_arithmetic([node.expression])
        if isinstance(node, cst.Comparison):
            return self._of_comparison(node)
        if isinstance(node, cst.BooleanOperation):
            return _join([self.kind(node.left), self.kind(node.right)])
        if isinstance(node, cst.IfExp):
            return _join([self.kind(node.body), self.kind(node.orelse)])
        if isinstance(node, cst.NamedExpr):
            return self.kind(node.value)
        if isinstance(node, cst.AugAssign):
            return self._of_augmented(node)
        if isinstance(node, (cst.Tuple, cst.List)):
            kinds = [self.kind(element.value) for element in node.elements]
            return Kind.PYTHON if all(k.known for k in kinds) else Kind.UNKNOWN
        return Kind.UNKNOWN

    def _of_augmented(self, node: cst.AugAssign) -> Kind:
        value = self.kind(node.value)
        if value is Kind.ARRAY:
            return Kind.ARRAY
        before = self.kind(node.target) if isinstance(node.target, cst.Name) else Kind.UNKNOWN
        return self._combined([before, value])

    def _of_name(self, node: cst.Name) -> Kind:
        if node.value in ("True", "False", "None"):
            return Kind.PYTHON
        bindings = self._names.bindings(node)[-MOST:]
        if not bindings:
            return Kind.UNKNOWN
        # A value that a loop makes from itself takes the kind of its other definitions.
        settled = [b for b in bindings if not (b.kind == "assign" and id(b.value) in self._pending)]
        reader = self._tree.context(node).function
        return _join([self._of_binding(binding, reader) for binding in settled]) if settled else Kind.UNKNOWN

    def _of_binding(self, binding: Binding, reader: Function | None) -> Kind:
        owner = binding.context.function
        value = binding.value
        if owner is None:
            return self._of_module_binding(binding)
        if not isinstance(value, cst.CSTNode):
            return Kind.PYTHON
        if reader is not owner and self._tracing.is_traced(reader) and not self._tracing.is_traced(owner):
            # What a traced function takes from an eager one around it has its value already.
            kind = self.kind_within(binding, owner, value)
            return Kind.PYTHON if kind.known else Kind.CONCRETE if kind is Kind.ARRAY else Kind.UNKNOWN
        return self.kind_within(binding, owner, value)

    def kind_within(self, binding: Binding, owner: Function, value: cst.CSTNode) -> Kind:
        """Return what a local binding holds in the function that it belongs to."""
        if binding.kind == "parameter":
            parameter = owner.parameter(binding.name)
            return self.parameter(parameter) if parameter is not None else Kind.UNKNOWN
        if binding.kind == "assign":
            return self.kind(value)
        if binding.kind == "unpack":
            return self._of_element(value, binding.index, unpacked=True)
        if binding.kind == "loop":
            return self._of_loop_target(binding, value)
        return Kind.UNKNOWN

    def _of_module_binding(self, binding: Binding) -> Kind:
        """Imports, definitions and constants of the module are Python's; an array of the module is neither."""
        value = binding.value
        if binding.kind == "assign" and isinstance(value, cst.CSTNode):
            if isinstance(value, (cst.Dict, cst.List, cst.Tuple, cst.Set)):
                return Kind.PYTHON
            if self._constants.of(value) is not UNKNOWN:
                return Kind.PYTHON
            if self.is_numpy_array(value):
                return Kind.PYTHON
            return Kind.CONCRETE if self.kind(value) in (Kind.ARRAY, Kind.CONCRETE) else Kind.UNKNOWN
        if binding.kind == "unpack" and isinstance(value, cst.CSTNode):
            return Kind.CONCRETE if self.kind(value) is Kind.ARRAY else Kind.UNKNOWN
        return Kind.UNKNOWN if isinstance(value, cst.CSTNode) else Kind.PYTHON

    def _of_element(self, node: cst.CSTNode, index: int | None, *, unpacked: bool = False) -> Kind:
        """What one element of an iterable holds."""
        if isinstance(node, (cst.Tuple, cst.List)):
            if unpacked and index is not None and index < len(node.elements):
                return self.kind(node.elements[index].value)
            return _join([self.kind(element.value) for element in node.elements]) if node.elements else Kind.UNKNOWN
        kind = self.kind(node)
        if kind in (Kind.ARRAY, Kind.DATA, Kind.PYTHON, Kind.STATIC):
            return kind
        return Kind.ARRAY if kind is Kind.CONCRETE else Kind.UNKNOWN

    def _of_loop_target(self, binding: Binding, iterable: cst.CSTNode) -> Kind:
        """What a loop variable holds: a number of `range`, an element of an array, a pair of `enumerate` or `zip`."""
        if not isinstance(iterable, cst.Call) or not isinstance(iterable.func, cst.Name):
            return self._of_element(iterable, None)
        name, args = iterable.func.value, [arg.value for arg in iterable.args]
        if name in ("range", "trange"):
            return Kind.PYTHON
        place = self._place_in_target(binding)
        if name == "enumerate" and args:
            if place == 0:
                return Kind.PYTHON
            return self._of_element(args[0], None) if place == 1 else Kind.UNKNOWN
        if name == "zip" and place is not None and place < len(args):
            return self._of_element(args[place], None)
        if name in ("reversed", "sorted", "list", "tuple", "tqdm", "iter") and args:
            return self._of_element(args[0], None)
        return Kind.UNKNOWN

    def _place_in_target(self, binding: Binding) -> int | None:
        """Return in which element of a loop's target tuple a name is, None where it is no tuple."""
        loop = binding.context.loop
        target = loop.node.target if loop is not None and not isinstance(loop.node, cst.While) else None
        if isinstance(target, (cst.Tuple, cst.List)):
            for index, element in enumerate(target.elements):
                if any(isinstance(part, cst.Name) and part.value == binding.name for part in within(element.value)):
                    return index
        return None

    def _of_attribute(self, node: cst.Attribute) -> Kind:
        externals = self._names.externals(node)
        if externals:
            return Kind.PYTHON  # a function, a constant, a module
        base = self.kind(node.value)
        name = node.attr.value
        if name in ("shape", "ndim", "dtype") and base in (Kind.STATIC, Kind.UNKNOWN):
            return self._of_stored(node, Kind.PYTHON)  # an object may call its own array so
        if name in arrays.ATTRIBUTES_OF_PYTHON and base is not Kind.UNKNOWN:
            return Kind.PYTHON
        if base in (Kind.ARRAY, Kind.CONCRETE):
            return Kind.ARRAY if name in arrays.ARRAY_ATTRIBUTES else Kind.UNKNOWN
        if base is Kind.DATA and name in ("T", "mT", "real", "imag", "at"):
            return Kind.ARRAY
        # A field of a traced dataclass may be static, a method's result anything.
        return self._of_stored(node, Kind.STATIC if base is Kind.STATIC else Kind.UNKNOWN)

    def _of_stored(self, node: cst.Attribute, otherwise: Kind) -> Kind:
        """What an attribute of an object holds by what its class stores there."""
        owners = [self._names.instance_class(value) for value in self._names.values(node.value)]
        cls = owners[0] if len(owners) == 1 else None
        if cls is None:
            return otherwise
        makers = [maker for name in CONSTRUCTORS if (maker := self._names.method(cls, name)) is not None]
        sites = [site for maker in makers for site in self._calls.of(maker)]
        reader = self._tree.context(node).function
        if self._tracing.is_traced(reader) and (
            reader in makers or (sites and all(self._tracing.is_traced(site.context.function) for site in sites))
        ):
            return self._of_made(node.attr.value, cls, sites, otherwise)
        stores = self._names.stores(cls, node.attr.value)
        if not stores or not self.pytrees.is_plain(cls):
            return otherwise
        if any(self._tracing.is_traced(context.function) for _, context in stores):
            return otherwise
        kinds = {self.kind(value) for value, _ in stores}
        return Kind.CONCRETE if kinds <= {Kind.ARRAY, Kind.CONCRETE} else otherwise

    def _of_made(self, name: str, cls: Class, sites: list[CallSite], otherwise: Kind) -> Kind:
        """What an attribute of an object holds that traced code makes."""
        # What is computed from the attribute itself is of the same kind.
        stored = [value for value, _ in self._names.stores(cls, name) if not _is_computed_from(value, name)]
        if name in cls.fields and not cls.methods.get("__init__"):
            place = list(cls.fields).index(name)
            traced = [site for site in sites if self._tracing.is_traced(site.context.function)]
            given = [_field_given(site.node, name, place) for site in traced]
            stored.extend(value for value in given if value is not None)
            if not all(given):
                return otherwise
        kind = _join([self.kind(value) for value in stored]) if stored else otherwise
        return kind if kind is not Kind.UNKNOWN else otherwise

    def _of_subscript(self, node: cst.Subscript) -> Kind:
        base = self.kind(node.value)
        if base in (Kind.ARRAY, Kind.CONCRETE):
            return Kind.ARRAY
        if base is Kind.DATA:
            for element in node.slice:
                if isinstance(element.slice, cst.Slice):
                    return Kind.DATA
            return Kind.ARRAY if len(node.slice) > 1 else Kind.DATA
        return base

    def _of_arithmetic(self, operands: list[cst.BaseExpression]) -> Kind:
        return self._combined([self.kind(operand) for operand in operands])

    @staticmethod
    def _combined(kinds: list[Kind]) -> Kind:
        if not {Kind.ARRAY, Kind.DATA, Kind.CONCRETE}.isdisjoint(kinds):
            return Kind.ARRAY
        if all(kind.known for kind in kinds):
            return Kind.STATIC if Kind.STATIC in kinds else Kind.PYTHON
        return Kind.UNKNOWN

    def _of_comparison(self, node: cst.Comparison) -> Kind:
        operands = [node.left, *(target.comparator for target in node.comparisons)]
        for target in node.comparisons:
            if isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)):
                return Kind.PYTHON
        if any(self.is_text_or_none(operand) or self._is_sequence(operand) for operand in operands):
            return Kind.PYTHON
        return self._of_arithmetic(operands)

    def _is_sequence(self, node: cst.CSTNode) -> bool:
        """Whether it is a tuple of arrays, as a loop of jax was given one: Python compares it with anything else."""
        return isinstance(node, cst.Name) and any(
            isinstance(value, Parameter) and self._is_given_sequence(value) for value in self._names.values(node)
        )

    def _is_given_sequence(self, parameter: Parameter) -> bool:
        for wrapped in self._tracing.direct(parameter.function):
            number = parameter.position
            place = _HANDED_ON.get((wrapped.wrapper.name, number)) if number is not None else None
            if place is None or not self._is_immediate(wrapped, parameter.function):
                continue
            position, keyword = place
            placed = [arg.value for arg in wrapped.arguments if arg.keyword is None]
            given = wrapped.keyword(keyword) or (placed[position] if position < len(placed) else None)
            if isinstance(given, (cst.Tuple, cst.List)):
                return True
        return False

    def is_text_or_none(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a string, None, or a sequence of them: what is compared with it is no array."""
        if isinstance(node, cst.Name) and node.value == "None":
            return True
        if isinstance(node, cst.BaseString):
            return True
        if isinstance(node, (cst.Tuple, cst.List, cst.Set)):
            return any(self.is_text_or_none(element.value) for element in node.elements)
        return isinstance(self._constants.of(node), str)

    def _of_call(self, node: cst.Call) -> Kind:
        for value in self._names.values(node.func):
            if isinstance(value, External):
                if value.name == "jax.lax.psum" and node.args and self._constants.of(node.args[0].value) is not UNKNOWN:
                    return Kind.PYTHON  # the size of the axis
                if self._is_left_to_method(value.name, node):
                    return Kind.ARRAY
                if value.name == "jax.numpy.asarray" and node.args and self.kind(node.args[0].value) is Kind.CONCRETE:
                    return Kind.CONCRETE
                return self._of_external_call(value.name)
        func = node.func
        if isinstance(func, cst.Name) and not self._names.bindings(func):
            return self._of_builtin_call(func.value, node)
        if self._is_transformed(func):
            return Kind.DATA
        found = self._of_method_call(func) if isinstance(func, cst.Attribute) else Kind.UNKNOWN
        return self._of_function_call(node) if found is Kind.UNKNOWN else found

    def _is_transformed(self, func: cst.CSTNode) -> bool:
        """Whether a callee is what a transform of JAX made: under trace its results are traced."""
        values = self._names.values(func)
        return bool(values) and all(
            isinstance(value, Expression)
            and (wrapped := self._wrappings.of(value.node)) is not None
            and wrapped.wrapper.name in _TRANSFORMS
            and wrapped.keyword("has_aux") is None
            for value in values
        )

    def _of_function_call(self, node: cst.Call) -> Kind:
        """What a visible function returns, where all of its returns are traced."""
        callees = self._calls.callees(node)
        if len(callees) != 1:
            return Kind.UNKNOWN
        function = callees[0][0]
        if function.yields or not function.returns or self._names.decorator_names(function):
            return Kind.UNKNOWN
        if function.name in CONSTRUCTORS or function.is_lambda:
            return Kind.UNKNOWN
        found = _join([self.kind(returned) for returned in function.returns])
        return found if found.traced else Kind.UNKNOWN

    def _is_left_to_method(self, name: str, node: cst.Call) -> bool:
        """Whether a function of NumPy calls the method of a traced array, as `np.sum(x)` does."""
        if not name.startswith("numpy.") or name.removeprefix("numpy.") not in arrays.NUMPY_ON_METHODS:
            return False
        first = node.args[0] if node.args else None
        return first is not None and not first.star and first.keyword is None and self.kind(first.value).traced

    def _of_external_call(self, name: str) -> Kind:
        if arrays.makes_array(name):
            return Kind.ARRAY
        if arrays.may_make_tree(name):
            return Kind.DATA
        if name.startswith(("numpy.", "math.")):
            return Kind.PYTHON
        if name in ("jax.device_count", "jax.local_device_count", "jax.process_index", "jax.eval_shape"):
            return Kind.PYTHON
        last = name.rpartition(".")[2]
        if name.startswith("jax.numpy.") and last in ("shape", "ndim", "size", "result_type", "issubdtype", "finfo"):
            return Kind.PYTHON
        return Kind.UNKNOWN

    def _of_builtin_call(self, name: str, node: cst.Call) -> Kind:
        if name in _PYTHON_CALLS:
            return Kind.PYTHON
        if name in _ARRAY_CALLS and node.args:
            kinds = [self.kind(arg.value) for arg in node.args]
            if name == "sum" and kinds[0] is Kind.DATA:
                return Kind.ARRAY
            return self._combined(kinds)
        return Kind.UNKNOWN

    def _of_method_call(self, func: cst.Attribute) -> Kind:
        base = self.kind(func.value)
        name = func.attr.value
        if self.is_update(func):
            return Kind.ARRAY
        if name in ("item", "tolist") and base.traced:
            return Kind.PYTHON
        if base.known and name in arrays.ARRAY_METHODS:
            return Kind.PYTHON  # an array of NumPy
        if base is Kind.CONCRETE:
            # Those that change nothing give the array itself.
            return Kind.ARRAY if name in arrays.ARRAY_METHODS - _MAY_CHANGE_NOTHING else Kind.UNKNOWN
        if base is Kind.ARRAY:
            return Kind.ARRAY if name in arrays.ARRAY_METHODS else Kind.UNKNOWN
        if base is Kind.DATA:
            # `.get` and `.items` of a dictionary of arrays are no methods of an array.
            if name in _STRING_METHODS_OF_TREES:
                return Kind.UNKNOWN
            return Kind.ARRAY if name in arrays.ARRAY_METHODS else Kind.UNKNOWN
        return Kind.UNKNOWN

    def is_update(self, func: cst.CSTNode) -> bool:
        """Whether a callee is `x.at[i].set` or one of similar functions."""
        if not isinstance(func, cst.Attribute) or func.attr.value not in arrays.UPDATES:
            return False
        if not isinstance(func.value, cst.Name):
            return _is_place_of_array(func.value)
        places = self._names.values(func.value)
        return bool(places) and all(isinstance(p, Expression) and _is_place_of_array(p.node) for p in places)

    # NumPy

    def is_numpy_array(self, node: cst.CSTNode) -> bool:
        """Whether an expression is an array of NumPy that Python knows, as far as the source shows."""
        key = id(node)
        if key not in self._numpy:
            self._numpy[key] = False  # what is made of itself is told by its other definitions
            values = self._names.values(node)
            made = all(
                (isinstance(v, Expression) and self._makes_numpy(v.node))
                or (isinstance(v, (Element, Item)) and self._makes_several(v.node))
                for v in values
            )
            self._numpy[key] = made and not (isinstance(node, cst.Attribute) and self._may_be_leaf(node))
        return self._numpy[key]

    def _may_be_leaf(self, node: cst.Attribute) -> bool:
        """Whether an attribute may belong to a pytree, and so be traced where it is an argument."""
        classes = [self._names.instance_class(value) for value in self._names.values(node.value)]
        return any(cls is None or not self.pytrees.is_plain(cls) for cls in classes)

    def _makes_several(self, node: cst.CSTNode) -> bool:
        """Whether a value is several arrays of NumPy, or one whose elements are arrays."""
        if not isinstance(node, cst.Call):
            return False
        names = self._names.externals(node.func)
        several = bool(names) and all(name in _SEVERAL for name in names)
        return several and not any(self.holds_traced(arg.value) for arg in node.args)

    def _makes_numpy(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Subscript):
            return self.is_numpy_array(node.value)
        if isinstance(node, cst.BinaryOperation):
            sides = (node.left, node.right)
            return any(map(self.is_numpy_array, sides)) and all(self.kind(side).known for side in sides)
        if not isinstance(node, cst.Call):
            return False
        method = isinstance(node.func, cst.Attribute) and node.func.attr.value in arrays.ARRAY_METHODS
        if method and self.is_numpy_array(node.func.value):  # type: ignore[attr-defined]
            return True
        if isinstance(node.func, cst.Attribute) and is_generator(self._names, node.func.value):
            # A generator draws an array if it is told a size.
            return any(arg.keyword is not None and arg.keyword.value == "size" for arg in node.args)
        names = self._names.externals(node.func)
        known = all(n.startswith("numpy.") and n.removeprefix("numpy.") in arrays.NUMPY_MAKERS for n in names)
        return bool(names) and known and not any(self.holds_traced(arg.value) for arg in node.args)

    def holds_traced(self, node: cst.BaseExpression) -> bool:
        """Whether a value is traced, or a container of Python with one in it that is."""
        if isinstance(node, (cst.Tuple, cst.List, cst.Set, cst.Dict)):
            return any(self.holds_traced(element.value) for element in node.elements)
        if isinstance(node, (cst.ListComp, cst.SetComp)):
            return self.holds_traced(node.elt)
        if isinstance(node, cst.DictComp):
            return self.holds_traced(node.value)
        return self.kind(node).traced

    # Booleans

    def is_mask(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a traced array of booleans, as far as the source shows."""
        if self.kind(node) is not Kind.ARRAY:
            return False
        if isinstance(node, cst.Name):
            bindings = self._names.bindings(node)
            return bool(bindings) and all(
                isinstance(b.value, cst.CSTNode) and b.kind == "assign" and self.is_mask(b.value) for b in bindings
            )
        if isinstance(node, cst.Comparison):
            return True
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.BitInvert) and self.is_mask(node.expression)
        if isinstance(node, cst.BinaryOperation):
            logical = isinstance(node.operator, (cst.BitAnd, cst.BitOr, cst.BitXor))
            return logical and (self.is_mask(node.left) or self.is_mask(node.right))
        if isinstance(node, cst.Call):
            if self.is_update(node.func):
                place = node.func.value  # type: ignore[attr-defined]
                return isinstance(place, cst.Subscript) and self.is_mask(place.value.value)  # type: ignore[attr-defined]
            names = self._names.externals(node.func)
            if any(name in _MASKS for name in names) or self._is_boolean(node):
                return True
            return bool(node.args) and any(name in _KEEP_TYPE for name in names) and self.is_mask(node.args[0].value)
        return False

    def _is_boolean(self, node: cst.Call) -> bool:
        """Whether a call makes an array of booleans: `jnp.ones(n, dtype=bool)`, `x.astype(bool)`."""
        placed = [arg.value for arg in node.args if arg.keyword is None]
        kind = next((a.value for a in node.args if a.keyword is not None and a.keyword.value == "dtype"), None)
        if kind is None and isinstance(node.func, cst.Attribute) and node.func.attr.value in _TYPED:
            place = _TYPED[node.func.attr.value]
            kind = placed[place] if place < len(placed) else None
        if isinstance(kind, cst.Name) and kind.value == "bool":
            return True
        return kind is not None and any(
            name in ("jax.numpy.bool_", "numpy.bool_") for name in self._names.externals(kind)
        )


_MAY_CHANGE_NOTHING = frozenset({"astype", "reshape", "ravel", "squeeze", "flatten", "view", "copy"})

_SEVERAL = frozenset({"numpy.indices", "numpy.meshgrid", "numpy.nonzero", "numpy.where", "numpy.broadcast_arrays"})

_TRANSFORMS = frozenset(
    f"jax.{name}" for name in "jit grad vmap jacfwd jacrev hessian checkpoint value_and_grad".split()
)
"""Transforms whose results are arrays, or trees of arrays, throughout."""

_TYPED = {"astype": 0, "zeros": 1, "ones": 1, "full": 2, "empty": 1, "asarray": 1, "array": 1}
"""Where functions and methods take the type of their result."""

_HANDED_ON = {
    ("jax.lax.scan", 0): (1, "init"),
    ("jax.lax.scan", 1): (2, "xs"),
    ("jax.lax.while_loop", 0): (2, "init_val"),
    ("jax.lax.fori_loop", 1): (3, "init_val"),
}
"""Which argument of a loop of jax arrives, perhaps in slices, as which parameter of its body."""

_MASKS = frozenset(
    f"jax.numpy.{name}"
    for name in "isnan isinf isfinite isclose logical_and logical_or logical_not logical_xor greater less "
    "greater_equal less_equal equal not_equal isin in1d signbit isneginf isposinf".split()
)

_KEEP_TYPE = frozenset(
    f"jax.numpy.{name}"
    for name in "tril triu roll flip fliplr flipud reshape ravel squeeze transpose broadcast_to expand_dims".split()
)
"""What gives the elements of its first argument, or zeros in their place."""


def _is_place_of_array(node: cst.CSTNode) -> bool:
    """Whether an expression is `x.at[i]`."""
    return isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and node.value.attr.value == "at"


def _field_given(call: cst.Call, name: str, place: int) -> cst.BaseExpression | None:
    """Return what a call of a dataclass gives to a field."""
    if any(arg.star for arg in call.args):
        return None
    placed = [arg.value for arg in call.args if arg.keyword is None]
    named = next((a.value for a in call.args if a.keyword is not None and a.keyword.value == name), None)
    return placed[place] if place < len(placed) else named


def _is_python_type(annotation: cst.BaseExpression | None) -> bool:
    return isinstance(annotation, cst.Name) and annotation.value in ("int", "bool", "str")


def _spreads(call: cst.Call) -> bool:
    return any(arg.star for arg in call.args)


def _is_computed_from(value: cst.BaseExpression, attribute: str) -> bool:
    """Whether an operator computes a value from an attribute, as `-self.a` is computed from `a`."""
    if isinstance(value, cst.UnaryOperation):
        return _is_computed_from(value.expression, attribute)
    if isinstance(value, cst.BinaryOperation):
        return _is_computed_from(value.left, attribute) or _is_computed_from(value.right, attribute)
    return isinstance(value, cst.Attribute) and value.attr.value == attribute


def _join(kinds: list[Kind]) -> Kind:
    """The kind of what may be any of several."""
    first = kinds[0]
    if all(kind is first for kind in kinds):
        return first
    if all(kind.traced for kind in kinds):
        return Kind.DATA
    if all(kind.known for kind in kinds):
        return Kind.STATIC
    return Kind.UNKNOWN
