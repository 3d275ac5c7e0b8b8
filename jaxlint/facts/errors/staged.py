"""What the functions that run under a staging trace hold that fails there, and how sure that is."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import CallSite, argument_of
from jaxlint.facts.context.reached import Reached
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.errors.demands import NUMPY, STRUCTURAL, Demand, Demands
from jaxlint.facts.errors.origins import Origins
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Element, Expression
from jaxlint.facts.syntax.tree import Function, Parameter, children, within
from jaxlint.facts.values.values import Kind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_OPTION_ANNOTATIONS = frozenset({"bool", "str", "int", "Callable", "Literal", "type", "Type", "tuple", "Tuple", "Enum"})
_CONTAINER_ANNOTATIONS = frozenset(
    {"list", "dict", "tuple", "List", "Dict", "Tuple", "Sequence", "Mapping", "Iterable", "PyTree", "set", "Any"}
)
_DATA_ANNOTATIONS = frozenset(
    {"float", "complex", "Array", "ArrayLike", "ndarray", "Float", "Scalar", "ScalarLike", "Num"}
)


_NO_CLASSES = frozenset({"None", "Optional", "Union", "Annotated", "Final", "Self"})
_ARRAYS_OR_OPTIONS = _OPTION_ANNOTATIONS | _DATA_ANNOTATIONS | {"Bool", "Int", "UInt", "Integer", "Shaped", "Inexact"}

_CONTAINERS = (cst.Dict, cst.List, cst.Tuple, cst.Set)

_ASKED = frozenset({"range", "key", "format", "axis", "option"})
"""Uses other than tests and shapes that ask data for its value."""


@dataclass(frozen=True, slots=True, eq=False)
class DataShape:
    """A place where traced data decides a shape: by a `mask`, in a `function`, or as a `bound`."""

    node: cst.CSTNode
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What is known of a parameter as an option of its function."""

    option_like: bool
    data_like: bool


class Usage(enum.Enum):
    """Whether visible calls give a parameter: some do, none does, or there are none and it has a default."""

    GIVEN = "given"
    OMITTED = "omitted"
    OPEN = "open"


class Staged:
    """The demands of all staged functions, those skipped that a guard makes harmless."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._reached = Reached(facts.tree, facts.names, facts.calls, facts.tracing, facts.constants)
        self._constants = facts.constants
        self._tree = facts.tree
        self._names = facts.names
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._values = facts.values
        self._incoming = facts.incoming
        self._busy: set[int] = set()
        self._found_sources: Answers[tuple[tuple[Parameter, ...], bool]] = Answers(facts.names.asking)
        self._finder = Demands(facts.tree, facts.names, facts.calls, facts.values, facts.compiled)
        parts = (facts.calls, facts.tracing, facts.values, facts.constants)
        self._origins = Origins(*parts, self._finder.parameters_behind)
        self.demands: list[Demand] = [
            demand
            for function in self.functions()
            for demand in self._finder.of(function)
            if not self.is_guarded(demand.node)
        ]
        self._structural = {
            id(p) for d in self.demands if d.use in STRUCTURAL or d.use == "call" for p in (*d.parameters, *d.also)
        }

    @functools.cached_property
    def missing_statics(self) -> list[tuple[Demand, Parameter]]:
        """The option-like parameters that Python needs, each with the first place that needs it."""
        found: dict[int, tuple[Demand, Parameter]] = {}
        for demand in self.demands:
            trace = self._tracing.trace(demand.function)
            if trace is None or not trace.compiled:
                continue  # a body of scan or vmap has no static arguments to name
            for parameter in (*demand.parameters, *demand.also):
                if id(parameter) not in found and self._is_option(demand, parameter):
                    found[id(parameter)] = (demand, parameter)
        return list(found.values())

    def asked_after(self, demand: Demand) -> list[Parameter]:
        """Return the option-like parameters that the `elif`s behind a test ask for."""
        found = (self._finder.parameters_behind(node) or () for node in self._finder.tested_after(demand.node))
        return [p for parameters in found for p in parameters if self._is_option(demand, p)]

    @staticmethod
    def item_asked_for(demand: Demand, parameter: Parameter) -> str | None:
        """Return the name of the item of a `**options` that a demand asks for: `options["training"]`."""
        node = demand.node
        if parameter.star != "**" or not isinstance(node, cst.Subscript) or not isinstance(node.value, cst.Name):
            return None
        key = node.slice[0].slice.value if isinstance(node.slice[0].slice, cst.Index) else None
        name = str(key.evaluated_value) if isinstance(key, cst.SimpleString) and len(node.slice) == 1 else ""
        return name if name.isidentifier() else None

    @functools.cached_property
    def data_in_python(self) -> list[Demand]:
        """The tests and conversions of traced data; a text that formats several values is one."""
        found = {
            (id(self._text_around(demand.node)), demand.use): demand
            for demand in reversed(self.demands)
            if demand.use in ("test", "order", "conversion", *_ASKED)
            and not any(self._is_option(demand, parameter) for parameter in demand.parameters)
            and not self._may_be_container(demand)
            and not self._is_second_operand(demand)
        }
        return [*reversed(found.values())]

    def _text_around(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the text that formats an expression, all of it where several are written side by side; else itself."""
        texts = (cst.FormattedStringExpression, cst.FormattedString, cst.ConcatenatedString)
        for parent in self._tree.ancestors(node):
            if not isinstance(parent, texts):
                break
            node = parent
        return node

    @functools.cached_property
    def data_in_numpy(self) -> list[Demand]:
        """Where NumPy, `math` or an index into what Python holds is given traced data."""
        found = [
            demand
            for demand in (*self.demands, *self._transformed)
            if demand.use in NUMPY or demand.use == "index"
            if not (demand.use == "index" and any(self._is_option(demand, p) for p in demand.parameters))
            and not (demand.use == "numpy" and any(self._is_option(demand, p) for p in demand.parameters))
        ]
        return [
            demand
            for demand in found
            # A mask has another fix, for which JAX208 speaks.
            if not guards.is_for_compile_time(self._tree, demand.node) and not self._values.is_mask(demand.node)
        ]

    @property
    def _transformed(self) -> list[Demand]:
        """The demands on what grad or vmap passes to a function: traced, though nothing is staged."""
        known = {id(function) for function in self.functions()}
        return [
            demand
            for function in self.transformed()
            if id(function) not in known
            for demand in self._finder.of(function)
            if demand.use in NUMPY and self.comes_from_argument(demand.node) and not self.is_guarded(demand.node)
        ]

    def transformed(self) -> list[Function]:
        """Return the functions that grad, vmap and similar functions trace, with nothing staged."""
        return [
            function
            for function in self._tree.functions
            if (trace := self._tracing.trace(function)) is not None
            and not trace.staged
            and self._tracing.direct(function)
        ]

    def comes_from_argument(self, node: cst.CSTNode) -> bool:
        """Whether a value is computed from a traced argument of its function."""
        return bool(self._sources(node)[0])

    def is_left_to_defaults(self, node: cst.CSTNode) -> bool:
        """Whether a value is computed from nothing traced but parameters that no visible call gives."""
        parameters, others = self._sources(node)
        return bool(parameters) and not others and all(self.usage(p) is Usage.OMITTED for p in parameters)

    def is_switched_off(self, node: cst.CSTNode) -> bool:
        """Whether a place is in the branch of a flag that its default does not take, and that no visible call gives."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                return False
            if isinstance(parent, cst.If) and child is not parent.test:
                turned = isinstance(parent.test, cst.UnaryOperation) and isinstance(parent.test.operator, cst.Not)
                flag = parent.test.expression if isinstance(parent.test, cst.UnaryOperation) else parent.test
                asked = "False" if (child is parent.body) is turned else "True"
                for value in self._names.values(flag) if isinstance(flag, cst.Name) else ():
                    default = value.default if isinstance(value, Parameter) else None
                    if isinstance(default, cst.Name) and default.value in ("True", "False") and default.value != asked:
                        assert isinstance(value, Parameter)  # noqa: S101
                        if self.usage(value) is Usage.OMITTED and self._is_always(value, default.value, set()):
                            return True
            child = parent
        return False

    def _is_always(self, parameter: Parameter, default: str, seen: set[int]) -> bool:
        """Whether all that visible calls give a parameter, perhaps by way of others, is what its default says."""
        if id(parameter) in seen:
            return True
        seen.add(id(parameter))
        for site in self._calls.of(parameter.function):
            given = argument_of(site.node, parameter, bound=site.bound) or parameter.default
            for value in self._names.values(given) if given is not None else ():
                if isinstance(value, Parameter):
                    if not self._is_always(value, default, seen):
                        return False
                elif not (isinstance(given, cst.Name) and given.value == default):
                    return False
        return True

    def _sources(self, node: cst.CSTNode) -> tuple[tuple[Parameter, ...], bool]:
        """Return the traced parameters that a value is computed from, and whether something else traced is among it."""
        return self._found_sources.get(id(node), lambda: self._find_sources(node), ((), False))

    def _find_sources(self, node: cst.CSTNode) -> tuple[tuple[Parameter, ...], bool]:
        if not self._values.kind(node).traced:
            return (), False
        found: dict[int, Parameter] = {}
        if isinstance(node, cst.Name):
            values = self._names.values(node)
            inner = [value.node for value in values if isinstance(value, (Expression, Element))]
            found.update((id(value), value) for value in values if isinstance(value, Parameter))
            others = len(inner) + len(found) < len(values)
        else:
            inner = [arg.value for arg in node.args] if isinstance(node, cst.Call) else children(node)
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                inner.append(node.func.value)
            others = not any(self._values.kind(one).traced for one in inner)
        for one in inner:
            parameters, unknown = self._sources(one)
            found.update((id(parameter), parameter) for parameter in parameters)
            others = others or unknown
        return tuple(found.values()), others

    def _is_second_operand(self, demand: Demand) -> bool:
        """Whether a call of `max` or `min` has failed on an earlier operand already."""
        arg = self._tree.parent(demand.node)
        call = self._tree.parent(arg) if isinstance(arg, cst.Arg) else None
        if demand.use != "order" or not isinstance(call, cst.Call):
            return False
        first = next(a.value for a in call.args if self._values.kind(a.value).traced)
        return first is not demand.node

    @functools.cached_property
    def data_shapes(self) -> list[DataShape]:
        """The places where traced data decides a shape."""
        found = [
            DataShape(demand.node, "bound")
            for demand in self.demands
            if demand.use in ("shape", "size", "slice")
            and not any(self._is_option(demand, parameter) for parameter in demand.parameters)
        ]
        for function in self.functions():
            found.extend(
                DataShape(node, kind)
                for node in self._tree.body(function)
                if (kind := self._shape_by_data(node)) is not None and not self.is_guarded(node)
            )
        return found

    def _shape_by_data(self, node: cst.CSTNode) -> str | None:
        found = self._asks_for_shape(node)
        if found == "function" and isinstance(node, cst.Call):
            within = self._tree.context(node).function
            if self._tracing.is_only_mapped(within) and not any(self._values.kind(a.value).traced for a in node.args):
                return None  # what is captured has its values, and so has what is computed from it
        return found

    def _asks_for_shape(self, node: cst.CSTNode) -> str | None:
        if type(node) is not cst.Subscript and type(node) is not cst.Call:
            return None
        if isinstance(node, cst.Subscript):
            base = self._values.kind(node.value)
            masked = any(isinstance(e.slice, cst.Index) and self._values.is_mask(e.slice.value) for e in node.slice)
            array = base.traced or base in (Kind.UNKNOWN, Kind.CONCRETE) or self._values.is_numpy_array(node.value)
            return "mask" if masked and array else None
        if isinstance(node, cst.Call) and self._is_nonzero_of_array(node):
            return "function"
        if isinstance(node, cst.Call) and not any(a.star for a in node.args):
            given = {a.keyword.value for a in node.args if a.keyword is not None}
            for name in self._names.externals(node.func):
                count = (
                    arrays.DATA_DEPENDENT.get(name.removeprefix("jax.numpy."))
                    if name.startswith("jax.numpy.")
                    else None
                )
                if count is None or given & {"size", "length", "x", "y"}:
                    continue
                data = [a.value for a in node.args if a.keyword is None]
                if len(data) < count or (name == "jax.numpy.where" and len(data) != 1):
                    continue
                # It asks for what it computes, so it fails with arrays that have their values as well.
                if any(self._values.kind(value) is not Kind.UNKNOWN for value in data[:count]):
                    return None if guards.is_for_compile_time(self._tree, node) else "function"
            if any(name in arrays.SEGMENTED for name in self._names.externals(node.func)):
                placed = len([a for a in node.args if a.keyword is None]) + len(given & {"data", "segment_ids"})
                if placed == 2 and "num_segments" not in given:
                    return None if guards.is_for_compile_time(self._tree, node) else "function"
        return None

    def _is_nonzero_of_array(self, node: cst.Call) -> bool:
        func = node.func
        sized = any(arg.keyword is not None for arg in node.args)
        is_method = isinstance(func, cst.Attribute) and func.attr.value == "nonzero"
        return is_method and not sized and self._values.kind(func.value).traced  # type: ignore[attr-defined]

    def _is_option(self, demand: Demand, parameter: Parameter) -> bool:
        if demand.use in ("table", "store"):
            return False  # a table that is looked up by each new value would be compiled for each
        trace = self._tracing.trace(demand.function)
        if trace is not None and trace.staged and not trace.compiled:
            return False  # what the body of a loop calls has no static arguments
        if self.traced_whatever_is_given(parameter) is not None:
            return False
        if parameter.star and isinstance(demand.node, cst.Name) and demand.use in ("test", "call"):
            return False
        if demand.use == "static" and not self._may_be_static(parameter):
            return False
        if demand.use in STRUCTURAL or demand.use == "call" or parameter.star == "**":
            return True
        return self.options(parameter).option_like

    def traced_whatever_is_given(self, parameter: Parameter) -> Wrapped | None:
        """Return what traces a parameter with no `jax.jit` that could make it static: `fori_loop`, `checkpoint` ..."""
        direct = self._tracing.direct(parameter.function)
        if any(wrapped.wrapper.compiles for wrapped in direct) or not self._values.parameter(parameter).traced:
            return None
        return next((wrapped for wrapped in direct if wrapped.wrapper.traces_numbers), None)

    def bindable(self, demand: Demand) -> Wrapped | None:
        """Return what traces an option that should be bound, or static there: `jax.eval_shape(f, x, True)`."""
        for parameter in demand.parameters:
            wrapped = self.traced_whatever_is_given(parameter) if self.options(parameter).option_like else None
            if wrapped is not None and wrapped.wrapper.kind != "control-flow":
                return wrapped
        return None

    def jitted_parameters(self, parameter: Parameter) -> list[Parameter] | None:
        """Return the parameters of jitted functions, by that name or another, that a parameter's value comes from.

        None where it may also come from what no static argument can be, such as the result of an array operation.
        """
        return self._origins.jitted(parameter)

    def _may_be_static(self, parameter: Parameter) -> bool:
        """Whether nothing says that a parameter is data, or an object or None, which has a hash under trace as well."""
        annotated = _annotation_names(parameter.annotation)
        if parameter.star or annotated - _OPTION_ANNOTATIONS - _NO_CLASSES or self._is_opened(parameter):
            return False
        return not (isinstance(parameter.default, cst.Name) and parameter.default.value == "None")

    def _may_be_container(self, demand: Demand) -> bool:
        """Whether it tests the bare truth of a parameter that may hold a list or a dictionary of arrays."""
        if demand.use != "test" or not isinstance(demand.node, cst.Name) or not demand.parameters:
            return False
        if self._values.kind(demand.node) is Kind.ARRAY:
            return False
        parameter = demand.parameters[0]
        annotated = _annotation_names(parameter.annotation)
        if parameter.star or annotated & _CONTAINER_ANNOTATIONS:
            return True
        if any(name[:1].isupper() for name in annotated - _NO_CLASSES) and not annotated & _ARRAYS_OR_OPTIONS:
            return True  # an object of the project's own
        return self.is_container(parameter) and not self.options(parameter).data_like

    def functions(self) -> list[Function]:
        """Return the functions that run under a trace that hides values from Python.

        What a mapped function of another file passes on may be captured there, and keep its value.
        """
        return [
            function
            for function in self._tree.functions
            if (trace := self._tracing.trace(function)) is not None and trace.hidden and (trace.staged or not trace.far)
        ]

    def is_guarded(self, node: cst.CSTNode) -> bool:
        """Whether a `try` catches what happens at a place, or a test around it keeps traces out.

        That is a test for tracers, one of a constant, or one of a flag that all visible traced calls leave off.
        """
        if self._constants.is_dead(node):
            return True
        if guards.is_caught(self._tree, node) or guards.keeps_traces_out(self._tree, node):
            return True
        if self._follows_a_failure(node):
            return True
        return self._reached is not None and self._reached.is_left_out(node)

    def _follows_a_failure(self, node: cst.CSTNode) -> bool:
        """Whether a test around a place asks how a `try` of the same function went, which may have needed values."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                return False
            if isinstance(parent, (cst.If, cst.IfExp)) and parent.test is not child:
                names = (part for part in within(parent.test) if isinstance(part, cst.Name))
                bindings = (b for name in names for b in self._names.bindings(name))
                if any(b.context.function is not None and self._is_in_handler(b.value) for b in bindings):
                    return True
            child = parent
        return False

    def _is_in_handler(self, value: object) -> bool:
        if not isinstance(value, cst.CSTNode):
            return False
        for parent in self._tree.ancestors(value):
            if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                return False
            if isinstance(parent, (cst.ExceptHandler, cst.ExceptStarHandler)):
                return True
        return False

    def may_be_tree(self, parameter: Parameter) -> bool:
        """Whether a parameter that is called may be given a tree that can be called, such as a tree_util.Partial."""
        return not self._calls.of(parameter.function)

    def runs_eagerly_too(self, function: Function) -> bool:
        """Whether a visible call runs a function outside any trace as well, and none runs what is compiled of it."""
        if id(function) in self._busy:
            return True
        sites = self._calls.of(function)
        if any(site.wrapped for site in sites):
            return False
        if any(not self._tracing.is_traced(site.context.function) for site in sites):
            return True
        outside = self._incoming.functions.get(function.qualname)
        if outside is not None and outside.called and not outside.traced and not function.decorators:
            return True
        # What only such a function reaches runs where that does.
        around = [f for f in (function.outer, *(site.context.function for site in sites)) if f is not None]
        if not around or self._tracing.direct(function):
            return False
        self._busy.add(id(function))
        try:
            return all(self.runs_eagerly_too(other) for other in around)
        finally:
            self._busy.discard(id(function))

    def options(self, parameter: Parameter) -> Options:
        """Say whether a parameter looks like an option of its function, or like data."""
        names = _annotation_names(parameter.annotation)
        default = parameter.default
        by_default = isinstance(default, (cst.Integer, cst.BaseString)) or (
            isinstance(default, cst.Name) and default.value in ("True", "False")
        )
        data = bool(names & _DATA_ANNOTATIONS) or isinstance(default, cst.Float)
        option = bool(names & _OPTION_ANNOTATIONS) or by_default or id(parameter) in self._structural
        return Options(option and not (data and id(parameter) not in self._structural), data)

    def _is_opened(self, parameter: Parameter) -> bool:
        """Whether its function reads an item or an attribute of a parameter."""
        bindings = parameter.function.scope.bindings.get(parameter.name, ())
        uses = (use for binding in bindings for use in self._names.uses(binding))
        return any(
            isinstance(parent := self._tree.parent(use), (cst.Subscript, cst.Attribute)) and parent.value is use
            for use in uses
        )

    def is_container(self, parameter: Parameter) -> bool:
        """Whether something in its function uses a parameter as a container or an object, whose truth is Python's."""
        for binding in parameter.function.scope.bindings.get(parameter.name, ()):
            for use in self._names.uses(binding):
                parent = self._tree.parent(use)
                if isinstance(parent, (cst.Subscript, cst.Attribute)) and parent.value is use:
                    return True
                if isinstance(parent, (cst.For, cst.CompFor)) or (isinstance(parent, cst.Arg) and parent.star):
                    return True
                if isinstance(parent, cst.Arg) and not self._is_array_call(parent):
                    return True
                if isinstance(parent, cst.BooleanOperation) and isinstance(parent.right, _CONTAINERS):
                    return True  # `given or {}`
        return False

    def _is_array_call(self, arg: cst.Arg) -> bool:
        call = self._tree.parent(arg)
        return isinstance(call, cst.Call) and self._values.kind(call).traced

    def usage(self, parameter: Parameter) -> Usage:
        """Say whether visible calls give a parameter."""
        if id(parameter) in self._busy:
            return Usage.GIVEN
        self._busy.add(id(parameter))
        try:
            return self._usage(parameter)
        finally:
            self._busy.discard(id(parameter))

    def _usage(self, parameter: Parameter) -> Usage:
        if self.traced_whatever_is_given(parameter) is not None:
            return Usage.GIVEN
        # What calls the function itself outside any trace traces nothing.
        sites = [
            site
            for site in self._calls.of(parameter.function)
            if site.wrapped or self._tracing.is_traced(site.context.function)
        ]
        if not sites:
            outside = self._incoming.functions.get(parameter.function.qualname)
            if parameter.default is None:
                return Usage.GIVEN
            return self._of_default(parameter, Usage.OMITTED if outside is not None and outside.called else Usage.OPEN)
        return _most([self._given_at(site, parameter) for site in sites])

    def _of_default(self, parameter: Parameter, otherwise: Usage) -> Usage:
        """Say what is known where a call leaves a parameter out: its default may be one of a function around."""
        values = self._names.values(parameter.default) if parameter.default is not None else ()
        if not values or not all(isinstance(value, Parameter) for value in values):
            return otherwise
        return _most([self.usage(value) for value in values if isinstance(value, Parameter)])

    def _given_at(self, site: CallSite, parameter: Parameter) -> Usage:
        if any(arg.star for arg in site.node.args):
            return Usage.GIVEN
        given = argument_of(site.node, parameter, bound=site.bound)
        if given is None:
            return Usage.GIVEN if parameter.default is None else self._of_default(parameter, Usage.OMITTED)
        if site.wrapped:
            return Usage.GIVEN  # what a jitted function is given is traced
        if self._values.kind(given).known:
            return Usage.OMITTED  # a traced caller gives a value of Python
        # A parameter of a traced caller may be skipped in turn.
        values = self._names.values(given)
        if not values or not all(isinstance(value, Parameter) for value in values):
            return Usage.GIVEN
        return _most([self.usage(value) for value in values if isinstance(value, Parameter)])


def _most(found: list[Usage]) -> Usage:
    return next((usage for usage in (Usage.GIVEN, Usage.OPEN) if usage in found), Usage.OMITTED)


def _annotation_names(node: cst.BaseExpression | None) -> set[str]:
    """Return the last parts of the names in an annotation: `Optional[int]` gives Optional and int."""
    if node is None:
        return set()
    if isinstance(node, cst.SimpleString):
        return {str(node.evaluated_value).rpartition(".")[2].partition("[")[0]}
    found = set()
    for part in within(node):
        if isinstance(part, cst.Attribute):
            found.add(part.attr.value)
        elif isinstance(part, cst.Name):
            found.add(part.value)
    return found
