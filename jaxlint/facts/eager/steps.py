"""Gradients, updates and objectives that run uncompiled in each iteration of a loop."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.eager.avoidable import Hindrance
from jaxlint.facts.eager.models import MODULES, Models
from jaxlint.facts.incoming import HIGH, STEPS
from jaxlint.facts.jax_api.glance import OPTIMISERS
from jaxlint.facts.jax_api.name_priors import SET_UP, TRAINING
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Class, Function, Loop, Parameter, children, last_name, within
from jaxlint.facts.values.iterations import is_reached_rarely
from jaxlint.facts.values.lengths import calls_in
from jaxlint.facts.values.loops import mentions

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


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
_UPDATES = ("optax.apply_updates", "equinox.apply_updates")
_MAPPED = frozenset({"jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap"})
_HIGHER = frozenset({"jax.hessian", "jax.jacobian", "jax.jacfwd", "jax.jacrev"})
_NOT_TRAINING = tuple(name.rpartition(".")[2] for name in _HIGHER)
_FEWEST_TURNS = 10
_COUNTING = frozenset({"range", "trange", "arange", "count"})
_TELLING = frozenset({"print", "info", "debug", "write", "set_postfix", "set_description", "float", "item"})
_DEPTH = 3
"""How many calls deep a step is looked for."""
_BARS = frozenset({"tqdm", "alive_progress", "progressbar", "fastprogress", "rich"})
"""Packages that show how far a loop is."""
_FEWEST_OPERATIONS = 5
"""Operations of an objective from which it is worth to be compiled."""

_OPTIMISERS = frozenset(f"scipy.optimize.{name}" for name in OPTIMISERS)
_DERIVATIVES = ("jac", "fprime", "hess", "hessp")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A loop that takes gradients or applies updates eagerly in each iteration.

    `call` is where in the loop, `inner` what does it: the same call, or one in the function that it calls.  `trains`
    says that the loop looks like one of a program that trains, by its function's name, by going through data or by
    what it tells people; others may well be a part of what somebody traces.  `hindered` is what keeps an iteration from
    being one program, `measured` says that the loop is there to be timed or compared, `is_forward` that it is the pass
    of a model, or the evaluation of a loss, which `is_evaluation` tells.  `operations` is how many array operations the
    visible losses have whose gradients an iteration takes, `is_beside` says that a jitted function with a loop of its
    own does the work of an iteration.
    """

    node: cst.CSTNode
    loop: Loop
    call: cst.Call
    inner: cst.Call
    what: str
    trains: bool
    hindered: frozenset[Hindrance] = frozenset()
    measured: bool = False
    is_forward: bool = False
    operations: int = 0
    is_evaluation: bool = False
    is_beside: bool = False

    @property
    def trains_by_gradient(self) -> bool:
        """Whether it is a step of training, and no Newton step."""
        return not self.what.endswith(_NOT_TRAINING)


@dataclass(frozen=True, slots=True, eq=False)
class CalledStep:
    """What a function of which loops of other files make the calls does eagerly each time; see `Step`.

    `is_light` says that it takes the gradient of a few operations alone.
    """

    node: cst.Call
    function: Function
    what: str
    measured: bool = False
    is_forward: bool = False
    is_evaluation: bool = False
    is_light: bool = False

    @property
    def trains_by_gradient(self) -> bool:
        """Whether it is a step of training, and no Newton step."""
        return not self.what.endswith(_NOT_TRAINING)


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """A call of an optimizer of SciPy, and in words what it is given to call again and again, uncompiled.

    `converts` says that it makes Python's numbers or NumPy's arrays of its results, which no program does.
    """

    node: cst.Call
    name: str
    what: str
    converts: bool = False


class EagerSteps:
    """Finds loops that run a step of training, and optimizers of SciPy that call an objective."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._contexts = facts.contexts
        self._loops = facts.loops
        self._compiled = facts.compiled
        self._arrays = facts.eager_arrays
        self._hosted = facts.hosted
        self._avoidable = facts.avoidable
        self._measured = facts.measured
        self._models = Models(facts.tree, facts.names, facts.wrappings, facts.calls)
        self._imports = facts.incoming.imports
        self._functions = facts.incoming.functions

    @functools.cached_property
    def objectives(self) -> list[Objective]:
        """The calls of SciPy's optimizers that are given uncompiled gradients, or an objective of many operations."""
        found = []
        for call in self._names.calls_of(_OPTIMISERS.__contains__):
            names = self._names.externals(call.func)
            name = next(iter(names)).rpartition(".")[2]
            objective = self._uncompiled_among(call, name)
            if objective is not None:
                found.append(objective)
        return found

    def _uncompiled_among(self, call: cst.Call, name: str) -> Objective | None:
        given = [arg.value for arg in call.args[:1] if arg.keyword is None]
        given += [a.value for a in call.args if a.keyword is not None and a.keyword.value in (*_DERIVATIVES, "fun")]
        for node in given:
            gradient = self._eager_gradient(node)
            if gradient:
                return Objective(call, name, f"an uncompiled `{gradient}`")
        for node in given:
            for function in self._eager_functions(node):
                heavy = self._is_heavy(function, self._operations_of_given(function))
                if heavy and not self._hosted.is_out_of_reach(function):
                    what = f"the uncompiled `{function.name}`" if not function.is_lambda else "an uncompiled function"
                    return Objective(call, name, what, self._converts(function))
        return None

    def _converts(self, function: Function) -> bool:
        return any(map(self._hosted.converts, calls_in(function.node.body)))

    def _eager_functions(self, node: cst.CSTNode) -> Iterator[Function]:
        """Yield the functions that an expression may be, by themselves or with arguments bound."""
        for value in self._names.values(node):
            if isinstance(value, Function):
                yield value
            elif isinstance(value, Expression):
                wrapped = self._wrappings.of(value.node)
                if wrapped is not None and wrapped.wrapper.kind == "partial":
                    yield from self._names.functions(wrapped.targets[0])

    def _is_heavy(self, function: Function, more: int = 0) -> bool:
        """Whether a function does as much array work, uncompiled, as is worth compiling, with `more` that is known."""
        if self._arrays.calls_compiled(function.node.body):
            return False
        return self._arrays.of_function(function) + more >= _FEWEST_OPERATIONS

    def _operations_of_given(self, function: Function) -> int:
        """Count the operations of functions that an objective calls and that all visible callers give: `self.f(x)`."""
        return sum(
            min(map(self._of_argument, given), default=0)
            for call in calls_in(function.node.body)
            for value in self._names.values(call.func)
            if isinstance(value, Parameter)
            and (given := [argument_of(s.node, value, bound=s.bound) for s in self._calls.of(value.function)])
        )

    def _of_argument(self, node: cst.CSTNode | None) -> int:
        """Count the operations of a function that is an argument, none where no program can hold all of it."""
        functions = self._names.functions(node) if node is not None else []
        if node is None or any(self._hosted.is_out_of_reach(f) or self._converts(f) for f in functions):
            return 0
        imported = (self._imports.get(name) for name in self._names.externals(node))
        return 0 if any(known is not None and known.hosted for known in imported) else self._arrays.of_target(node)

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
    def called(self) -> list[CalledStep]:
        """The functions that run a step of training eagerly on each call, which loops of other files make."""
        known = {id(step.inner) for step in self.training}
        found: dict[int, CalledStep] = {}
        for function in self._tree.functions:
            outside = self._functions.get(function.qualname)
            if outside is None or outside.again != STEPS or outside.eager != HIGH or outside.unseen or outside.beside:
                continue
            if function.is_lambda or SET_UP.match(function.name) or self._may_be_compiled(function):
                continue
            if self._contexts.is_traced_only(function):
                continue
            steps = [step for step in self._steps_of(function, _DEPTH - 1) if self._can_be_compiled(step)]
            inner = next(filter(self._is_gradient, steps), steps[0] if steps else None)
            if inner is None or id(inner) in known:
                continue
            forward = self._is_forward(inner)
            if forward and outside.traced and not outside.compiled:
                continue  # the loop that takes its gradient is what is to be compiled
            measured = self._measured.is_baseline(function) or self._measured.is_benchmark(function)
            what, evaluates = self._is_step(inner), self._is_evaluation(inner)
            losses = list(self.differentiated(inner))
            light = bool(losses) and all(map(self._is_light, losses))
            found.setdefault(id(inner), CalledStep(inner, function, what, measured, forward, evaluates, light))
        return list(found.values())

    def _is_light(self, function: Function) -> bool:
        """Whether a function is a few array operations, and calls nothing but functions of libraries."""
        calls = calls_in(function.node.body)
        return self._arrays.of_function(function) < _FEWEST_OPERATIONS and all(
            self._names.externals(call.func) for call in calls
        )

    def _can_be_compiled(self, step: cst.Call) -> bool:
        """Whether a part of a step runs on most calls, and one program could hold it."""
        if is_reached_rarely(self._names, step):
            return False
        return not any(map(self._hosted.is_out_of_reach, self.differentiated(step)))

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
            step = min(self._steps_in(loop), key=lambda step: step.is_forward, default=None)
            if step is not None:
                found[id(step.call)] = step  # a loop within comes later, and is the one that hurts
        return list(found.values())

    def part(self, call: cst.Call) -> str:
        """Return which part of a step a call is: a gradient, an update or a forward pass; empty where it is none."""
        return "" if self._is_evaluation(call) else self._is_step(call)

    def parts(self, loop: Loop) -> Iterator[cst.Call]:
        """Yield the calls in an iteration that are themselves a part of a step."""
        return (call for call in self._loops.calls_of_turn(loop) if self.part(call))

    def differentiated(self, call: cst.Call) -> Iterator[Function]:
        """Yield the functions whose gradient a call computes."""
        for value in self._names.values(call.func):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is not None and wrapped.wrapper.name in _GRADIENTS:
                yield from self._names.functions(wrapped.targets[0])

    def _steps_in(self, loop: Loop) -> Iterator[Step]:
        parts = self._loops.parts_of_turn(loop)
        for call in self._loops.calls_of_turn(loop):
            inner = next(self._inner_steps(call), None)
            if inner is None or self._is_beside_the_work(loop, call, inner):
                continue
            if any(map(self._avoidable.steps_object, self.differentiated(inner))):
                continue  # no program can hold an environment
            if self._is_gradient(inner) and not (self._is_carried(loop, call) or self._is_summed(loop, call, inner)):
                continue  # a derivative at several points, which `jax.vmap` takes at once
            forward = self._is_forward(inner)
            if forward and (is_reached_rarely(self._names, call, loop) or self._picks_parameters(loop, call)):
                continue  # an evaluation now and then, beside the step; or a pass through all layers of one model
            if inner is call and self._is_evaluation(call) and not self._follows_training(loop, call):
                continue
            what, trains = self._is_step(inner), self._trains(loop)
            hindered = self._avoidable.hindrances(loop) & {Hindrance.OUTSIDE}
            measured = self._measured.is_measured(loop, parts) or self._measured.is_baseline(loop.context.function)
            place, evaluates = self._loops.place(loop), self._is_evaluation(inner)
            beside = forward and any(map(self._arrays.calls_long_program, parts))
            beside = beside or (call is inner and self._only_updates(loop) and not self._is_of_network(call))
            of_work = (self._operations_of_losses(loop), evaluates, beside)
            yield Step(place, loop, call, inner, what, trains, hindered, measured, forward, *of_work)

    def _only_updates(self, loop: Loop) -> bool:
        """Whether the gradient that an iteration applies comes from a jitted function."""
        calls = self._loops.calls_of_turn(loop)
        parts = [inner for call in calls for inner in self._inner_steps(call)]
        if any(self._is_gradient(part) or self._is_forward(part) for part in parts):
            return False
        made = [
            self._wrappings.of(v.node) for c in calls for v in self._names.values(c.func) if isinstance(v, Expression)
        ]
        return all(
            wrapped is None or wrapped.wrapper.name not in _GRADIENTS or self._is_visible(wrapped.targets[0])
            for wrapped in made
        )

    def _is_of_network(self, update: cst.Call) -> bool:
        """Whether what is updated has many leaves, as a network's parameters have, so that it is many operations.

        What fits a few numbers runs something long in each iteration, as a simulation, beside which the update is
        nothing.
        """
        return bool(self._initialised) or self._models.are_networks or last_name(update.func) == "apply_gradients"

    def _operations_of_losses(self, loop: Loop) -> int:
        gradients = (inner for call in self._loops.calls_of_turn(loop) for inner in self._inner_steps(call))
        losses = {id(loss): loss for call in gradients for loss in self.differentiated(call)}
        return sum(map(self._arrays.of_function, losses.values()))

    def _picks_parameters(self, loop: Loop, call: cst.Call) -> bool:
        """Whether each iteration applies parameters of its own, as those of a layer: `apply({"params": p[i]}, x)`."""
        targets = self._loops.targets(loop)
        return any(
            isinstance(part, cst.Subscript) and any(mentions(element.slice, targets) for element in part.slice)
            for arg in call.args[:1]
            for part in within(arg.value)
        )

    def _is_forward(self, call: cst.Call) -> bool:
        """Whether a part of a step takes no gradient: it runs a model, or evaluates a loss."""
        applies = isinstance(call.func, cst.Attribute) and call.func.attr.value in ("apply", "apply_fn")
        return applies or self._is_forward_pass(call) or self._is_evaluation(call)

    def _is_beside_the_work(self, loop: Loop, call: cst.Call, inner: cst.Call) -> bool:
        """Whether a loop within does the work, and a call comes once for all its iterations, as after an epoch."""
        if self._tree.context(call).loop is not loop:
            return False
        applies = self._is_forward(inner)
        return any(
            not isinstance(other.node, cst.CompFor)
            and not self._loops.is_small(other)
            and (applies or self._arrays.calls_compiled(other.node.body))
            for other in self._loops.directly_within(loop)
        )

    def _is_carried(self, loop: Loop, call: cst.Call) -> bool:
        """Whether an iteration goes on with what a call of the one before has given, or with an object's state."""
        if isinstance(loop.node, cst.CompFor):
            return False
        if isinstance(call.func, cst.Attribute) and not self._names.externals(call.func):
            return True  # a method, whose object may change
        used = {name for arg in (*call.args, *_given_to_maker(call)) for name in self._used(arg.value)}
        if any("." in name and not self._is_bound_in(loop, name.partition(".")[0]) for name in used):
            return True  # an object that it may change
        made = {name for names, _ in self._goes_into(loop, call) for name in names}
        return not made.isdisjoint(_with_owners(used))

    @staticmethod
    def _goes_into(loop: Loop, call: cst.Call) -> list[tuple[set[str], set[str]]]:
        """Return what an iteration computes of a call's result: the names that get it, and those that it is made of."""
        found: dict[int, tuple[set[str], set[str]]] = {}
        before = -1
        while len(found) != before:
            before = len(found)
            made = {name for names, _ in found.values() for name in names}
            for node in within(loop.node):
                given: cst.CSTNode
                if isinstance(node, cst.Assign):
                    targets, given = [target.target for target in node.targets], node.value
                elif isinstance(node, cst.AugAssign):
                    targets, given = [node.target], node
                elif isinstance(node, cst.For):
                    targets, given = [node.target], node.iter
                else:
                    continue
                used = set(_dotted_within(given))
                if not made.isdisjoint(_with_owners(used)) or any(part is call for part in within(given)):
                    found[id(node)] = ({name for target in targets for name in _dotted_within(target)}, used)
        return list(found.values())

    def _is_summed(self, loop: Loop, call: cst.Call, inner: cst.Call) -> bool:
        """Whether a gradient is of what no iteration changes, by the data of each, and added up; or is of modules.

        `nnx` takes gradients of modules alone, which their optimizer updates in place.
        """
        if self._is_gradient(inner).startswith("nnx."):
            return True
        first, *others = [arg.value for arg in call.args] or [call]
        targets = self._loops.targets(loop)
        if (
            isinstance(loop.node, cst.CompFor)
            or mentions(first, targets)
            or not any(mentions(node, targets) for node in others)
        ):
            return False
        return any(not names.isdisjoint(used) for names, used in self._goes_into(loop, call))

    def _used(self, node: cst.CSTNode) -> Iterator[str]:
        """Yield the dotted names that an expression uses, without those of libraries, which no iteration changes."""
        if not isinstance(node, (cst.Name, cst.Attribute)):
            for child in children(node):
                yield from self._used(child)
        elif not self._names.externals(node):
            yield from _dotted_within(node)

    def _follows_training(self, loop: Loop, call: cst.Call) -> bool:
        """Whether an evaluation gets what an iteration has changed, or its data: not the points of a plot."""
        targets = self._loops.targets(loop)
        at: list[cst.CSTNode] = [arg.value for arg in call.args[:1]]
        at += [value.node for node in at for value in self._names.values(node) if isinstance(value, Expression)]
        if any(mentions(node, targets) for node in at):
            return False  # what the gradient is taken of goes through points
        used = {name.partition(".")[0] for arg in call.args for name in _dotted_within(arg.value)}
        return self._is_carried(loop, call) or any(name in targets or self._is_bound_in(loop, name) for name in used)

    @staticmethod
    def _is_bound_in(loop: Loop, name: str) -> bool:
        """Whether a loop gives a name its value in each iteration: its variable, or what it assigns."""
        targets = [loop.node.target] if isinstance(loop.node, cst.For) else []
        body = loop.node.body if isinstance(loop.node, (cst.For, cst.While)) else loop.node
        targets += [t.target for node in within(body) if isinstance(node, cst.Assign) for t in node.targets]
        return any(name in _dotted_within(target) for target in targets)

    def _inner_steps(self, call: cst.Call, depth: int = _DEPTH) -> Iterator[cst.Call]:
        """Yield a call itself if it is a part of a step, or those parts in the functions that it calls."""
        if self._is_step(call):
            yield call
        if not depth or self._is_compiled(call.func):
            return  # on some ways at least: `if fast: step = jax.jit(step)`
        for function in self._run_by(call):
            if not self._may_be_compiled(function):
                yield from self._steps_of(function, depth - 1)

    def _run_by(self, call: cst.Call) -> Iterator[Function]:
        """Yield the functions that a call runs as they are, also those which a visible function made and returned."""
        yield from (site.function for site in self._calls.of_node.get(id(call), ()) if not site.wrapped)
        for value in self._names.values(call.func):
            made = value.node if isinstance(value, Expression) else None
            if isinstance(made, cst.Call) and self._wrappings.of(made) is None:
                returned = self._calls.returned(made)
                if not any(map(self._is_compiled, returned)):  # an option may decide
                    yield from (function for node in returned for function in self._names.functions(node))

    def _steps_of(self, function: Function, depth: int) -> Iterator[cst.Call]:
        """Yield the parts of a step that a function runs once on each call; a loop within is the one that hurts.

        An evaluation to which few calls get comes now and then, beside the step.
        """
        if self._compiled.wrapper_of(function) is not None or self._contexts.is_changed_unseen(function):
            return
        for call in calls_in(function.node.body):
            if self._tree.context(call).loop is None:
                rare = is_reached_rarely(self._names, call)
                yield from (inner for inner in self._inner_steps(call, depth) if not (rare and self._is_forward(inner)))

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
        if iterable is not None and self._shows_progress(iterable):
            return True
        if iterable is not None and not any(last_name(call.func) in _COUNTING for call in calls_in(iterable)):
            return True
        parts = self._loops.parts_of_turn(loop)
        if any(map(self._arrays.reads_values, parts)):
            return True  # no trace has them
        return any(last_name(call.func) in _TELLING for part in parts for call in calls_in(part))

    def _shows_progress(self, iterable: cst.BaseExpression) -> bool:
        """Whether a bar shows people how far a loop is: it runs on the host, and takes its time."""
        return any(
            name.partition(".")[0] in _BARS for call in calls_in(iterable) for name in self._names.externals(call.func)
        )

    def _is_step(self, call: cst.Call) -> str:
        if _is_discarded(self._tree.parent(call)):
            return ""  # it is measured, or warmed up
        for name in _UPDATES:
            if name in self._names.externals(call.func):
                return name.replace("equinox.", "eqx.")
        if self._is_forward_pass(call) or self._is_evaluation(call):
            return last_name(call.func) or last_name(next(self._behind_maps(call.func), call.func))
        if isinstance(call.func, cst.Attribute):
            return self._is_step_of_object(call, call.func)
        return self._is_gradient(call)

    def _is_forward_pass(self, call: cst.Call) -> bool:
        """Whether an object is called that is a model of flax's nnx or of equinox, with layers of its own."""
        func = next(self._behind_maps(call.func), call.func)
        if not isinstance(func, (cst.Name, cst.Attribute)) or self._is_compiled(func):
            return False
        if self._models.is_declared(func) or (func is call.func and self._models.is_used_as_one(call)):
            return True
        classes = [self._names.instance_class(value) for value in self._names.values(func)]
        return bool(classes) and all(cls is not None and self._has_layers(cls) for cls in classes)

    def _is_evaluation(self, call: cst.Call) -> bool:
        """Whether a call evaluates, uncompiled, a function of the file that trains by its gradient elsewhere."""
        if not self._losses:
            return False
        func = next(self._behind_maps(call.func), call.func)
        functions = self._names.functions(func)
        if not functions or self._is_compiled(func) or self._is_compiled(call.func):
            return False
        return all(id(f) in self._losses and self._is_heavy(f) and self._fits_a_program(f) for f in functions)

    def _fits_a_program(self, function: Function) -> bool:
        """Whether a program can hold a function: one does elsewhere, or all that it does is visible and array code."""
        trace = self._tracing.trace(function)
        return (trace is not None and trace.hidden) or not self._hosted.is_out_of_reach(function)

    @functools.cached_property
    def _losses(self) -> frozenset[int]:
        """The functions whose gradient the file takes."""
        return frozenset(
            id(function)
            for wrapped in self._wrappings.all()
            if wrapped.wrapper.name in _GRADIENTS
            for function in self._names.functions(wrapped.targets[0])
            if not function.is_lambda
        )

    def _behind_maps(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield what `jax.vmap` maps, if that is what an expression is."""
        for value in self._names.values(node):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is not None and wrapped.wrapper.name in _MAPPED:
                yield wrapped.targets[0]

    def _has_layers(self, cls: Class) -> bool:
        """Whether a class is a module that calls two or more others when it is called, and compiles nothing."""
        if not any(name.endswith(MODULES) for name in self._names.base_names(cls)):
            return False
        method = self._names.method(cls, "__call__")
        if method is None or self._compiled.wrapper_of(method) or self._tracing.may_be_traced(method):
            return False
        return self._layers(cls, method) > 1

    def _layers(self, cls: Class, method: Function, depth: int = 2) -> int:
        """Return how many modules that an instance keeps a method calls, by way of other methods as well."""
        found = 0
        for node in within(method.node.body):
            func = node.func if isinstance(node, cst.Call) else None
            if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value == "self":
                own = self._names.method(cls, func.attr.value)
                found += 1 if own is None else self._layers(cls, own, depth - 1) if depth else 0
        return found

    def _is_step_of_object(self, call: cst.Call, func: cst.Attribute) -> str:
        """Return what a method does, if it is the update of an optimizer or the forward pass of a model."""
        name, owner = func.attr.value, func.value
        keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        if name == "apply_gradients" and "grads" in keywords:
            return f"{last_name(owner) or 'state'}.apply_gradients"
        if name == "update" and len(call.args) > 1 and self._comes_from(owner, "optax."):
            return f"{last_name(owner)}.update"
        if name == "apply" and call.args and self._is_applied(call, owner):
            return f"{last_name(owner)}.apply"
        if name == "apply_fn" and self._gives_variables(call) and not self._compiles_apply:
            return f"{last_name(owner) or 'state'}.apply_fn"
        return self._is_gradient(call)

    def _is_applied(self, call: cst.Call, owner: cst.BaseExpression) -> bool:
        """Whether the method `apply` of an object is the forward pass of a model."""
        if self._models.is_replaced(owner):
            return False
        if self._is_model(owner) or self._takes_variables(call, owner):
            return True
        return self._is_initialised(call, owner) or self._models.is_applied(call)

    def _is_initialised(self, call: cst.Call, owner: cst.BaseExpression) -> bool:
        """Whether the file makes the parameters of what is applied, `params = model.init(key, x)`: it is a model."""
        if self._names.externals(owner) or self._names.externals(call.func) or self._calls.callees(call):
            return False
        return next(_dotted_within(owner), "") in self._initialised

    @functools.cached_property
    def _initialised(self) -> frozenset[str]:
        """The names of the objects whose parameters the file makes, of a random key and an input."""
        return frozenset(
            next(_dotted_within(call.func.value), "")
            for call in self._tree.calls
            if isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "init"
            and len(call.args) > 1
            and not self._names.externals(call.func)
            and not self._calls.callees(call)
        ) - {""}

    def _takes_variables(self, call: cst.Call, owner: cst.BaseExpression) -> bool:
        """Whether a method `apply` is given a module's variables, as flax's are: `model.apply({"params": p}, x)`."""
        if self._names.externals(owner) or self._names.externals(call.func) or self._calls.callees(call):
            return False
        return any(self._is_of_variables(value) for value in self._names.values(call.args[0].value))

    @staticmethod
    def _is_of_variables(value: object) -> bool:
        node = value.node if isinstance(value, Expression) else None
        return isinstance(node, cst.Dict) and any(
            isinstance(element, cst.DictElement)
            and isinstance(element.key, cst.SimpleString)
            and element.key.evaluated_value == "params"
            for element in node.elements
        )

    def _gives_variables(self, call: cst.Call) -> bool:
        """Whether a call has a model's variables and an input, and no function for an object to apply."""
        given = [arg.value for arg in call.args]
        return len(given) > 1 and not isinstance(given[0], cst.Lambda) and not self._names.functions(given[0])

    @functools.cached_property
    def _compiles_apply(self) -> bool:
        """Whether the file compiles what a train state applies: `TrainState.create(apply_fn=jax.jit(model.apply))`."""
        return any(
            arg.keyword is not None and arg.keyword.value == "apply_fn" and self._is_compiled(arg.value)
            for call in self._tree.calls
            for arg in call.args
        )

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
        if self._is_compiled(call.func):
            return ""  # on some ways at least
        behind = [value for node in self._behind_maps(call.func) for value in self._names.values(node)]
        for value in (*self._names.values(call.func), *behind):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is None or wrapped.wrapper.name not in _GRADIENTS | _HIGHER:
                continue
            target, higher = wrapped.targets[0], wrapped.wrapper.name in _HIGHER
            if higher and not all(map(self._fits_a_program, self._names.functions(target))):
                continue  # a gradient is taken of losses, a Jacobian of anything
            if self._is_visible(target) and not self._is_compiled(target) and not self._only_calls_compiled(target):
                return wrapped.wrapper.name.removeprefix("flax.").replace("equinox.", "eqx.")
        return ""

    def _only_calls_compiled(self, node: cst.CSTNode) -> bool:
        """Whether a function is no more than a call of jitted ones, as `lambda p: loss(p, batch)` is."""
        functions = self._names.functions(node)
        return bool(functions) and all(
            not self._arrays.of_function(function)
            and self._arrays.calls_compiled(function.node.body)
            and all(self._is_compiled(call.func) for call in calls_in(function.node.body))
            for function in functions
        )

    def _is_visible(self, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
        """Whether an expression is a function of the project, of which jaxlint knows whether it is compiled."""
        if self._names.functions(node) or any(name in self._imports for name in self._names.externals(node)):
            return True
        return depth > 0 and any(self._is_visible(bound, depth - 1) for bound in self._with_arguments(node))

    def _with_arguments(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield what `functools.partial` binds arguments of, if that is what an expression is."""
        for value in self._names.values(node):
            wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
            if wrapped is not None and wrapped.wrapper.kind == "partial":
                yield wrapped.targets[0]

    def _is_compiled(self, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
        """Whether an expression is a jitted function, by a decorator or by `f = jax.jit(f)` before."""
        if any(self._compiled.wrapper_of(function) for function in self._names.functions(node)):
            return True
        if depth > 0 and any(self._is_compiled(bound, depth - 1) for bound in self._with_arguments(node)):
            return True
        imported = (self._imports.get(name) for name in self._names.externals(node))
        if any(known is not None and known.kind == "compiled" for known in imported):
            return True
        return any(
            (made := self._wrappings.of(value.node)) is not None and made.wrapper.compiles
            for value in self._names.values(node)
            if isinstance(value, Expression)
        )


def _is_discarded(statement: cst.CSTNode | None) -> bool:
    """Whether a statement does nothing with the value that it is around: `f(x)` or `_ = f(x)`."""
    targets = [target.target for target in statement.targets] if isinstance(statement, cst.Assign) else []
    names = [target.value if isinstance(target, cst.Name) else "" for target in targets]
    return isinstance(statement, cst.Expr) or (bool(names) and set(names) == {"_"})


def _given_to_maker(call: cst.Call) -> Iterator[cst.Arg]:
    """Yield what the function is made of that a call runs, if it is made on the spot: `jax.vmap(jax.grad(loss))(x)`."""
    made = call.func
    while isinstance(made, cst.Call):
        first = made.args[0].value if made.args else None
        inner = first if isinstance(first, cst.Call) else None
        yield from made.args[1:] if inner is not None else made.args
        made = inner if inner is not None else made.func


def _with_owners(names: Iterable[str]) -> Iterator[str]:
    """Yield dotted names, and what they are attributes of: `grads` of `grads.mean`."""
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _dotted_within(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names in an expression, with the attributes that are taken of them: `self.params`."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, cst.Attribute):
        base = next(_dotted_within(node.value), "")
        yield f"{base}.{node.attr.value}" if base else node.attr.value
    else:
        for child in children(node):
            yield from _dotted_within(child)
