"""Eager code that ought to be compiled: arrays that grow, steps of training; and compiled names left unused."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts import arrays
from jaxlint.facts.calls import Calls
from jaxlint.facts.compiled import CompiledCalls
from jaxlint.facts.eager_arrays import EagerArrays
from jaxlint.facts.glance import OPTIMISERS
from jaxlint.facts.lengths import JOINING, calls_in, is_empty_list
from jaxlint.facts.loops import Loops
from jaxlint.facts.names import Expression, Names
from jaxlint.facts.tracing import Tracing
from jaxlint.facts.tree import Function, Loop, Tree, last_name
from jaxlint.facts.wrapping import Wrapped, Wrappings

_JOINING = frozenset(f"jax.numpy.{name}" for name in JOINING)
_CHANGING = frozenset({"append", "remove", "pop", "extend", "insert"})
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
_SET_UP = re.compile(r"_*(init|setup|build|create|make|reset)(_|$)")
_FEWEST_TURNS = 10
_TRAINING = re.compile(r"(^|_)(fit|train|learn|pretrain|finetune|main|run)|optimi[sz]e|minimi[sz]e", re.IGNORECASE)
"""Names of functions that train."""
_COUNTING = frozenset({"range", "trange", "arange", "count"})
_TELLING = frozenset({"print", "info", "debug", "write", "set_postfix", "set_description", "float", "item"})
_FEWEST_OPERATIONS = 5
"""Operations of an objective from which it is worth to be compiled."""

_OPTIMISERS = frozenset(f"scipy.optimize.{name}" for name in OPTIMISERS)
_DERIVATIVES = ("jac", "fprime", "hess", "hessp")


@dataclass(frozen=True, slots=True, eq=False)
class Growing:
    """A place where an array, or what is made of a list, has another length in each turn of a loop.

    `what` says in words what happens to `name`.  `loop` is None for what each call of a method makes longer.
    """

    node: cst.CSTNode
    name: str
    what: str
    loop: Loop | None


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A loop that takes gradients or applies updates eagerly in each turn.

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
    """A call of an optimiser of SciPy, and in words what it is given to call again and again, uncompiled."""

    node: cst.Call
    name: str
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
        arrays: EagerArrays,
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._tracing = tracing
        self._loops = loops
        self._compiled = compiled
        self._arrays = arrays

    # Growing arrays

    @functools.cached_property
    def growing(self) -> list[Growing]:
        """What grows outside any trace, where no compiled function receives it."""
        found: dict[int, Growing] = {}
        for call in self._tree.calls:
            context = self._tree.context(call)
            if _JOINING.isdisjoint(self._names.externals(call.func)):
                continue
            growing = self._growing_attribute(call)
            if growing is None and not self._tracing.is_traced(context.function):
                growing = self._growing_name(call) or self._growing_list(call)
            if growing is not None and id(call) not in found:
                found[id(call)] = growing
        for growing in self._operands_by_list():
            found.setdefault(id(growing.node), growing)
        return list(found.values())

    def _growing_name(self, call: cst.Call) -> Growing | None:
        """Return `x = jnp.concatenate([x, ...])` in a loop."""
        loop, target = self._tree.context(call).loop, self._target(call)
        if loop is None or not isinstance(target, cst.Name) or self._loops.is_small(loop):
            return None
        name = target.value
        if not self._joins(call, target) or self._is_received(name, loop) or self._is_cut(target, loop):
            return None
        return Growing(call, name, f"`{name}` grows in each turn of the loop", loop)

    def _growing_attribute(self, call: cst.Call) -> Growing | None:
        """Return `self.x = jnp.concatenate([self.x, ...])` in a method that is there to be called again."""
        target, context = self._target(call), self._tree.context(call)
        function = context.function
        if not isinstance(target, cst.Attribute) or function is None or not self._joins(call, target):
            return None
        if self._tracing.is_traced(function) and not self._tracing.runs_eagerly_too(function):
            return None
        if function.cls is None or function.name.startswith(("__", "setup", "init", "reset", "build")):
            return None
        stores = self._names.stores(function.cls, target.attr.value)
        if any(isinstance(value, cst.Subscript) and value.value.deep_equals(target) for value, _ in stores):
            return None  # cut to a length again
        name = f"self.{target.attr.value}"
        return Growing(call, name, f"`{name}` grows in each call of `{function.name}`", context.loop)

    def _growing_list(self, call: cst.Call) -> Growing | None:
        """Return `jnp.stack(parts)` in a loop that appends to `parts`."""
        loop = self._tree.context(call).loop
        if loop is None or not call.args or not isinstance(call.args[0].value, cst.Name) or self._loops.is_small(loop):
            return None
        name = call.args[0].value
        bindings = [b for b in self._names.bindings(name) if b.kind != "parameter"]
        outside = bool(bindings) and not any(
            b.context.loop is not None and b.context.loop.inside(loop) for b in bindings
        )
        changes = self._changes(name, loop)
        if not outside or changes != {"append"} or self._stands_under_if(call, loop):
            return None
        return Growing(call, name.value, f"`{name.value}` is longer in each turn of the loop", loop)

    def _operands_by_list(self) -> Iterator[Growing]:
        """Yield `x[indices]` as an operand, in a loop that makes the list `indices` longer or shorter."""
        for call in self._tree.calls:
            context = self._tree.context(call)
            loop = context.loop
            if loop is None or self._tracing.is_traced(context.function):
                continue
            if not any(arrays.is_operation(name) for name in self._names.externals(call.func)):
                continue
            for arg in call.args:
                root = _list_index(arg.value)
                outer = loop.outer if loop.outer is not None else loop
                if root is not None and self._changes(root, outer) and self._is_list(root):
                    what = f"the list `{root.value}` that indexes it has another length in each turn"
                    yield Growing(arg.value, root.value, what, loop)

    def _is_list(self, name: cst.Name) -> bool:
        """Whether a name is bound to a list that is empty, or to one of such."""
        for value in self._names.values(name):
            node = value.node if isinstance(value, Expression) else None
            if is_empty_list(node) or (isinstance(node, cst.ListComp) and is_empty_list(node.elt)):
                return True
        return False

    def _changes(self, name: cst.Name, loop: Loop) -> set[str]:
        """Return the methods by which a loop changes the length of a list, or of an element of it."""
        found = set()
        for use in self._tree.loads.get(name.value, ()):
            context = self._tree.context(use)
            if context.loop is None or not context.loop.inside(loop):
                continue
            attribute = self._tree.parent(use)
            if isinstance(attribute, cst.Subscript):
                attribute = self._tree.parent(attribute)
            if isinstance(attribute, cst.Del):
                found.add("del")
            call = self._tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
            if isinstance(call, cst.Call) and call.func is attribute and last_name(call.func) in _CHANGING | {"clear"}:
                found.add(last_name(call.func))
        return found

    def _stands_under_if(self, node: cst.CSTNode, loop: Loop) -> bool:
        """Whether something is done in some turns only."""
        for parent in self._tree.ancestors(node):
            if parent is loop.node:
                return False
            if isinstance(parent, (cst.If, cst.IfExp)):
                return True
        return False

    def _target(self, call: cst.Call) -> cst.BaseExpression | None:
        """Return what the result of a call is stored under, None for anything but one name or attribute."""
        parent = self._tree.parent(call)
        if not isinstance(parent, cst.Assign) or len(parent.targets) != 1:
            return None
        target = parent.targets[0].target
        if isinstance(target, cst.Attribute) and not (
            isinstance(target.value, cst.Name) and target.value.value == "self"
        ):
            return None
        return target

    def _joins(self, call: cst.Call, target: cst.BaseExpression) -> bool:
        """Whether a call joins, as a whole, what it has given in the turn before.

        A slice of it keeps a window of one length, and what each turn binds anew does not grow.
        """
        names = {name.rpartition(".")[2] for name in self._names.externals(call.func)}
        if "stack" in names:
            return False
        work = [arg.value for arg in call.args]
        if "append" not in names:
            work = [node for node in work if isinstance(node, (cst.List, cst.Tuple))]
        while work:
            node = work.pop()
            if isinstance(node, (cst.List, cst.Tuple)):
                work.extend(element.value for element in node.elements)
            elif isinstance(node, (cst.Name, cst.Attribute)) and node.deep_equals(target):
                bindings = self._names.bindings(node) if isinstance(node, cst.Name) else ()
                return isinstance(node, cst.Attribute) or any(binding.value is call for binding in bindings)
        return False

    def _is_cut(self, target: cst.Name, loop: Loop) -> bool:
        """Whether a turn cuts an array to a length again, as `x = x[-n:]` does."""
        for binding in self._tree.context(target).scope.frame.bindings.get(target.value, ()):
            inside = binding.context.loop is not None and binding.context.loop.inside(loop)
            if inside and isinstance(binding.value, cst.Subscript) and binding.value.value.deep_equals(target):
                return True
        return False

    def _is_received(self, name: str, loop: Loop) -> bool:
        for call in self._compiled.calls:
            if call.context.loop is None or not call.context.loop.inside(loop):
                continue
            if any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args):
                return True
        return False

    # Objectives

    @functools.cached_property
    def objectives(self) -> list[Objective]:
        """The calls of SciPy's optimisers that are given uncompiled gradients, or an objective of many operations."""
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
                if self._is_heavy(function):
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
            if wrapped.wrapper.name in _GRADIENTS | _HIGHER:
                functions = self._names.functions(wrapped.targets[0])
                if not any(self._compiled.wrapper_of(function) for function in functions):
                    return wrapped.wrapper.name
        return ""

    # Steps

    @functools.cached_property
    def steps(self) -> list[Step]:
        """The innermost loops that run a step of training eagerly."""
        found: dict[int, Step] = {}
        for loop in self._tree.loops:
            function = loop.context.function
            if self._tracing.is_traced(function) or (function is not None and _SET_UP.match(function.name)):
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
            if not site.wrapped and not self._tracing.is_traced(site.function):
                # A loop within is the one that hurts.
                own = (s for s in calls_in(site.function.node.body) if self._tree.context(s).loop is None)
                yield from (inner for inner in own if self._is_step(inner))

    def _trains(self, loop: Loop) -> bool:
        function = loop.context.function
        if function is None or _TRAINING.search(function.name):
            return True
        iterable = loop.iterable
        if iterable is not None and not any(last_name(call.func) in _COUNTING for call in calls_in(iterable)):
            return True
        parts = self._loops.parts_of_turn(loop)
        return any(last_name(call.func) in _TELLING for part in parts for call in calls_in(part))

    def _is_step(self, call: cst.Call) -> str:
        if isinstance(self._tree.parent(call), cst.Expr):
            return ""  # what is thrown away is measured, or warmed up
        if "optax.apply_updates" in self._names.externals(call.func):
            return "optax.apply_updates"
        if isinstance(call.func, cst.Attribute):
            return self._is_step_of_object(call, call.func)
        return self._is_gradient(call)

    def _is_step_of_object(self, call: cst.Call, func: cst.Attribute) -> str:
        """Return what a method does, if it is the update of an optimiser or the forward pass of a model."""
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


def _list_index(node: cst.BaseExpression) -> cst.Name | None:
    """Return the list of `x[indices]`, `x[indices[:]]` or `x[lists[k][:],]`."""
    if not isinstance(node, cst.Subscript):
        return None
    index = node.slice[0].slice
    part: cst.BaseExpression | None = index.value if isinstance(index, cst.Index) else None
    if isinstance(part, cst.Call) and last_name(part.func) in ("array", "asarray") and part.args:
        part = part.args[0].value
    while isinstance(part, cst.Subscript):
        part = part.value
    return part if isinstance(part, cst.Name) else None
