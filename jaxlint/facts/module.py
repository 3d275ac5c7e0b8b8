"""What a module means to JAX, built in one pass over its statements; rules only ask.

The facts hold LibCST nodes and die with the run.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.cache_misses.arguments import Arguments
from jaxlint.facts.cache_misses.captured_arrays import Captured, CapturedArrays
from jaxlint.facts.cache_misses.cleared import Cleared, ClearedCaches
from jaxlint.facts.cache_misses.discarded import UnusedCompiled
from jaxlint.facts.cache_misses.fate import Kept
from jaxlint.facts.cache_misses.instances import Instances
from jaxlint.facts.cache_misses.rebound import Rebound, ReboundNames
from jaxlint.facts.cache_misses.signatures import Signatures, WrongArgument
from jaxlint.facts.cache_misses.sites import CompileSite, Lifetime, Sites
from jaxlint.facts.cache_misses.stale import Stale
from jaxlint.facts.cache_misses.targets import NAMED
from jaxlint.facts.context.behind import Behind
from jaxlint.facts.context.calls import Calls
from jaxlint.facts.context.contexts import FunctionContexts
from jaxlint.facts.context.execution_counts import Runs
from jaxlint.facts.context.tracing import Tracing
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.eager.array_loops import EagerLoop, EagerLoops
from jaxlint.facts.eager.avoidable import Avoidable
from jaxlint.facts.eager.compile_sites import EagerSites
from jaxlint.facts.eager.eagerness import Eager
from jaxlint.facts.eager.growing import Growing, GrowingArrays
from jaxlint.facts.eager.host_reads import Hosted
from jaxlint.facts.eager.measured import Measured
from jaxlint.facts.eager.operations import EagerArrays
from jaxlint.facts.eager.quantities import Quantities
from jaxlint.facts.eager.steps import EagerSteps
from jaxlint.facts.eager.transforms import EagerTransform, EagerTransforms
from jaxlint.facts.eager.tree_maps import LeafMap, LeafMaps
from jaxlint.facts.errors.leaks import Leak, Leaks
from jaxlint.facts.errors.plain_methods import PlainMethod, PlainMethods
from jaxlint.facts.errors.staged import Staged
from jaxlint.facts.errors.traceable import Traceable
from jaxlint.facts.evidence.evidence import Evidences
from jaxlint.facts.evidence.reasons import Reasons
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.facts.jax_api.glance import SHORT
from jaxlint.facts.jax_api.wrappers import table
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.constants import Constants
from jaxlint.facts.syntax.names import External, Names
from jaxlint.facts.syntax.parsing import Places, parse
from jaxlint.facts.syntax.tree import Class, Function, Parameter, Tree
from jaxlint.facts.values.compiled_calls import CompiledCalls
from jaxlint.facts.values.lengths import Lengths
from jaxlint.facts.values.loops import SHORT_ELEMENTWISE, Loops, Unrolled
from jaxlint.facts.values.sizes import Sizes
from jaxlint.facts.values.values import Values
from jaxlint.facts.values.varying import Varying
from jaxlint.finding import Span

if TYPE_CHECKING:
    from jaxlint.settings import Settings
    from jaxlint.source import Source

_HERE = "jaxlint.facts."
_SHORT = 5
"""A short loop of fast operations is meant to unroll, unless it adds so many times what a long one may."""
_OF_THE_TEXT = ("names", "wrappings", "calls", "constants", "own_arrays")
"""The facts that depend on nothing but the text and the table of wrappers."""


class ModuleFacts:
    """The facts of one module.  Each is computed when first asked for."""

    def __init__(
        self, source: Source, tree: Tree, places: Places, settings: Settings, incoming: Incoming = NOTHING
    ) -> None:
        self.source = source
        self.tree = tree
        self.places = places
        self.settings = settings
        self.incoming = incoming

    @classmethod
    def of(cls, source: Source, settings: Settings, incoming: Incoming = NOTHING) -> ModuleFacts:
        """Read a file; `incoming` is what the rest of the project says about it.

        What the source keeps of facts that were asked for before is not found again.

        Raises:
            UnreadableError: the text is not Python.
        """
        known = source.take_facts()
        if known is None:
            module, places = parse(source)
            return cls(source, Tree(module), places, settings, incoming)
        facts = cls(source, known.tree, known.places, settings, incoming)
        if table(settings) is table(known.settings):
            vars(facts).update((name, vars(known)[name]) for name in _OF_THE_TEXT if name in vars(known))
        return facts

    def close(self) -> None:
        """Let go of everything, so that the nodes are freed at once and need not be found by the garbage collector."""
        self.tree.close()
        for part in list(vars(self).values()):
            if type(part).__module__.startswith(_HERE) and part is not self.incoming and hasattr(part, "__dict__"):
                vars(part).clear()  # parts ask each other, so they hold each other
        vars(self).clear()

    # The facts

    @functools.cached_property
    def names(self) -> Names:
        """What names represent."""
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
        return Tracing(self)

    @functools.cached_property
    def contexts(self) -> FunctionContexts:
        """In which contexts functions run: eager, transformed, staged, unknown."""
        return FunctionContexts(self)

    def is_run_once(self, function: Function) -> bool:
        """Whether a function runs once per process, by its name or by a `# jaxlint: once` mark on its `def` line."""
        if self.settings.is_run_once(function.name):
            return True
        return bool(self.source.once_rows) and self._def_row(function) in self.source.once_rows

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
        """The large arrays that jitted functions close over."""
        return CapturedArrays(self).found

    @functools.cached_property
    def values(self) -> Values:
        """What expressions hold under trace."""
        return Values(self)

    @functools.cached_property
    def staged(self) -> Staged:
        """What staged functions need from Python."""
        return Staged(self)

    def decides_on_error(self, node: cst.CSTNode) -> bool:
        """Whether a test decides that an error is raised."""
        return guards.decides_on_error(self.tree, node)

    @functools.cached_property
    def behind(self) -> Behind:
        """What values are behind the functions that make them."""
        return Behind(self.names, self.calls)

    @functools.cached_property
    def leaks(self) -> list[Leak]:
        """Where traced code stores traced values in what outlives the trace."""
        return Leaks(self).found

    @functools.cached_property
    def plain_methods(self) -> list[PlainMethod]:
        """The compiled methods whose instance JAX cannot look into."""
        return PlainMethods(self).found

    @functools.cached_property
    def cleared(self) -> list[Cleared]:
        """Where a loop discards what it has compiled."""
        return ClearedCaches(self).found

    @functools.cached_property
    def loops(self) -> Loops:
        """Python loops under trace, with estimates of what they leave."""
        return Loops(self)

    @functools.cached_property
    def long_loops(self) -> list[Unrolled]:
        """The loops of known length whose estimate reaches the setting, the outermost of each nest."""
        found: list[Unrolled] = []
        reported: set[int] = set()
        for loop in self.loops.unrolled:
            covered = any(id(outer) in reported for outer in loop.loop.around)
            if covered or loop.trips is None or loop.trips <= SHORT:
                continue
            fewest = self.settings.unrolled_equations
            if loop.trips <= SHORT_ELEMENTWISE and loop.body.heavy == 0:
                fewest *= _SHORT
            if loop.total.equations >= fewest:
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
    def runs(self) -> Runs:
        """How often functions run."""
        return Runs(self)

    @functools.cached_property
    def evidence(self) -> Evidences:
        """What supports and weakens a finding."""
        return Evidences(self)

    @functools.cached_property
    def reasons(self) -> Reasons:
        """What supports and weakens a finding, in words and with places."""
        return Reasons(self)

    @functools.cached_property
    def eager(self) -> Eager:
        """What runs outside any trace."""
        return Eager(self)

    @functools.cached_property
    def lengths(self) -> Lengths:
        """Which values have a length that nobody knows beforehand."""
        return Lengths(self)

    @functools.cached_property
    def leaf_maps(self) -> list[LeafMap]:
        """The `tree.map` calls that dispatch array operations on each leaf."""
        return LeafMaps(self).found

    @functools.cached_property
    def eager_sites(self) -> EagerSites:
        """The calls that compile a program of their own where no trace surrounds them."""
        return EagerSites(self)

    @functools.cached_property
    def eager_arrays(self) -> EagerArrays:
        """Which expressions hold JAX arrays outside any trace, and what pieces of code dispatch there."""
        if not self.incoming.imports:
            return self.own_arrays
        return EagerArrays(self.tree, self.names, self.wrappings, self.calls, self.incoming)

    @functools.cached_property
    def own_arrays(self) -> EagerArrays:
        """The same, as far as the file alone shows."""
        return EagerArrays(self.tree, self.names, self.wrappings, self.calls)

    @functools.cached_property
    def eager_loops(self) -> list[EagerLoop]:
        """The Python loops outside any trace that dispatch array operations in every iteration."""
        return EagerLoops(self).found

    @functools.cached_property
    def quantities(self) -> Quantities:
        """How often eager loops run, and what they dispatch."""
        return Quantities(self)

    @functools.cached_property
    def avoidable(self) -> Avoidable:
        """Whether one program could hold what an eager loop does."""
        return Avoidable(self)

    @functools.cached_property
    def varying(self) -> Varying:
        """Whether the iterations of an eager loop work on arrays of different shapes."""
        return Varying(self.names, self.loops.targets, self.loops.nodes_of_turn, self.eager_arrays.is_array)

    @functools.cached_property
    def measured(self) -> Measured:
        """Which code is there to be timed."""
        return Measured(self)

    @functools.cached_property
    def hosted(self) -> Hosted:
        """Which eager code needs values in Python between its array operations."""
        return Hosted(self)

    @functools.cached_property
    def eager_transforms(self) -> list[EagerTransform]:
        """The calls of transformed functions that nothing compiles, but for those in loops that are told of anyway."""
        told = {id(eager.loop) for eager in self.eager_loops} | {id(step.loop) for step in self.steps.training}
        return EagerTransforms(
            self.tree, self.names, self.wrappings, self.eager_arrays, lambda loop: id(loop) in told
        ).found

    @functools.cached_property
    def compiled(self) -> CompiledCalls:
        """The calls of visible jitted functions."""
        return CompiledCalls(self)

    @functools.cached_property
    def instances(self) -> Instances:
        """Classes whose instances compile for themselves."""
        return Instances(self)

    @functools.cached_property
    def arguments(self) -> Arguments:
        """What calls of jitted functions are passed."""
        return Arguments(self)

    @functools.cached_property
    def traceable(self) -> Traceable:
        """Which values Python need not know."""
        return Traceable(self)

    @functools.cached_property
    def growing(self) -> list[Growing]:
        """What grows outside any trace in each iteration of a loop."""
        return GrowingArrays(self).found

    @functools.cached_property
    def steps(self) -> EagerSteps:
        """The steps and objectives that run uncompiled in each iteration of a loop."""
        return EagerSteps(self)

    @functools.cached_property
    def unused(self) -> UnusedCompiled:
        """The jitted functions that nothing uses."""
        return UnusedCompiled(self)

    @functools.cached_property
    def stale(self) -> Stale:
        """Attributes that compiled methods read once, though something changes them later."""
        return Stale(self)

    @functools.cached_property
    def rebound(self) -> list[Rebound]:
        """Names from outside that jitted functions read once, though something changes them later."""
        return ReboundNames(self).found

    @functools.cached_property
    def wrong_arguments(self) -> list[WrongArgument]:
        """The options of wrappers that compile that name arguments which the function lacks."""
        return Signatures(self).wrong

    @functools.cached_property
    def all_sites(self) -> Sites:
        """The places where a wrapper makes a jitted function, and which functions make one."""
        return Sites(self)

    @property
    def sites(self) -> list[CompileSite]:
        """The places where a wrapper makes a jitted function."""
        return self.all_sites.sites

    @property
    def factory_calls(self) -> list[CompileSite]:
        """The calls of visible functions that return a jitted function they have just made."""
        return self.all_sites.factory_calls

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
        if any(given.call.node is fate.calls[0] for given in self.arguments.fresh):
            return False  # a static argument that is new each time compiles again
        known = self.names.values(site.target.node)
        return all(isinstance(value, (Function, External)) for value in known)

    @property
    def unhashable_instances(self) -> list[tuple[Class, Function]]:
        """The methods with a static `self` whose class gives its instances no hash, with the class."""
        return [(cls, method) for cls, method in self.arguments.unhashable_instances if not self._gains_a_hash(cls)]

    def _gains_a_hash(self, cls: Class) -> bool:
        """Whether a later statement or a subclass may; the text is asked, as such statements may not be kept."""
        name = re.escape(cls.name)
        later = rf"\b{name}\.__hash__\b|\bsetattr\(\s*{name}\b|\bclass\s+\w+\([^)]*\b{name}\b"
        return re.search(later, self.source.text) is not None

    def is_property(self, function: Function) -> bool:
        """Whether a function is a plain property, which runs on each access."""
        return self.all_sites.is_property(function)

    # Places

    def code(self, node: cst.CSTNode) -> str:
        """Return the source text of a node."""
        span = self.span(node)
        return self.source.text[span.start : span.end]

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
        return self.places.span(node)

    def row(self, node: cst.CSTNode) -> int:
        """Return the 1-based line on which a node starts; for a `def` the line of the `def` itself."""
        return self.source.position(self.span(node).start)[0]

    def _def_row(self, function: Function) -> int:
        return self.row(self.name_node(function))

    def context(self, node: cst.CSTNode) -> str:
        """Return the qualified name of what is around a node."""
        return self.tree.context(node).scope.frame.qualname
