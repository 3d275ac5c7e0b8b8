"""Who calls whom, within the module: for each function the call visible sites, and what they are in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Class, Context, Function, Parameter, Tree

_MOST_WRAPPERS = 3
"""So many wrappers around a function are looked through."""


@dataclass(frozen=True, slots=True, eq=False)
class CallSite:
    """One call of a visible function; `bound` says that the first parameter is the instance.

    `wrapped` says that the call goes through `jax.jit(f)` or a transform rather than to `f` itself.
    """

    node: cst.Call
    function: Function
    context: Context
    bound: bool
    wrapped: bool = False


class Calls:
    """The call graph of a module, as far as names show it.

    `obj.method(...)` of an unknown object counts as a call of a visible method where just one class has a method of
    that name.
    """

    def __init__(self, tree: Tree, names: Names, wrappings: Wrappings) -> None:
        self.names = names
        self._wrappings = wrappings
        self.sites: dict[int, list[CallSite]] = defaultdict(list)
        self.by_caller: dict[int | None, list[CallSite]] = defaultdict(list)
        self.of_node: dict[int, list[CallSite]] = {}
        self._methods: dict[str, list[Function]] = defaultdict(list)
        for cls in tree.classes:
            for method in cls.methods.values():
                self._methods[method.name].append(method)
        for call in tree.calls:
            context = tree.contexts[id(call)]
            found = [
                CallSite(call, function, context, bound, self._is_wrapped(call, context, function))
                for function, bound in self.callees(call)
            ]
            if found:
                self.of_node[id(call)] = found
            for site in found:
                self.sites[id(site.function)].append(site)
                self.by_caller[id(context.function) if context.function is not None else None].append(site)

        self._given: dict[int, Class | None] = {}
        names.given_class = self._class_given

    def _class_given(self, parameter: Parameter) -> Class | None:
        """Return the class of what all visible calls of a function give to a parameter, None where they differ."""
        key = id(parameter)
        if key not in self._given:
            self._given[key] = None  # what is passed on in a circle is told by the other calls
            found = set[int]()
            cls: Class | None = None
            for site in self.of(parameter.function) if parameter.default is None and not parameter.star else ():
                node = argument_of(site.node, parameter, bound=site.bound)
                values = self.names.values(node) if node is not None else ()
                classes = [self.names.instance_class(value) for value in values] or [None]
                found.update(id(one) for one in classes)
                cls = classes[0]
            self._given[key] = cls if len(found) == 1 else None
        return self._given[key]

    def of(self, function: Function) -> list[CallSite]:
        """Return the calls of a function."""
        return self.sites.get(id(function), [])

    def made_by(self, function: Function | None) -> list[CallSite]:
        """Return the calls that a function makes itself, not those of functions defined in it; None: module level."""
        return self.by_caller.get(id(function) if function is not None else None, [])

    def callees(self, call: cst.Call) -> list[tuple[Function, bool]]:
        """Return the visible functions that a call may run, each with whether the instance is passed implicitly."""
        found: list[tuple[Function, bool]] = []
        func = call.func
        for value in self.names.values(func):
            if isinstance(value, Function):
                found.append((value, isinstance(func, cst.Attribute) and self._is_bound(value, func)))
            elif isinstance(value, Class):
                init = self.names.method(value, "__init__") or self.names.method(value, "__post_init__")
                check = self.names.method(value, "__check_init__")
                found.extend((maker, True) for maker in (init, check) if maker is not None)
            else:
                cls = self.names.instance_class(value)
                method = self.names.method(cls, "__call__") if cls is not None else None
                if method is not None:
                    found.append((method, True))
                elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                    found.extend(self._behind_wrapper(value.node))
                elif isinstance(value, Expression) and value.node is func and isinstance(func, cst.Attribute):
                    same_name = self._methods.get(func.attr.value, ())
                    if len(same_name) == 1 and not func.attr.value.startswith("__") and not self._is_foreign(func):
                        found.extend((method, True) for method in same_name if not self._is_delegated(call, method))
        return found

    def returned(self, made: cst.Call) -> list[cst.BaseExpression]:
        """Return what the visible functions return that a call may run: `step` of `make_step(dt)`."""
        return [node for function, _ in self.callees(made) for node in function.returns]

    def _is_delegated(self, call: cst.Call, method: Function) -> bool:
        """Whether an object passes on to another one that it keeps, as a wrapper's `step` calls `self.env.step`."""
        context = self.names.tree.contexts.get(id(call))
        around = context.function if context is not None else None
        while around is not None:
            if around.cls is not None and around.cls is method.cls:
                return True
            around = around.outer
        return False

    def _is_foreign(self, func: cst.Attribute) -> bool:
        """Whether a method's object comes from a call of another library: `optax.adam(...)` has its own `init`."""
        return any(
            isinstance(value, Expression) and isinstance(value.node, cst.Call) and self.names.externals(value.node.func)
            for value in self.names.values(func.value)
        )

    def _is_wrapped(self, call: cst.Call, context: Context, function: Function) -> bool:
        if self._wrappings.of_function(function) or self._is_rebound(call.func, context, function):
            return True
        if isinstance(call.func, cst.Attribute) and self._is_replaced(call.func, function):
            return True
        return not any(value is function for value in self.names.values(call.func)) and any(
            isinstance(value, Expression) and isinstance(value.node, cst.Call) for value in self.names.values(call.func)
        )

    def _is_replaced(self, func: cst.Attribute, function: Function) -> bool:
        """Whether an object keeps a method in wrapped form under its name, `self.step = jax.jit(Model.step)`."""
        return any(
            any(behind is function for behind, _ in self._behind_wrapper(value.node))
            for value in self.names.values(func)
            if isinstance(value, Expression) and isinstance(value.node, cst.Call)
        )

    def _is_rebound(self, func: cst.BaseExpression, context: Context, function: Function) -> bool:
        """Whether an inner function calls a name that `f = jax.jit(f)` has replaced outside, in any case."""
        bindings = self.names.bindings(func) if isinstance(func, cst.Name) else []
        if len(bindings) != 2 or bindings[0].value is not function or bindings[0].context.branch:
            return False
        last = bindings[1]
        if last.context.branch or last.context.scope.frame is context.scope.frame:
            return False
        behind = self._behind_wrapper(last.value) if isinstance(last.value, cst.Call) else []
        return any(value is function for value, _ in behind)

    def _behind_wrapper(self, call: cst.Call, depth: int = _MOST_WRAPPERS) -> list[tuple[Function, bool]]:
        """Return the functions behind `jax.jit(f)`, `jax.grad(f)` and `jax.jit(jax.vmap(f))`: its calls are of `f`."""
        wrapped = self._wrappings.of(call)
        if wrapped is None or not wrapped.wrapper.keeps_arguments:
            return []
        target = wrapped.targets[0]
        found: list[tuple[Function, bool]] = []
        for value in self.names.values(target):
            if isinstance(value, Function):
                found.append((value, isinstance(target, cst.Attribute) and self._is_bound(value, target)))
            elif depth > 0 and isinstance(value, Expression) and isinstance(value.node, cst.Call):
                found.extend(self._behind_wrapper(value.node, depth - 1))
        return found

    def _is_bound(self, function: Function, func: cst.Attribute) -> bool:
        if function.cls is None or self.names.is_static(function):
            return False
        return self.names.is_classmethod(function) or not any(
            isinstance(base, Class) for base in self.names.values(func.value)
        )


def argument_of(call: cst.Call, parameter: Parameter, *, bound: bool) -> cst.BaseExpression | None:
    """Return the argument that a call gives to a parameter, None where it gives none that can be seen."""
    position = None if parameter.position is None else parameter.position - bound
    index = 0
    for arg in call.args:
        if arg.keyword is not None:
            if arg.keyword.value == parameter.name:
                return arg.value
        elif arg.star == "*":
            position = None  # what comes behind has no number
        elif not arg.star:
            if index == position:
                return arg.value
            index += 1
    return None
