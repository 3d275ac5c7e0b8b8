"""What supports and weakens each kind of finding: the one place where evidence is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.cache_misses.arguments import Given, StaticField
from jaxlint.facts.cache_misses.calculations import Calculations
from jaxlint.facts.cache_misses.captured_arrays import Captured
from jaxlint.facts.cache_misses.discarded import Discarded, UnusedName
from jaxlint.facts.cache_misses.fate import Kept
from jaxlint.facts.cache_misses.instances import ShortLived
from jaxlint.facts.cache_misses.rebound import Rebound
from jaxlint.facts.cache_misses.sites import CompileSite, Lifetime
from jaxlint.facts.cache_misses.stale import StaleRead
from jaxlint.facts.cache_misses.structure import Structure, made_of
from jaxlint.facts.cache_misses.targets import Target
from jaxlint.facts.context.calls import CallSite, argument_of
from jaxlint.facts.eager.array_loops import FEWEST_OF_HELPER, GROWN, MATERIAL, EagerLoop
from jaxlint.facts.eager.avoidable import Hindrance
from jaxlint.facts.eager.compile_sites import EagerSite
from jaxlint.facts.eager.eagerness import Eagerness
from jaxlint.facts.eager.growing import Growing
from jaxlint.facts.eager.quantities import Quantity
from jaxlint.facts.eager.steps import CalledStep, Objective, Step
from jaxlint.facts.errors.staged import Usage
from jaxlint.facts.evidence.confidence import Doubt, Evidence
from jaxlint.facts.incoming import CASES, STEPS
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.jax_api.name_priors import SOLVING
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.names import Expression, Value
from jaxlint.facts.syntax.tree import Context, Function, Loop, Parameter, last_name, within
from jaxlint.facts.values.bounds import Bound, BoundKind
from jaxlint.facts.values.compiled_calls import CompiledCall
from jaxlint.facts.values.iterations import counted_by, is_handed, is_reached_rarely, is_step_loop
from jaxlint.facts.values.loops import mentions

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_ITERATORS = frozenset({"enumerate", "zip", "reversed", "sorted", "tqdm", "list", "tuple"})
_HEAVY = 40
"""So many operations are worth a jitted function of their own beside an object that stays in Python."""
_FEW_MAPS = 50
"""A map over the leaves of a tree that runs less often dispatches a thousand or two operations at most."""
_FEW_STEPS = 100
"""So many steps of training are the least that is worth a change, where all of them are visible,"""
_FEW_PASSES = 20
"""So few passes of a model are soon done, however large it is."""
_FEW_OPERATIONS = MATERIAL // 3
"""unless their losses have so many operations in all, of which a gradient takes three times as many."""
_BESIDE = 6
"""So many operations beside what does the work of an iteration are worth moving into it, where iterations are many."""
_MANY_BESIDE = 10 * MATERIAL
"""So many dispatches count even where each iteration runs a solver, or a program with a loop of its own."""
_MOST, _MANY, _SOME = 1000, 250, 32
"""How many iterations a loop is taken to have in all where the text does not count them: one whose bound is a setting
with the name of a length; one along an axis of data in a function that others may call, or in one that loops run again
in each step; any other that certainly runs.

Of the labelled loops that nobody counted, those that add up to `MATERIAL` operations by this are mostly worth a change;
the limits are coarse: half or twice as many iterations choose almost the same loops.
"""
_COPY = 6
"""So many operations more is the copy of the array worth that an iteration updates and goes on with."""
_HINDERED = {
    Hindrance.SHAPES: Doubt.SHAPES,
    Hindrance.VALUES: Doubt.INTERRUPTED,
    Hindrance.OUTSIDE: Doubt.OUTSIDE,
    Hindrance.LIBRARY: Doubt.LIBRARY,
    Hindrance.OBJECT: Doubt.OBJECT,
}
_CONVERSIONS = frozenset({"numpy.asarray", "numpy.array"})
_FEW_RUNS = 5
"""What a loop of at most so many iterations repeats compiles a few times, as do restarts."""
_FEW = 8
"""A literal list of at most so many elements is a choice of variants, each with a program of its own."""


class Evidences:
    """Tells what was seen at a place; what that is worth is for `confidence.py`."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._runs = facts.runs
        self._tracing = facts.tracing
        self._contexts = facts.contexts
        self._calls = facts.calls
        self._staged = facts.staged
        self._loops = facts.loops
        self._eager = facts.eager
        self._arguments = facts.arguments
        self._calculations = Calculations(facts.tree, facts.names, facts.wrappings, facts.contexts)
        self._structure = Structure(facts.names, facts.calls)
        self._quantities = facts.quantities

    def site(self, site: CompileSite) -> Evidence:
        """Return what supports and weakens a compile site whose object is short-lived."""
        context, target = site.context, site.target
        calculations, doubts = self._calculations, self._doubts(site)
        if calculations.is_data(target.node):
            doubts |= {Doubt.OWN_PROGRAM}
        in_loop = site.lifetime is Lifetime.ITERATION
        if not in_loop and calculations.is_given(target.node, target.root, context.function):
            doubts |= {Doubt.GIVEN}  # what the caller gives is the same in each iteration
        return self._compiling(context, in_loop=in_loop, doubts=doubts)

    def _compiling(self, context: Context, *, in_loop: bool, doubts: frozenset[Doubt]) -> Evidence:
        """Return the evidence for a place that compiles for each run of its function.

        Only a loop that does the same again says that this happens often; without one, that the function is run for its
        value, in a library.
        """
        function = context.function
        again = self._runs.again(function, self._is_step)
        if again == STEPS:
            doubts -= {Doubt.GIVEN}  # what the loop gives is the same function each time
        if not in_loop and again == CASES:
            doubts |= {Doubt.CASES}
        if not in_loop and not again and not self._is_run_for_values(function):
            doubts |= {Doubt.UNREPEATED}
        if not in_loop and self._runs.called_once(function):
            doubts |= {Doubt.CALLED_ONCE}
        return Evidence(
            in_loop=in_loop,
            repeated=again == STEPS,
            run_once=function is None or self._runs.is_run_once(function),
            test=self._runs.is_test(function),
            traced=self._contexts.is_traced_only(function),
            doubts=doubts,
        )

    def _is_run_for_values(self, function: Function | None) -> bool:
        """Whether who uses a library may well run a function again and again; nobody uses an example's.

        A calculation that only runs call is a part of them, as of a training.
        """
        if self._runs.is_example or self._runs.is_unused_in_project(function):
            return False
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if id(current) in seen or not self._calculations.is_calculation(current):
                continue
            seen.add(id(current))
            callers = [site.context.function for site in self._calls.of(current)] if current is not None else []
            if all(caller is current for caller in callers):
                return True
            work.extend(callers)
        return False

    def _is_step(self, site: CallSite) -> bool:
        """Whether a loop around a call does the same again: it is no constructor's, and the call gets no count."""
        function, loop = site.context.function, site.context.loop
        if loop is None or (function is not None and function.name in CONSTRUCTORS):
            return False
        if self._needs_own_program(site) or self._gives_new_function(site.node, loop):
            return False
        counted = isinstance(loop.node, cst.For) and loop.outer is None
        if counted and 0 < (self._loops.bounds.of(loop).high or 0) <= _FEW_RUNS:
            return False
        return any(
            _carries(around) or (is_step_loop(around) and not is_handed(site.node, counted_by(around)))
            for around in (loop, *loop.around)
        )

    def _goes_through_cases(self, site: EagerSite, loop: Loop) -> bool:
        """Whether a loop around a call goes through cases, of which the call gets no data and its body no number.

        A loop that asks for the kind of what it goes through gets to the call in few of its iterations.
        """
        varying = made_of({name for around in (loop, *loop.around) for name in self._loops.targets(around)}, loop)
        if any(_asks_for_kind(above, varying) for above in self._tree.ancestors(site.node)):
            return True
        if any(_carries(around) or is_step_loop(around) for around in (loop, *loop.around)):
            return False
        functions = {id(target) for target in site.wrapped.targets}
        data: list[cst.CSTNode] = [arg.value for arg in site.node.args if id(arg.value) not in functions]
        root = site.target.root if site.target is not None else None
        sums = within(root.node.body) if root is not None else ()
        data += [part for part in sums if isinstance(part, cst.BinaryOperation)]
        return not any(isinstance(part, cst.Name) and part.value in varying for node in data for part in within(node))

    def _gives_new_function(self, call: cst.Call, loop: Loop) -> bool:
        """Whether a call in a loop is given a function that the loop defines, another one in each iteration."""
        return any(
            isinstance(arg.value, cst.Lambda)
            or any(
                made.context.loop is not None and made.context.loop.inside(loop)
                for made in self._names.functions(arg.value)
            )
            for arg in call.args
        )

    def _needs_own_program(self, site: CallSite) -> bool:
        """Whether a call in a loop gives a number that decides shapes, so that each iteration needs its own program."""
        loop = site.context.loop
        if loop is None:
            return False
        varying = {name for around in (loop, *loop.around) for name in self._loops.targets(around)}
        return any(
            isinstance(given := argument_of(site.node, parameter, bound=site.bound), cst.Name)
            and given.value in varying
            and self._structure.decides_in(site.function, parameter.name)
            for parameter in site.function.parameters
        )

    def _is_repeated_alike(self, function: Function | None) -> bool:
        """Whether a function is called again and again by what does not need a program of its own each time."""
        return self._runs.is_repeated(function, lambda site: not self._needs_own_program(site))

    def _measures_compilation(self, context: Context) -> bool:
        """Whether a loop around a place, or around a call of its function, clears JAX's caches."""
        sites = self._calls.of(context.function) if context.function is not None else []
        loops = [loop for place in (context, *(site.context for site in sites)) if (loop := place.loop) is not None]
        return any(
            isinstance(node, cst.Call) and last_name(node.func) in ("clear_caches", "clear_cache")
            for loop in loops
            for around in (loop, *loop.around)
            for part in self._loops.parts_of_turn(around)
            for node in within(part)
        )

    def place(
        self, context: Context, *, in_loop: bool = False, error: bool = False, doubts: frozenset[Doubt] = frozenset()
    ) -> Evidence:
        """Return what a place's surroundings say about how often it runs."""
        function = context.function
        repeated = self._is_repeated_alike(function)
        if not repeated and self._runs.is_repeated(function):
            doubts = doubts | {Doubt.OWN_PROGRAM}
        return Evidence(
            in_loop=in_loop,
            repeated=repeated,
            run_once=function is None or self._runs.is_run_once(function),
            test=self._runs.is_test(function),
            traced=self._contexts.is_traced_only(function),
            error=error,
            doubts=doubts | ({Doubt.CALLED_ONCE} if not in_loop and self._runs.called_once(function) else set()),
        )

    def eager(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that costs something only outside any trace."""
        level = self._eager.eagerness(node)
        if level is Eagerness.LOW:
            doubts = doubts | {Doubt.EAGERNESS}
        if guards.is_left_eager(self._tree, node) or guards.has_loop_of_jax_instead(self._tree, node):
            doubts = doubts | {Doubt.OPTION}
        context = self._tree.context(node)
        if context.loop is None and self._is_eager_by_the_way(context.function):
            doubts = doubts | {Doubt.CALLED_ONCE}
        return Evidence(
            repeated=level is Eagerness.HIGH,
            test=self._runs.is_test(self._tree.context(node).function),
            traced=level is Eagerness.TRACED,
            doubts=doubts,
        )

    def leaf_map(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a map over leaves, whose flood of small programs comes once a process."""
        context = self._tree.context(node)
        function = context.function
        if context.loop is None and not self._runs.is_repeated(function):
            once = function is None or self._runs.is_run_once(function) or self._runs.called_once(function)
            doubts = doubts | ({Doubt.CALLED_ONCE} if once else set())
        runs = self._quantities.calls(function)
        if context.loop is not None:
            runs = self._quantities.runs_in_all(context.loop)
        elif function is None or not self._calls.of(function):
            runs = Quantity(1, None)
        if runs.is_below(_FEW_MAPS):
            doubts = doubts | {Doubt.IMMATERIAL}
        return self.eager(node, doubts)

    def _is_eager_by_the_way(self, function: Function | None) -> bool:
        """Whether a function is there to be traced, and a program runs it eagerly as well, but not again and again."""
        return self._tracing.is_traced(function) and not self._runs.is_repeated(function)

    def eager_loop(self, loop: EagerLoop) -> Evidence:
        """Return the evidence for a loop that dispatches operations in each iteration."""
        again = loop.loop.outer is not None or self._runs.is_repeated(loop.loop.context.function)
        doubts = {Doubt.LIGHT} if loop.light and not again else set()
        # Beside an object that stays in Python, much array work is worth a jitted function of its own.
        heavy = {Hindrance.OBJECT} if loop.operations >= _HEAVY else set[Hindrance]()
        bound = self._loops.bounds.of(loop.loop)
        named = self._loops.is_named_long(loop.loop)
        along = bound.kind is BoundKind.DATA_AXIS and bound.high is None
        # Along an axis of data, different shapes are as many programs, and a mask makes one of them.
        masked = {Hindrance.SHAPES} if along else set[Hindrance]()
        doubts |= {_HINDERED[hindrance] for hindrance in _HINDERED.keys() & (loop.hindered - heavy - masked)}
        doubts |= {Doubt.ON_PURPOSE} if loop.on_purpose else set()
        doubts |= {Doubt.MEASURED} if loop.measured else set()
        doubts |= {Doubt.IMMATERIAL} if loop.is_immaterial else set()
        likely = self._likely_iterations(loop, bound, named=named)
        work = loop.operations + (_COPY if loop.copies and not loop.beside else 0)
        again_perhaps = loop.is_counted and not self._runs.called_once(loop.loop.context.function)
        again_perhaps = again_perhaps and not loop.converges
        if not (loop.is_many or loop.grows_often or again_perhaps or likely * work >= MATERIAL):
            doubts |= {Doubt.FEW if likely > _SOME else Doubt.UNCOUNTED}
        if loop.solves or loop.beside:
            worth = loop.operations >= (_BESIDE if loop.helper is None else FEWEST_OF_HELPER)
            long = named and worth and bound.high is None and not loop.solves
            enough = worth and (not loop.solves or loop.operations >= _HEAVY or loop.most >= _MANY_BESIDE)
            many = loop.is_many and (enough or (loop.copies and not loop.grows))
            doubts |= set() if long or many else {Doubt.BESIDE}
        evidence = self.eager(loop.loop.node, frozenset(doubts))
        function = loop.loop.context.function
        seen = function is None or not self._eager.starts_unseen(function)
        hurts = loop.hurts_anyway or (along and loop.operations * _MANY >= MATERIAL)
        if (hurts and seen) or loop.on_host:
            # Whoever calls it, eagerly or under trace, pays for each iteration; and nobody can trace `float(array)`.
            evidence = replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})
        return evidence

    def _likely_iterations(self, loop: EagerLoop, bound: Bound, *, named: bool) -> int:
        """Return how many iterations a loop may well have in all, as far as its bound and what runs it again say."""
        if loop.converges or guards.ends_in_error(self._tree, loop.loop.node):
            return 0  # the bound is no more than the most that there may be
        function, whole = loop.loop.context.function, not self._goes_through_chunks(loop.loop)
        if named and bound.kind is BoundKind.SETTING and not bound.chunked:
            return _MOST
        rarely = is_reached_rarely(self._names, loop.loop.node)
        again = not rarely and self._runs.again(function, self._is_step) == STEPS
        along = named or (bound.kind is BoundKind.DATA_AXIS and bound.high is None)
        if whole and along and (again or function is None or not function.is_private):
            return _MANY
        if self._eager.eagerness(loop.loop.node) is not Eagerness.HIGH:
            return 0
        return _MANY * (loop.runs.high or 1) if again and bound.kind is not BoundKind.CONTAINER else _SOME

    def _goes_through_chunks(self, loop: Loop) -> bool:
        """Whether a loop that no other repeats takes a large part of the data each time: few iterations, each heavy."""
        chunked = self._loops.bounds.of(loop).chunked
        return chunked and loop.outer is None and not self._runs.is_repeated(loop.context.function)

    def field(self, field: StaticField) -> Evidence:
        """Return the evidence for a static field without a hash, which fails once a jitted function takes it."""
        doubts = frozenset(() if self._arguments.is_passed(field.cls) else {Doubt.UNSEEN})
        return Evidence(test=self._runs.is_test(None), doubts=doubts)

    def discarded(self, discarded: Discarded) -> Evidence:
        """Return the evidence for a jitted function, or a wrapper, that is discarded where it is made."""
        test = self._runs.is_test(self._tree.context(discarded.node).function)
        return Evidence(test=test) if discarded.function is None else Evidence(error=True)

    def unused(self, unused: UnusedName) -> Evidence:
        """Return the evidence for a jitted function that nothing uses."""
        return Evidence(test=self._runs.is_test(self._tree.context(unused.node).function))

    def loop(self, loop: Loop) -> Evidence:
        """Return the evidence for a loop that hurts whether its function is traced or not."""
        evidence = self.eager(loop.node)
        return replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})

    def growth(self, growing: Growing, hindered: frozenset[Hindrance] = frozenset()) -> Evidence:
        """Return the evidence for an array that is longer each time, in a loop whose iterations are hindered so."""
        function = self._tree.context(growing.node if growing.loop is None else growing.loop.node).function
        if self._contexts.is_traced_only(function):
            # Others run the method eagerly as well.
            return Evidence(test=self._runs.is_test(function))
        evidence = self.eager(growing.node if growing.loop is None else growing.loop.node)
        loop = growing.loop
        if loop is None:
            often = self._runs.again(function, self._is_step) == STEPS
            evidence = replace(evidence, doubts=evidence.doubts | (set() if often else {Doubt.COLLECTED}))
        elif self._loops.bounds.of(loop).kind is BoundKind.CONTAINER:
            # As many lengths as there are objects, of which a program has a handful.
            evidence = replace(evidence, doubts=evidence.doubts | {Doubt.OWN_PROGRAM})
        elif self._goes_through_chunks(loop):
            evidence = replace(evidence, doubts=evidence.doubts | {Doubt.UNCOUNTED})
        elif self._quantities.runs_in_all(loop).is_below(GROWN):
            evidence = replace(evidence, doubts=evidence.doubts | {Doubt.IMMATERIAL})
        if Hindrance.OUTSIDE in hindered:
            evidence = replace(evidence, doubts=evidence.doubts | {Doubt.OUTSIDE})
        if loop is not None and self._is_beside_solver(growing.name, loop):
            evidence = replace(evidence, doubts=evidence.doubts | {Doubt.BESIDE})
        return replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})

    def _is_beside_solver(self, name: str, loop: Loop) -> bool:
        """Whether each iteration fits or solves something, of nothing that grows: what does recompiles."""
        calls = [call for call in self._loops.calls_of_turn(loop) if _solves(call)]
        grown = made_of({name}, loop) if calls else set()
        return bool(calls) and not any(mentions(arg.value, grown) for call in calls for arg in call.args)

    def step(self, step: Step) -> Evidence:
        """Return the evidence for a step of training that runs eagerly in a loop."""
        evidence = self.loop(step.loop) if step.trains else self.eager(step.loop.node)
        doubts = {_HINDERED[hindrance] for hindrance in step.hindered}
        doubts |= {Doubt.MEASURED} if step.measured else set()
        doubts |= {Doubt.BESIDE} if step.is_beside else set()
        runs = self._quantities.runs_in_all(step.loop)
        light = runs.times(Quantity(step.operations, step.operations)).is_below(_FEW_OPERATIONS)
        few = (step.is_evaluation or not step.is_forward) and runs.is_below(_FEW_STEPS) and light
        if few or (step.is_forward and runs.is_below(_FEW_PASSES)):
            doubts |= {Doubt.IMMATERIAL}
        return replace(evidence, doubts=evidence.doubts | doubts)

    def called_step(self, step: CalledStep) -> Evidence:
        """Return the evidence for a step of training that a function runs on each call, in loops of other files."""
        doubts = {Doubt.MEASURED} if step.measured else set[Doubt]()
        return self.eager(step.node, frozenset(doubts | ({Doubt.FEW} if step.is_light else set())))

    def objective(self, objective: Objective) -> Evidence:
        """Return the evidence for an objective that SciPy calls again and again."""
        return Evidence(in_loop=True, test=self._runs.is_test(self._tree.context(objective.node).function))

    def eager_site(self, site: EagerSite) -> Evidence:
        """Return the evidence for a call that compiles each time it runs outside any trace."""
        level = self._eager.eagerness(site.node)
        context = self._tree.context(site.node)
        function, target = context.function, site.target
        doubts = {Doubt.MEASURED} if self._measures_compilation(context) else set[Doubt]()
        if target is not None:
            doubts |= {Doubt.UNSEEN} if not target.sure else set()
            doubts |= {Doubt.SOMETIMES} if not target.always else set()
        if not site.name.startswith("lax.") and function is not None and self._converts(function):
            doubts |= {Doubt.INTERRUPTED}  # nobody can jit it
        doubts |= {Doubt.SHOWN} if self._runs.is_shown_only(function) else set()
        # A long loop is not what traced code is written with.
        telling = site.in_loop and context.loop is not None and not self._loops.is_small(context.loop)
        doubts |= {Doubt.EAGERNESS} if level is Eagerness.LOW and not telling else set()
        if not site.in_loop:
            once = self._runs.called_once(function) or self._is_eager_by_the_way(function)
            doubts |= {Doubt.CALLED_ONCE} if once else set()
            # A body that is made above the loop that uses it compiles once a call.
            doubts |= {Doubt.REUSED} if context.loop is not None or site.shared else set()
        elif context.loop is not None and self._goes_through_cases(site, context.loop):
            doubts |= {Doubt.CASES}
        sure = level is Eagerness.HIGH
        again = self._runs.again(function, self._is_step)
        # Nobody meant it to compile, so that cases count as well: a program for each is no choice.
        enough = STEPS if Doubt.REUSED in doubts else CASES
        if not again and not site.in_loop:
            doubts |= {Doubt.UNREPEATED}
        steps = sure and again == STEPS
        if target is not None and not (site.in_loop or steps):
            given = self._calculations.is_given(target.node, target.root, function)
            doubts |= {Doubt.GIVEN} if given else set()
        return Evidence(
            in_loop=site.in_loop and sure,
            repeated=sure and again >= enough,
            # Nothing that runs once a process repeats what it compiles, but for its own loops.
            run_once=not site.in_loop and (function is None or self._runs.is_run_once(function)),
            test=self._runs.is_test(function),
            traced=level is Eagerness.TRACED or self._eager.is_selection(site.node, site.wrapped.wrapper.name),
            doubts=frozenset(doubts),
        )

    def _converts(self, function: Function) -> bool:
        """Whether a function makes NumPy arrays of values, so that it can't be jitted."""
        return any(
            isinstance(node, cst.Call) and any(name in _CONVERSIONS for name in self._names.externals(node.func))
            for node in self._tree.body(function)
        )

    def argument(self, given: Given) -> Evidence:
        """Return what supports and weakens an argument that makes a jitted function compile again."""
        doubts = frozenset({Doubt.REUSED} if given.looped else ()) | frozenset(() if given.sure else {Doubt.UNSEEN})
        return self.place(given.call.context, in_loop=given.in_loop, doubts=doubts)

    def carry(self, call: CompiledCall) -> Evidence:
        """Return the evidence for a call that compiles a second program, wherever it is called from."""
        return Evidence(
            test=self._runs.is_test(call.context.function), traced=self._contexts.is_traced_only(call.context.function)
        )

    def instance(self, instance: ShortLived) -> Evidence:
        """Return what supports and weakens an instance that compiles and dies with the call."""
        doubts = frozenset({Doubt.REUSED} if instance.looped and not instance.in_loop else ())
        loop = instance.context.loop
        if loop is not None and self._structure.differs_by_arguments(instance.node, loop):
            doubts = doubts | {Doubt.OWN_PROGRAM}
        if self._measures_compilation(instance.context):
            doubts = doubts | {Doubt.MEASURED}
        return self._compiling(instance.context, in_loop=instance.in_loop, doubts=doubts)

    def stale(self, stale: StaleRead) -> Evidence:
        """Return what supports and weakens an attribute that changes after it was read."""
        places = (stale.handle.function, stale.change.context.function)
        return Evidence(
            in_loop=stale.looped,
            repeated=stale.repeated,
            test=any(self._runs.is_test(function) for function in places),
            doubts=frozenset({Doubt.SET_UP} if stale.set_up else ())
            | frozenset({Doubt.UNSEEN} if stale.unseen else ()),
        )

    def rebound(self, rebound: Rebound) -> Evidence:
        """Return what supports a name that changes after a jitted function has read it."""
        places = (rebound.function, rebound.change.context.function)
        test = any(self._runs.is_test(function) for function in places)
        return Evidence(in_loop=rebound.looped, repeated=True, test=test)

    def trace(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that costs something each time it is traced."""
        function = self._tree.context(node).function
        trace = self._tracing.trace(function)
        compiled = trace is not None and trace.compiled
        if not self._contexts.is_staged(function):
            doubts = doubts | {Doubt.NOT_STAGED}
        if guards.has_loop_of_jax_instead(self._tree, node) or guards.is_left_eager(self._tree, node):
            doubts = doubts | {Doubt.OPTION}
        return Evidence(repeated=compiled, test=self._runs.is_test(function), doubts=doubts)

    def capture(self, captured: Captured) -> Evidence:
        """Return the evidence for an array that becomes a constant of each program that is compiled of a function."""
        return self.trace(captured.use, frozenset(() if captured.sure else {Doubt.SIZE}))

    def error(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that fails wherever it runs under trace."""
        function = self._tree.context(node).function
        if self._is_expected_to_fail(node, function):
            return Evidence(traced=True)
        trace = self._tracing.trace(function)
        if guards.is_for_scalars(self._tree, node):
            doubts = doubts | {Doubt.SCALARS}
        if function is not None and trace is not None and self._staged.runs_eagerly_too(function):
            doubts = doubts | {Doubt.EAGER_TOO}
        if trace is not None and trace.far:
            doubts = doubts | {Doubt.FAR}
        if self._staged.is_left_to_defaults(node) or self._staged.is_switched_off(node):
            doubts = doubts | {Doubt.OMITTED}
        return Evidence(error=True, test=self._runs.is_test(function), doubts=doubts)

    def _is_expected_to_fail(self, node: cst.CSTNode, function: Function | None) -> bool:
        """Whether a place, or each visible call of its function, is in a block that is there for its error."""
        sites = self._calls.of(function) if function is not None else []
        return guards.is_expected_to_fail(self._tree, node) or (
            bool(sites) and all(guards.is_expected_to_fail(self._tree, site.node) for site in sites)
        )

    def definition(self, function: Function, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a function that goes wrong whoever calls it."""
        return Evidence(error=True, test=self._runs.is_test(function), doubts=doubts)

    def option(
        self, node: cst.CSTNode, parameters: Sequence[Parameter], doubts: frozenset[Doubt] = frozenset()
    ) -> Evidence:
        """Return the evidence for a place that fails as soon as a call gives one of some parameters."""
        usages = {self._staged.usage(parameter) for parameter in parameters}
        given = not usages or Usage.GIVEN in usages
        if not given and Usage.OPEN not in usages:
            doubts = doubts | {Doubt.OMITTED}
        # With a default that nothing visible overrides, it fails for those alone who do so.
        return replace(self.error(node, doubts), error=given)

    def _doubts(self, site: CompileSite) -> frozenset[Doubt]:
        target, fate = site.target, site.fate
        found = {Doubt.MEASURED} if self._measures_compilation(site.context) else set[Doubt]()
        if site.lifetime is not Lifetime.ITERATION and (fate.looped or self._serves_a_run(site)):
            found.add(Doubt.REUSED)
        if site.lifetime is not Lifetime.ITERATION and site.context.loop is not None:
            found.add(Doubt.REUSED)  # the wrapper is written in a loop, the function that it is given is made above
        if fate.kept is Kept.PASSED and not fate.called_once:
            found.add(Doubt.REUSED if fate.called_often else Doubt.PASSED_ON)
        if (target.one_shot or _places(site)) and site.lifetime is not Lifetime.ITERATION:
            found.add(Doubt.ONE_SHOT)
        if not target.sure:
            found.add(Doubt.UNSEEN)
        if not target.always:
            found.add(Doubt.SOMETIMES)
        if self._own_program(site, target):
            found.add(Doubt.OWN_PROGRAM)
        return frozenset(found)

    def _serves_a_run(self, site: CompileSite) -> bool:
        """Whether a jitted function is called several times by what does more than compute a value."""
        return len(site.fate.calls) > 1 and not self._is_run_for_values(site.context.function)

    def _own_program(self, site: CompileSite, target: Target) -> bool:
        """Whether each iteration compiles something else: the function is the loop variable, or the list is short."""
        if site.lifetime is not Lifetime.ITERATION:
            return False
        loop = site.context.loop
        if target.owner is not None or (loop is not None and self._differs(site, loop)):
            return True
        while loop is not None:
            if loop.iterable is not None and self._is_short_list(loop.iterable):
                return True
            loop = loop.outer
        return False

    def _differs(self, site: CompileSite, loop: Loop) -> bool:
        """Whether plain values that differ between the iterations decide what a site compiles."""
        made = self._calculations.factory_call(site.target.node)
        if made is not None and self._structure.is_told_otherwise(made, loop):
            return True
        if isinstance(site.node, cst.Call) and site.wrapped is None:
            factory = site.factory
            made_here = factory is not None and factory.context.loop is not None and loop.inside(factory.context.loop)
            if factory is not None and made_here and self._structure.differs(factory, loop):
                return True
            told = self._structure
            return told.differs_by_arguments(site.node, loop) or told.gets_another_object(site.node, loop)
        root = site.target.root
        return root is not None and self._structure.differs(root, loop)

    def _is_short_list(self, node: cst.CSTNode) -> bool:
        """Whether an iterable is a literal of a few elements, perhaps by a name or through enumerate, zip and so on."""
        return all(self._is_short_value(value) for value in self._names.values(node))

    def _is_short_value(self, value: Value) -> bool:
        if not isinstance(value, Expression):
            return False
        node = value.node
        if isinstance(node, (cst.List, cst.Tuple, cst.Set, cst.Dict)):
            return len(node.elements) <= _FEW and not all(isinstance(e.value, cst.Float) for e in node.elements)
        if isinstance(node, cst.Call):
            if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("items", "keys", "values"):
                return self._is_short_list(node.func.value)
            if isinstance(node.func, cst.Name) and node.func.value in _ITERATORS:
                return any(self._is_short_list(arg.value) for arg in node.args)
        return False


def _solves(call: cst.Call) -> bool:
    """Whether a call is named after a whole program, as a fit or a solver is."""
    return SOLVING.fullmatch(last_name(call.func).lower()) is not None


def _places(site: CompileSite) -> bool:
    """Whether a jitted function is there to lay its results out over devices, as the state of a run is at first."""
    wrapped = site.wrapped
    return (
        wrapped is not None and wrapped.keyword("out_shardings") is not None and wrapped.keyword("in_shardings") is None
    )


def _carries(loop: Loop) -> bool:
    """Whether an iteration works on what the one before has given, `x = f(x)`: no list of variants, one process."""
    if isinstance(loop.node, cst.CompFor):
        return False
    for node in within(loop.node.body):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call) or "random" in _dotted(node.value):
            continue
        used = {part.value for arg in node.value.args for part in within(arg.value) if isinstance(part, cst.Name)}
        made = {part.value for target in node.targets for part in within(target.target) if isinstance(part, cst.Name)}
        if used & made:
            return True
    return False


def _dotted(call: cst.Call) -> set[str]:
    return {last_name(part) for part in within(call.func)}


def _asks_for_kind(node: cst.CSTNode, names: set[str]) -> bool:
    """Whether a node is an `if` that asks for the type of one of some names."""
    test = node.test if isinstance(node, cst.If) else None
    return (
        isinstance(test, cst.Call)
        and last_name(test.func) == "isinstance"
        and any(isinstance(part, cst.Name) and part.value in names for part in within(test.args[0]))
    )
