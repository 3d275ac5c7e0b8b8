"""Which functions run under trace, with the evidence, to a fixed point over the calls in sight."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from jaxlint.facts.calls import Calls
from jaxlint.facts.names import Names
from jaxlint.facts.tree import Class, Function, Tree
from jaxlint.facts.wrapping import Wrapped, Wrappings

MODULE_BASES = (
    "flax.linen.Module",
    "flax.nnx.Module",
    "flax.experimental.nnx.Module",
    "haiku.Module",
    "equinox.Module",
)
"""Base classes whose `__call__` is meant to be traced by whoever uses the module."""

_COMPACT = ("flax.linen.compact", "flax.linen.nowrap", "haiku.transparent")
_DEFINES_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap", "defpartial"})


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Why a function counts as traced.

    `node` is the wrapper's call or decorator, or the call in a traced caller; `wrapped` is the wrapping behind it,
    None for methods that a library's base class has traced.  `compiled` says that a compile wrapper in sight is part
    of the chain; without it the function is traced only when something out of sight compiles it.
    """

    node: cst.CSTNode | None
    wrapped: Wrapped | None
    caller: Function | None
    compiled: bool


class Tracing:
    """The traced functions of a module."""

    def __init__(self, tree: Tree, names: Names, wrappings: Wrappings, calls: Calls) -> None:
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._traces: dict[int, Trace] = {}
        self.host: set[int] = set()
        self._work: list[Function] = []
        self._nested: dict[int, list[Function]] = {}
        for function in tree.functions:
            if function.outer is not None:
                self._nested.setdefault(id(function.outer), []).append(function)
        wrapped = [w for items in wrappings.decorators.values() for w in items]
        wrapped += [w for call in tree.calls if (w := wrappings.of(call)) is not None]
        for item in wrapped:
            if item.wrapper.kind == "host":
                self.host.update(id(f) for target in item.targets for f in self._functions(target))
        # Compiling wrappers first: the first evidence found for a function is kept.
        for item in sorted(wrapped, key=lambda w: not w.wrapper.compiles):
            self._start(item)
        self._library_methods(tree)
        self._rules_of_custom_derivatives(tree)
        self._spread()

    def trace(self, function: Function | None) -> Trace | None:
        """Return why a function counts as traced, None where nothing in sight says so."""
        return self._traces.get(id(function)) if function is not None else None

    def is_traced(self, function: Function | None) -> bool:
        """Whether something in sight traces the function; module level is never traced."""
        return self.trace(function) is not None

    def _start(self, wrapped: Wrapped) -> None:
        kind = wrapped.wrapper.kind
        if kind in ("partial", "host", "map-leaves"):
            return
        for target in wrapped.targets:
            for function in self._functions(target):
                self._mark(function, Trace(wrapped.node, wrapped, None, wrapped.wrapper.compiles))

    def _functions(self, target: cst.CSTNode) -> list[Function]:
        """Return the functions behind a traced argument, through partial, transforms and factories in sight."""
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
                    continue
                if isinstance(value, Class):
                    call = self._names.method(value, "__call__")
                    found.extend([call] if call is not None else [])
                    continue
                cls = self._names.instance_class(value)
                if cls is not None:
                    call = self._names.method(cls, "__call__")
                    found.extend([call] if call is not None else [])
                    continue
                inner = getattr(value, "node", None)
                if not isinstance(inner, cst.Call):
                    continue
                wrapped = self._wrappings.of(inner)
                if wrapped is not None and wrapped.wrapper.makes_callable:
                    work.extend(wrapped.targets)
                elif wrapped is None:
                    for factory, _ in self._calls.callees(inner):
                        work.extend(factory.returns)
        return found

    def _library_methods(self, tree: Tree) -> None:
        for cls in tree.classes:
            if not any(_is_module_base(name) for name in self._names.base_names(cls)):
                continue
            for name, method in cls.methods.items():
                compact = any(n in _COMPACT for n in self._names.decorator_names(method))
                if name == "__call__" or compact or name == "setup":
                    self._mark(method, Trace(None, None, None, False))

    def _rules_of_custom_derivatives(self, tree: Tree) -> None:
        for call in tree.calls:
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in _DEFINES_RULES:
                for arg in call.args:
                    for function in self._functions(arg.value):
                        self._mark(function, Trace(call, None, None, False))
        for function in tree.functions:
            if any(name.rpartition(".")[2] in _DEFINES_RULES for name in self._names.decorator_names(function)):
                self._mark(function, Trace(None, None, None, False))

    def _mark(self, function: Function, trace: Trace) -> None:
        known = self._traces.get(id(function))
        if id(function) in self.host or (known is not None and (known.compiled or not trace.compiled)):
            return
        self._traces[id(function)] = trace
        self._work.append(function)

    def _spread(self) -> None:
        """From traced functions to what they call and to what is defined in them."""
        while self._work:
            function = self._work.pop()
            trace = self._traces[id(function)]
            for site in self._calls.made_by(function):
                self._mark(site.function, Trace(site.node, trace.wrapped, function, trace.compiled))
            for nested in self._nested.get(id(function), ()):
                self._mark(nested, Trace(None, trace.wrapped, function, trace.compiled))


def _is_module_base(name: str) -> bool:
    if name in MODULE_BASES:
        return True
    # `from flax import linen as nn` resolves; a re-export such as `mylib.nn.Module` is known by its ending.
    return name.endswith((".nn.Module", ".linen.Module", ".nnx.Module", ".hk.Module"))
