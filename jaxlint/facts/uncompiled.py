"""Eager code that ought to be compiled: arrays that grow, steps of training; and compiled names left unused."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.calls import Calls
from jaxlint.facts.compiled import CompiledCalls
from jaxlint.facts.loops import Loops
from jaxlint.facts.names import Expression, Names
from jaxlint.facts.tracing import Tracing
from jaxlint.facts.tree import Function, Loop, Tree, children
from jaxlint.facts.wrapping import Wrapped, Wrappings

_JOINING = frozenset(f"jax.numpy.{name}" for name in ("append", "concatenate", "concat", "hstack", "vstack"))
_GRADIENTS = frozenset(
    {
        "jax.grad",
        "jax.value_and_grad",
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
    }
)
_FEWEST_TURNS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Growing:
    """A call that makes an array longer by itself in each turn of a loop."""

    node: cst.Call
    name: str
    loop: Loop


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A loop that takes gradients or applies updates eagerly in each turn; `call` is where."""

    node: cst.CSTNode
    loop: Loop
    call: cst.Call
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class UnusedName:
    """A compiled function under a name that nothing uses, beside calls of the raw function."""

    node: cst.BaseExpression
    name: str
    function: Function
    call: cst.Call


class Uncompiled:
    """Finds them."""

    def __init__(
        self,
        tree: Tree,
        names: Names,
        wrappings: Wrappings,
        calls: Calls,
        tracing: Tracing,
        loops: Loops,
        compiled: CompiledCalls,
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._tracing = tracing
        self._loops = loops
        self._compiled = compiled

    # Growing arrays

    @functools.cached_property
    def growing(self) -> list[Growing]:
        """The arrays that grow in loops outside any trace, where no compiled function receives them."""
        found = []
        for call in self._tree.calls:
            context = self._tree.context(call)
            loop = context.loop
            if loop is None or self._tracing.is_traced(context.function):
                continue
            name = self._grows(call)
            if name and not self._loops.is_small(loop) and not self._is_received(name, loop):
                found.append(Growing(call, name, loop))
        return found

    def _grows(self, call: cst.Call) -> str:
        parent = self._tree.parent(call)
        if not isinstance(parent, cst.Assign) or len(parent.targets) != 1 or not isinstance(parent.value, cst.Call):
            return ""
        target = parent.targets[0].target
        if not isinstance(target, cst.Name) or _JOINING.isdisjoint(self._names.externals(call.func)):
            return ""
        return target.value if any(self._holds(arg.value, target.value) for arg in call.args) else ""

    @staticmethod
    def _holds(node: cst.CSTNode, name: str) -> bool:
        """Whether a name is joined as a whole; a slice of it keeps a window of one length."""
        parts = [e.value for e in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
        return any(isinstance(part, cst.Name) and part.value == name for part in parts)

    def _is_received(self, name: str, loop: Loop) -> bool:
        for call in self._compiled.calls:
            if call.context.loop is None or not call.context.loop.inside(loop):
                continue
            if any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args):
                return True
        return False

    # Steps

    @functools.cached_property
    def steps(self) -> list[Step]:
        """The innermost loops that run a step of training eagerly."""
        found: dict[int, Step] = {}
        for loop in self._tree.loops:
            if self._tracing.is_traced(loop.context.function):
                continue
            trips, _ = self._loops.trips(loop)
            if trips is not None and trips < _FEWEST_TURNS:
                continue
            step = next(self._steps_in(loop), None)
            if step is not None:
                found[id(step.call)] = step  # a loop within comes later, and is the one that hurts
        return list(found.values())

    def _steps_in(self, loop: Loop) -> Iterator[Step]:
        for part in self._loops.parts_of_turn(loop):
            for call in _calls_in(part):
                what = self._is_step(call)
                if not what:
                    for site in self._calls.of_node.get(id(call), ()):
                        if not site.wrapped and not self._tracing.is_traced(site.function):
                            inner = (self._is_step(s) for s in _calls_in(site.function.node.body))
                            what = what or next((text for text in inner if text), "")
                if what:
                    yield Step(self._loops.place(loop), loop, call, what)

    def _is_step(self, call: cst.Call) -> str:
        if "optax.apply_updates" in self._names.externals(call.func):
            return "optax.apply_updates"
        for value in self._names.values(call.func):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is None or wrapped.wrapper.name not in _GRADIENTS:
                continue
            functions = self._names.functions(wrapped.targets[0])
            if functions and not any(self._compiled.wrapper_of(function) for function in functions):
                return wrapped.wrapper.name.removeprefix("flax.").replace("equinox.", "eqx.")
        return ""

    # Unused names

    @functools.cached_property
    def unused_names(self) -> list[UnusedName]:
        """The compiled functions under private or local names that nothing uses."""
        return [found for wrapped in self._wrappings.calls.values() if (found := self._unused(wrapped)) is not None]

    def _unused(self, wrapped: Wrapped) -> UnusedName | None:
        parent = self._tree.parent(wrapped.node)
        if not wrapped.wrapper.compiles or not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
            return None
        target = parent.targets[0].target
        context = self._tree.context(wrapped.node)
        if not isinstance(target, cst.Name) or context.scope.frame.kind == "class":
            return None
        if context.function is None and not target.value.startswith("_"):
            return None
        bindings = context.scope.frame.bindings.get(target.value, ())
        if len(bindings) != 1 or self._tree.loads.get(target.value):
            return None
        for function in self._names.functions(wrapped.targets[0]):
            for site in self._calls.of(function):
                if not site.wrapped and not self._tracing.is_traced(site.context.function):
                    return UnusedName(wrapped.node, target.value, function, site.node)
        return None


def _calls_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    work = [node]
    while work:
        current = work.pop()
        if isinstance(current, cst.Call):
            yield current
        if not isinstance(current, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            work.extend(children(current))
