"""Outside any trace: which expressions hold JAX arrays, and how many array operations a piece of code dispatches.

Only what is certain counts: calls of JAX's functions, methods and operators on what these give, and on parameters that
the source shows to be arrays.  NumPy's arrays, transfers, shapes and the management of random keys do not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import libcst as cst

from jaxlint.facts.context.calls import Calls, argument_of
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.names import Expression, External, Names, Value
from jaxlint.facts.syntax.tree import (
    DEFINITIONS,
    Binding,
    Function,
    Parameter,
    Tree,
    children,
    kinds,
    last_name,
    within,
)

_LOOPS = frozenset({"scan", "while_loop", "fori_loop", "map"})
_DEEPEST = 6
_MOST = 1000


_OPERATIONS = kinds(cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.AugAssign, cst.Subscript, cst.Call)
_HOLDING = _OPERATIONS | kinds(cst.Name, cst.Attribute, cst.IfExp, cst.NamedExpr)
"""The classes of expressions that may hold an array."""
_BRANCHES = kinds(cst.If, cst.IfExp)
_CHOOSING = _BRANCHES | kinds(cst.BooleanOperation)
_PYTHON_LOOPS = kinds(cst.For, cst.While)
_READING = kinds(cst.If, cst.IfExp, cst.While, cst.Assert, cst.Call)


class EagerArrays:
    """Counts operations; every answer is about code that runs eagerly."""

    def __init__(
        self, tree: Tree, names: Names, wrappings: Wrappings, calls: Calls, incoming: Incoming = NOTHING
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._imports = incoming.imports
        self._known: dict[int, bool] = {}
        self._busy: set[int] = set()
        self._functions: dict[int, int] = {}
        self._operations: dict[int, int] = {}

    # Arrays

    def is_array(self, node: cst.CSTNode) -> bool:
        """Whether an expression certainly holds a JAX array."""
        key = id(node)
        known = self._known.get(key)
        if known is None:
            if key in self._busy:
                return False
            self._busy.add(key)
            known = self._is_array(node)
            self._busy.discard(key)
            self._known[key] = known
        return known

    def _is_array(self, node: cst.CSTNode) -> bool:
        kind = node.__class__
        if kind not in _HOLDING:
            return False
        if kind is cst.Name:
            return any(self._of_binding(binding) for binding in self._names.bindings(node))  # type: ignore[arg-type]
        if kind is cst.Call:
            return self._call_gives_array(node)  # type: ignore[arg-type]
        if isinstance(node, cst.Attribute):
            return node.attr.value in arrays.ARRAY_ATTRIBUTES and self.is_array(node.value)
        if isinstance(node, cst.Subscript):
            return self.is_array(node.value)
        if isinstance(node, cst.BinaryOperation):
            return self.is_array(node.left) or self.is_array(node.right)
        if isinstance(node, cst.UnaryOperation):
            return not isinstance(node.operator, cst.Not) and self.is_array(node.expression)
        if isinstance(node, cst.Comparison):
            by_value = not isinstance(node.comparisons[0].operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn))
            return by_value and (self.is_array(node.left) or self.is_array(node.comparisons[0].comparator))
        if isinstance(node, cst.IfExp):
            return self.is_array(node.body) and self.is_array(node.orelse)
        if isinstance(node, (cst.NamedExpr, cst.AugAssign)):
            return self.is_array(node.value)
        return False

    def _of_binding(self, binding: Binding) -> bool:
        value = binding.value
        if binding.kind in ("assign", "unpack") and isinstance(value, cst.CSTNode):
            if binding.kind == "unpack" and not isinstance(value, cst.Call):
                return False
            return self.is_array(value)
        if binding.kind == "loop" and isinstance(value, cst.CSTNode):
            return self.is_array(value)
        if binding.kind == "parameter":
            function = binding.context.scope.function
            parameter = function.parameter(binding.name) if function is not None else None
            return parameter is not None and self._is_array_parameter(parameter, binding)
        return False

    def _is_array_parameter(self, parameter: Parameter, binding: Binding) -> bool:
        if self._names.is_annotated_array(parameter):
            return True
        if parameter.annotation is not None or parameter.star:
            return False
        # Only a JAX array has `.at[...]`.
        for use in self._names.uses(binding):
            parent = self._tree.parent(use)
            if isinstance(parent, cst.Attribute) and parent.attr.value == "at":
                return isinstance(self._tree.parent(parent), cst.Subscript)
        for site in self._calls.of(parameter.function):
            given = argument_of(site.node, parameter, bound=site.bound)
            if given is not None and self.is_array(given):
                return True
        return False

    def _call_gives_array(self, node: cst.Call) -> bool:
        for name in self._names.externals(node.func):
            if arrays.is_array_function(name):
                return True
        func = node.func
        if isinstance(func, cst.Attribute):
            if _is_update(func):
                return True
            if func.attr.value in arrays.ARRAY_METHODS and self.is_array(func.value):
                return True
        functions = [function for function, _ in self._calls.callees(node)]
        if functions and not any(function.name == "__init__" for function in functions):
            return all(self._returns_array(function) for function in functions)
        return False

    def _returns_array(self, function: Function) -> bool:
        return bool(function.returns) and all(self.is_array(node) for node in function.returns)

    # Operations

    def operations(self, node: cst.CSTNode) -> int:
        """Return how many array operations a piece of code dispatches whenever it runs.

        Of two arms that exclude each other the one with fewer operations counts.
        """
        known = self._operations.get(id(node))
        if known is not None:
            return known
        found = 0
        for part in self.always(node, closed=_PYTHON_LOOPS):
            kind = part.__class__
            if kind in _OPERATIONS:
                found += self._own(part)
            elif kind in _PYTHON_LOOPS and part is not node:
                found += self.operations(part)
            elif kind in _BRANCHES:
                found += self._least(part)  # type: ignore[arg-type]
        if not self._busy:
            self._operations[id(node)] = found
        return found

    def _least(self, node: cst.If | cst.IfExp) -> int:
        """Return how many operations the arm dispatches that has fewer of them."""
        if node.orelse is None or (isinstance(node, cst.If) and self._asks_for_element(node.test)):
            return 0
        return min(self.operations(node.body), self.operations(node.orelse))

    def reads_values(self, node: cst.CSTNode) -> bool:
        """Whether a piece of code asks an array for its value in Python, which a tracer has not."""
        return any(
            self._reads_value(part) and not guards.is_for_compile_time(self._tree, part) for part in self.always(node)
        )

    def _reads_value(self, node: cst.CSTNode) -> bool:
        if node.__class__ not in _READING:
            return False
        if isinstance(node, (cst.If, cst.IfExp, cst.While, cst.Assert)):
            return self.is_tested(node.test)
        if not isinstance(node, cst.Call):
            return False
        func, read = node.func, None
        if isinstance(func, cst.Name) and func.value in ("float", "int", "bool") and len(node.args) == 1:
            read = node.args[0].value
        elif isinstance(func, cst.Attribute) and func.attr.value in ("item", "tolist"):
            read = func.value
        return read is not None and self.is_array(read)

    def is_tested(self, test: cst.BaseExpression) -> bool:
        """Whether Python decides by the value of an array, as `if jnp.any(x)` does."""
        if isinstance(test, cst.BooleanOperation):
            return self.is_tested(test.left) or self.is_tested(test.right)
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            return self.is_tested(test.expression)
        return self.is_array(test)

    def only_reads(self, node: cst.CSTNode) -> bool:
        """Whether all that a piece of code does with arrays is to read and compare elements of them."""
        counted = [part for part in self.always(node) if self._own(part)]
        if not counted:
            return not self.operations(node)  # what both arms of an `if` do is counted with it
        return all(isinstance(part, (cst.Subscript, cst.Comparison)) for part in counted)

    def only_draws(self, node: cst.CSTNode) -> bool:
        """Whether all that a piece of code does with arrays is to draw random numbers, here and not in a helper."""
        counted = [part for part in self.always(node) if self._own(part)]
        return bool(counted) and all(
            isinstance(part, cst.Call)
            and any(name.startswith("jax.random.") for name in self._names.externals(part.func))
            for part in counted
        )

    def always(self, node: cst.CSTNode, closed: Collection[type[cst.CSTNode]] = ()) -> Iterator[cst.CSTNode]:
        """Yield the nodes that run whenever a node does: not what is under an `if`, nor what is only defined.

        Nodes of `closed` kinds are yielded without what is in them, the first one aside.
        """
        work = [node]
        while work:
            current = work.pop()
            yield current
            kind = current.__class__
            if kind is cst.Name or kind in DEFINITIONS or (kind in closed and current is not node):
                continue
            work.extend(self._sure_parts(current) if kind in _CHOOSING else children(current))

    def _sure_parts(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """Return what runs of something that chooses, whatever it chooses."""
        if isinstance(node, cst.BooleanOperation):
            return [node.left]
        if isinstance(node, cst.If) and self._asks_for_element(node.test):
            return [node.test, node.body]
        return [node.test] if isinstance(node, (cst.If, cst.IfExp)) else []

    def _asks_for_element(self, test: cst.BaseExpression) -> bool:
        """Whether a test skips the elements of a loop that are None, so that most iterations pass it."""
        return (
            isinstance(test, cst.Comparison)
            and isinstance(test.comparisons[0].operator, cst.IsNot)
            and isinstance(test.left, cst.Name)
            and any(binding.kind == "loop" for binding in self._names.bindings(test.left))
        )

    def _own(self, node: cst.CSTNode) -> int:
        kind = node.__class__
        if kind not in _OPERATIONS:
            return 0
        if kind is cst.Call:
            return self.of_call(node)  # type: ignore[arg-type]
        if isinstance(node, cst.AugAssign):
            return int(self.is_array(node.value) or self.is_array(node.target))
        if isinstance(node, cst.Subscript):
            is_at = isinstance(node.value, cst.Attribute) and node.value.attr.value == "at"
            return int(not is_at and self.is_array(node.value) and not self._is_stored(node))
        return int(self.is_array(node))

    def _is_stored(self, node: cst.CSTNode) -> bool:
        return isinstance(self._tree.parent(node), (cst.AssignTarget, cst.Del))

    def of_call(self, node: cst.Call) -> int:
        """Return how many array operations a call dispatches."""
        for name in self._names.externals(node.func):
            if arrays.is_array_function(name):
                return int(arrays.is_operation(name))
            imported = self._imports.get(name)
            if imported is not None:
                return imported.operations
        func = node.func
        if isinstance(func, cst.Attribute):
            if _is_update(func):
                return 1
            if func.attr.value in arrays.ARRAY_METHODS and self.is_array(func.value):
                return 1
        wrapped = self._wrappings.of(node)
        if wrapped is not None and wrapped.wrapper.kind == "control-flow" and not wrapped.wrapper.stages:
            return sum(map(self.of_target, wrapped.targets))  # `jax.vjp(f, x)` runs f at once
        if isinstance(func, cst.Call):
            return self._of_transformed(func)
        for value in self._names.values(func):
            if isinstance(value, Expression) and isinstance(value.node, cst.Call) and value.node is not node:
                return self._of_transformed(value.node)
        functions = [function for function, _ in self._calls.callees(node)]
        return min((self.of_function(function) for function in functions), default=0)

    def _of_transformed(self, made: cst.Call) -> int:
        """Count a call of `jax.vmap(f)`, `jax.grad(f)` or `make(x)`: nothing where it is compiled, or where f is.

        `f = jax.grad(f)` transforms what it made before; the function that it began with is what counts.
        """
        wrapped = self._wrappings.of(made)
        if (wrapped is not None and wrapped.wrapper.kind != "transform") or id(made) in self._busy:
            return 0
        self._busy.add(id(made))
        try:
            if wrapped is None:
                return min(map(self.of_target, self._calls.returned(made)), default=0)
            return max(map(self.of_target, wrapped.targets), default=0)
        finally:
            self._busy.discard(id(made))

    def of_target(self, node: cst.CSTNode) -> int:
        """Count a call of what a transform is given: a function of this file or another, or what a transform made."""
        found = []
        for value in self._names.values(node):
            if isinstance(value, Function):
                found.append(self.of_function(value))
            elif isinstance(value, External) and value.name in self._imports:
                found.append(self._imports[value.name].operations)
            elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                if id(value.node) in self._busy:
                    continue
                found.append(self._of_transformed(value.node))
        return min(found, default=0)

    def of_function(self, function: Function) -> int:
        """Return how many operations a call of a function dispatches: none where it is compiled."""
        key = id(function)
        if key not in self._functions:
            if key in self._busy or len(self._busy) > _MOST:
                return 0
            if any(w.wrapper.compiles or w.wrapper.kind == "host" for w in self._wrappings.of_function(function)):
                self._functions[key] = 0
                return 0
            if function.yields:
                self._functions[key] = 0
                return 0
            self._busy.add(key)
            self._functions[key] = self.operations(function.node.body)
            self._busy.discard(key)
        return self._functions[key]

    def is_array_call(self, node: cst.Call) -> bool:
        """Whether a call is one of a function of JAX that computes an array."""
        return any(arrays.is_array_function(name) for name in self._names.externals(node.func))

    def helpers(self, node: cst.CSTNode, fewest: int) -> list[tuple[cst.Call, int]]:
        """Return the calls of functions of the project that dispatch so many operations, each with their number."""
        return [
            (part, count)
            for part in self.always(node)
            if isinstance(part, cst.Call)
            and isinstance(part.func, cst.Name)
            and (self._calls.callees(part) or self._is_imported(part.func))
            and (count := self.of_call(part)) >= fewest
        ]

    def _is_imported(self, func: cst.Name) -> bool:
        return any(name in self._imports for name in self._names.externals(func))

    def callees(self, node: cst.Call) -> list[Function]:
        """Return the visible functions that a call runs eagerly."""
        return [
            function
            for function, _ in self._calls.callees(node)
            if not any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(function))
        ]

    def calls(self, node: cst.CSTNode) -> Iterator[cst.Call]:
        """Yield the calls that run whenever a piece of code does."""
        return (part for part in self.always(node) if isinstance(part, cst.Call))

    def is_given(self, node: cst.Call) -> bool:
        """Whether what is called is a parameter, or one that an object keeps, of which nothing visible says what."""
        if self._calls.callees(node):
            return False
        if any(isinstance(value, Parameter) for value in self._names.values(node.func)):
            return True
        return isinstance(node.func, cst.Attribute) and self._is_field(node.func)

    def _is_field(self, func: cst.Attribute) -> bool:
        """Whether an attribute is a field for which the constructor takes a function."""
        classes = (self._names.instance_class(value) for value in self._names.values(func.value))
        annotations = (
            item.fields.get(func.attr.value) for cls in classes if cls is not None for item in self._names.mro(cls)
        )
        return any(
            isinstance(part, (cst.Name, cst.Attribute)) and last_name(part) == "Callable"
            for annotation in annotations
            if annotation is not None
            for part in within(annotation)
        )

    def is_unseen(self, node: cst.Call) -> bool:
        """Whether a call is one of something that is neither defined nor imported here, such as a method."""
        return not self._names.externals(node.func) and not self._calls.callees(node)

    def is_out_of_sight(self, node: cst.Call) -> bool:
        """Whether a call is one of code that jaxlint does not see, and that is not one of Python or of JAX's arrays."""
        if self._calls.callees(node):
            return False
        names = self._names.externals(node.func)
        return bool(names) or isinstance(node.func, cst.Attribute) or self._is_bound(node.func)

    def _is_bound(self, func: cst.BaseExpression) -> bool:
        return isinstance(func, cst.Name) and bool(self._names.bindings(func))

    def is_made_out_of_sight(self, node: cst.Call) -> bool:
        """Whether what is called is what a function gave that jaxlint does not see: `solve = wrap(problem)`."""
        return not self._calls.callees(node) and any(
            isinstance(value, Expression)
            and isinstance(value.node, cst.Call)
            and not self._calls.callees(value.node)
            and bool(names := self._names.externals(value.node.func))
            and not any(name.startswith("jax.") for name in names)
            for value in self._names.values(node.func)
        )

    def names_of(self, node: cst.Call) -> tuple[str, ...]:
        """Return the dotted names of what a call may run that is imported."""
        return self._names.externals(node.func)

    def calls_any(self, node: cst.Call, names: frozenset[str]) -> bool:
        """Whether a call is one of functions of these names, or the function that it calls has one in it."""
        nodes = [node, *(part for function, _ in self._calls.callees(node) for part in self._tree.body(function))]
        return any(isinstance(part, cst.Call) and last_name(part.func) in names for part in nodes)

    def calls_compiled(self, node: cst.CSTNode) -> bool:
        """Whether a piece of code calls something that is compiled, as far as the source shows, or a loop of jax."""
        if any(isinstance(part, cst.Call) and self._is_compiled_call(part) for part in self.always(node)):
            return True
        return any(isinstance(part, cst.Call) and self._is_loop_of_jax(part) for part in within(node))

    def calls_long_program(self, node: cst.CSTNode) -> bool:
        """Whether a piece of code calls something visible that is compiled and has a loop of jax in it."""
        return any(
            self._has_loop_of_jax(function)
            for call in self.calls(node)
            if self._is_compiled_call(call)
            for function, _ in self._calls.callees(call)
        )

    def _has_loop_of_jax(self, function: Function, depth: int = 3) -> bool:
        """Whether a function, or one that it calls, has a loop of jax in it."""
        return any(isinstance(part, cst.Call) and self._is_loop_of_jax(part) for part in self._tree.body(function)) or (
            depth > 0 and any(self._has_loop_of_jax(site.function, depth - 1) for site in self._calls.made_by(function))
        )

    def _is_loop_of_jax(self, node: cst.Call) -> bool:
        wrapped = self._wrappings.of(node)
        if wrapped is None or wrapped.wrapper.kind != "control-flow":
            return False
        return wrapped.wrapper.name.rpartition(".")[2] in _LOOPS

    def _is_compiled_call(self, node: cst.Call, depth: int = 0) -> bool:
        return any(self._is_compiled(value, depth) for value in self._names.values(node.func))

    def _is_compiled(self, value: Value, depth: int) -> bool:
        if isinstance(value, External):
            imported = self._imports.get(value.name)
            return imported is not None and imported.kind == "compiled"
        if isinstance(value, Function):
            if any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(value)):
                return True
            sites = self._calls.made_by(value) if depth < _DEEPEST else ()
            return any(self._is_compiled_call(site.node, depth + 1) for site in sites)
        if not isinstance(value, Expression) or not isinstance(value.node, cst.Call):
            return False
        wrapped = self._wrappings.of(value.node)
        if wrapped is not None:
            return wrapped.wrapper.compiles
        if self._may_compile(value.node):
            return True
        made = self._calls.returned(value.node) if depth < _DEEPEST else ()
        return any(self._is_compiled(given, depth + 1) for node in made for given in self._names.values(node))

    def _may_compile(self, made: cst.Call) -> bool:
        """Whether a call of what is not visible is given a function, and returns what may be its compiled form."""
        given = made.args[0].value if made.args else None
        if given is None or self._calls.callees(made) or not self._names.externals(made.func):
            return False
        return any(
            isinstance(value, Function) or (isinstance(value, External) and value.name.startswith("jax."))
            for value in self._names.values(given)
        )


class CallsBelow:
    """Whether a piece of code makes a call of some kind, itself or in the visible functions that it runs eagerly.

    `calls` says which calls of a piece of code count, those that run whenever it does by default.
    """

    def __init__(
        self,
        arrays: EagerArrays,
        holds: Callable[[cst.Call], bool],
        calls: Callable[[cst.CSTNode], Iterator[cst.Call]] | None = None,
    ) -> None:
        self._arrays = arrays
        self._holds = holds
        self._calls = calls or arrays.calls
        self._known: dict[int, bool] = {}

    def has(self, node: cst.CSTNode) -> bool:
        """Whether such a call is made whenever a piece of code runs."""
        return any(self._holds(call) or self.is_below(call) for call in self._calls(node))

    def is_below(self, call: cst.Call) -> bool:
        """Whether such a call is made in a function that a call runs."""
        return any(map(self._is_in, self._arrays.callees(call)))

    def _is_in(self, function: Function) -> bool:
        key = id(function)
        if key not in self._known:
            self._known[key] = False
            self._known[key] = self.has(function.node.body)
        return self._known[key]


def _is_update(func: cst.Attribute) -> bool:
    base = func.value
    return (
        func.attr.value in arrays.UPDATES
        and isinstance(base, cst.Subscript)
        and isinstance(base.value, cst.Attribute)
        and base.value.attr.value == "at"
    )
