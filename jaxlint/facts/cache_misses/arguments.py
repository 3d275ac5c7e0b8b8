"""What calls of jitted functions are passed, where it makes them compile again, or fail."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import Element, Expression, Item, Value
from jaxlint.facts.syntax.tree import (
    Binding,
    Class,
    Context,
    Function,
    Loop,
    Parameter,
    children,
    last_name,
    same_code,
    within,
)
from jaxlint.facts.values.compiled_calls import CompiledCall, ImportedCall
from jaxlint.facts.values.drawn import Drawn
from jaxlint.facts.values.lengthening import Length, Lengthening

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_UNHASHABLE = {
    cst.List: "a list",
    cst.ListComp: "a list",
    cst.Dict: "a dict",
    cst.DictComp: "a dict",
    cst.Set: "a set",
    cst.SetComp: "a set",
}
_UNHASHABLE_CALLS = {"list": "a list", "dict": "a dict", "set": "a set", "bytearray": "a bytearray", "sorted": "a list"}
_NUMPY_ARRAYS = frozenset("array asarray zeros ones arange linspace full eye empty".split())
_SHAPED = frozenset("zeros ones full empty arange linspace eye".split())
_RANDOM = frozenset("normal uniform randint bernoulli exponential gamma permutation truncated_normal".split())
_JOINING = frozenset("append concatenate concat hstack vstack stack".split())
_CONVERSIONS = frozenset({"array", "asarray"})
_FINDING = {"nonzero": 1, "flatnonzero": 1, "argwhere": 1, "where": 1, "unique": 1, "extract": 2, "setdiff1d": 2}
"""Functions whose result is as long as what they find, with the number of their arguments."""
_PAIR = 2
_OF_FLOATS = frozenset("ones zeros linspace normal uniform".split())
_REDUCING = frozenset("max min sum mean prod std var norm median".split())
"""Functions that, without an axis, make a number of the array's own type of an array of floats."""
_STRONG = frozenset(
    f"{module}.{name}" for module in ("jax.numpy", "numpy") for name in ("float16", "bfloat16", "float32", "float64")
) | frozenset(
    f"jax.random.{name}"
    for name in ("normal", "uniform", "exponential", "gumbel", "laplace", "logistic", "truncated_normal", "cauchy")
)
"""What gives a number of a certain float type, whatever it is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """An argument that a call passes to a parameter, with what is wrong with it in words.

    `name` is the parameter's, `parameter` the one itself where the function is visible; `unneeded` says that nothing
    there needs its value in Python.  `held` is what the argument keeps in a static field, where that is what is wrong.
    """

    node: cst.CSTNode
    call: CompiledCall | ImportedCall
    name: str
    what: str
    in_loop: bool = False
    looped: bool = False
    sure: bool = True
    unneeded: bool = False
    parameter: Parameter | None = None
    held: cst.BaseExpression | None = None

    @property
    def label(self) -> str:
        """The parameter in words, by its number where its name is not known."""
        return f"argument {self.name}" if self.name.isdigit() else f"`{self.name}`"


@dataclass(frozen=True, slots=True, eq=False)
class StaticField:
    """A static field of a pytree class that by its annotation is an array, which JAX cannot compare."""

    node: cst.CSTNode
    cls: Class
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Carry:
    """A weakly typed value that a loop carries through a jitted function.

    `dtype` is the type that comes back, empty where the source does not show it.
    """

    node: cst.CSTNode
    call: CompiledCall
    name: str
    dtype: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """A call that passes a parameter in another way than an earlier one with the same value."""

    call: CompiledCall
    other: CompiledCall
    parameter: Parameter


class Arguments:
    """Looks at the arguments of the calls of jitted functions."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._lengthening = Lengthening(facts.names, facts.wrappings, facts.calls)
        self._calls = facts.calls
        self._behind = facts.behind
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._constants = facts.constants
        self._compiled = facts.compiled
        self._instances = facts.instances
        self._sizes = facts.sizes
        self._traceable = facts.traceable
        self._lengths = facts.lengths
        self._drawn = Drawn(facts.tree, facts.names, facts.calls, facts.constants, facts.sizes)

    def _statics(self) -> Iterator[tuple[CompiledCall | ImportedCall, str, cst.BaseExpression, Parameter | None]]:
        """Yield what calls pass to static parameters: the call, the parameter's name, the argument, the parameter."""
        for call in self._compiled.calls:
            for parameter in call.parameters:
                node = call.argument(parameter) if call.is_static(parameter) else None
                if node is not None:
                    yield call, parameter.name, node, parameter
        for imported in self._compiled.imported:
            for name, node in imported.statics:
                yield imported, name, node, None

    # Unhashable

    @functools.cached_property
    def unhashable(self) -> list[Given]:
        """The static arguments that have no hash."""
        found = []
        for call, name, node, parameter in self._statics():
            what = [self._unhashable(value) for value in self._first_values(node, call.context)]
            if what and all(what):
                found.append(Given(node, call, name, str(what[0]), parameter=parameter))
        return found

    @functools.cached_property
    def incomparable(self) -> list[Given]:
        """The arguments with a static field that holds an array.

        The key of the compile cache skips what static fields hold, and compares it by `==`: lists and
        dictionaries do, arrays do not.
        """
        found = []
        for call, node, field, value in self._fields_of_arguments():
            what = [self._holds_array(v) for v in self._behind.values(value)]
            if what and all(what):
                found.append(Given(node, call, field, str(what[0])))
        return found

    def _holds_array(self, value: Value) -> str | None:
        what = self._unhashable(value)
        return what if what is not None and what.endswith("an array") else None

    def _first_values(self, node: cst.CSTNode, context: Context) -> list[Value]:
        """Return what an argument may be in the first iteration of the loop around its call."""
        if isinstance(node, cst.Name) and context.loop is not None:
            before = [b for b in self._names.bindings(node) if b.context.loop is not context.loop]
            if before and all(b.kind == "assign" and isinstance(b.value, cst.CSTNode) for b in before):
                return [v for b in before if isinstance(b.value, cst.CSTNode) for v in self._behind.values(b.value)]
        return self._behind.values(node)

    def _fields_of_arguments(self) -> Iterator[tuple[CompiledCall, cst.BaseExpression, str, cst.BaseExpression]]:
        """Yield what the arguments of compiled calls hold in static fields: call, argument, field, value."""
        for call in self._compiled.calls:
            for parameter in call.parameters:
                node = call.argument(parameter) if not call.is_static(parameter) else None
                for value in self._names.values(node) if node is not None else ():
                    made = value.node if isinstance(value, Expression) else None
                    if isinstance(made, cst.Call) and node is not None:
                        yield from ((call, node, field, held) for field, held in self._static_fields_given(made))

    def _static_fields_given(self, made: cst.Call) -> Iterator[tuple[str, cst.BaseExpression]]:
        for cls in self._names.values(made.func):
            if isinstance(cls, Class) and (static := self._static_fields(cls)):
                names = list(cls.fields)
                yield from ((name, node) for name, node in self._fields_given(made, names) if name in static)

    def _static_fields(self, cls: Class) -> frozenset[str]:
        """Return the names of the fields of a pytree class that the cache's key compares."""
        found = {
            name
            for name in cls.fields
            for binding in cls.scope.bindings.get(name, ())
            if isinstance(binding.value, cst.Call) and self._is_static_field(binding.value)
        }
        for decorator in cls.decorators:
            for arg in decorator.args if isinstance(decorator, cst.Call) else ():
                if arg.keyword is not None and arg.keyword.value == "meta_fields":
                    found.update(self._constants.strings(arg.value) or ())
        return frozenset(found)

    @functools.cached_property
    def unhashable_instances(self) -> list[tuple[Class, Function]]:
        """The methods with a static `self` whose class gives its instances no hash, with the class."""
        return [
            (cls, method)
            for cls in self._tree.classes
            if self._instances.stands_alone(cls) and self.has_no_hash(cls)
            for method in cls.methods.values()
            if self._instances.static_self(method)
        ]

    def _unhashable(self, value: Value) -> str | None:
        if not isinstance(value, Expression):
            return None
        node = value.node
        if type(node) in _UNHASHABLE:
            return _UNHASHABLE[type(node)]
        for part in self._behind.parts(node):
            held = [self._unhashable(inner) for inner in self._names.values(part)]
            if held and all(held):
                return f"a tuple that contains {held[0]}"
        if not isinstance(node, cst.Call):
            return None
        for name in self._names.externals(node.func):
            module, _, last = name.rpartition(".")
            key = name == "jax.random.PRNGKey"
            if key or arrays.makes_array(name) or (module == "numpy" and last in _NUMPY_ARRAYS):
                return "an array"
        if isinstance(node.func, cst.Name) and not self._names.bindings(node.func):
            return _UNHASHABLE_CALLS.get(node.func.value)
        cls = next((value for value in self._names.values(node.func) if isinstance(value, Class)), None)
        if cls is None or self.has_no_hash(cls):
            return f"an instance of `{cls.name}`" if cls is not None else None
        # A dataclass that can be hashed hashes its fields.
        for _, given in self._fields_given(node, list(cls.fields)) if self._hashes_fields(cls) else ():
            held = [self._unhashable(inner) for inner in self._names.values(given)]
            if held and all(held):
                return f"a `{cls.name}` that contains {held[0]}"
        return None

    def has_no_hash(self, cls: Class) -> bool:
        """Whether instances compare by value and have no hash: `__eq__` alone, or a dataclass that is not frozen."""
        if "__hash__" in cls.methods or "__hash__" in cls.scope.bindings:
            return False
        options = self._dataclass_options(cls)
        if options is None:
            return "__eq__" in cls.methods
        return not (options.get("frozen") or options.get("unsafe_hash") or options.get("eq") is False or "*" in options)

    def _hashes_fields(self, cls: Class) -> bool:
        """Whether a dataclass has the hash that dataclasses make of all fields."""
        options = self._dataclass_options(cls) or {}
        own = "__hash__" in cls.methods or "__hash__" in cls.scope.bindings or "__init__" in cls.methods
        made = options.get("frozen") is True or options.get("unsafe_hash") is True
        excluded = any(isinstance(b.value, cst.Call) for name in cls.fields for b in cls.scope.bindings.get(name, ()))
        return made and options.get("eq") is not False and not own and not excluded

    def _dataclass_options(self, cls: Class) -> dict[str, object] | None:
        """Return the options of a dataclass, with `*` where not all are written out; None for another class."""
        for decorator in cls.decorators:
            called = decorator.func if isinstance(decorator, cst.Call) else decorator
            if "dataclasses.dataclass" not in self._names.externals(called):
                continue
            args = decorator.args if isinstance(decorator, cst.Call) else ()
            options: dict[str, object] = {"*": True} if any(arg.star for arg in args) else {}
            for arg in args:
                if arg.keyword is not None:
                    options[arg.keyword.value] = self._constants.of(arg.value)
            return options
        return None

    @functools.cached_property
    def array_fields(self) -> list[StaticField]:
        """The static fields of pytree classes that are annotated as arrays."""
        found = []
        for cls in self._tree.classes:
            for name, annotation in cls.fields.items():
                for binding in cls.scope.bindings.get(name, ()):
                    value = binding.value
                    if isinstance(value, cst.Call) and self._is_static_field(value) and _is_array(annotation):
                        found.append(StaticField(value, cls, name))
        return found

    def is_passed(self, cls: Class) -> bool:
        """Whether a visible call passes an instance of a class to a jitted function."""
        return any(
            self._names.instance_class(value) is cls
            for call in self._compiled.calls
            for arg in call.node.args
            for value in self._names.values(arg.value)
        )

    def _is_static_field(self, call: cst.Call) -> bool:
        for arg in call.args:
            keyword = arg.keyword.value if arg.keyword is not None else ""
            if keyword == "static" and self._constants.of(arg.value) is True:
                return True
            if keyword == "pytree_node" and self._constants.of(arg.value) is False:
                return True
            if keyword == "metadata" and self._says_static(arg.value):
                return True
        return False

    def _says_static(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Call):
            return any(
                arg.keyword is not None and arg.keyword.value == "static" and self._constants.of(arg.value) is True
                for arg in node.args
            )
        return isinstance(node, cst.Dict) and any(
            isinstance(e, cst.DictElement)
            and self._constants.of(e.key) == "static"
            and self._constants.of(e.value) is True
            for e in node.elements
        )

    # Fresh

    @functools.cached_property
    def fresh(self) -> list[Given]:
        """The static arguments that are created again and equal no other.

        Calls of what another module compiles are skipped: helpers that take functions are mostly called under trace.
        """
        found = []
        for call, name, node, parameter in self._statics():
            if isinstance(call, ImportedCall) and not call.here:
                continue
            made = [self._fresh(value, call) for value in self._names.values(node)]
            sure = [item for item in made if item is not None]
            if not sure or len(sure) != len(made):
                continue
            what, loop = sure[0]
            outer = call.context.loop
            in_loop = outer is not None and loop is not None
            found.append(
                Given(node, call, name, what, in_loop, outer is not None and loop is None, parameter=parameter)
            )
        for compiled, node, field, held in self._fields_of_arguments():
            made = [self._fresh(value, compiled) for value in self._names.values(held)]
            if made and all(item is not None for item in made) and made[0] is not None:
                what, loop = made[0]
                outer = compiled.context.loop
                in_loop, looped = outer is not None and loop is not None, outer is not None and loop is None
                found.append(Given(node, compiled, field, what, in_loop, looped, held=held))
        return found

    def _fresh(self, value: Value, call: CompiledCall | ImportedCall) -> tuple[str, Loop | None] | None:
        """Return what a new object is, and the loop that it is made in."""
        if isinstance(value, Function):
            context = value.context
            what = "a new lambda" if value.is_lambda else f"`{value.name}`, a new function each time"
        elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
            context = self._tree.context(value.node)
            what = self._fresh_call(value.node)
        else:
            return None
        here = context.function is call.context.function
        lives_on = context.function is None and context.loop is None
        return None if not what or not here or lives_on else (what, context.loop)

    def _fresh_call(self, node: cst.Call) -> str:
        wrapped = self._wrappings.of(node)
        if wrapped is not None:
            if wrapped.wrapper.compiles or not wrapped.wrapper.makes_callable:
                return ""
            return "a new partial" if wrapped.wrapper.kind == "partial" else "a new transformed function"
        for value in self._names.values(node.func):
            if isinstance(value, Class) and self._instances.is_by_identity(value):
                return f"a new `{value.name}`, which compares by identity"
        if any(name.startswith("optax.") and name.count(".") == 1 for name in self._names.externals(node.func)):
            return "a new optimizer"
        for function in self._names.functions(node.func):
            if not self._names.decorator_names(function) and self._gives_closures(function):
                return f"the result of `{function.name}`, new functions each time"
        return ""

    def _gives_closures(self, function: Function) -> bool:
        """Whether a function returns, in any case, a function that it defines, or a tuple that holds one."""

        def is_new(node: cst.BaseExpression) -> bool:
            return any(inner.outer is function for inner in self._names.functions(node))

        return bool(function.returns) and all(
            is_new(node)
            or any(
                is_new(part)
                for value in self._names.values(node)
                if isinstance(value, Expression)
                for part in self._behind.parts(value.node)
            )
            for node in function.returns
        )

    # Varying

    @functools.cached_property
    def varying(self) -> list[Given]:
        """The static arguments that change in each iteration of a loop; `sure` says that nothing needs them static."""
        found: list[Given] = []
        for call, name, node, parameter in self._statics():
            loop = call.context.loop
            if loop is None or all(self._has_few_values(value) for value in self._names.values(node)):
                continue
            turn = self._turn_of(node, loop)
            if turn is None or (self._is_few(turn) and not self._mixes_parameters(node)):
                continue
            if self._is_remembered(call.node, loop) or any(self._is_same(given, call, name, node) for given in found):
                continue
            unneeded = parameter is not None and self._traceable.parameter(parameter)
            counted = isinstance(turn.node, cst.While) or isinstance(turn.node.iter, cst.Call)
            sure = (unneeded or counted) and not (parameter is not None and self._is_object(parameter))
            found.append(Given(node, call, name, "", True, False, sure, unneeded, parameter))
        return found

    def _is_remembered(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a call is behind `if key not in known` and its result goes to `known`: it is made once a key."""
        for parent in self._tree.ancestors(call):
            if parent is loop.node or isinstance(parent, (cst.FunctionDef, cst.Lambda)):
                return False
            test = parent.test if isinstance(parent, cst.If) else None
            if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, cst.NotIn):
                continue
            known = test.comparisons[0].comparator
            stored = (part for part in within(parent) if isinstance(part, cst.AssignTarget))
            if any(isinstance(t.target, cst.Subscript) and same_code(t.target.value, known) for t in stored):
                return True
        return False

    @staticmethod
    def _is_same(given: Given, call: CompiledCall | ImportedCall, name: str, node: cst.CSTNode) -> bool:
        """Whether an earlier call of the same iteration has compiled the program for the value."""
        return (
            given.name == name
            and given.call.name == call.name
            and given.call.context.loop is call.context.loop
            and given.call.context.branch == call.context.branch
            and same_code(given.node, node)
        )

    def _has_few_values(self, value: Value) -> bool:
        """Whether a value is a truth value, a text, a remainder, or the size of batches but for the last."""
        node = value.node if isinstance(value, Expression) else None
        if isinstance(node, cst.Call):
            return self._is_size_of_batch(node)
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.Not)
        if isinstance(node, cst.BinaryOperation):
            return isinstance(node.operator, cst.Modulo)
        return isinstance(node, (cst.Comparison, cst.BooleanOperation, cst.BaseString))

    def _is_object(self, parameter: Parameter) -> bool:
        """Whether a function calls methods of a parameter, or the parameter: objects are made once, and are few."""
        for binding in parameter.function.scope.bindings.get(parameter.name, ()):
            for use in self._names.uses(binding):
                parent = self._tree.parent(use)
                called = self._tree.parent(parent) if isinstance(parent, cst.Attribute) else parent
                if isinstance(called, cst.Call) and called.func in (use, parent):
                    return True
        return False

    def _is_size_of_batch(self, node: cst.Call) -> bool:
        """Whether it is `min(size, total - start)` in a loop that takes steps of more than one: two values."""
        loop = self._tree.context(node).loop
        if last_name(node.func) != "min" or len(node.args) != _PAIR or loop is None:
            return False
        iterable = loop.iterable
        steps = isinstance(loop.node, cst.While) or (isinstance(iterable, cst.Call) and len(iterable.args) > _PAIR)
        turning = [arg.value for arg in node.args if self._turn_of(arg.value, loop) is not None]
        return (
            steps
            and len(turning) == 1
            and isinstance(left := turning[0], cst.BinaryOperation)
            and isinstance(left.operator, cst.Subtract)
        )

    def _turn_of(self, node: cst.CSTNode, loop: Loop, depth: int = 4) -> Loop | None:
        """Return the loop, this one or one around it, whose iteration an expression depends on.

        What is chosen between two values has two, and what is doubled until it suffices has few.
        """
        if isinstance(node, cst.IfExp):
            return self._turn_of(node.body, loop, depth) or self._turn_of(node.orelse, loop, depth)
        for name in _names_in(node):
            for binding in self._names.bindings(name):
                inner = binding.context.loop
                if inner is None or not loop.inside(inner):
                    continue
                if binding.kind == "loop":
                    return inner
                value = binding.value
                if isinstance(value, cst.AugAssign):
                    if isinstance(value.operator, (cst.MultiplyAssign, cst.LeftShiftAssign, cst.FloorDivideAssign)):
                        continue
                    return inner
                if depth and isinstance(value, cst.CSTNode):
                    found = self._turn_of(value, loop, depth - 1)
                    if found is not None and not isinstance(value, cst.Call):
                        return found
        return None

    def _is_few(self, loop: Loop) -> bool:
        """Whether a loop is over a literal of a few elements, or a literal range of a few."""
        iterable = loop.iterable
        if iterable is None:
            return False
        if isinstance(iterable, cst.Call):
            numbers = [self._constants.integer(arg.value) for arg in iterable.args]
            if last_name(iterable.func) == "range" and numbers and None not in numbers:
                return len(range(*[n for n in numbers if n is not None][:3])) <= SHORT
            return any(self._is_short(arg.value) for arg in iterable.args)
        return self._is_short(iterable)

    def _is_short(self, node: cst.CSTNode) -> bool:
        length = self._constants.length(node)
        return length is not None and length <= SHORT

    def _mixes_parameters(self, node: cst.CSTNode) -> bool:
        """Whether an expression is computed from a parameter of the function around it as well."""
        if isinstance(node, cst.Name):
            return False
        return any(any(isinstance(value, Parameter) for value in self._names.values(name)) for name in _names_in(node))

    # Shapes

    @functools.cached_property
    def varying_shapes(self) -> list[Given]:
        """The traced arguments whose shape changes in each iteration of a loop, one a call, the surest."""
        found: dict[int, Given] = {}
        for call in self._compiled.calls:
            loop = call.context.loop
            for parameter in call.parameters:
                node = call.argument(parameter) if not call.is_static(parameter) else None
                if node is None:
                    continue
                if self._lengths.varies(node):
                    what = "is as long as what was collected so far"
                    found[id(call.node)] = Given(
                        node, call, parameter.name, what, loop is not None, parameter=parameter
                    )
                    break
                if loop is None or self._is_few(loop):
                    continue
                if self._is_lengthened(call, parameter, node, loop):
                    what = "comes back longer from each call"
                    found[id(call.node)] = Given(node, call, parameter.name, what, True, parameter=parameter)
                    break
                what, sure = self._shape_varies(node, loop, 5)
                known = found.get(id(call.node))
                if what and (known is None or (sure and not known.sure)):
                    found[id(call.node)] = Given(node, call, parameter.name, what, True, sure=sure, parameter=parameter)
        return list(found.values())

    def _is_lengthened(self, call: CompiledCall, parameter: Parameter, node: cst.BaseExpression, loop: Loop) -> bool:
        """Whether a loop returns to a jitted function what it returned, which is longer each time."""
        back: list[int | None] = []
        for value in self._names.values(node):
            if not isinstance(value, (Item, Expression)):
                continue
            if value.node is call.node:
                back.append(value.index if isinstance(value, Item) else None)
            elif (inner := self._tree.context(value.node).loop) is not None and inner.inside(loop):
                return False  # cut to a length again, or begun again
        places = self._lengthening.places(call.function, parameter.name) if back else {}
        return any(Length.LONGER in (places.get(place), places.get(None)) for place in back)

    def _shape_varies(self, node: cst.CSTNode, loop: Loop, depth: int) -> tuple[str, bool]:
        """Return why the shape of an expression changes, empty where nothing says so, and whether that is sure."""
        if isinstance(node, cst.Name) and depth:
            found = (
                self._value_varies(node, binding, binding.value, loop, depth)
                for binding in self._names.bindings(node)
                if isinstance(binding.value, cst.CSTNode)
                and binding.context.loop is not None
                and loop.inside(binding.context.loop)
            )
            return next((one for one in found if one[0]), ("", False))
        base = node.value if isinstance(node, cst.Subscript) else node
        if isinstance(base, cst.Call) and self._is_found(base, base, loop):
            return "has a data-dependent length in each iteration", True
        if isinstance(node, cst.Subscript):
            return self._slice_varies(node, loop, depth)
        if isinstance(node, cst.Call):
            return self._call_varies(node, loop)
        if isinstance(node, cst.BinaryOperation) and depth:
            left = self._shape_varies(node.left, loop, depth - 1)
            return left if left[0] else self._shape_varies(node.right, loop, depth - 1)
        return "", False

    def _value_varies(
        self, node: cst.Name, binding: Binding, value: cst.CSTNode, loop: Loop, depth: int
    ) -> tuple[str, bool]:
        """Answer the same for what a name is bound to in the loop."""
        if self._is_found(node, value, loop):
            return "has a data-dependent length in each iteration", True
        if binding.kind == "loop":
            return self._elements_vary(value, depth - 1)
        if binding.kind != "assign":
            return "", False
        if self._grows(value, node.value) and not self._begins_anew(binding):
            return "grows", True
        return self._shape_varies(value, loop, depth - 1)

    def _elements_vary(self, iterable: cst.CSTNode, depth: int) -> tuple[str, bool]:
        """Return why the shapes of the elements of a list differ, as those of `[x[labels == k] for k in kinds]`."""
        func = iterable.func if isinstance(iterable, cst.Call) and not iterable.args else None
        held = func.value if isinstance(func, cst.Attribute) and func.attr.value == "values" else None
        for value in self._behind.values(held or iterable):
            made = value.node if isinstance(value, Expression) else None
            element: cst.BaseExpression | None = None
            if held is None and isinstance(made, (cst.ListComp, cst.GeneratorExp)):
                element = made.elt
            elif held is not None and isinstance(made, cst.DictComp):
                element = made.value
            loop = self._tree.context(element).loop if element is not None else None
            if element is not None and loop is not None and not self._is_few(loop):
                found = self._shape_varies(element, loop, depth)
                if found[0]:
                    return found
        return "", False

    def _is_found(self, node: cst.CSTNode, made: cst.CSTNode, loop: Loop) -> bool:
        """Whether a value is what `np.nonzero` and similar functions find in data that the loop changes."""
        changed = (b.context.loop for name in _names_in(made) for b in self._names.bindings(name))
        if not any(inner is not None and loop.inside(inner) for inner in changed):
            return False
        found = [
            value.node
            for value in self._behind.values(node)
            if isinstance(value, (Item, Expression)) and isinstance(value.node, cst.Call)
        ]
        return any(
            _FINDING.get(name.rpartition(".")[2], 0) == len([a for a in call.args if a.keyword is None])
            and name.rpartition(".")[0] in ("numpy", "jax.numpy")
            and not any(arg.keyword is not None and arg.keyword.value == "size" for arg in call.args)
            for call in found
            for name in self._names.externals(call.func)
        )

    def _begins_anew(self, binding: Binding) -> bool:
        """Whether an iteration rebinds a name before it joins it: `x = parts(i); x = concatenate(x)`."""
        context = binding.context
        return any(
            other.context.loop is context.loop
            and other.context.order < context.order
            and isinstance(other.value, cst.CSTNode)
            and not any(name.value == binding.name for name in _names_in(other.value))
            for other in context.scope.frame.bindings.get(binding.name, ())
        )

    def _grows(self, value: cst.CSTNode, name: str) -> bool:
        if not isinstance(value, cst.Call) or last_name(value.func) not in _JOINING:
            return False
        return any(found.value == name for arg in value.args for found in _names_in(arg.value))

    def _slice_varies(self, node: cst.Subscript, loop: Loop, depth: int) -> tuple[str, bool]:
        for element in node.slice:
            part = element.slice
            if isinstance(part, cst.Slice):
                bounds = [b is not None and self._turn_of(b, loop) is not None for b in (part.lower, part.upper)]
                if bounds[0] != bounds[1] and (part.lower is None or part.upper is None or bounds[1]):
                    return "is sliced by the loop variable", True
                drawn = [b is not None and self._drawn.decides(b, loop) for b in (part.lower, part.upper)]
                if drawn[0] != drawn[1]:
                    return "is cut at a random place", True
            elif isinstance(part, cst.Index):
                if isinstance(part.value, cst.Comparison) and isinstance(
                    part.value.comparisons[0].operator, (cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.Equal)
                ):
                    return "is selected by a mask", True
                found = self._shape_varies(part.value, loop, depth - 1) if depth else ("", False)
                if found[0]:
                    return found
        return "", False

    def _call_varies(self, node: cst.Call, loop: Loop) -> tuple[str, bool]:
        shape = self._drawn.shape(node)
        if shape is not None and self._turn_of(shape, loop) is not None:
            return "has a shape that depends on the loop variable", True
        if shape is not None and self._drawn.decides(shape, loop):
            return "has a random length", True
        for name in self._names.externals(node.func):
            module, _, last = name.rpartition(".")
            if module in ("jax.numpy", "numpy") and last in _SHAPED and node.args:
                if self._turn_of(node.args[0].value, loop) is not None:
                    return self._built(node.args[0].value)
                if self._drawn.decides(node.args[0].value, loop):
                    return "has a random length", True
            elif module == "jax.random" and last in _RANDOM and len(node.args) > 1:
                if self._turn_of(node.args[1].value, loop) is not None:
                    return "has a shape that depends on the loop variable", True
            elif module in ("jax.numpy", "numpy") and last in _CONVERSIONS and node.args:
                argument = node.args[0].value
                if self._is_list_filled(argument, loop):
                    return "is built from a list that grows", True
                if isinstance(argument, cst.Name) and self._is_loop_variable(argument, loop):
                    return "is converted from the loop variable, whose length may differ", False
        return "", False

    def _is_list_filled(self, node: cst.BaseExpression, loop: Loop) -> bool:
        """Whether an expression is a list, perhaps within another, that each iteration makes longer."""
        if isinstance(node, cst.List) and len(node.elements) == 1:
            node = node.elements[0].value
        if not isinstance(node, cst.Name):
            return False
        grows = False
        for binding in self._names.bindings(node):
            inner = binding.context.loop
            if inner is None or not inner.inside(loop):
                continue
            if not self._adds_to_list(binding.value, node.value):
                return False  # begun again, or cut
            grows = True
        changes = self._lengths.changes(node, loop)
        return (grows or bool(changes)) and changes <= {"append", "extend"}

    @staticmethod
    def _adds_to_list(value: object, name: str) -> bool:
        """Whether it is `x + [...]` or `x += [...]` of a name."""
        if isinstance(value, cst.AugAssign):
            return isinstance(value.operator, cst.AddAssign) and isinstance(value.value, cst.List)
        if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add):
            return False
        sides = (value.left, value.right)
        return any(isinstance(side, cst.Name) and side.value == name for side in sides) and any(
            isinstance(side, cst.List) for side in sides
        )

    def _built(self, size: cst.BaseExpression) -> tuple[str, bool]:
        """Say that an array is as long as the loop variable says; batches may be of one length, or of two."""
        lengths = [n for n in within(size) if isinstance(n, cst.Call) and last_name(n.func) == "len" and n.args]
        for call in lengths:
            iterables = [value.node for value in self._names.values(call.args[0].value) if isinstance(value, Element)]
            if any(self._is_split(node) for node in iterables):
                return "", False
        return "has a shape that depends on the loop variable", not lengths

    def _is_split(self, node: cst.CSTNode) -> bool:
        """Whether it is what `array_split` gave: parts of two lengths at most."""
        return any(
            isinstance(value, Expression)
            and isinstance(value.node, cst.Call)
            and last_name(value.node.func) in ("array_split", "split")
            for value in self._names.values(node)
        )

    def _is_loop_variable(self, node: cst.Name, loop: Loop) -> bool:
        for binding in self._names.bindings(node):
            if binding.kind != "loop" or binding.context.loop is None or not loop.inside(binding.context.loop):
                continue
            iterable = binding.context.loop.iterable
            if not (isinstance(iterable, cst.Call) and last_name(iterable.func) in ("range", "trange")):
                return True
        return False

    # Carries

    @functools.cached_property
    def weak_carries(self) -> list[Carry]:
        """The weakly typed values that come back strongly typed."""
        found = []
        for call in self._compiled.calls:
            loop = call.context.loop
            if loop is None:
                continue
            for parameter in call.parameters:
                node = call.argument(parameter)
                if not isinstance(node, cst.Name) or not self._comes_back(call, node.value):
                    continue
                for binding in self._names.bindings(node):
                    if binding.context.loop is not loop and isinstance(binding.value, cst.CSTNode):
                        weak = self._weak(binding, call, parameter)
                        found.extend([Carry(weak[0], call, node.value, weak[1])] if weak is not None else [])
        return found

    def _comes_back(self, call: CompiledCall, name: str) -> bool:
        """Whether the call's result, or a part of it, is stored under the name."""
        parent = self._tree.parent(call.node)
        if not isinstance(parent, cst.Assign):
            return False
        return any(found.value == name for target in parent.targets for found in _names_in(target.target))

    def _weak(self, binding: Binding, call: CompiledCall, parameter: Parameter) -> tuple[cst.CSTNode, str] | None:
        """Return the weak start, and the type that comes back in its place, as far as the source shows it."""
        value = binding.value
        if binding.kind != "assign" or not isinstance(value, cst.CSTNode):
            return None
        if self._is_weak(value):
            types = [self._strong_type(node, parameter, None, call, value) for node in self._returned(call.function)]
            strong = [dtype for dtype in types if dtype is not None]
            return (value, strong[0]) if strong else None
        weak_item = self._weak_item(value, call, parameter)
        if weak_item is not None:
            return weak_item
        for made in self._instances_behind(value):
            weak = self._weak_field(made, call, parameter)
            if weak is not None:
                return weak
        return None

    def _weak_item(
        self, start: cst.CSTNode, call: CompiledCall, parameter: Parameter
    ) -> tuple[cst.CSTNode, str] | None:
        """Return the weak item of a tuple or a dictionary that is carried, and the type that comes back for it."""
        for key, node in self._items_behind(start):
            if not self._is_weak(node):
                continue
            for returned in call.function.returns:
                for value in self._names.values(returned):
                    new = self._items(value.node).get(key) if isinstance(value, Expression) else None
                    for made in self._names.values(new) if new is not None else ():
                        inner = made.node if isinstance(made, Expression) else None
                        dtype = self._strong_by_arguments(inner, call, parameter, key, node)
                        if dtype is not None:
                            return node, dtype
        return None

    def _items_behind(self, start: cst.CSTNode) -> Iterator[tuple[int | str, cst.BaseExpression]]:
        """Yield the items of a literal tuple or dictionary, or of the one that a visible function returns."""
        yield from self._items(start).items()
        if isinstance(start, cst.Call) and not any(isinstance(v, Class) for v in self._names.values(start.func)):
            for returned in self._behind.returned(start):
                yield from self._items(returned).items()

    def _items(self, node: cst.CSTNode) -> dict[int | str, cst.BaseExpression]:
        """Return what a literal tuple or dictionary holds, by number or by name."""
        if isinstance(node, (cst.Tuple, cst.List)):
            return {index: element.value for index, element in enumerate(node.elements)}
        found: dict[int | str, cst.BaseExpression] = {}
        for element in node.elements if isinstance(node, cst.Dict) else ():
            key = self._constants.of(element.key) if isinstance(element, cst.DictElement) else UNKNOWN
            if isinstance(key, str):
                found[key] = element.value
        return found

    def _strong_by_arguments(
        self, node: cst.CSTNode | None, call: CompiledCall, parameter: Parameter, key: int | str, start: cst.CSTNode
    ) -> str | None:
        """Return the type of a sum or the like of a carried item and of another argument that is an array."""
        if not isinstance(node, cst.BinaryOperation):
            return None
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if not self._is_item(side, parameter, key):
                continue
            given = [p for p in self._parameters_in(other, None) if p is not parameter and self._is_strong(call, p)]
            if not given and not self._is_integer(start) and self._holds_strong(other):
                return ""
            if not given or any(self._has_axes(call, p) for p in given):
                return None
            dtype = self._type_of(call, given[0])
            if "float" in dtype:
                return dtype
            # An element of an array is of the array's type; a weak whole number beside it becomes strong in any case.
            return dtype if self._is_integer(start) or self._is_element_of_floats(call, given[0]) else None
        return None

    def _is_element_of_floats(self, call: CompiledCall, parameter: Parameter) -> bool:
        """Whether a call passes what a loop takes from an array of floats."""
        node = call.argument(parameter)
        values = self._names.values(node) if node is not None else ()
        arrays_of = [value.node for value in values if isinstance(value, Element)]
        return bool(arrays_of) and all(map(self._makes_floats, arrays_of))

    def _makes_floats(self, node: cst.CSTNode) -> bool:
        """Whether a call makes an array of floats whatever it is given."""
        for value in self._names.values(node):
            made = value.node if isinstance(value, Expression) else None
            names = self._names.externals(made.func) if isinstance(made, cst.Call) else ()
            if not any(name.rpartition(".")[2] in _OF_FLOATS and name.startswith("jax.") for name in names):
                return False
            if isinstance(made, cst.Call) and any(a.keyword and a.keyword.value == "dtype" for a in made.args):
                return False
        return True

    def _is_item(self, node: cst.CSTNode, parameter: Parameter, key: int | str) -> bool:
        """Whether an expression is one item of a parameter, by its number or its name."""
        if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            same = self._constants.of(node.slice[0].slice.value) == key
            return same and any(value is parameter for value in self._names.values(node.value))
        return any(
            isinstance(value, Item)
            and value.index == key
            and any(whole is parameter for whole in self._names.values(value.node))
            for value in self._names.values(node)
        )

    def _is_weak(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Integer, cst.Float)):
            return True
        if not isinstance(node, cst.Call) or len(node.args) != 1:
            return False
        names = self._names.externals(node.func)
        given = node.args[0].value
        number = isinstance(self._constants.of(self._default_behind(given) or given), (int, float))
        return number and any(name in ("jax.numpy.asarray", "jax.numpy.array") for name in names)

    def _default_behind(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """Return the default of a parameter that no visible call gives, as that of `init(step=1.0)` in `init()`."""
        values = self._names.values(node)
        only = values[0] if len(values) == 1 else None
        if not isinstance(only, Parameter) or only.star:
            return None
        sites = self._calls.of(only.function)
        given = (argument_of(site.node, only, bound=site.bound) for site in sites)
        return only.default if sites and not any(node is not None for node in given) else None

    def _returned(self, function: Function) -> Iterator[cst.CSTNode]:
        for node in function.returns:
            for value in self._names.values(node):
                inner = value.node if isinstance(value, Expression) else node
                if isinstance(inner, cst.Tuple):
                    for element in inner.elements:
                        yield from (v.node for v in self._names.values(element.value) if isinstance(v, Expression))
                else:
                    yield inner

    def _strong_type(
        self, node: cst.CSTNode, parameter: Parameter, field: str | None, call: CompiledCall, start: cst.CSTNode
    ) -> str | None:
        """Return the type of a sum or the like of the carried value and of another argument that is an array.

        It is empty where it is not known, and None where nothing shows that the carried value becomes strong.
        """
        if not isinstance(node, cst.BinaryOperation):
            return None
        sides = [self._parameters_in(side, field) for side in (node.left, node.right)]
        others = [other for side in sides for other in side if other is not parameter and self._is_strong(call, other)]
        if any(parameter in side for side in sides) and not others:
            return "" if not self._is_integer(start) and self._holds_strong(node) else None
        if not any(parameter in side for side in sides):
            return None
        if any(self._has_axes(call, other) for other in others):
            return None  # the first iteration has another shape, whatever its type
        types = {self._type_of(call, other) for other in others}
        dtype = types.pop() if len(types) == 1 else ""
        if "int" not in dtype and "bool" not in dtype:
            return dtype
        # A weak float among integers stays weak.
        return dtype if self._is_integer(start) and not isinstance(node.operator, cst.Divide) else None

    def _holds_strong(self, node: cst.CSTNode) -> bool:
        """Whether an expression holds a number of a certain float type, or what a derivative gave."""
        for part in within(node):
            if isinstance(part, cst.Call) and any(n in _STRONG for n in self._names.externals(part.func)):
                return True
            for value in self._names.values(part) if isinstance(part, cst.Name) else ():
                made = value.node if isinstance(value, (Item, Expression)) else None
                wrapped = self._wrappings.of(made.func) if isinstance(made, cst.Call) else None
                if wrapped is not None and wrapped.wrapper.name in ("jax.grad", "jax.value_and_grad"):
                    return True
        return False

    def _type_of(self, call: CompiledCall, parameter: Parameter) -> str:
        node = call.argument(parameter)
        size = self._sizes.of(node) if node is not None else None
        return size.dtype if size is not None else ""

    def _has_axes(self, call: CompiledCall, parameter: Parameter) -> bool:
        node = call.argument(parameter)
        size = self._sizes.of(node) if node is not None else None
        return size is not None and size.count is not None and size.count > 1

    def _is_integer(self, node: cst.CSTNode) -> bool:
        number = node.args[0].value if isinstance(node, cst.Call) else node
        return isinstance(self._constants.of(number), int)

    def _parameters_in(self, node: cst.CSTNode, field: str | None) -> list[Parameter]:
        found: list[Parameter] = []
        for name in _names_in(node):
            parent = self._tree.parent(name)
            attribute = parent.attr.value if isinstance(parent, cst.Attribute) and parent.value is name else None
            any_field = attribute is None or field is None or attribute == field
            found.extend(v for v in self._names.values(name) if isinstance(v, Parameter) and any_field)
        return found

    def _is_strong(self, call: CompiledCall, parameter: Parameter) -> bool:
        node = call.argument(parameter)
        if node is None or any(isinstance(value, Parameter) and value.default for value in self._names.values(node)):
            return False
        return self._constants.of(node) is UNKNOWN and not self._is_weak(node)

    def _instances_behind(self, node: cst.CSTNode) -> Iterator[cst.Call]:
        for value in self._names.values(node):
            inner = value.node if isinstance(value, Expression) else None
            if not isinstance(inner, cst.Call):
                continue
            for callee in self._names.values(inner.func):
                if isinstance(callee, Class):
                    yield inner
                elif isinstance(callee, Function):
                    yield from (r for r in self._behind.returned(inner) if isinstance(r, cst.Call))

    def _weak_field(self, made: cst.Call, call: CompiledCall, parameter: Parameter) -> tuple[cst.CSTNode, str] | None:
        cls = next((value for value in self._names.values(made.func) if isinstance(value, Class)), None)
        if cls is None:
            return None
        names = list(cls.fields)
        for field, node in self._fields_given(made, names):
            if not self._is_weak(node):
                continue
            for inner, carried, returned in self._handed_back(call, parameter):
                new = self._replaced(returned, carried, field)
                if isinstance(returned, cst.Call) and any(v is cls for v in self._names.values(returned.func)):
                    new = dict(self._fields_given(returned, names)).get(field)
                if new is None:
                    continue
                dtype = self._strong_by_fields(new, carried, field, dict(self._fields_given(made, names)))
                types = [
                    self._strong_type(value.node, carried, field, inner, node)
                    for value in self._names.values(new)
                    if isinstance(value, Expression)
                ]
                if (dtype := dtype or next(iter(types), None)) is not None:
                    return node, dtype
        return None

    def _replaced(self, node: cst.CSTNode, carried: Parameter, field: str) -> cst.BaseExpression | None:
        """Return what `carried.replace(field=...)` or `dataclasses.replace(carried, field=...)` gives for a field."""
        if not isinstance(node, cst.Call):
            return None
        method = isinstance(node.func, cst.Attribute) and node.func.attr.value in ("_replace", "replace")
        of_dataclass = "dataclasses.replace" in self._names.externals(node.func) and bool(node.args)
        whole = node.args[0].value if of_dataclass else node.func.value if method else None  # type: ignore[attr-defined]
        if whole is None or not any(value is carried for value in self._names.values(whole)):
            return None
        return next((a.value for a in node.args if a.keyword is not None and a.keyword.value == field), None)

    def _strong_by_fields(
        self, node: cst.CSTNode, carried: Parameter, field: str, fields: dict[str, cst.BaseExpression]
    ) -> str | None:
        """Return the type of a sum or the like of a weak field and a number computed from another, strong one."""
        if not isinstance(node, cst.BinaryOperation):
            return None
        for weak, other in ((node.left, node.right), (node.right, node.left)):
            if carried in self._parameters_in(weak, field):
                return self._type_by_fields(other, carried, fields, 4)
        return None

    def _type_by_fields(
        self, node: cst.CSTNode, carried: Parameter, fields: dict[str, cst.BaseExpression], depth: int
    ) -> str | None:
        """Return the float type of a number that is computed from the arrays in some fields, None where none is."""
        if isinstance(node, cst.Name):
            values = self._names.values(node)
            only = values[0].node if len(values) == 1 and isinstance(values[0], Expression) else None
            return self._type_by_fields(only, carried, fields, depth - 1) if only is not None and depth else None
        if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation)):
            parts = [node.left, node.right] if isinstance(node, cst.BinaryOperation) else [node.expression]
            found = (self._type_by_fields(part, carried, fields, depth) for part in parts)
            return next((dtype for dtype in found if dtype is not None), None)
        reduces = isinstance(node, cst.Call) and any(
            name.rpartition(".")[2] in _REDUCING and name.startswith("jax.numpy.")
            for name in self._names.externals(node.func)
        )
        if not reduces or not isinstance(node, cst.Call) or len(node.args) != 1:
            return None
        for part in within(node.args[0].value):
            if isinstance(part, cst.Attribute) and any(value is carried for value in self._names.values(part.value)):
                given = fields.get(part.attr.value)
                size = self._sizes.of(given) if given is not None else None
                if size is not None and "float" in size.dtype:
                    return size.dtype
        return None

    def _handed_back(
        self, call: CompiledCall, parameter: Parameter, depth: int = 2
    ) -> Iterator[tuple[CompiledCall, Parameter, cst.CSTNode]]:
        """Yield what a function returns, with what carries the value there: through the functions that it calls."""
        for returned in self._returned(call.function):
            yield call, parameter, returned
            if depth == 0 or not isinstance(returned, cst.Call):
                continue
            for function in self._names.functions(returned.func)[:1]:
                inner = replace(call, node=returned, function=function, bound=False)
                for other in function.parameters:
                    given = inner.argument(other)
                    if given is not None and any(value is parameter for value in self._names.values(given)):
                        yield from self._handed_back(inner, other, depth - 1)

    @staticmethod
    def _fields_given(call: cst.Call, names: list[str]) -> list[tuple[str, cst.BaseExpression]]:
        found = []
        for position, arg in enumerate(call.args):
            if arg.keyword is not None:
                found.append((arg.keyword.value, arg.value))
            elif not arg.star and position < len(names):
                found.append((names[position], arg.value))
        return found

    # Styles

    @functools.cached_property
    def mixed(self) -> list[Mixed]:
        """The calls that pass the same values in another way than an earlier one of the same function."""
        found = []
        groups: dict[tuple[int, int], list[CompiledCall]] = defaultdict(list)
        for call in self._compiled.calls:
            # A transform of the function traces it anew, and tells arguments by position from others.
            if not any(arg.star for arg in call.node.args) and not isinstance(call.node.func, cst.Call):
                groups[id(call.function), id(call.context.function)].append(call)
        for calls in groups.values():
            for number, call in enumerate(calls):
                mixed = next((m for other in calls[:number] if (m := self._mixed(call, other)) is not None), None)
                found.extend([mixed] if mixed is not None else [])
        return found

    def _mixed(self, call: CompiledCall, other: CompiledCall) -> Mixed | None:
        if call.wrapped is not other.wrapped:
            return None
        differing = None
        for parameter in call.parameters:
            styles = [self._style(one, parameter) for one in (call, other)]
            values = [one.argument(parameter) or parameter.default for one in (call, other)]
            if values[0] is None or values[1] is None or not same_code(values[0], values[1]):
                return None
            if styles[0] != styles[1]:
                differing = differing or parameter
        return Mixed(call, other, differing) if differing is not None else None

    @staticmethod
    def _style(call: CompiledCall, parameter: Parameter) -> str:
        if any(arg.keyword is not None and arg.keyword.value == parameter.name for arg in call.node.args):
            return "keyword"
        return "position" if call.argument(parameter) is not None else "default"


def _names_in(node: cst.CSTNode) -> Iterator[cst.Name]:
    work: list[cst.CSTNode] = [node]
    while work:
        current = work.pop()
        if isinstance(current, cst.Name):
            yield current
        elif isinstance(current, cst.Attribute):
            work.append(current.value)
        else:
            work.extend(children(current))


def _is_array(annotation: cst.CSTNode) -> bool:
    base = annotation.value if isinstance(annotation, cst.Subscript) else annotation
    return isinstance(base, (cst.Name, cst.Attribute)) and last_name(base) in ("ndarray", "Array")
