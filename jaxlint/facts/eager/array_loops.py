"""Python loops outside any trace that dispatch array operations in every iteration."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.eager.avoidable import Hindrance
from jaxlint.facts.eager.operations import CallsBelow
from jaxlint.facts.eager.quantities import Quantity
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.jax_api.name_priors import MAKING, SHOWING, SOLVING, STEPS
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Loop, last_name, within
from jaxlint.facts.values.iterations import is_reached_rarely
from jaxlint.facts.values.lengths import calls_in
from jaxlint.facts.values.loops import ORDERS, mentions

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


FEWEST = 2
"""Operations of an iteration from which a loop counts."""
MATERIAL = 2500
"""So many dispatches, of some 10 to 50 microseconds each on a CPU, are worth a change; fewer are soon done.

Of 17 labelled loops of which the text shows that they dispatch fewer, two are worth one, and both make a new shape in
each iteration.
"""
MANY = 200
"""So many dispatches in one call are worth a change where nobody visible says how many calls there are."""
GROWN = 16
"""The same of iterations that each make a new shape, and so compile."""
FEWEST_BESIDE_COMPILED = 6
"""The same, where the iteration calls a jitted function as well, which does the work."""
FEWEST_OF_HELPER = 5
"""The same of a helper, where something else does the rest of such an iteration."""
MANY_OF_BRIEF = 16
"""Operations of a whole loop of few iterations from which it counts where each iteration waits for values."""


_WAITS = frozenset({"block_until_ready", "device_put", "effects_barrier"})
"""Who waits for each part, or says where it goes, has cut the work into parts on purpose."""
_COUNTERS = frozenset({"range", "trange", "enumerate", "count"})


@dataclass(frozen=True, slots=True, eq=False)
class EagerLoop:
    """A loop that nothing traces, with the number of array operations that each iteration dispatches.

    `hurts_anyway` says that it would be too long a loop under trace as well, so that no caller can make it good.
    `updates` says that an iteration updates an array at an index, which under trace is unrolled into a slow program,
    `copies` that it goes on with the copy.  `light` says that it is soon done, or shows something in each iteration,
    `on_host` that an iteration asks for values, `on_purpose` that scan and vmap are not meant for it: iterations wait
    for their arrays, show them to people, or do no more themselves than to cut out what a step works on.  `hindered` is
    what keeps an iteration from being one program.  `helper` is the call of a function of the project that does the
    operations, where something else does the rest.  `runs` is how often an iteration runs in a call of the loop's
    function, `own` what the loop dispatches then, `calls` how often that is called, `total` what the loop dispatches in
    all visible calls together.  `beside` says that something else does the work of an iteration, `solves` that this is
    a solver or a simulation, `measured` that it exists to be timed or compared, `grows` that each iteration makes an
    array longer, and `converges` that the size of a value may end it before it has counted to its bound.
    """

    loop: Loop
    node: cst.CSTNode
    operations: int
    hurts_anyway: bool
    updates: bool
    light: bool
    on_host: bool
    on_purpose: bool
    hindered: frozenset[Hindrance]
    runs: Quantity
    own: Quantity
    calls: Quantity
    total: Quantity
    helper: cst.Call | None = None
    beside: bool = False
    solves: bool = False
    measured: bool = False
    grows: bool = False
    copies: bool = False
    converges: bool = False

    @property
    def is_many(self) -> bool:
        """Whether the text shows how often the loop runs, and that it dispatches many operations."""
        return self.most >= MATERIAL

    @property
    def most(self) -> int:
        """How many operations the text shows the loop to dispatch; of what nothing limits, the least is taken."""
        once = Quantity(self.operations, self.operations)
        shown = (self.own, self.total, self.calls.times(once))
        return max(quantity.low if quantity.high is None else quantity.high for quantity in shown)

    @property
    def is_counted(self) -> bool:
        """Whether the text shows many iterations, of a function that others may call again and again."""
        few = self.operations <= FEWEST or self.own.high is None or self.own.high < MANY
        return self.total.high is None and not few

    @property
    def grows_often(self) -> bool:
        """Whether the text shows that the loop makes many new shapes, each of which compiles."""
        return self.grows and self.own.high is not None and self.own.high >= GROWN * self.operations

    @property
    def is_immaterial(self) -> bool:
        """Whether the text shows that the loop dispatches few operations in all."""
        return self.total.is_below(MATERIAL) and not self.grows


class EagerLoops:
    """Finds them: of a nest the outermost that does something itself, or nothing but the next.

    `alone` knows of no other file.
    A loop that hurts in any case is reported rather than one around it that need not.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._loops = facts.loops
        self._arrays = facts.eager_arrays
        self._alone = facts.own_arrays
        self._hosted = facts.hosted
        self._longest = facts.settings.unrolled_equations
        self._solvers = CallsBelow(facts.eager_arrays, self._solves, calls_in)
        self._passing = CallsBelow(facts.eager_arrays, self._goes_on_with_step)
        self._quantities = facts.quantities
        self._avoidable = facts.avoidable
        self._varying = facts.varying
        self._measured = facts.measured
        candidates = {
            id(loop): eager
            for loop in facts.tree.loops
            if not facts.contexts.is_traced_only(loop.context.function) and (eager := self._eager(loop)) is not None
        }
        nested: dict[int, list[EagerLoop]] = defaultdict(list)
        for eager in candidates.values():
            for outer in eager.loop.around:
                nested[id(outer)].append(eager)
        self.found: list[EagerLoop] = []
        covered: set[int] = set()
        for key, eager in candidates.items():
            if any(id(outer) in covered for outer in eager.loop.around):
                continue
            inner = nested[key]
            if self._is_brief(eager.loop) and inner:
                continue  # the loops within are what takes time
            if eager.hurts_anyway or eager.on_host or not any(other.hurts_anyway for other in inner):
                covered.add(key)
                self.found.extend(self._at_helpers(eager) or [eager])

    def _at_helpers(self, eager: EagerLoop) -> list[EagerLoop]:
        """Return the places of the helpers that do the eager work of a loop, where something else does the rest."""
        parts = self._loops.parts_of_turn(eager.loop)
        if self._loops.is_small(eager.loop) or not self._does_the_work_elsewhere(parts):
            return []
        helpers = {call: count for part in parts for call, count in self._arrays.helpers(part, FEWEST_OF_HELPER)}
        if eager.operations - sum(helpers.values()) >= FEWEST_BESIDE_COMPILED:
            return []
        return [
            replace(
                eager,
                node=call,
                operations=count,
                helper=call,
                hindered=self._of_helper(eager, interrupted=self._hosted.calls_hosted(call)),
                own=self._quantities.runs(eager.loop).times(Quantity(count, count)),
                total=self._quantities.runs_in_all(eager.loop).times(Quantity(count, count)),
            )
            for call, count in helpers.items()
        ]

    @staticmethod
    def _of_helper(eager: EagerLoop, *, interrupted: bool) -> frozenset[Hindrance]:
        """Return what hinders a helper: a loop may have what its helper has not."""
        return frozenset({Hindrance.VALUES} if interrupted else ()) | (eager.hindered & {Hindrance.OUTSIDE})

    def _eager(self, loop: Loop) -> EagerLoop | None:
        parts = self._loops.parts_of_turn(loop)
        operations = sum(self._arrays.operations(part) for part in parts)
        if operations < FEWEST - 1:
            return None
        brief = self._is_brief(loop)
        if not brief and self._loops.is_small(loop):
            return None
        trips, _ = self._loops.trips(loop)
        updates = self._loops.updates_by_turn(loop)
        long = (trips or 0) * operations >= self._longest
        hurts = long or self._loops.is_data_long(loop)
        hurts = hurts or (brief and any(self._loops.is_data_long(outer) for outer in loop.around))
        # An update copies the whole array.
        fewest = FEWEST - (hurts and updates and self._loops.feeds_updates(loop))
        if operations < fewest or not self._does_something(loop):
            return None
        own = sum(self._alone.operations(part) for part in parts)
        if own < fewest and not self._loops.is_long_work(loop):
            return None  # what is imported counts where a program spends its time
        if all(self._arrays.only_reads(part) for part in parts):
            return None  # it turns an array into text, or into Python's numbers
        on_host = self._asks_for_values(loop, parts)
        if brief and not self._is_worth_it(loop, (trips or 0) * operations, on_host=on_host):
            return None
        copies = long and updates  # each of many iterations copies the array, whatever else it does
        few = operations < FEWEST_BESIDE_COMPILED and not any(
            self._arrays.helpers(part, FEWEST_OF_HELPER) for part in parts
        )
        if few and not copies and self._does_the_work_elsewhere(parts):
            return None
        if self._is_around_the_work(loop):
            return None
        function = loop.context.function
        light = brief or self._is_for_show(loop, parts)
        on_purpose = (
            all(map(self._arrays.only_draws, parts))
            or any(self._is_for_compile_time(node) for node in (loop.node, *parts))
            or self._is_shown(loop)
            or operations - self._fed(loop, parts) < fewest
            or any(self._waits(node, brief=brief) for part in parts for node in within(part))
        )
        if not hurts and self._fills_parameters(loop):
            return None
        hurts = hurts and own >= fewest  # what is imported says nothing of who traces this
        return EagerLoop(
            loop,
            self._loops.place(loop),
            operations,
            hurts,
            updates,
            light,
            on_host,
            on_purpose,
            self._avoidable.hindrances(loop),
            self._quantities.runs(loop),
            self._quantities.dispatches(loop),
            self._quantities.calls(function),
            self._quantities.in_all(loop),
            beside=self._does_the_work_elsewhere(parts),
            solves=any(self._may_solve(loop, part) or self._arrays.calls_long_program(part) for part in parts),
            measured=self._measured.is_measured(loop, parts) or self._measured.is_baseline(function),
            grows=self._varying.grows(loop),
            copies=updates and self._loops.feeds_updates(loop),
            converges=any(map(self._orders_values, self._loops.tests_beside_count(loop))),
        )

    def _orders_values(self, test: cst.BaseExpression) -> bool:
        """Whether a test compares the size of an array's values, also of those that were read before."""
        if isinstance(test, cst.BooleanOperation):
            return self._orders_values(test.left) or self._orders_values(test.right)
        if not isinstance(test, cst.Comparison) or not isinstance(test.comparisons[0].operator, ORDERS):
            return False
        sides = (test.left, test.comparisons[0].comparator)
        read = (value.node for side in sides for value in self._names.values(side) if isinstance(value, Expression))
        return any(map(self._arrays.is_array, sides)) or any(map(self._arrays.reads_values, read))

    def _may_solve(self, loop: Loop, part: cst.CSTNode) -> bool:
        """Whether an iteration may solve something, here or in what it calls, and not now and then alone."""
        return any(
            (self._solves(call) or self._solvers.is_below(call)) and not is_reached_rarely(self._names, call, loop)
            for call in calls_in(part)
        )

    def _solves(self, call: cst.Call) -> bool:
        """Whether a call is of something not visible that is a whole program by itself, as a solver is."""
        return self._arrays.is_out_of_sight(call) and SOLVING.fullmatch(last_name(call.func).lower()) is not None

    def _is_for_compile_time(self, node: cst.CSTNode) -> bool:
        """Whether a loop makes constants for a trace on purpose, as a whole or within an iteration."""
        if guards.is_for_compile_time(self._tree, node):
            return True
        return any(
            isinstance(part, cst.Call) and last_name(part.func) == "ensure_compile_time_eval" for part in within(node)
        )

    @staticmethod
    def _waits(node: cst.CSTNode, *, brief: bool) -> bool:
        """Whether a call waits for arrays, or prints a line of what is a short table."""
        name = last_name(node.func) if isinstance(node, cst.Call) else ""
        return name in _WAITS or (brief and name == "print")

    def _fed(self, loop: Loop, parts: list[cst.CSTNode]) -> int:
        """Count the elements and batches that iterations cut out for the step that they call: `step(state, xs[i])`."""
        targets = self._loops.targets(loop)
        found = 0
        for part in parts:
            for node in within(part):
                parent = self._tree.parent(node) if isinstance(node, cst.Subscript) else None
                call = self._tree.parent(parent) if isinstance(parent, cst.Arg) else None
                if (
                    isinstance(call, cst.Call)
                    and self._arrays.operations(node)
                    and not self._arrays.is_array_call(call)
                ):
                    found += mentions(node, targets)
        return found

    def _is_brief(self, loop: Loop) -> bool:
        """Whether a loop has a known number of iterations, that one pass counts."""
        trips, _ = self._loops.trips(loop)
        return trips is not None and trips <= SHORT

    def _is_worth_it(self, loop: Loop, operations: int, *, on_host: bool) -> bool:
        """Whether the operations of a brief loop count: it is in a long one, or waits for values in each iteration."""
        if any(self._loops.is_long_work(outer) for outer in loop.around):
            return operations >= FEWEST_BESIDE_COMPILED
        return on_host and operations >= MANY_OF_BRIEF and not self._loops.may_end_early(loop)

    def _asks_for_values(self, loop: Loop, parts: list[cst.CSTNode]) -> bool:
        node = loop.node
        if isinstance(node, cst.While) and self._arrays.is_tested(node.test):
            return True
        return any(self._arrays.reads_values(part) for part in parts)

    @staticmethod
    def _fills_parameters(loop: Loop) -> bool:
        """Whether a loop is in a function that makes something once, such as the parameters of each layer."""
        function = loop.context.function
        return function is not None and MAKING.match(function.name.lstrip("_")) is not None

    @staticmethod
    def _is_shown(loop: Loop) -> bool:
        """Whether a loop is in a function that shows something to people, by its name."""
        function = loop.context.function
        return function is not None and SHOWING.fullmatch(function.name.lstrip("_")) is not None

    def _is_for_show(self, loop: Loop, parts: list[cst.CSTNode]) -> bool:
        """Whether an iteration prints an element of what the loop goes through: that takes longest."""
        if self._counts(loop):
            return False
        nodes = (node for part in parts for node in self._arrays.always(part))
        return any(isinstance(node, cst.Call) and last_name(node.func) == "print" for node in nodes)

    @staticmethod
    def _counts(loop: Loop) -> bool:
        """Whether a loop counts its iterations, perhaps with a bar that shows how far it is."""
        if isinstance(loop.node, cst.While):
            return True
        return any(isinstance(part, cst.Call) and last_name(part.func) in _COUNTERS for part in within(loop.node.iter))

    def _does_the_work_elsewhere(self, parts: list[cst.CSTNode]) -> bool:
        """Whether an iteration calls something compiled, or a step of something that is not visible."""
        if any(self._arrays.calls_compiled(part) for part in parts):
            return True
        return any(
            isinstance(node, cst.Call)
            and (
                self._is_unseen_step(node)
                or self._arrays.is_given(node)
                or self._arrays.is_made_out_of_sight(node)
                or self._passing.is_below(node)
            )
            for part in parts
            for node in within(part)
        )

    def _is_unseen_step(self, call: cst.Call) -> bool:
        return self._arrays.is_unseen(call) and STEPS.search(last_name(call.func)) is not None

    def _goes_on_with_step(self, call: cst.Call) -> bool:
        """Whether something is made of what a step gives that is not visible; a model's `apply` runs eagerly itself."""
        return (
            self._is_unseen_step(call)
            and last_name(call.func) not in ("apply", "apply_fn")
            and not isinstance(self._tree.parent(call), cst.Expr)
        )

    def _is_around_the_work(self, loop: Loop) -> bool:
        """Whether a loop within does the work, by what is compiled or not visible, and this one is once an epoch."""
        if isinstance(loop.node, cst.CompFor):
            return False
        if any(
            isinstance(node, (cst.For, cst.While)) and self._does_the_work_elsewhere([node.body])
            for node in within(loop.node.body)
        ):
            return True
        epochs = [call for call in self._arrays.calls(loop.node.body) if self._runs_the_work(call)]
        own = self._arrays.operations(loop.node.body) - sum(map(self._arrays.of_call, epochs))
        return bool(epochs) and own < FEWEST_BESIDE_COMPILED

    def _runs_the_work(self, call: cst.Call) -> bool:
        """Whether a call runs a function with a loop of its own in which the work is done."""
        return any(
            isinstance(node, (cst.For, cst.While))
            and (
                self._does_the_work_elsewhere([node.body])
                or (
                    self._arrays.operations(node.body) >= FEWEST_BESIDE_COMPILED
                    and not self._loops.is_small(self._loops.loop_of(node))
                )
            )
            for function in self._arrays.callees(call)
            for node in within(function.node.body)
        )

    def _does_something(self, loop: Loop) -> bool:
        """Whether a loop has operations of its own, or is no more than the head of the next."""
        node = loop.node
        if isinstance(node, cst.CompFor):
            return True
        statements = node.body.body
        inner = [part for part in statements if isinstance(part, (cst.For, cst.While))]
        if len(inner) == len(statements):
            return True
        own = sum(self._arrays.operations(part) for part in statements if not any(part is loop for loop in inner))
        return own > 0
