"""What a module means to JAX, built in one pass over its kept statements; rules only ask.

The facts hold LibCST nodes and die with the run.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts import guards
from jaxlint.facts.arguments import Arguments, Given, StaticField
from jaxlint.facts.calls import Calls
from jaxlint.facts.captured import Captured, CapturedArrays
from jaxlint.facts.compiled import CompiledCall, CompiledCalls
from jaxlint.facts.confidence import Doubt, Evidence
from jaxlint.facts.constants import Constants
from jaxlint.facts.eager import Eager, Eagerness, LeafMap
from jaxlint.facts.eager_arrays import EagerArrays
from jaxlint.facts.eager_loops import FEW, EagerLoop, EagerLoops
from jaxlint.facts.eager_sites import EagerSite, EagerSites
from jaxlint.facts.fate import Kept
from jaxlint.facts.glance import SHORT
from jaxlint.facts.incoming import NOTHING, ONCE, Incoming
from jaxlint.facts.instances import Instances, ShortLived
from jaxlint.facts.lengths import Lengths
from jaxlint.facts.loops import SHORT_ELEMENTWISE, Loops, Unrolled
from jaxlint.facts.names import Expression, External, Names, Value
from jaxlint.facts.outline import Block, UnreadableError, python_tree, whole
from jaxlint.facts.signatures import Signatures, WrongArgument
from jaxlint.facts.sites import CompileSite, Lifetime, Sites
from jaxlint.facts.sizes import Sizes
from jaxlint.facts.staged import Staged, Usage
from jaxlint.facts.stale import Stale, StaleRead
from jaxlint.facts.surroundings import is_test_class, is_test_file, is_test_name
from jaxlint.facts.targets import NAMED, Target
from jaxlint.facts.traceable import Traceable
from jaxlint.facts.tracing import Tracing
from jaxlint.facts.transforms import EagerTransform, EagerTransforms
from jaxlint.facts.tree import Context, Function, Loop, Parameter, Tree
from jaxlint.facts.uncompiled import Growing, Objective, Step, Uncompiled, UnusedName
from jaxlint.facts.values import Values
from jaxlint.facts.wrappers import table
from jaxlint.facts.wrapping import Wrappings
from jaxlint.finding import Span

if TYPE_CHECKING:
    from libcst.metadata import CodePosition, CodeRange

    from jaxlint.settings import Settings
    from jaxlint.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Discarded:
    """A compiled function or a wrapper that nothing uses; `function` is the `def` right below a wrapper."""

    node: cst.BaseExpression
    function: Function | None
    evidence: Evidence


class ModuleFacts:
    """The facts of one module.  Each is computed when first asked for."""

    def __init__(self, source: Source, tree: Tree, settings: Settings, incoming: Incoming = NOTHING) -> None:
        self.source = source
        self.tree = tree
        self.settings = settings
        self.incoming = incoming

    @classmethod
    def of(
        cls, source: Source, blocks: Sequence[Block], settings: Settings, incoming: Incoming = NOTHING
    ) -> ModuleFacts:
        """Parse the kept blocks of a file; `incoming` is what the rest of the project says about it.

        Raises:
            UnreadableError: the text is not Python.
            ParserError: the text is Python, and LibCST fails on it.
        """
        try:
            return cls(source, Tree(blocks), settings, incoming)
        except (cst.ParserSyntaxError, cst.CSTValidationError) as error:
            if len(blocks) != 1 or blocks[0].text != source.text:
                # `ast` took the file, and a block of it fails by itself: let LibCST see the whole.
                return cls.of(source, [whole(source)], settings, incoming)
            raise _unreadable(source, error) from None

    # The facts

    @functools.cached_property
    def names(self) -> Names:
        """What names stand for."""
        return Names(self.tree)

    @functools.cached_property
    def wrappings(self) -> Wrappings:
        """Which calls and decorators wrap or trace functions."""
        return Wrappings(self.tree, self.names, table(self.settings))

    @functools.cached_property
    def calls(self) -> Calls:
        """Who calls whom."""
        return Calls(self.tree, self.names, self.wrappings)

    @functools.cached_property
    def tracing(self) -> Tracing:
        """Which functions run under trace."""
        return Tracing(self.tree, self.names, self.wrappings, self.calls, self.incoming)

    @functools.cached_property
    def constants(self) -> Constants:
        """Which expressions have a value that the text fixes."""
        return Constants(self.names)

    @functools.cached_property
    def sizes(self) -> Sizes:
        """How large arrays are, where the text shows it."""
        return Sizes(self.names, self.constants)

    @functools.cached_property
    def captured(self) -> list[Captured]:
        """The large arrays that compiled functions close over."""
        return CapturedArrays(self.tree, self.names, self.tracing, self.values, self.sizes).found

    @functools.cached_property
    def values(self) -> Values:
        """What expressions hold under trace."""
        return Values(self.tree, self.names, self.wrappings, self.calls, self.tracing, self.constants)

    @functools.cached_property
    def staged(self) -> Staged:
        """What staged functions need from Python."""
        return Staged(self.tree, self.names, self.calls, self.tracing, self.values, self.incoming)

    @functools.cached_property
    def loops(self) -> Loops:
        """Python loops under trace, with estimates of what they leave."""
        return Loops(self.tree, self.names, self.wrappings, self.calls, self.tracing, self.constants, self.values)

    @functools.cached_property
    def long_loops(self) -> list[Unrolled]:
        """The loops of known length whose estimate reaches the setting, the outermost of each nest."""
        found: list[Unrolled] = []
        reported: set[int] = set()
        for loop in self.loops.unrolled:
            covered = any(id(outer) in reported for outer in loop.loop.around)
            if covered or loop.trips is None or loop.trips <= SHORT:
                continue
            short = loop.trips <= SHORT_ELEMENTWISE and loop.body.heavy == 0 and loop.body.light < SHORT_ELEMENTWISE
            if loop.total.equations >= self.settings.unrolled_equations and not short:
                reported.add(id(loop.loop))
                found.append(loop)
        return found

    @functools.cached_property
    def data_loops(self) -> list[Unrolled]:
        """The loops of unknown length that something says to be long, the outermost of each nest."""
        reported = {id(loop.loop) for loop in self.long_loops}
        found: list[Unrolled] = []
        for loop in self.loops.unrolled:
            covered = any(id(outer) in reported for outer in loop.loop.around)
            if loop.cue and not covered:
                reported.add(id(loop.loop))
                found.append(loop)
        return found

    @functools.cached_property
    def eager(self) -> Eager:
        """What runs outside any trace."""
        return Eager(
            self.tree,
            self.names,
            self.wrappings,
            self.calls,
            self.tracing,
            self.constants,
            self.is_run_once,
            self.loops.is_work,
            self.lengths,
            self.incoming,
        )

    @functools.cached_property
    def lengths(self) -> Lengths:
        """Which values have a length that nobody knows beforehand."""
        return Lengths(self.tree, self.names, self.wrappings, self.calls)

    @functools.cached_property
    def leaf_maps(self) -> list[LeafMap]:
        """The `tree.map` calls that dispatch array operations on each leaf."""
        found = (self.eager.leaf_map(wrapped) for wrapped in self.wrappings.calls.values())
        return [leaf_map for leaf_map in found if leaf_map is not None]

    @functools.cached_property
    def eager_sites(self) -> EagerSites:
        """The calls that compile a program of their own where no trace surrounds them."""
        return EagerSites(self.tree, self.names, self.wrappings, self._sites.targets)

    @functools.cached_property
    def eager_arrays(self) -> EagerArrays:
        """Which expressions hold JAX arrays outside any trace, and what pieces of code dispatch there."""
        return EagerArrays(self.tree, self.names, self.wrappings, self.calls, self.incoming)

    @functools.cached_property
    def eager_loops(self) -> list[EagerLoop]:
        """The Python loops outside any trace that dispatch array operations in every turn."""
        longest = self.settings.unrolled_equations
        # Where nothing is known of other files, both are the same.
        parts = (self.tree, self.names, self.wrappings, self.calls)
        alone = EagerArrays(*parts) if self.incoming.imports else self.eager_arrays
        return EagerLoops(self.tree, self.tracing, self.loops, self.eager_arrays, alone, longest).found

    @functools.cached_property
    def eager_transforms(self) -> list[EagerTransform]:
        """The calls of transformed functions that nothing compiles, but for those in loops that are told of anyway."""
        told = {id(eager.loop) for eager in self.eager_loops} | {id(step.loop) for step in self.uncompiled.steps}
        return EagerTransforms(
            self.tree, self.names, self.wrappings, self.eager_arrays, lambda loop: id(loop) in told
        ).found

    @functools.cached_property
    def compiled(self) -> CompiledCalls:
        """The calls of compiled functions in sight."""
        return CompiledCalls(self.tree, self.names, self.wrappings, self.calls, self.values, self.incoming)

    @functools.cached_property
    def instances(self) -> Instances:
        """Classes whose instances compile for themselves."""
        return Instances(
            self.tree,
            self.names,
            self.wrappings,
            self.calls,
            self._sites,
            self.values,
            self.compiled,
            self.incoming,
        )

    @functools.cached_property
    def arguments(self) -> Arguments:
        """What calls of compiled functions are handed."""
        parts = (self.tree, self.names, self.wrappings, self.constants, self.compiled, self.instances)
        return Arguments(*parts, self.sizes, self.traceable, self.lengths)

    @functools.cached_property
    def traceable(self) -> Traceable:
        """Which values Python need not know."""
        parts = (self.tree, self.names, self.wrappings, self.calls, self.tracing, self.constants, self.values)
        return Traceable(*parts)

    @functools.cached_property
    def uncompiled(self) -> Uncompiled:
        """Eager code in loops that ought to be compiled, and compiled functions that nothing uses."""
        return Uncompiled(
            self.tree,
            self.names,
            self.wrappings,
            self.calls,
            self.tracing,
            self.loops,
            self.compiled,
            self.eager_arrays,
        )

    @functools.cached_property
    def stale(self) -> Stale:
        """Attributes that compiled methods read once, though something changes them later."""
        repeated = self.is_repeated
        return Stale(self.tree, self.names, self.wrappings, self.calls, self.tracing, self.instances, repeated)

    @functools.cached_property
    def wrong_arguments(self) -> list[WrongArgument]:
        """The options of compile wrappers that name arguments which the function lacks."""
        return Signatures(self.names, self.wrappings, self.constants, self.values).wrong

    @functools.cached_property
    def _sites(self) -> Sites:
        return Sites(self.tree, self.names, self.wrappings, self.calls, self.incoming)

    @property
    def sites(self) -> list[CompileSite]:
        """The places where a wrapper makes a compiled function."""
        return self._sites.sites

    @property
    def factory_calls(self) -> list[CompileSite]:
        """The calls of functions in sight that return a compiled function they have just made."""
        return self._sites.factory_calls

    @functools.cached_property
    def rewrapped(self) -> list[CompileSite]:
        """The wrappers over functions that live on which are made, called once and dropped, again and again."""
        return [site for site in self.sites if self._is_rewrapped(site)]

    def _is_rewrapped(self, site: CompileSite) -> bool:
        if site.target.kind != NAMED or site.wrapped is None or site.wrapped.decorated is not None:
            return False
        if site.lifetime is Lifetime.CACHED or (site.context.function is None and site.context.loop is None):
            return False
        fate = site.fate
        if fate.kept not in (Kept.CALLED, Kept.LOCAL) or fate.looped or len(fate.calls) != 1:
            return False
        known = self.names.values(site.target.node)
        return all(isinstance(value, (Function, External)) for value in known)

    @functools.cached_property
    def discarded(self) -> list[Discarded]:
        """The expression statements that make a compiled function, or a compile wrapper, and use it for nothing."""
        found = []
        for statement in self.tree.expression_statements:
            node = statement.value
            wrapping = self.wrappings.wrapping(node)
            wrapped = self.wrappings.of(node)
            if wrapping is not None and wrapping.wrapper.compiles:
                function = self._function_below(statement)
            elif wrapped is not None and wrapped.wrapper.compiles:
                function = None
            else:
                continue
            context = self.tree.context(node)
            evidence = Evidence(error=True) if function is not None else Evidence(test=self.is_test(context.function))
            found.append(Discarded(node, function, evidence))
        return found

    def _function_below(self, statement: cst.Expr) -> Function | None:
        line = self.tree.parent(statement)
        block = self.tree.parent(line) if line is not None else None
        siblings: Sequence[cst.CSTNode] = getattr(block, "body", ())
        if isinstance(block, cst.Module):
            siblings = [node for module, _ in self.tree.roots for node in module.body]
        for here, below in itertools.pairwise(siblings):
            if here is line:
                return self.tree.function_of.get(id(below))
        return None

    # Evidence

    def evidence_of(self, site: CompileSite) -> Evidence:
        """Return what speaks for and against a compile site whose object is short-lived."""
        return self.evidence(
            site.context,
            in_loop=site.lifetime is Lifetime.ITERATION,
            doubts=self._doubts(site),
        )

    def evidence(
        self, context: Context, *, in_loop: bool = False, error: bool = False, doubts: frozenset[Doubt] = frozenset()
    ) -> Evidence:
        """Return what a place's surroundings say about how often it runs."""
        function = context.function
        return Evidence(
            in_loop=in_loop,
            repeated=self.is_repeated(function),
            run_once=function is None or self.is_run_once(function),
            test=self.is_test(function),
            traced=self.tracing.is_traced(function),
            error=error,
            doubts=doubts | ({Doubt.CALLED_ONCE} if not in_loop and self._called_once(function) else set()),
        )

    def eager_evidence(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that costs something only outside any trace."""
        level = self.eager.eagerness(node)
        if level is Eagerness.LOW:
            doubts = doubts | {Doubt.EAGERNESS}
        if guards.is_left_eager(self.tree, node):
            doubts = doubts | {Doubt.OPTION}
        return Evidence(
            repeated=level is Eagerness.HIGH,
            test=self.is_test(self.tree.context(node).function),
            traced=level is Eagerness.TRACED,
            doubts=doubts,
        )

    def eager_loop_evidence(self, loop: EagerLoop) -> Evidence:
        """Return the evidence for a loop that dispatches operations in each turn."""
        again = loop.loop.outer is not None or self.is_repeated(loop.loop.context.function)
        doubts = {Doubt.LIGHT} if loop.light and not again else set()
        doubts |= {Doubt.ON_PURPOSE} if loop.on_purpose else set()
        if loop.operations < FEW and not loop.hurts_anyway:
            doubts |= {Doubt.FEW}
        evidence = self.eager_evidence(loop.loop.node, frozenset(doubts))
        if loop.hurts_anyway or loop.on_host:
            # Whoever calls it, eagerly or under trace, pays for each turn; and nobody can trace `float(array)`.
            evidence = replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})
        return evidence

    def field_evidence(self, field: StaticField) -> Evidence:
        """Return the evidence for a static field without a hash, which fails once a compiled function takes it."""
        doubts = frozenset(() if self.arguments.is_passed(field.cls) else {Doubt.UNSEEN})
        return Evidence(test=self.is_test(None), doubts=doubts)

    def unused_evidence(self, unused: UnusedName) -> Evidence:
        """Return the evidence for a compiled function that nothing uses."""
        return Evidence(test=self.is_test(self.tree.context(unused.node).function))

    def loop_evidence(self, loop: Loop) -> Evidence:
        """Return the evidence for a loop that hurts whether its function is traced or not."""
        evidence = self.eager_evidence(loop.node)
        return replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})

    def growth_evidence(self, growing: Growing) -> Evidence:
        """Return the evidence for an array that is longer each time."""
        function = self.tree.context(growing.node if growing.loop is None else growing.loop.node).function
        if self.tracing.is_traced(function):
            # Others run the method eagerly as well.
            return Evidence(test=self.is_test(function))
        evidence = self.eager_evidence(growing.node if growing.loop is None else growing.loop.node)
        return replace(evidence, doubts=evidence.doubts - {Doubt.EAGERNESS})

    def step_evidence(self, step: Step) -> Evidence:
        """Return the evidence for a step of training that runs eagerly in a loop."""
        return self.loop_evidence(step.loop) if step.trains else self.eager_evidence(step.loop.node)

    def objective_evidence(self, objective: Objective) -> Evidence:
        """Return the evidence for an objective that SciPy calls again and again."""
        return Evidence(in_loop=True, test=self.is_test(self.tree.context(objective.node).function))

    def eager_site_evidence(self, site: EagerSite) -> Evidence:
        """Return the evidence for a call that compiles each time it runs outside any trace."""
        level = self.eager.eagerness(site.node)
        context = self.tree.context(site.node)
        function, target = context.function, site.target
        doubts = set[Doubt]()
        if target is not None:
            doubts |= {Doubt.UNSEEN} if not target.sure else set()
            doubts |= {Doubt.SOMETIMES} if not target.always else set()
        # A long loop is not what traced code is written with.
        telling = site.in_loop and context.loop is not None and not self.loops.is_small(context.loop)
        doubts |= {Doubt.EAGERNESS} if level is Eagerness.LOW and not telling else set()
        if not site.in_loop:
            doubts |= {Doubt.CALLED_ONCE} if self._called_once(function) else set()
            # A body that is made above the loop that uses it compiles once a call.
            doubts |= {Doubt.REUSED} if context.loop is not None else set()
        sure = level is Eagerness.HIGH
        return Evidence(
            in_loop=site.in_loop and sure,
            repeated=sure and self.is_repeated(function),
            # Nothing that runs once a process repeats what it compiles, but for its own loops.
            run_once=not site.in_loop and (function is None or self.is_run_once(function)),
            test=self.is_test(function),
            traced=level is Eagerness.TRACED,
            doubts=frozenset(doubts),
        )

    def argument_evidence(self, given: Given) -> Evidence:
        """Return what speaks for and against an argument that makes a compiled function compile again."""
        doubts = frozenset({Doubt.REUSED} if given.looped else ()) | frozenset(() if given.sure else {Doubt.UNSEEN})
        return self.evidence(given.call.context, in_loop=given.in_loop, doubts=doubts)

    def carry_evidence(self, call: CompiledCall) -> Evidence:
        """Return the evidence for a call that compiles a second program, wherever it is called from."""
        return Evidence(test=self.is_test(call.context.function), traced=self.tracing.is_traced(call.context.function))

    def instance_evidence(self, instance: ShortLived) -> Evidence:
        """Return what speaks for and against an instance that compiles and dies with the call."""
        doubts = frozenset({Doubt.REUSED} if instance.looped and not instance.in_loop else ())
        return self.evidence(instance.context, in_loop=instance.in_loop, doubts=doubts)

    def stale_evidence(self, stale: StaleRead) -> Evidence:
        """Return what speaks for and against an attribute that changes after it was read."""
        places = (stale.handle.function, stale.change.context.function)
        return Evidence(
            in_loop=stale.looped,
            repeated=stale.repeated,
            test=any(self.is_test(function) for function in places),
            doubts=frozenset({Doubt.SET_UP} if stale.set_up else ()),
        )

    def trace_evidence(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that costs something each time it is traced."""
        function = self.tree.context(node).function
        trace = self.tracing.trace(function)
        compiled = trace is not None and trace.compiled
        return Evidence(repeated=compiled, test=self.is_test(function), doubts=doubts)

    def capture_evidence(self, captured: Captured) -> Evidence:
        """Return the evidence for an array that becomes a constant of each program that is compiled of a function."""
        return self.trace_evidence(captured.use, frozenset(() if captured.sure else {Doubt.SIZE}))

    def error_evidence(self, node: cst.CSTNode, doubts: frozenset[Doubt] = frozenset()) -> Evidence:
        """Return the evidence for a place that fails wherever it runs under trace."""
        function = self.tree.context(node).function
        trace = self.tracing.trace(function)
        if function is not None and trace is not None and self.staged.runs_eagerly_too(function):
            doubts = doubts | {Doubt.EAGER_TOO}
        if trace is not None and trace.far:
            doubts = doubts | {Doubt.FAR}
        return Evidence(error=True, test=self.is_test(function), doubts=doubts)

    def option_evidence(
        self, node: cst.CSTNode, parameters: Sequence[Parameter], doubts: frozenset[Doubt] = frozenset()
    ) -> Evidence:
        """Return the evidence for a place that fails as soon as a call gives one of some parameters."""
        usages = {self.staged.usage(parameter) for parameter in parameters}
        given = not usages or Usage.GIVEN in usages
        if not given and Usage.OPEN not in usages:
            doubts = doubts | {Doubt.OMITTED}
        # With a default that nothing in sight overrides, it fails for those alone who do so.
        return replace(self.error_evidence(node, doubts), error=given)

    def _doubts(self, site: CompileSite) -> frozenset[Doubt]:
        from jaxlint.facts.fate import Kept

        target, fate = site.target, site.fate
        found = set()
        if site.lifetime is not Lifetime.ITERATION and (fate.looped or len(fate.calls) > 1):
            found.add(Doubt.REUSED)
        if site.lifetime is not Lifetime.ITERATION and site.context.loop is not None:
            found.add(Doubt.REUSED)  # the wrapper is written in a loop, the function that it is given is made above
        if fate.kept is Kept.PASSED and not fate.called_once:
            found.add(Doubt.PASSED_ON)
        if target.one_shot and site.lifetime is not Lifetime.ITERATION:
            found.add(Doubt.ONE_SHOT)
        if not target.sure:
            found.add(Doubt.UNSEEN)
        if not target.always:
            found.add(Doubt.SOMETIMES)
        if self._own_program(site, target):
            found.add(Doubt.OWN_PROGRAM)
        return frozenset(found)

    def _own_program(self, site: CompileSite, target: Target) -> bool:
        """Whether each turn compiles something else: the loop variable is the function, or the loop is a short list."""
        if site.lifetime is not Lifetime.ITERATION:
            return False
        if target.owner is not None:
            return True
        loop = site.context.loop
        while loop is not None:
            if loop.iterable is not None and self._is_short_list(loop.iterable):
                return True
            loop = loop.outer
        return False

    def _is_short_list(self, node: cst.CSTNode) -> bool:
        """Whether an iterable is a literal of a few elements, perhaps by a name or through enumerate, zip and so on."""
        return all(self._is_short_value(value) for value in self.names.values(node))

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

    def is_repeated(self, function: Function | None) -> bool:
        """Whether a function is called, perhaps by way of others, in a loop in sight that no trace surrounds."""
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if current is None or id(current) in seen:
                continue
            seen.add(id(current))
            outside = self.incoming.functions.get(current.qualname)
            if outside is not None and outside.repeated:
                return True
            for site in self.calls.of(current):
                if self.tracing.is_traced(site.context.function):
                    continue
                if site.context.loop is not None:
                    return True
                work.append(site.context.function)
        return False

    def _called_once(self, function: Function | None) -> bool:
        """Whether calls of a function are in sight and all of them run once."""
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if current is None or id(current) in seen:
                return False
            seen.add(id(current))
            calls = self.calls.of(current)
            outside = self.incoming.functions.get(current.qualname)
            elsewhere = outside.called if outside is not None else 0
            if elsewhere > ONCE or any(site.context.loop is not None for site in calls):
                return False
            if not calls and not elsewhere:
                return False
            work.extend(
                site.context.function
                for site in calls
                if site.context.function is not None and not self.is_run_once(site.context.function)
            )
        return True

    def is_property(self, function: Function) -> bool:
        """Whether a function is a plain property, which runs on each access."""
        return self._sites.is_property(function)

    def is_run_once(self, function: Function) -> bool:
        """Whether a function runs once per process, by its name or by a `# jaxlint: once` mark on its `def` line."""
        if self.settings.is_run_once(function.name):
            return True
        return bool(self.source.once_rows) and self.row(self.name_node(function)) in self.source.once_rows

    def is_test(self, function: Function | None) -> bool:
        """Whether a place belongs to a test or a benchmark: by the file's path, or the names around it."""
        if self._is_test_file:
            return True
        current = function
        while current is not None:
            if is_test_name(current.name) or (current.cls is not None and is_test_class(current.cls.name)):
                return True
            current = current.outer
        return False

    @functools.cached_property
    def _is_test_file(self) -> bool:
        return is_test_file(self.source.path, self.settings)

    # Places

    def code(self, node: cst.CSTNode) -> str:
        """Return the source text of a node."""
        return self.tree.root(node)[0].code_for_node(node)

    def short_code(self, node: cst.CSTNode, limit: int = 40) -> str:
        """Return the source text of a node on one line, shortened in the middle of a message."""
        text = " ".join(self.code(node).split())
        return text if len(text) <= limit else f"{text[: limit - 3]}..."

    def parameter_node(self, parameter: Parameter) -> cst.CSTNode:
        """Return the node that shows where a parameter is declared."""
        binding = parameter.function.scope.bindings[parameter.name][0]
        return binding.value if isinstance(binding.value, cst.Param) else parameter.function.node

    def name_node(self, function: Function) -> cst.CSTNode:
        """Return the node that shows where a function is defined: its name, or the lambda."""
        return function.node if isinstance(function.node, cst.Lambda) else function.node.name

    def named(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the name of a definition, any other node as it is."""
        return node.name if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else node

    def span(self, node: cst.CSTNode) -> Span:
        """Return the span of a node, from its first token to its last."""
        module, block = self.tree.root(node)
        position = self._positions(module)[node]
        return Span(self._offset(block, position.start), self._offset(block, position.end))

    def _offset(self, block: Block, position: CodePosition) -> int:
        """Turn a position within a block into an offset of the source."""
        line = position.line
        for piece in block.pieces:
            first = self.source.position(piece.start)[0]
            rows = self.source.position(piece.end)[0] - first
            if line <= rows or piece is block.pieces[-1]:
                return self.source.offset(first + line - 1, position.column + 1)
            line -= rows
        raise AssertionError("a block has at least one piece")

    def row(self, node: cst.CSTNode) -> int:
        """Return the 1-based row on which a node starts; for a `def` the row of the `def` itself."""
        return self.source.position(self.span(node).start)[0]

    def context(self, node: cst.CSTNode) -> str:
        """Return the qualified name of what is around a node."""
        return self.tree.context(node).scope.frame.qualname

    def _positions(self, module: cst.Module) -> dict[cst.CSTNode, CodeRange]:
        # Only for a block with a finding: the provider costs two parses.
        from libcst.metadata import MetadataWrapper, PositionProvider

        key = id(module)
        if key not in self._position_cache:
            wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
            self._position_cache[key] = dict(wrapper.resolve(PositionProvider))
        return self._position_cache[key]

    @functools.cached_property
    def _position_cache(self) -> dict[int, dict[cst.CSTNode, CodeRange]]:
        return {}


class ParserError(Exception):
    """LibCST fails on a text that Python takes; the text of the exception says where."""


def _unreadable(source: Source, error: Exception) -> UnreadableError | ParserError:
    """Word a syntax error as Python does, where Python agrees that it is one."""
    try:
        python_tree(source.text)
    except SyntaxError as known:
        row, column, message = known.lineno or 1, max((known.offset or 1) - 1, 0), f"syntax error: {known.msg}"
    except (ValueError, RecursionError, MemoryError) as known:
        row, column, message = 1, 0, f"syntax error: {known}"
    else:
        return ParserError(f"Python takes it and LibCST does not: {error}")
    start = source.offset(min(max(row, 1), len(source.line_starts)), 1)
    return UnreadableError(message, min(start + column, len(source.text)))


_ITERATORS = frozenset({"enumerate", "zip", "reversed", "sorted", "tqdm", "list", "tuple"})

_FEW = 8
"""A literal list of at most so many elements is a choice of variants, each with a program of its own."""
