"""Gradients, updates and objectives that run uncompiled in each iteration of a loop."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.context.calls import Calls
from jaxlint.facts.context.contexts import FunctionContexts
from jaxlint.facts.context.tracing import Tracing
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.eager.host_reads import Hosted
from jaxlint.facts.eager.operations import EagerArrays
from jaxlint.facts.jax_api.glance import OPTIMISERS
from jaxlint.facts.jax_api.name_priors import SET_UP, TRAINING
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Function, Loop, Tree, last_name
from jaxlint.facts.values.compiled_calls import CompiledCalls
from jaxlint.facts.values.lengths import calls_in
from jaxlint.facts.values.loops import Loops

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
_HIGHER = frozenset({"jax.hessian", "jax.jacobian", "jax.jacfwd", "jax.jacrev"})
_FEWEST_TURNS = 10
_COUNTING = frozenset({"range", "trange", "arange", "count"})
_TELLING = frozenset({"print", "info", "debug", "write", "set_postfix", "set_description", "float", "item"})
_FEWEST_OPERATIONS = 5
"""Operations of an objective from which it is worth to be compiled."""

_OPTIMISERS = frozenset(f"scipy.optimize.{name}" for name in OPTIMISERS)
_DERIVATIVES = ("jac", "fprime", "hess", "hessp")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A loop that takes gradients or applies updates eagerly in each iteration.

    `call` is where in the loop, `inner` what does it: the same call, or one in the function that it calls.  `trains`
    says that the loop looks like one of a program that trains, by its function's name, by going through data or by
    what it tells people; others may well be a part of what somebody traces.
    """

    node: cst.CSTNode
    loop: Loop
    call: cst.Call
    inner: cst.Call
    what: str
    trains: bool


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """A call of an optimizer of SciPy, and in words what it is given to call again and again, uncompiled."""

    node: cst.Call
    name: str
    what: str


class EagerSteps:
    """Finds loops that run a step of training, and optimizers of SciPy that call an objective."""

    def __init__(
        self,
        tree: Tree,
        names: Names,
        wrappings: Wrappings,
        calls: Calls,
        tracing: Tracing,
        contexts: FunctionContexts,
        loops: Loops,
        compiled: CompiledCalls,
        arrays: EagerArrays,
        hosted: Hosted,
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._tracing = tracing
        self._contexts = contexts
        self._loops = loops
        self._compiled = compiled
        self._arrays = arrays
        self._hosted = hosted

    @functools.cached_property
    def objectives(self) -> list[Objective]:
        """The calls of SciPy's optimizers that are given uncompiled gradients, or an objective of many operations."""
        found = []
        for call in self._tree.calls:
            names = self._names.externals(call.func)
            if _OPTIMISERS.isdisjoint(names):
                continue
            what = self._uncompiled_among(call)
            if what:
                found.append(Objective(call, next(iter(names)).rpartition(".")[2], what))
        return found

    def _uncompiled_among(self, call: cst.Call) -> str:
        given = [arg.value for arg in call.args[:1] if arg.keyword is None]
        given += [a.value for a in call.args if a.keyword is not None and a.keyword.value in (*_DERIVATIVES, "fun")]
        for node in given:
            gradient = self._eager_gradient(node)
            if gradient:
                return f"an uncompiled `{gradient}`"
        for node in given:
            for function in self._eager_functions(node):
                if self._is_heavy(function) and not self._hosted.is_out_of_reach(function):
                    return f"the uncompiled `{function.name}`" if not function.is_lambda else "an uncompiled function"
        return ""

    def _eager_functions(self, node: cst.CSTNode) -> Iterator[Function]:
        """Yield the functions that an expression may be, by themselves or with arguments bound."""
        for value in self._names.values(node):
            if isinstance(value, Function):
                yield value
            elif isinstance(value, Expression):
                wrapped = self._wrappings.of(value.node)
                if wrapped is not None and wrapped.wrapper.kind == "partial":
                    yield from self._names.functions(wrapped.targets[0])

    def _is_heavy(self, function: Function) -> bool:
        """Whether a function does as much array work, uncompiled, as is worth compiling."""
        if self._arrays.calls_compiled(function.node.body):
            return False
        return self._arrays.of_function(function) >= _FEWEST_OPERATIONS

    def _eager_gradient(self, node: cst.CSTNode) -> str:
        """Return the transform, if an expression is a gradient that nothing compiles, perhaps with arguments bound."""
        for value in self._names.values(node):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is None:
                continue
            if wrapped.wrapper.kind == "partial":
                return self._eager_gradient(wrapped.targets[0])
            if wrapped.wrapper.name in _GRADIENTS | _HIGHER and not self._is_compiled(wrapped.targets[0]):
                return wrapped.wrapper.name
        return ""

    # Steps

    @functools.cached_property
    def training(self) -> list[Step]:
        """The innermost loops that run a step of training eagerly."""
        found: dict[int, Step] = {}
        for loop in self._tree.loops:
            function = loop.context.function
            if self._contexts.is_traced_only(function) or (function is not None and SET_UP.match(function.name)):
                continue
            trips, _ = self._loops.trips(loop)
            if trips is not None and trips < _FEWEST_TURNS:
                continue
            step = next(self._steps_in(loop), None)
            if step is not None:
                found[id(step.call)] = step  # a loop within comes later, and is the one that hurts
        return list(found.values())

    def part(self, call: cst.Call) -> str:
        """Return which part of a step a call is: a gradient, an update or a forward pass; empty where it is none."""
        return self._is_step(call)

    def parts(self, loop: Loop) -> Iterator[cst.Call]:
        """Yield the calls in an iteration that are themselves a part of a step."""
        for node in self._loops.parts_of_turn(loop):
            yield from (call for call in calls_in(node) if self._is_step(call))

    def differentiated(self, call: cst.Call) -> Iterator[Function]:
        """Yield the functions whose gradient a call computes."""
        for value in self._names.values(call.func):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is not None and wrapped.wrapper.name in _GRADIENTS:
                yield from self._names.functions(wrapped.targets[0])

    def _steps_in(self, loop: Loop) -> Iterator[Step]:
        for part in self._loops.parts_of_turn(loop):
            for call in calls_in(part):
                inner = next(self._inner_steps(call), None)
                if inner is not None:
                    what, trains = self._is_step(inner), self._trains(loop)
                    yield Step(self._loops.place(loop), loop, call, inner, what, trains)

    def _inner_steps(self, call: cst.Call) -> Iterator[cst.Call]:
        """Yield a call itself if it is a part of a step, or those parts in the function that it calls."""
        if self._is_step(call):
            yield call
        for site in self._calls.of_node.get(id(call), ()):
            if site.wrapped or self._may_be_compiled(site.function):
                continue
            if not self._contexts.is_traced_only(site.function):
                # A loop within is the one that hurts.
                own = (s for s in calls_in(site.function.node.body) if self._tree.context(s).loop is None)
                yield from (inner for inner in own if self._is_step(inner))

    def _may_be_compiled(self, function: Function) -> bool:
        """Whether a trace elsewhere, or a compiled method of another class, may run a method in its place."""
        if function.cls is None:
            return False
        return self._tracing.may_be_traced(function) or any(
            method is not function and self._compiled.wrapper_of(method) is not None
            for cls in self._tree.classes
            if (method := cls.methods.get(function.name)) is not None
        )

    def _trains(self, loop: Loop) -> bool:
        function = loop.context.function
        if function is None or TRAINING.search(function.name):
            return True
        iterable = loop.iterable
        if iterable is not None and not any(last_name(call.func) in _COUNTING for call in calls_in(iterable)):
            return True
        parts = self._loops.parts_of_turn(loop)
        return any(last_name(call.func) in _TELLING for part in parts for call in calls_in(part))

    def _is_step(self, call: cst.Call) -> str:
        if isinstance(self._tree.parent(call), cst.Expr):
            return ""  # what is discarded is measured, or warmed up
        if "optax.apply_updates" in self._names.externals(call.func):
            return "optax.apply_updates"
        if isinstance(call.func, cst.Attribute):
            return self._is_step_of_object(call, call.func)
        return self._is_gradient(call)

    def _is_step_of_object(self, call: cst.Call, func: cst.Attribute) -> str:
        """Return what a method does, if it is the update of an optimizer or the forward pass of a model."""
        name, owner = func.attr.value, func.value
        keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        if name == "apply_gradients" and "grads" in keywords:
            return f"{last_name(owner) or 'state'}.apply_gradients"
        if name == "update" and len(call.args) > 1 and self._comes_from(owner, "optax."):
            return f"{last_name(owner)}.update"
        if name == "apply" and call.args and self._is_model(owner):
            return f"{last_name(owner)}.apply"
        return self._is_gradient(call)

    def _comes_from(self, node: cst.CSTNode, start: str) -> bool:
        """Whether an object is what a function of a library gave."""
        return any(
            isinstance(value, Expression)
            and isinstance(value.node, cst.Call)
            and any(name.startswith(start) for name in self._names.externals(value.node.func))
            for value in self._names.values(node)
        )

    def _is_model(self, node: cst.CSTNode) -> bool:
        """Whether an object is a module of flax, or a transformed function of haiku."""
        if self._comes_from(node, "haiku.transform") or self._comes_from(node, "haiku.without_apply_rng"):
            return True
        classes = (self._names.instance_class(value) for value in self._names.values(node))
        return any(
            name.endswith((".linen.Module", ".linen.module.Module"))
            for cls in classes
            if cls is not None
            for name in self._names.base_names(cls)
        )

    def _is_gradient(self, call: cst.Call) -> str:
        for value in self._names.values(call.func):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is None or wrapped.wrapper.name not in _GRADIENTS:
                continue
            if self._names.functions(wrapped.targets[0]) and not self._is_compiled(wrapped.targets[0]):
                return wrapped.wrapper.name.removeprefix("flax.").replace("equinox.", "eqx.")
        return ""

    def _is_compiled(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a jitted function, by a decorator or by `f = jax.jit(f)` before."""
        if any(self._compiled.wrapper_of(function) for function in self._names.functions(node)):
            return True
        return any(
            (made := self._wrappings.of(value.node)) is not None and made.wrapper.compiles
            for value in self._names.values(node)
            if isinstance(value, Expression)
        )
