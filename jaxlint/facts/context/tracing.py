"""Which functions run under trace, with the evidence, to a fixed point over the visible calls."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.incoming import SURE, Incoming
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.frameworks import BOUND_ONLY, COMPACT, DEFINES_RULES, is_module_base
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.names import Expression, Names, Value
from jaxlint.facts.syntax.tree import Class, Function, Parameter, Tree, kinds

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


BEHIND = ("__func__", "__wrapped__", "func")
"""Attributes by which a bound method, a wrapped function and a partial give the function behind them."""
_OPERATORS: dict[type[cst.CSTNode], str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.MatrixMultiply: "matmul",
    cst.BitAnd: "and",
    cst.BitOr: "or",
    cst.BitXor: "xor",
    cst.Minus: "neg",
    cst.BitInvert: "invert",
    cst.Not: "bool",
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
    cst.Equal: "eq",
    cst.NotEqual: "ne",
}
"""The methods that operators call, without their underscores."""
_ASKING = kinds(cst.Attribute, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript)
_UNTRACED_KINDS = ("partial", "host", "map-leaves")


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Why a function counts as traced.

    `node` is the wrapper's call or decorator, or the call in a traced caller; None for methods that a library's base
    class has traced and for functions that merely are in a traced one.  `compiled` says that a compiling wrapper in
    the code jaxlint sees is part of the chain, `staged` that something on it puts operations into one program, `hidden`
    that Python cannot have the values of arrays there, `whole` that this holds for captured arrays as well, which
    `vmap` leaves as they are.  `far` says that only another module traces it: what it is given
    there is not visible.
    """

    node: cst.CSTNode | None
    compiled: bool = False
    staged: bool = False
    hidden: bool = False
    far: bool = False
    whole: bool = False

    @property
    def kind(self) -> tuple[bool, bool, bool, bool, bool]:
        """What tells it from the other traces of a function: the more, the more it says."""
        return (self.compiled, self.staged, self.hidden, not self.far, self.whole)


_OUTSIDE = Trace(None)


class Tracing:
    """The traced functions of a module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._constants = facts.constants
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._incoming = facts.incoming
        self._traces: dict[int, dict[tuple[bool, ...], Trace]] = defaultdict(dict)
        self._direct: dict[int, list[Wrapped]] = defaultdict(list)
        self._host: set[int] = set()
        self._work: list[tuple[Function, Trace]] = []
        self._asked: dict[int, list[tuple[cst.CSTNode, Function]]] = {}
        self._nested: dict[int, list[Function]] = defaultdict(list)
        self._wrapped_in: dict[int, list[Wrapped]] = defaultdict(list)
        self._given: dict[int, set[tuple[bool, ...]]] = defaultdict(set)
        self._unseen_calls: dict[int, list[cst.Call]] = defaultdict(list)
        for call in facts.tree.calls:
            # Those of names and attributes that may be a parameter, or one of the function around.
            if id(call) not in facts.calls.of_node and (within := facts.tree.contexts[id(call)].function) is not None:
                self._unseen_calls[id(within)].append(call)
        for function in facts.tree.functions:
            if function.outer is not None:
                self._nested[id(function.outer)].append(function)
            if facts.names.needs_no_jax(function.context):
                self._host.add(id(function))
        wrapped = [item for item in facts.wrappings.all() if not self._is_unused(item)]
        for item in wrapped:
            if item.wrapper.kind == "host":
                self._host.update(id(f) for target in item.targets for f in self.functions_behind(target))
        for item in wrapped:
            context = facts.tree.context(item.node)
            if context.function is not None:
                self._wrapped_in[id(context.function)].append(item)
            self._apply(item)
        self._library_methods(facts.tree)
        self._rules_of_custom_derivatives(facts.tree)
        self._collectives(facts.tree)
        self._kernels(facts.tree, wrapped)
        self._properties, self._special = _asked_without_call(facts.tree, facts.names)
        self._perhaps: set[int] = set()
        perhaps = self._traced_elsewhere(facts.tree, facts.incoming)
        self._spread()
        self._spread_perhaps(perhaps)

    def trace(self, function: Function | None) -> Trace | None:
        """Return why a function counts as traced, by what says most of it; None where nothing visible does."""
        found = self.traces(function)
        return max(found, key=lambda trace: trace.kind) if found else None

    def traces(self, function: Function | None) -> list[Trace]:
        """Return all that traces a function, one of each kind: several callers may trace it in several ways."""
        found = self._traces.get(id(function)) if function is not None else None
        return list(found.values()) if found else []

    def is_only_mapped(self, function: Function | None) -> bool:
        """Whether Python has the values of what a function captures: what traces it hides only what it maps over."""
        found = self.traces(function)
        return any(trace.hidden for trace in found) and not any(trace.whole for trace in found)

    def is_traced(self, function: Function | None) -> bool:
        """Whether something visible traces the function; module level is never traced."""
        return self.trace(function) is not None

    def may_be_traced(self, function: Function | None) -> bool:
        """Whether another module calls, under trace, a method that may be this function, or one that calls it."""
        return function is not None and id(function) in self._perhaps

    def direct(self, function: Function) -> list[Wrapped]:
        """Return the wrappings that trace a function itself, not by way of a caller."""
        return self._direct.get(id(function), [])

    def functions_behind(self, target: cst.CSTNode) -> list[Function]:
        """Return the functions behind a traced argument, through partial, transforms and visible factories."""
        found: list[Function] = []
        seen: set[int] = set()
        work = [target]
        while work:
            node = work.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, cst.FunctionDef):
                function = self._names.tree.function_of.get(id(node))
                found.extend([function] if function is not None else [])
                continue
            for value in self._names.values(node):
                if isinstance(value, Function):
                    found.append(value)
                elif (method := self._call_method(value)) is not None:
                    found.append(method)
                elif isinstance(inner := getattr(value, "node", None), cst.Call):
                    work.extend(self._behind_call(inner))
        return found

    def _call_method(self, value: Value) -> Function | None:
        cls = value if isinstance(value, Class) else self._names.instance_class(value)
        return self._names.method(cls, "__call__") if cls is not None else None

    def _behind_call(self, call: cst.Call) -> list[cst.CSTNode]:
        wrapped = self._wrappings.of(call)
        if wrapped is not None:
            return list(wrapped.targets) if wrapped.wrapper.makes_callable else []
        return [returned for factory, _ in self._calls.callees(call) for returned in factory.returns]

    def _is_unused(self, wrapped: Wrapped) -> bool:
        """Whether a wrapper traces nothing: no code runs it, or its result has a name that nothing reads.

        Other modules may read names of the top level, unless this one calls the function itself beside them.
        """
        if self._constants.is_dead(wrapped.node):
            return True
        function = wrapped.decorated
        if function is not None:
            bindings = function.context.scope.bindings.get(function.name, ())
            used = any(self._names.uses(binding) for binding in bindings if binding.value is function)
            return function.outer is not None and function.cls is None and not used
        parent = self._tree.parent(wrapped.node)
        target = parent.targets[0].target if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
        if not isinstance(target, cst.Name) or not wrapped.wrapper.makes_callable:
            return False
        if self._names.uses_of_target(target):
            return False
        scope = self._tree.context(wrapped.node).scope.frame
        if scope.kind != "function" or target.value in scope.globals:
            called = (self._calls.of(function) for function in self._names.functions(wrapped.targets[0]))
            return scope.kind == "module" and any(not site.wrapped for sites in called for site in sites)
        return True

    def _apply(self, wrapped: Wrapped, within: Trace = _OUTSIDE) -> None:
        """Mark what a wrapper traces; `within` says what surrounds the wrapper."""
        wrapper = wrapped.wrapper
        if wrapper.kind in _UNTRACED_KINDS:
            return
        far = within.far and not wrapper.compiles
        trace = Trace(
            wrapped.node,
            within.compiled or wrapper.compiles,
            within.staged or wrapper.stages,
            within.hidden or wrapper.hides,
            far,
            within.whole or wrapper.hides_captured,
        )
        for target in wrapped.targets:
            for function in self.functions_behind(target):
                if wrapped not in self._direct[id(function)]:
                    self._direct[id(function)].append(wrapped)
                self._mark(function, trace)
            self._mark_parameters(target, trace)

    def _mark_parameters(self, node: cst.CSTNode, trace: Trace) -> None:
        """Mark what callers give to the parameters that an expression may be: a helper may compile what it is given."""
        if not trace.staged:
            return  # what a helper differentiates or maps, others may use as it is
        for parameter in self._parameters_behind(node):
            known = self._given[id(parameter)]
            if trace.kind in known:
                continue
            known.add(trace.kind)
            for site in self._calls.of(parameter.function):
                given = argument_of(site.node, parameter, bound=site.bound)
                if given is None:
                    continue
                for function in self.functions_behind(given):
                    self._mark(function, replace(trace, node=site.node))
                self._mark_parameters(given, trace)

    def _parameters_behind(self, node: cst.CSTNode) -> list[Parameter]:
        """Return the parameters that an expression may be, through `partial`, and through a method's `__func__`."""
        found: list[Parameter] = []
        seen: set[int] = set()
        work = [node]
        while work:
            current = work.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            for value in self._names.values(current):
                if isinstance(value, Parameter):
                    found.append(value)
                    continue
                inner = value.node if isinstance(value, Expression) else None
                if isinstance(inner, cst.Attribute) and inner.attr.value in BEHIND:
                    work.append(inner.value)
                elif isinstance(inner, cst.Call):
                    wrapped = self._wrappings.of(inner)
                    work.extend(wrapped.targets if wrapped is not None and wrapped.wrapper.makes_callable else ())
        return found

    def _library_methods(self, tree: Tree) -> None:
        for cls in tree.classes:
            bases = self._names.base_names(cls)
            if not any(is_module_base(name) for name in bases):
                continue
            bound = any(base.endswith(BOUND_ONLY) for base in bases)
            for name, method in cls.methods.items():
                if self._names.is_static(method):
                    continue
                compact = any(n.rpartition(".")[2] in COMPACT for n in self._names.decorator_names(method))
                if name in ("__call__", "setup") or compact or (bound and not name.startswith("__")):
                    self._mark(method, Trace(None))

    def _traced_elsewhere(self, tree: Tree, incoming: Incoming) -> list[Function]:
        """Mark what other modules trace for sure; return what they may trace."""
        perhaps = []
        for function in tree.functions if incoming.functions else ():
            outside = incoming.functions.get(function.qualname)
            if outside is None or function.is_lambda:
                continue
            if outside.traced == SURE:
                self._mark(
                    function,
                    Trace(None, outside.compiled, outside.staged, outside.hidden, far=True, whole=outside.hidden),
                )
            elif outside.traced:
                perhaps.append(function)
        return perhaps

    def _spread_perhaps(self, work: list[Function]) -> None:
        while work:
            function = work.pop()
            if id(function) in self._perhaps or self.is_traced(function) or id(function) in self._host:
                continue
            self._perhaps.add(id(function))
            work.extend(site.function for site in self._calls.made_by(function))
            work.extend(self._nested.get(id(function), ()))

    def _rules_of_custom_derivatives(self, tree: Tree) -> None:
        for call in tree.calls:
            func = call.func
            if func.__class__ is cst.Attribute and func.attr.value in DEFINES_RULES:
                for arg in call.args:
                    for function in self.functions_behind(arg.value):
                        self._mark(function, Trace(call))
        for function in tree.functions:
            if any(name.rpartition(".")[2] in DEFINES_RULES for name in self._names.decorator_names(function)):
                self._mark(function, Trace(None))

    def _collectives(self, tree: Tree) -> None:
        """Mark what uses a named axis by its literal name, or in any case, which only a mapped function has.

        pmap and shard_map, which give axes their names, stage; so is vmap wherever it names one.
        """
        for call in self._names.calls_of(arrays.COLLECTIVES.__contains__):
            function = tree.contexts[id(call)].function
            if function is not None and (names_axis(call) or guards.is_always_reached(tree, call)):
                self._mark(function, Trace(call, staged=True, whole=True))

    def _kernels(self, tree: Tree, wrapped: list[Wrapped]) -> None:
        """Mark what works within a Pallas kernel alone, and what passes that to a loop of jax, which is in it too."""
        inside = dict[int, Function]()
        for call in self._names.calls_of(arrays.is_kernel_only):
            function = tree.contexts[id(call)].function
            if function is not None:
                inside[id(function)] = function
        for item in wrapped if inside else ():
            around = tree.context(item.node).function
            if item.wrapper.kind != "control-flow" or around is None:
                continue
            if any(id(function) in inside for target in item.targets for function in self.functions_behind(target)):
                inside.setdefault(id(around), around)
        for function in inside.values():
            self._mark(function, Trace(None, staged=True, whole=True))

    def _mark(self, function: Function, trace: Trace) -> None:
        known = self._traces[id(function)] if id(function) not in self._host else None
        if known is not None and trace.kind not in known:
            known[trace.kind] = trace
            self._work.append((function, trace))

    def _spread(self) -> None:
        """From traced functions to what they call, to what they wrap, and to what is defined in them."""
        while self._work:
            function, trace = self._work.pop()
            for site in self._calls.made_by(function):
                if not guards.keeps_traces_out(self._names.tree, site.node):
                    self._mark(site.function, replace(trace, node=site.node))
            for call in self._unseen_calls.get(id(function), ()):
                if not guards.keeps_traces_out(self._names.tree, call):
                    self._mark_parameters(call.func, replace(trace, node=call))
            for wrapped in self._wrapped_in.get(id(function), ()):
                self._apply(wrapped, within=trace)
            for node, method in self._asked_in(function):
                if not guards.keeps_traces_out(self._names.tree, node):
                    self._mark(method, replace(trace, node=node))
            for nested in self._nested.get(id(function), ()):
                self._mark(nested, replace(trace, node=None))

    def _asked_in(self, function: Function) -> list[tuple[cst.CSTNode, Function]]:
        """Return the properties, and the methods behind operators, of visible classes that a function asks for."""
        if not self._properties and not self._special:
            return []
        if id(function) not in self._asked:
            self._asked[id(function)] = [
                (node, method) for node in self._tree.body(function) if (method := self._asked_by(node)) is not None
            ]
        return self._asked[id(function)]

    def _asked_by(self, node: cst.CSTNode) -> Function | None:
        if node.__class__ not in _ASKING:
            return None
        if isinstance(node, cst.Attribute):
            if node.attr.value not in self._properties or id(node) not in self._tree.contexts:
                return None
            values = self._names.values(node)
            return values[0] if len(values) == 1 and isinstance(values[0], Function) else None
        asked: cst.BaseExpression | None = None
        name: str | None = None
        if isinstance(node, cst.BinaryOperation):
            asked, name = node.left, _OPERATORS.get(type(node.operator))
        elif isinstance(node, cst.UnaryOperation):
            asked, name = node.expression, _OPERATORS.get(type(node.operator))
        elif isinstance(node, cst.Comparison):
            operator = node.comparisons[0].operator
            asked, name = node.left, _OPERATORS.get(type(operator))
            if isinstance(operator, (cst.In, cst.NotIn)):
                asked, name = node.comparisons[0].comparator, "contains"
        elif isinstance(node, cst.Subscript) and id(node) in self._tree.contexts:
            asked, name = node.value, "getitem"
        if asked is None or name not in self._special:
            return None
        classes = [self._names.instance_class(value) for value in self._names.values(asked)]
        return self._names.method(classes[0], f"__{name}__") if len(classes) == 1 and classes[0] is not None else None


def _asked_without_call(tree: Tree, names: Names) -> tuple[set[str], set[str]]:
    """Return the names of the properties of a module's classes, and those of the operators that they define."""
    properties, special = set[str](), set[str]()
    known = {*_OPERATORS.values(), "contains", "getitem"}
    for cls in tree.classes:
        for name, method in cls.methods.items():
            if method.decorators and "property" in names.decorator_names(method):
                properties.add(name)
            elif name[:2] == "__" and name[2:-2] in known:
                special.add(name[2:-2])
    return properties, special


def names_axis(collective: cst.Call) -> bool:
    """Whether a collective is given the literal name of its axis, as only what is mapped under that name can be."""
    return any(isinstance(arg.value, cst.BaseString) for arg in collective.args)
