"""Python loops under trace: how often they runs, and how many equations an iteration leaves.

The estimate counts array operations, ten for those that compile slowly (scatter updates, reads at a traced index,
products of small matrices).  Measured on a CPU with jax 0.10.2: an element-wise equation costs 0.2 to 0.4 ms to trace,
lower and compile, `x.at[i].set(...)` about 5 ms.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.equations import equations_of
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.jax_api.name_priors import BATCHES, DATA, DATA_LENGTHS, STRUCTURE
from jaxlint.facts.syntax.names import Element, Expression, Item
from jaxlint.facts.syntax.tree import (
    DEFINITIONS,
    Function,
    Loop,
    Parameter,
    children,
    kinds,
    last_name,
    running,
    within,
)
from jaxlint.facts.values.bounds import Bound, BoundKind, Bounds
from jaxlint.facts.values.values import Kind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


HEAVY = 10
"""What a slow operation counts, in element-wise ones."""
HUGE = 500
"""From so many iterations on a name that mentions few parts is not believed."""
LARGE_SIDE = 64
"""From this side on a matrix product compiles no slower than an element-wise operation."""
SHORT_ELEMENTWISE = 32
"""So is one of so many iterations without a slow operation."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Equations of a piece of code: `light` element-wise ones, `heavy` slow ones."""

    light: int = 0
    heavy: int = 0

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.light + other.light, self.heavy + other.heavy)

    def times(self, count: int) -> Weight:
        """Return the weight of so many repetitions."""
        return Weight(self.light * count, self.heavy * count)

    @property
    def equations(self) -> int:
        """The estimate, slow ones counted as `HEAVY`."""
        return self.light + HEAVY * self.heavy


@dataclass(frozen=True, slots=True, eq=False)
class Unrolled:
    """A Python loop under trace.

    `trips` is the number of iterations where the source shows it, None elsewhere; `bound` is then what decides it:
    `shape`, `static`, `array`, `maybe-array`, `host` where an object outside JAX ends it, or None where nothing is
    known. `body` is one iteration's weight, `total` the whole loop's with the loops around and within.  `cue` says in
    words why the number is likely large, for an unknown number.  `ragged` says that the iterations work on different
    shapes, so that no `scan` can take their place as they are.  `staged` says that something visible compiles the
    function, rather than that whoever uses it may.  `kind` is that of what bounds it; `large` says that the text shows
    a setting to be large, by its values, or as iterations read or update an array each at its own number.
    """

    loop: Loop
    node: cst.CSTNode
    function: Function
    trips: int | None
    bound: str | None
    body: Weight
    total: Weight
    cue: str = ""
    ragged: bool = False
    staged: bool = True
    kind: BoundKind = BoundKind.UNKNOWN
    large: bool = False


class Loops:
    """Finds the loops of traced functions and estimates what they leave."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._contexts = facts.contexts
        self._constants = facts.constants
        self._values = facts.values
        parts = (facts.tree, facts.names, facts.calls, facts.constants, facts.values)
        self.bounds = Bounds(*parts, lambda loop: self.trips(loop)[0])
        self._weights: dict[int, Weight] = {}
        self._busy: set[int] = set()

    @functools.cached_property
    def unrolled(self) -> list[Unrolled]:
        """The loops of traced functions that leave equations, outermost first within a function."""
        found: list[Unrolled] = []
        for loop in self._tree.loops:
            function = loop.context.function
            if function is None or not self._tracing.is_traced(function):
                continue
            staged = self._contexts.is_staged(function)
            if not staged and self._contexts.dispatched(function):
                continue  # a transform that compiles nothing
            body = self.turn(loop)
            if body.equations == 0 or self._is_kernel(function) or self._runs_on_host(loop):
                continue
            trips, bound = self.trips(loop)
            total = body.times(trips if trips is not None else 1)
            for outer in loop.around:
                count, _ = self.trips(outer)
                total = total.times(count if count is not None else 1)
            if trips is not None and trips < HUGE and self._is_structural(loop):
                continue
            found_bound = self.bounds.of(loop)
            kind, large = found_bound.kind, self._is_shown_large(loop, found_bound, body)
            cue = self._cue(loop, bound, total) if trips is None and bound is not None else ""
            if trips is None and bound is None and not cue:
                cue, bound = self._host_cue(loop, function)
            place, ragged = self.place(loop), self._is_ragged(loop)
            found.append(Unrolled(loop, place, function, trips, bound, body, total, cue, ragged, staged, kind, large))
        return found

    def _is_shown_large(self, loop: Loop, bound: Bound, body: Weight) -> bool:
        """Whether the text shows a loop to be long, or its bound is an axis of data that iterations go along.

        A setting counts by its values, or by the name of a length where an iteration updates an array that the next one
        goes on with.
        """
        if bound.high is not None:
            return True
        if bound.kind is BoundKind.SETTING:
            return self.is_named_long(loop) and body.equations >= HEAVY and self.feeds_updates(loop)
        if bound.chunked or not bound.name or (bound.shown is not None and bound.shown <= SHORT):
            return False
        filled = self.feeds_updates(loop) and any(map(_is_data_length, self._bound_names(loop)))
        behind = bound.axis and not filled
        if "." in bound.name or (behind and not self.recurs(loop)):
            # The fields of a state are as long as a program's settings say, and so are most axes behind the first.
            return False
        if self._counts_powers(loop):
            return False
        return bool(self.bounds.indexes_leading(loop, self.nodes_of_turn))

    def _is_ragged(self, loop: Loop) -> bool:
        """Whether the loop variable bounds a slice on one side, as in `x[:i]`, or is the size of a new array."""
        targets = set(self.targets(loop))
        if not targets:
            return False
        for node in self.nodes_of_turn(loop):
            # `count = len(x) - i` is another number in each iteration as well.
            if (
                isinstance(node, cst.Assign)
                and isinstance(node.value, cst.BinaryOperation)
                and mentions(node.value, targets)
                and not self._values.kind(node.value).traced
            ):
                targets.update(t.target.value for t in node.targets if isinstance(t.target, cst.Name))
        for node in self.nodes_of_turn(loop):
            if isinstance(node, cst.Slice):
                sides = [side for side in (node.lower, node.upper) if side is not None and mentions(side, targets)]
                ragged = len(sides) == 1
            elif isinstance(node, cst.Call) and node.args and mentions(node.args[0].value, targets):
                ragged = not _SIZED.isdisjoint(self._names.externals(node.func))
            else:
                ragged = False
            if ragged:
                return True
        return False

    def place(self, loop: Loop) -> cst.CSTNode:
        """Return where to report a loop: the statement's head, or the comprehension."""
        if isinstance(loop.node, cst.CompFor):
            node: cst.CSTNode = loop.node
            while isinstance(node, cst.CompFor):
                parent = self._tree.parent(node)
                if parent is None:
                    break
                node = parent
            return node
        return loop.node

    def _is_kernel(self, function: Function) -> bool:
        """Whether a function is, or is in, a Pallas kernel, whose loops over tiles are unrolled on purpose."""
        current: Function | None = function
        while current is not None:
            if id(current) in self._kernels or any(p.name.endswith("_ref") for p in current.parameters):
                return True
            current = current.outer
        return False

    @functools.cached_property
    def _kernels(self) -> set[int]:
        """The functions that use what only works in a Pallas kernel."""
        return {
            id(function)
            for call in self._tree.calls
            if (function := self._tree.context(call).function) is not None
            and any(name.startswith("jax.experimental.pallas.") for name in self._names.externals(call.func))
        }

    def _runs_on_host(self, loop: Loop) -> bool:
        """Whether an iteration makes a number of Python, or ends the loop by a value, which would fail under trace."""
        for node in self.nodes_of_turn(loop):
            if isinstance(node, cst.Call):
                if self._is_conversion(node):
                    return True
            elif isinstance(node, cst.If) and _breaks(node.body) and self._orders_results(node.test):
                return True
        return False

    def _is_conversion(self, node: cst.Call) -> bool:
        return (
            isinstance(node.func, cst.Name)
            and node.func.value in ("float", "int")
            and not self._names.bindings(node.func)
            and len(node.args) == 1
            and self._has_no_value(node.args[0].value)
        )

    def _has_no_value(self, node: cst.BaseExpression) -> bool:
        """Whether an expression would be traced, as it holds an array or what a call gave."""
        kind = self._values.kind(node)
        return kind.traced or (kind in (Kind.UNKNOWN, Kind.CONCRETE) and self._is_computed(node))

    def _orders_results(self, test: cst.BaseExpression) -> bool:
        """Whether a test compares the size of what NumPy gave, or of what a call gave of which nothing is known."""
        if isinstance(test, cst.BooleanOperation):
            return self._orders_results(test.left) or self._orders_results(test.right)
        if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, ORDERS):
            return False
        sides = [test.left, test.comparisons[0].comparator]
        return any(
            self._is_of_numpy(side)
            or (self._values.kind(side) in (Kind.UNKNOWN, Kind.CONCRETE) and self._is_computed(side))
            for side in sides
        )

    def _is_of_numpy(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Call) and any(
            name.startswith("numpy.") for name in self._names.externals(node.func)
        )

    def _is_computed(self, node: cst.BaseExpression) -> bool:
        """Whether an expression holds what a call gave."""
        return isinstance(node, cst.Call) or any(
            isinstance(value, (Expression, Element, Item)) and isinstance(value.node, cst.Call)
            for value in self._names.values(node)
        )

    # Iterations

    def trips(self, loop: Loop) -> tuple[int | None, str | None]:
        """Return how often a loop runs, or what decides it: `shape`, `static`, `array`, `maybe-array`, None."""
        if isinstance(loop.node, cst.While):
            count = self._while_trips(loop.node)
            return count, self._while_bound(loop.node) if count is None else None
        return self._iterable_trips(loop.node.iter)

    def _iterable_trips(self, node: cst.BaseExpression) -> tuple[int | None, str | None]:
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and not self._names.bindings(node.func):
            name, args = node.func.value, [arg.value for arg in node.args if arg.keyword is None]
            if name == "range" and args:
                return self._range_trips(args)
            if name == "enumerate" and args:
                return self._iterable_trips(args[0])
            if name in ("reversed", "list", "tuple", "sorted", "iter") and args:
                return self._iterable_trips(args[0])
            if name == "zip" and args:
                return self._zip_trips(args)
            return None, None
        if isinstance(node, cst.Call) and node.args and last_name(node.func) in ("tqdm", "trange", "track"):
            if last_name(node.func) == "trange":
                return self._range_trips([arg.value for arg in node.args if arg.keyword is None])
            return self._iterable_trips(node.args[0].value)
        length = self._constants.length(node)
        if length is not None:
            return length, None
        bounds = self._bounds_of_made(node)
        if bounds:
            return self._range_trips(bounds)
        kind = self._values.kind(node)
        if self._values.is_array(node) or (kind is Kind.DATA and self.is_used_as_array(node)):
            return None, "array"
        return None, "maybe-array" if kind is Kind.DATA else None

    def _bounds_of_made(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """Return what says, as the arguments of `range` do, how many elements a call gives: `split(key, n)`.

        Each array of a tuple, as in `jnp.nonzero(x, size=n)[0]`, has as many as the call says.
        """
        for value in self._names.values(node):
            made = value.node if isinstance(value, (Expression, Item)) else None
            inner = made.value if isinstance(made, cst.Subscript) else made
            whole = inner is made and isinstance(value, Expression)
            if not isinstance(inner, cst.Call) or any(arg.star for arg in inner.args):
                continue
            for name in self._names.externals(inner.func):
                module, _, last = name.rpartition(".")
                if module not in ("jax.numpy", "numpy", "jax.random"):
                    continue
                placed = [arg.value for arg in inner.args if arg.keyword is None]
                named = {arg.keyword.value: arg.value for arg in inner.args if arg.keyword is not None}
                if last == "arange" and whole:
                    bounds = placed + [named[key] for key in ("start", "stop", "step") if key in named]
                    return bounds[:3]
                if last in arrays.DATA_DEPENDENT and "size" in named:
                    return [named["size"]]
                if last in _COUNTED and whole:
                    position, keyword = _COUNTED[last]
                    return [named[keyword]] if keyword in named else placed[position : position + 1]
        return []

    def is_used_as_array(self, node: cst.BaseExpression) -> bool:
        """Whether something reads the shape of what a name holds, so that it is an array and no list of them."""
        if not isinstance(node, cst.Name):
            return False
        for binding in self._names.bindings(node):
            for use in self._names.uses(binding):
                parent = self._tree.parent(use)
                if isinstance(parent, cst.Attribute) and parent.attr.value in ("shape", "ndim", "dtype", "at", "T"):
                    return True
        return False

    def _zip_trips(self, args: list[cst.BaseExpression]) -> tuple[int | None, str | None]:
        found = [self._iterable_trips(arg) for arg in args]
        counts = [count for count, _ in found if count is not None]
        if counts:
            return min(counts), None
        bounds = [bound for _, bound in found]
        return None, next((b for b in ("array", "maybe-array", "shape", "static") if b in bounds), None)

    def _range_trips(self, args: list[cst.BaseExpression]) -> tuple[int | None, str | None]:
        if len(args) == 1:
            bounds: list[int | None] = [0, self._constants.integer(args[0]), 1]
        else:
            bounds = [self._constants.integer(arg) for arg in args[:3]]
            bounds += [1] * (3 - len(bounds))
        start, stop, step = bounds
        if start is not None and stop is not None and step:
            return len(range(start, stop, step)), None
        kinds = [self._decided_by(arg) for arg in args[:2]]
        return None, next((k for k in ("shape", "static") if k in kinds), None)

    def _decided_by(self, node: cst.CSTNode, depth: int = 0) -> str | None:
        """Return what decides an integer: a `shape`, a `static` value of the call, or None."""
        if depth > 6:
            return None
        if isinstance(node, cst.Attribute) and node.attr.value in ("shape", "size"):
            return "shape"
        if isinstance(node, cst.Name):
            found = [self._decided_by_value(value, depth) for value in self._names.values(node)]
            return next((kind for kind in found if kind is not None), None)
        if isinstance(node, cst.Attribute):
            return "static" if self._names.externals(node) == () else None
        if isinstance(node, cst.Call) and last_name(node.func) == "len" and node.args:
            return "shape" if self._values.kind(node.args[0].value).traced else None
        found = [self._decided_by(child, depth + 1) for child in children(node)]
        return next((kind for kind in ("shape", "static") if kind in found), None)

    def _decided_by_value(self, value: object, depth: int) -> str | None:
        if isinstance(value, Parameter):
            # A traced bound fails, which is the business of JAX201.
            return None if self._values.parameter(value).traced else "static"
        if isinstance(value, Expression):
            return None if isinstance(value.node, cst.Name) else self._decided_by(value.node, depth + 1)
        node = getattr(value, "node", None)
        if isinstance(value, Element) or node is None:
            return None
        return self._decided_by(node, depth + 1)

    def _while_trips(self, node: cst.While) -> int | None:
        """Return the iterations of `while n < LIMIT` with a constant start and `n += STEP` in the body."""
        test = node.test
        if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or not isinstance(test.left, cst.Name):
            return None
        limit = self._constants.integer(test.comparisons[0].comparator)
        start = step = None
        for binding in self._names.bindings(test.left):
            value = binding.value
            if isinstance(value, cst.AugAssign):
                sign = {cst.AddAssign: 1, cst.SubtractAssign: -1}.get(type(value.operator))
                amount = self._constants.integer(value.value)
                step = sign * amount if sign is not None and amount is not None else None
            elif isinstance(value, cst.CSTNode):
                start = self._constants.integer(value)
        if limit is None or start is None or not step:
            return None
        operator = test.comparisons[0].operator
        if isinstance(operator, (cst.LessThanEqual, cst.GreaterThanEqual)):
            limit += 1 if step > 0 else -1
        grows = isinstance(operator, (cst.LessThan, cst.LessThanEqual, cst.NotEqual))
        return len(range(start, limit, step)) if grows == (step > 0) or isinstance(operator, cst.NotEqual) else None

    def _while_bound(self, node: cst.While) -> str | None:
        """Return what decides `while i < n`, where the body counts `i` up by a constant."""
        test = node.test
        if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or not isinstance(test.left, cst.Name):
            return None
        counts = any(
            isinstance(binding.value, cst.AugAssign) and self._constants.integer(binding.value.value) is not None
            for binding in self._names.bindings(test.left)
        )
        return self._decided_by(test.comparisons[0].comparator) if counts else None

    # Cues

    def _cue(self, loop: Loop, bound: str | None, one: Weight) -> str:
        """Say why an unknown number of iterations, each of weight `one`, is likely large; empty where nothing does."""
        if bound == "maybe-array" and self.turn(loop).equations < 2:
            return ""
        if self._is_structural(loop) or not self._works_on_data(loop) or not self._computes(loop):
            return ""
        found = self.bounds.of(loop)
        if found.kind is BoundKind.CONSTANT and found.name and not self._is_few(found, one):
            return f"`{found.name}` has {found.high:,} elements in the code jaxlint sees"
        if found.kind not in (BoundKind.DATA_AXIS, BoundKind.SETTING) or self._is_few(found, one):
            return ""
        if bound in ("array", "maybe-array"):
            return found.words
        array = self.bounds.indexes_leading(loop, self.nodes_of_turn)
        if found.kind is BoundKind.SETTING and found.high is not None:
            return f"`{found.name}` is up to {found.high:,} in the code jaxlint sees"
        if found.kind is BoundKind.SETTING:
            if array:
                return f"each iteration reads or updates {_quoted(array)} at its own index"
            return found.words if any(map(_is_data_length, self._bound_names(loop))) else ""
        return found.words if array or any(map(_is_data_length, self._bound_names(loop))) else ""

    @staticmethod
    def _is_few(bound: Bound, one: Weight) -> bool:
        """Whether as many iterations as the text shows at most, by a default or by visible callers, leave little."""
        return bound.high is not None and (bound.high <= SHORT or bound.high * one.equations < _FEWEST_EQUATIONS)

    def _host_cue(self, loop: Loop, function: Function) -> tuple[str, str | None]:
        """Say that a `while` of compiled code lasts until an object outside JAX, as an environment, says otherwise."""
        trace = self._tracing.trace(function)
        if not isinstance(loop.node, cst.While) or trace is None or not trace.compiled or not self._computes(loop):
            return "", None
        for test in self._ends(loop.node):
            node = test.expression if isinstance(test, cst.UnaryOperation) else test
            if isinstance(node, cst.Name) and (method := self._set_by_method(node, loop)) is not None:
                return f"`{method}`, which runs in Python, is what ends it", "host"
        return "", None

    @staticmethod
    def _ends(node: cst.While) -> Iterator[cst.BaseExpression]:
        """Yield the tests that end a loop: its own, or those of the `if`s of its body that break."""
        if not (isinstance(node.test, cst.Name) and node.test.value == "True") and not isinstance(
            node.test, cst.Integer
        ):
            yield node.test
            return
        for part in node.body.body:
            if isinstance(part, cst.If) and part.orelse is None and _breaks(part.body):
                yield part.test

    def _set_by_method(self, node: cst.Name, loop: Loop) -> str | None:
        """Return the method of an unknown object that gives a name its value in every iteration of a loop."""
        for binding in self._names.bindings(node):
            value = binding.value
            if binding.context.loop is not loop or not isinstance(value, cst.Call):
                continue
            func = value.func
            if not isinstance(func, cst.Attribute) or self._names.externals(func) or self._wrappings.of(value):
                return None
            if self._values.kind(func.value) is Kind.UNKNOWN and self._values.kind(node) is Kind.UNKNOWN:
                return f"{last_name(func.value)}.{func.attr.value}" if last_name(func.value) else func.attr.value
        return None

    def _computes(self, loop: Loop) -> bool:
        """Whether something in an iteration is an array operation for certain, and no arithmetic of unknown numbers."""
        return any(self._is_operation(node, 3) for node in self.nodes_of_turn(loop))

    def _is_operation(self, node: cst.CSTNode, depth: int) -> bool:
        if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript)):
            return self._values.kind(node).traced
        if isinstance(node, cst.AugAssign):
            return self._values.kind(node).traced or self._values.kind(node.value).traced
        if not isinstance(node, cst.Call):
            return False
        if self._values.kind(node).traced or self._values.is_update(node.func) or self._wrappings.of(node) is not None:
            return True
        if any(arrays.is_array_function(name) for name in self._names.externals(node.func)):
            return True
        functions = [function for function, _ in self._calls.callees(node)][:1]
        return depth > 0 and any(
            self._is_compiled(function)
            or any(self._is_operation(part, depth - 1) for part in self._tree.body(function))
            for function in functions
        )

    def _works_on_data(self, loop: Loop) -> bool:
        """Whether an iteration does something with data, rather than to make constants of Python's numbers."""
        work = list(self.parts_of_turn(loop))
        while work:
            node = work.pop()
            if isinstance(node, (cst.Name, cst.Attribute)) and self._values.kind(node).known:
                continue
            if isinstance(node, cst.Name):
                return True
            work.extend([node.value] if isinstance(node, cst.Attribute) else children(node))
        return False

    def is_small(self, loop: Loop) -> bool:
        """Whether a loop has few iterations by nature: a short literal, or a bound named after parts of a thing."""
        trips, _ = self.trips(loop)
        if trips is not None:
            return trips <= SHORT
        bound = self.bounds.of(loop)
        few = bound.kind is BoundKind.COMPONENTS or (bound.high is not None and bound.high <= SHORT)
        few = few or self._stops_soon(loop) or self._fills_short_array(loop)
        return few or self._is_structural(loop) or self.is_over_entries(loop)

    def _stops_soon(self, loop: Loop) -> bool:
        """Whether a loop counts from another one's variable to a small literal, as `range(i, 4)` does."""
        node = loop.node
        if isinstance(node, cst.While) or not isinstance(node.iter, cst.Call) or last_name(node.iter.func) != "range":
            return False
        if len(node.iter.args) != 2:
            return False
        start, stop = (arg.value for arg in node.iter.args)
        counted = any(isinstance(value, Element) for part in within(start) for value in self._names.values(part))
        limit = self._constants.integer(stop)
        return counted and limit is not None and limit <= SHORT

    def _fills_short_array(self, loop: Loop) -> bool:
        """Whether each iteration updates its own element of an array of a handful, by the literal that made it."""
        targets = self.targets(loop)
        for array, place in self._updated(loop):
            index = place.slice[0].slice
            if not isinstance(index, cst.Index) or not _is_one_of(index.value, targets):
                continue
            lengths = [
                self._made_length(value.node)
                for value in self._names.values(array)
                if isinstance(value, Expression) and not self._is_update_call(value.node)
            ]
            if lengths and all(length is not None and length <= SHORT for length in lengths):
                return True
        return False

    def _is_update_call(self, node: cst.CSTNode) -> bool:
        return isinstance(node, cst.Name) or (isinstance(node, cst.Call) and self._values.is_update(node.func))

    def _made_length(self, node: cst.CSTNode) -> int | None:
        """Return the literal length of what `jnp.zeros(4)` or `jnp.ones((4, n))` makes."""
        if not isinstance(node, cst.Call) or not node.args or _MADE.isdisjoint(self._names.externals(node.func)):
            return None
        shape = node.args[0].value
        first = shape.elements[0].value if isinstance(shape, (cst.Tuple, cst.List)) and shape.elements else shape
        return self._constants.integer(first)

    def is_long_work(self, loop: Loop) -> bool:
        """Whether a loop is one in which a program spends its time, by its form and what it goes over or counts to."""
        trips, _ = self.trips(loop)
        if trips is not None:
            return trips > SHORT_ELEMENTWISE
        if not self.is_work(loop) or isinstance(loop.node, cst.CompFor):
            return False
        return isinstance(loop.node, cst.While) or any(
            _is_data_length(name) or DATA.fullmatch(name) for name in self._bound_names(loop)
        )

    @staticmethod
    def is_over_entries(loop: Loop) -> bool:
        """Whether a loop goes through the entries of a mapping or the fields of a class, each of a shape of its own."""
        if isinstance(loop.node, cst.While) or not isinstance(loop.node.iter, cst.Call):
            return False
        func = loop.node.iter.func
        return last_name(func) == "fields" or (
            isinstance(func, cst.Attribute) and func.attr.value in ("items", "keys", "values")
        )

    def is_work(self, loop: Loop) -> bool:
        """Whether a program may spend its time in a loop: not in one of few iterations, or over the parts of a thing.

        Dictionaries, `zip` and names that serve as keys walk through parts; traced code does so too.
        """
        node = loop.node
        if self.is_small(loop):
            return False
        if isinstance(node, cst.While):
            return True
        if isinstance(node.iter, cst.Call):
            name = last_name(node.iter.func)
            if name in ("items", "keys", "values", "zip"):
                return False
            if name in ("range", "trange"):
                return True
        return not self._serves_as_key(loop)

    def _serves_as_key(self, loop: Loop) -> bool:
        targets = self.targets(loop)
        return any(
            isinstance(node, cst.Index) and isinstance(node.value, cst.Name) and node.value.value in targets
            for node in self.nodes_of_turn(loop)
        )

    def is_data_long(self, loop: Loop) -> bool:
        """Whether a loop of unknown length is long by its bound's name, or by the arrays that it updates."""
        trips, bound = self.trips(loop)
        if trips is not None or bound not in ("shape", "static") or self._is_structural(loop):
            return False
        if self.bounds.of(loop).kind not in (BoundKind.DATA_AXIS, BoundKind.SETTING):
            return False
        named = any(_is_data_length(name) for name in self._bound_names(loop))
        return (named or self.updates_by_turn(loop)) and not self._is_short_by_default(loop)

    def is_named_long(self, loop: Loop) -> bool:
        """Whether a setting bounds a loop that has the name of a length: `n_steps`, `max_new_tokens`."""
        trips, _ = self.trips(loop)
        if trips is not None or self._is_structural(loop) or self._is_short_by_default(loop):
            return False
        names = self._bound_names(loop)
        node = loop.node
        if isinstance(node, cst.While) or any(
            isinstance(part, cst.Call) and last_name(part.func) in ("range", "trange") for part in within(node.iter)
        ):
            step = _step_names(node)
            return any(_is_data_length(name) for name in names if name not in step)
        return isinstance(node, cst.For) and any(map(BATCHES.fullmatch, names))

    def _is_short_by_default(self, loop: Loop) -> bool:
        """Whether a parameter that bounds a loop has a small number as its default, or is given nothing else."""
        if isinstance(loop.node, cst.While) or not isinstance(loop.node.iter, cst.Call):
            return False
        return any(
            isinstance(value, Parameter) and self._is_given_few(value, _MOST_CALLED)
            for arg in loop.node.iter.args
            for part in (
                (arg.value.left, arg.value.right) if isinstance(arg.value, cst.BinaryOperation) else (arg.value,)
            )
            for value in self._names.values(part)
        )

    def _is_given_few(self, parameter: Parameter, depth: int) -> bool:
        """Whether a parameter's default, or whatever the visible callers give it, is a small number."""
        default = self._constants.integer(parameter.default) if parameter.default is not None else None
        if default is not None or depth == 0:
            return default is not None and default <= SHORT
        given = [argument_of(site.node, parameter, bound=site.bound) for site in self._calls.of(parameter.function)]
        return bool(given) and all(node is not None and self._is_small_number(node, depth - 1) for node in given)

    def _is_small_number(self, node: cst.CSTNode, depth: int) -> bool:
        number = self._constants.integer(node)
        if number is not None:
            return number <= SHORT
        values = self._names.values(node)
        return bool(values) and all(isinstance(v, Parameter) and self._is_given_few(v, depth) for v in values)

    def updates_by_turn(self, loop: Loop) -> bool:
        """Whether an iteration updates an array at an index that the loop variable gives."""
        targets = self.targets(loop)
        return bool(targets) and any(
            not isinstance(array, cst.Call)  # `jnp.zeros(n).at[i].set(1.0)` is a unit vector
            and mentions(place.slice, targets)
            for array, place in self._updated(loop)
        )

    def _updated(self, loop: Loop) -> Iterator[tuple[cst.BaseExpression, cst.Subscript]]:
        """Yield the arrays that an iteration updates, `x` of `x.at[i].set(...)`, each with its `x.at[i]`."""
        for call in self.calls_of_turn(loop):
            if not isinstance(call.func, cst.Attribute) or not self._values.is_update(call.func):
                continue
            place = call.func.value
            if isinstance(place, cst.Subscript) and isinstance(place.value, cst.Attribute):
                yield place.value.value, place

    def feeds_updates(self, loop: Loop) -> bool:
        """Whether an iteration goes on with the array that it updates, as `x = x.at[i].set(...)` does."""
        targets = self.targets(loop)
        for node in self.nodes_of_turn(loop):
            if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
                continue
            func, target = node.value.func, node.targets[0].target
            if not isinstance(target, cst.Name) or not isinstance(func, cst.Attribute):
                continue
            at = func.value.value if self._values.is_update(func) and isinstance(func.value, cst.Subscript) else None
            base = at.value if isinstance(at, cst.Attribute) else None
            if _is_one_of(base, {target.value}) and mentions(func.value, targets):
                return True
        return False

    def _counts_powers(self, loop: Loop) -> bool:
        """Whether iterations are the terms of a series, of which there are few: the number of one is an exponent."""
        targets = self.targets(loop)
        for node in self.nodes_of_turn(loop):
            if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
                exponent: cst.CSTNode | None = node.right
            elif isinstance(node, cst.Call) and last_name(node.func) in ("power", "float_power", "pow"):
                exponent = node.args[1].value if len(node.args) > 1 else None
            else:
                continue
            if exponent is not None and mentions(exponent, targets):
                return True
        return False

    def recurs(self, loop: Loop) -> bool:
        """Whether an iteration goes on with what the one before has computed, as `x = step(x, xs[i])` does.

        A sum does not, `x = x + f(xs[i])`, nor does what only fills an array, `x = x.at[i].set(f(xs[i]))`.
        """
        for node in self.nodes_of_turn(loop):
            if not isinstance(node, cst.Assign) or isinstance(node.value, (cst.Name, cst.List, cst.Tuple)):
                continue
            names = {part.value for t in node.targets for part in within(t.target) if isinstance(part, cst.Name)}
            if mentions(self._beside_result(node.value, names), names):
                return True
        return False

    def _beside_result(self, node: cst.BaseExpression, names: set[str]) -> object:
        """Return what an iteration adds to a name, or puts into the array that it is; else the value."""
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Add, cst.Subtract)):
            return node.right if _is_one_of(node.left, names) else node
        place = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
        if isinstance(node, cst.Call) and isinstance(place, cst.Subscript) and self._values.is_update(node.func):
            return (*place.slice, *node.args)
        return node

    def may_end_early(self, loop: Loop) -> bool:
        """Whether an iteration may be the last, by a `break` or a `return`."""
        return any(isinstance(node, (cst.Break, cst.Return)) for node in self.nodes_of_turn(loop))

    def tests_beside_count(self, loop: Loop) -> Iterator[cst.BaseExpression]:
        """Yield the tests by which a loop may end before it has counted to its bound."""
        node = loop.node
        if isinstance(node, cst.While) and isinstance(node.test, cst.BooleanOperation):
            yield node.test
        if isinstance(node, cst.For):
            for part in self.nodes_of_turn(loop):
                if isinstance(part, cst.If) and _breaks(part.body):
                    yield part.test

    def _is_structural(self, loop: Loop) -> bool:
        """Whether a loop's bound is named after parts of a model or a thing, of which there are few."""
        if isinstance(loop.node, (cst.For, cst.CompFor)) and self._is_rank(loop.node.iter):
            return True
        return any(STRUCTURE.fullmatch(name.lower()) for name in self._bound_names(loop))

    def _is_rank(self, node: cst.CSTNode) -> bool:
        """Whether an iterable has one element for each dimension of an array."""
        if isinstance(node, cst.Attribute):
            return node.attr.value in ("ndim", "shape")
        if isinstance(node, cst.Call):
            if last_name(node.func) in ("range", "enumerate", "zip", "reversed", "len"):
                return any(self._is_rank(arg.value) for arg in node.args)
            return any(name in _BY_DIMENSION for name in self._names.externals(node.func))
        if isinstance(node, cst.Name):
            values = [v.node for v in self._names.values(node) if isinstance(v, Expression) and v.node is not node]
            return bool(values) and all(self._is_rank(value) for value in values)
        return False

    def _bound_names(self, loop: Loop) -> list[str]:
        """Return the names that a loop's bound is written with, and those that these are computed from."""
        if isinstance(loop.node, cst.While):
            test = loop.node.test
            iterable: cst.CSTNode = test.comparisons[0].comparator if isinstance(test, cst.Comparison) else test
        else:
            iterable = loop.node.iter
        found: list[str] = []
        work: list[tuple[cst.CSTNode, int]] = [(iterable, 0)]
        while work:
            node, depth = work.pop()
            if isinstance(node, cst.Name):
                if node.value not in ("range", "enumerate", "zip", "len", "int", "tqdm", "reversed"):
                    found.append(node.value)
                if depth < 3:
                    values = self._names.values(node)
                    work.extend((v.node, depth + 1) for v in values if isinstance(v, Expression) and v.node is not node)
            elif isinstance(node, cst.Attribute):
                if node.attr.value not in ("shape", "size", "ndim"):
                    found.append(node.attr.value)
            else:
                work.extend((child, depth) for child in children(node))
        return found

    @staticmethod
    def targets(loop: Loop) -> set[str]:
        """Return the names that a loop binds again in each iteration."""
        if isinstance(loop.node, cst.While):
            test = loop.node.test
            return {test.left.value} if isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name) else set()
        found = set[str]()
        work: list[cst.CSTNode] = [loop.node.target]
        while work:
            node = work.pop()
            if isinstance(node, cst.Name):
                found.add(node.value)
            elif isinstance(node, (cst.Tuple, cst.List)):
                work.extend(element.value for element in node.elements)
        return found

    # Weights

    def turn(self, loop: Loop) -> Weight:
        """Return the weight of one iteration, inner loops counted with their iterations."""
        total = Weight()
        for part in self.parts_of_turn(loop):
            total += self.weight(part)
        return total

    def parts_of_turn(self, loop: Loop) -> list[cst.CSTNode]:
        """Return the pieces of code that each iteration runs."""
        node = loop.node
        if isinstance(node, (cst.For, cst.While)):
            return [node.body]
        parts: list[cst.CSTNode] = [test.test for test in node.ifs]
        if node.inner_for_in is not None:
            return [*parts, node.inner_for_in]
        holder = self._tree.parent(node)
        while isinstance(holder, cst.CompFor):
            holder = self._tree.parent(holder)
        if isinstance(holder, cst.DictComp):
            return [*parts, holder.key, holder.value]
        if isinstance(holder, (cst.ListComp, cst.SetComp, cst.GeneratorExp)):
            return [*parts, holder.elt]
        return parts

    def nodes_of_turn(self, loop: Loop) -> Iterator[cst.CSTNode]:
        """Yield the nodes that each iteration runs, those within inner functions skipped."""
        return running(*self.parts_of_turn(loop))

    def calls_of_turn(self, loop: Loop) -> list[cst.Call]:
        """Return the calls that each iteration makes, in source order, those within inner functions skipped."""
        return self._tree.calls_in_loops.get(id(loop), [])

    def weight(self, node: cst.CSTNode) -> Weight:
        """Return the weight of a piece of code that runs once."""
        if node.__class__ in DEFINITIONS:
            return _NO_WEIGHT
        if node.__class__ in _LOOPS:
            return self._loop_weight(node)
        total = self._own_weight(node)
        for child in children(node):
            total += self.weight(child)
        return total

    def _loop_weight(self, node: cst.CSTNode) -> Weight:
        inner = node.for_in if hasattr(node, "for_in") else node
        loop = self._loop_of.get(id(inner))
        if loop is None:
            return Weight()
        trips, _ = self.trips(loop)
        return self.turn(loop).times(trips if trips is not None else 1)

    def directly_within(self, loop: Loop) -> list[Loop]:
        """Return the loops of the same function that are in a loop, and in no other between."""
        return self._within.get(id(loop), [])

    @functools.cached_property
    def _within(self) -> dict[int, list[Loop]]:
        found: dict[int, list[Loop]] = {}
        for loop in self._tree.loops:
            if loop.outer is not None:
                found.setdefault(id(loop.outer), []).append(loop)
        return found

    def loop_of(self, node: cst.For | cst.While) -> Loop:
        """Return the loop of a statement."""
        return self._loop_of[id(node)]

    @functools.cached_property
    def _loop_of(self) -> dict[int, Loop]:
        return {id(loop.node): loop for loop in self._tree.loops}

    def _own_weight(self, node: cst.CSTNode) -> Weight:
        if node.__class__ not in _WEIGHED:
            return _NO_WEIGHT
        if isinstance(node, cst.BinaryOperation):
            if self._values.kind(node).known:
                return Weight()
            if isinstance(node.operator, cst.MatrixMultiply):
                return self._product([node.left, node.right])
            return Weight(1)
        if isinstance(node, cst.UnaryOperation):
            return Weight(0 if self._values.kind(node).known else 1)
        if isinstance(node, cst.Comparison):
            return Weight(1 if self._values.kind(node) is Kind.ARRAY else 0)
        if isinstance(node, cst.AugAssign):
            return Weight(0 if self._values.kind(node).known else 1)
        if isinstance(node, cst.Subscript):
            return self._read(node)
        if isinstance(node, cst.Call):
            return self._call(node)
        return Weight()

    def _read(self, node: cst.Subscript) -> Weight:
        if isinstance(node.value, cst.Attribute) and node.value.attr.value == "at":
            return Weight()  # counted with the update
        if not self._values.kind(node.value).traced:
            return Weight()
        indices = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
        if all(isinstance(index, cst.BaseString) for index in indices) and indices:
            return Weight()
        if any(self._values.kind(index).traced for index in indices):
            return Weight(heavy=1)
        return Weight(1)

    def _product(self, operands: list[cst.BaseExpression]) -> Weight:
        return Weight(1) if any(self._is_large(operand) for operand in operands) else Weight(heavy=1)

    def _is_large(self, node: cst.CSTNode, depth: int = 3) -> bool:
        """Whether a literal shape visible makes an operand a large matrix."""
        for value in self._names.values(node):
            inner = value.node if isinstance(value, Expression) else None
            if isinstance(inner, cst.BinaryOperation) and depth:
                if self._is_large(inner.left, depth - 1) or self._is_large(inner.right, depth - 1):
                    return True
            elif isinstance(inner, cst.Call) and any(self._is_large_shape(arg.value) for arg in inner.args):
                return True
        return False

    def _is_large_shape(self, node: cst.CSTNode) -> bool:
        shape = self._constants.of(node)
        if not isinstance(shape, tuple) or len(shape) < 2:
            return False
        return all(isinstance(side, int) and side >= LARGE_SIDE for side in shape[-2:])

    def _call(self, node: cst.Call) -> Weight:
        if self._values.is_update(node.func):
            return Weight(heavy=1)
        wrapped = self._wrappings.of(node)
        if wrapped is not None and wrapped.wrapper.kind == "control-flow":
            return Weight(1) + self._sum(self._tracing.functions_behind(target) for target in wrapped.targets)
        for name in self._names.externals(node.func):
            if arrays.is_array_function(name):
                if name.rpartition(".")[2] in arrays.HEAVY:
                    return self._product([arg.value for arg in node.args])
                return Weight(equations_of(name))
        functions = [function for function, _ in self._calls.callees(node)]
        if functions:
            if any(self._is_compiled(function) for function in functions[:1]):
                return Weight(1)
            return self.of_function(functions[0])
        if isinstance(node.func, cst.Attribute):
            base = self._values.kind(node.func.value)
            if base.traced and node.func.attr.value in arrays.ARRAY_METHODS:
                return Weight(heavy=1) if node.func.attr.value == "dot" else Weight(1)
        if isinstance(node.func, cst.Name) and node.func.value == "sum" and self._values.kind(node).traced:
            return Weight(1)
        return Weight()

    def _sum(self, groups: Iterator[list[Function]]) -> Weight:
        total = Weight()
        for functions in groups:
            for function in functions[:1]:
                total += self.of_function(function)
        return total

    def _is_compiled(self, function: Function) -> bool:
        """Whether calls of a function are one equation: it is compiled by itself, and traced once."""
        return any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(function))

    def of_function(self, function: Function) -> Weight:
        """Return the weight of a function's body, each call of it counted in full."""
        key = id(function)
        if key not in self._weights:
            if key in self._busy:
                return Weight()
            self._busy.add(key)
            self._weights[key] = self.weight(function.node.body)
            self._busy.discard(key)
        return self._weights[key]


_FEWEST_EQUATIONS = 1000
"""From so many on a program is slow to compile; the default of the setting `unrolled-equations`."""

ORDERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)

_BY_DIMENSION = frozenset(
    f"jax.numpy.{name}"
    for name in ("ndim", "shape", "unravel_index", "meshgrid", "indices", "nonzero", "ix_", "gradient")
)
"""The functions that give a number, or an array, for each dimension."""

_MOST_CALLED = 3
"""Over so many calls a number is followed back to where it is written."""

_SIZED = frozenset(f"jax.numpy.{name}" for name in ("zeros", "ones", "full", "empty", "eye", "arange"))
"""The functions whose first argument is the size of what they make."""

_MADE = _SIZED - {"jax.numpy.arange"}
"""The same, of arrays that are there to be filled."""

_COUNTED = {"split": (1, "num"), "array_split": (1, "indices_or_sections"), "linspace": (2, "num")}
"""The functions of which an argument, by position and name, is the number of elements they give."""

_WEIGHED = kinds(cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.AugAssign, cst.Subscript, cst.Call)
_NO_WEIGHT = Weight()
_LOOPS = kinds(cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.CompFor)


def _step_names(node: cst.For | cst.While | cst.CompFor) -> set[str]:
    """Return the names in the step of a `range`, by which a loop has fewer iterations: `range(0, n, batch_size)`."""
    if isinstance(node, cst.While) or not isinstance(node.iter, cst.Call) or last_name(node.iter.func) != "range":
        return set()
    return {last_name(part) for arg in node.iter.args[2:] for part in within(arg.value)}


_SHARES = ("ratio", "factor", "rate", "scale", "fraction")
"""What names end with that are no lengths, whatever they begin with."""


def _is_data_length(name: str) -> bool:
    if name.lower().endswith(_SHARES):
        return False
    return DATA_LENGTHS.fullmatch(name) is not None or DATA_LENGTHS.fullmatch(name.lower()) is not None


def _quoted(array: str) -> str:
    return array if " " in array else f"`{array}`"


def _is_one_of(node: cst.CSTNode | None, names: set[str]) -> bool:
    return isinstance(node, cst.Name) and node.value in names


def _breaks(node: cst.CSTNode) -> bool:
    """Whether a block ends the loop that it is in."""
    if isinstance(node, (cst.Break, cst.Return)):
        return True
    if isinstance(node, (cst.For, cst.While, cst.FunctionDef, cst.ClassDef)):
        return False
    return any(map(_breaks, children(node)))


def mentions(nodes: object, names: set[str]) -> bool:
    """Whether a node, or one of several, has one of these names in it."""
    roots = nodes if isinstance(nodes, (tuple, list)) else (nodes,)
    return any(
        isinstance(node, cst.Name) and node.value in names
        for root in roots
        if isinstance(root, cst.CSTNode)
        for node in within(root)
    )
