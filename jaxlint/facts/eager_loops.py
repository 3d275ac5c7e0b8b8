"""Python loops outside any trace that dispatch array operations in every turn."""

from __future__ import annotations

import re
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.eager_arrays import EagerArrays
from jaxlint.facts.loops import Loops
from jaxlint.facts.tracing import Tracing
from jaxlint.facts.tree import Loop, Tree, children, last_name, within

FEWEST = 2
"""Operations of a turn from which a loop counts."""
FEWEST_BESIDE_COMPILED = 5
"""The same, where the turn calls a compiled function as well, which does the work."""


LIGHT = 200
"""Operations of a whole loop below which it is soon done, unless it is run again and again."""

_DRAWS = re.compile(r"plt|ax\d*|axes|axs|axis|fig\w*|pyplot|sns|plotly|go|canvas|screen|renderer|viewer")


_WAITS = frozenset({"block_until_ready", "device_put", "effects_barrier"})
"""Who waits for each part, or says where it goes, has cut the work into parts on purpose."""
_SIZED = {"linspace": 2, **dict.fromkeys(("zeros", "ones", "full", "empty", "eye", "arange"), 0)}
"""The functions of jax.numpy that are told the size of what they make, with the position of that argument."""
_READS = frozenset({"open", "File", "imread", "load", "loadtxt", "read_csv", "savez", "save", "savefig", "imsave"})
_COUNTERS = frozenset({"range", "trange", "enumerate", "count"})
_MAKERS = re.compile(r"init|create|make|build|setup|reset")
_SHOWERS = re.compile(r"(render|plot|draw|show|display|print|visuali[sz]e|animate|repr)(_.*)?|(.*_)?(str|repr)(ing)?_*")
_STEPS = re.compile(r"step|update|train|run|fit|predict|apply|forward|solve|rollout|sample")


@dataclass(frozen=True, slots=True, eq=False)
class EagerLoop:
    """A loop that nothing traces, with the number of array operations that each turn dispatches.

    `hurts_anyway` says that it would be too long a loop under trace as well, so that no caller can make it good.
    `updates` says that a turn updates an array at an index, which under trace is unrolled into a slow program.  `light`
    says that it is soon done, or shows or reads something in each turn, `on_host` that a turn asks for values,
    `on_purpose` that scan and vmap are not meant for it: turns wait for their arrays, differ in shape, or do no more
    themselves than to cut out what a step works on.
    """

    loop: Loop
    node: cst.CSTNode
    operations: int
    hurts_anyway: bool
    updates: bool
    light: bool
    on_host: bool
    on_purpose: bool


class EagerLoops:
    """Finds them: of a nest the outermost that does something itself, or nothing but the next."""

    def __init__(self, tree: Tree, tracing: Tracing, loops: Loops, arrays: EagerArrays, longest: int) -> None:
        self._tree = tree
        self._loops = loops
        self._arrays = arrays
        self._longest = longest
        self.found: list[EagerLoop] = []
        covered: set[int] = set()
        for loop in tree.loops:
            if tracing.is_traced(loop.context.function) or any(id(outer) in covered for outer in loop.around):
                continue
            eager = self._eager(loop)
            if eager is not None:
                covered.add(id(loop))
                self.found.append(eager)

    def _eager(self, loop: Loop) -> EagerLoop | None:
        if self._loops.is_small(loop):
            return None
        parts = self._loops.parts_of_turn(loop)
        operations = sum(self._arrays.operations(part) for part in parts)
        if operations < FEWEST or not self._does_something(loop):
            return None
        if all(self._arrays.only_reads(part) for part in parts):
            return None  # it turns an array into text, or into Python's numbers
        if operations < FEWEST_BESIDE_COMPILED and self._does_the_work_elsewhere(parts):
            return None
        updates = self._loops.updates_by_turn(loop)
        trips, _ = self._loops.trips(loop)
        long = (trips or 0) * operations >= self._longest
        hurts = long or self._loops.is_data_long(loop)
        light = trips is not None and trips * operations < LIGHT
        on_host = any(self._arrays.reads_values(part) for part in parts)
        light = light or self._is_for_show(loop, parts) or self._is_shown(loop)
        on_purpose = (
            operations - self._fed(loop, parts) < FEWEST
            or self._changes_shape(loop, parts)
            or any(isinstance(n, cst.Call) and last_name(n.func) in _WAITS for part in parts for n in within(part))
        )
        if not hurts and self._fills_parameters(loop):
            return None
        return EagerLoop(loop, self._loops.place(loop), operations, hurts, updates, light, on_host, on_purpose)

    def _fed(self, loop: Loop, parts: list[cst.CSTNode]) -> int:
        """Count the elements and batches that turns cut out for the step that they call: `step(state, xs[i])`."""
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
                    found += any(isinstance(n, cst.Name) and n.value in targets for n in within(node))
        return found

    def _changes_shape(self, loop: Loop, parts: list[cst.CSTNode]) -> bool:
        """Whether a turn makes an array of a size of its own, so that no program fits all turns: `jnp.zeros(n)`."""
        targets = self._loops.targets(loop)
        for part in parts:
            for node in within(part):
                if not isinstance(node, cst.Call) or not self._arrays.is_array_call(node):
                    continue
                position = _SIZED.get(last_name(node.func))
                if position is None or len(node.args) <= position:
                    continue
                if any(isinstance(n, cst.Name) and n.value in targets for n in within(node.args[position].value)):
                    return True
        return False

    @staticmethod
    def _fills_parameters(loop: Loop) -> bool:
        """Whether a loop stands in a function that makes something once, such as the parameters of each layer."""
        function = loop.context.function
        return function is not None and _MAKERS.match(function.name.lstrip("_")) is not None

    @staticmethod
    def _is_shown(loop: Loop) -> bool:
        """Whether a loop stands in a function that shows something to people, by its name."""
        function = loop.context.function
        return function is not None and _SHOWERS.fullmatch(function.name.lstrip("_")) is not None

    def _is_for_show(self, loop: Loop, parts: list[cst.CSTNode]) -> bool:
        """Whether a turn draws, prints an element, reads a file, or waits for arrays or people: that takes longest."""
        counts = isinstance(loop.node, cst.While) or (
            isinstance(loop.node.iter, cst.Call) and last_name(loop.node.iter.func) in _COUNTERS
        )
        work = list(parts)
        while work:
            node = work.pop()
            if isinstance(node, cst.Name) and _DRAWS.fullmatch(node.value):
                return True
            if isinstance(node, cst.Call):
                name = last_name(node.func)
                if (
                    name in _READS
                    or name in _WAITS
                    or (name == "print" and not counts)
                    or self._arrays.asks_a_person(node)
                ):
                    return True
            work.extend(children(node))
        return False

    def _does_the_work_elsewhere(self, parts: list[cst.CSTNode]) -> bool:
        """Whether a turn calls something compiled, or a step of something that is not in sight."""
        if any(self._arrays.calls_compiled(part) for part in parts):
            return True
        work = list(parts)
        while work:
            node = work.pop()
            if isinstance(node, cst.Call) and self._arrays.is_unseen(node) and _STEPS.search(last_name(node.func)):
                return True
            work.extend(children(node))
        return False

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
