"""In which contexts functions run: dispatched by Python, transformed, staged, or unknown.

A context is a set.  A function that a jitted one calls and that a script calls as well runs in both, and neither wins:
each rule names the contexts that its claim needs.  What counts as evidence of eager code is a chain of plain calls that
starts at module level or where a program starts; of staged code, a wrapper that stages somewhere above.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import CallSite
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.incoming import HIGH
from jaxlint.facts.jax_api.frameworks import BOUND_ONLY
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Function
from jaxlint.settings import ENTRY_POINTS

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_HARMLESS = ("functools.", "abc.", "typing", "contextlib.", "dataclasses.", "chex.", "jaxtyping.", "beartype", "click.")
"""Decorators that leave a function as it is: the beginnings of their dotted names."""
_BUILTINS = frozenset({"property", "staticmethod", "classmethod"})
_STORING = (cst.Return, cst.Assign, cst.AnnAssign, cst.Element, cst.DictElement, cst.Arg)
_RUNS_AT_ONCE = ("map-leaves", "control-flow", "inspect")


class Contexts(enum.Flag):
    """A set of contexts.

    EAGER: each operation is dispatched by itself.  TRANSFORMED: grad, vmap, vjp, jacfwd, hessian or eval_shape trace it
    from eager code: nothing is staged, and whatever compiles inside compiles again.  STAGED: a compiler sees it.
    UNKNOWN: nothing visible calls or traces it, or something traces it whose own context is not visible.
    """

    NONE = 0
    EAGER = enum.auto()
    TRANSFORMED = enum.auto()
    STAGED = enum.auto()
    UNKNOWN = enum.auto()


DISPATCHED = Contexts.EAGER | Contexts.TRANSFORMED
"""Where Python dispatches each operation."""


@dataclass(frozen=True, slots=True)
class Known:
    """The contexts of a function, and why: a few words for each, in the order of the flags."""

    contexts: Contexts
    reasons: tuple[str, ...]


class FunctionContexts:
    """Tells the contexts of the functions of a module; `is_run_once` says what runs once a process."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._is_run_once = facts.is_run_once
        self._incoming = facts.incoming
        self._travelling: dict[int, bool] = {}

    def of(self, function: Function | None) -> Contexts:
        """Return the contexts of a function; module level is eager."""
        return self.known(function).contexts

    def known(self, function: Function | None) -> Known:
        """Return the contexts of a function, with the reasons."""
        if function is None:
            return Known(Contexts.EAGER, ("it is at module level",))
        found, why = self.dispatched(function), list[str]()
        if Contexts.EAGER in found:
            why.append("the program calls it outside any trace")
        if Contexts.TRANSFORMED in found:
            why.append("a transform that compiles nothing traces it")
        traces = self._tracing.traces(function)
        if any(trace.staged for trace in traces):
            found |= Contexts.STAGED
            why.append("something that compiles traces it")
        if not found:
            found = Contexts.UNKNOWN
            why.append("what traces it may be compiled" if traces else "nothing visible calls it from a known context")
        elif self._tracing.may_be_traced(function):
            found |= Contexts.UNKNOWN
            why.append("a method of its name is called under trace")
        return Known(found, tuple(why))

    def dispatched(self, function: Function | None) -> Contexts:
        """Return which of EAGER and TRANSFORMED a function runs in for sure."""
        if function is None:
            return Contexts.EAGER
        return self._dispatched.get(id(function), Contexts.NONE)

    def is_traced_only(self, function: Function | None) -> bool:
        """Whether something traces a function, and nothing visible runs it outside any compiled program."""
        return self._tracing.is_traced(function) and not self.dispatched(function)

    def travels(self, function: Function) -> bool:
        """Whether a function is returned, stored or passed to what is not visible, so that others may compile it."""
        known = self._travelling.get(id(function))
        if known is None:
            known = self._travelling[id(function)] = not function.is_lambda and any(
                self._goes_on(node)
                for node in self._tree.loads.get(function.name, ())
                if any(value is function for value in self._names.values(node))
            )
        return known

    def _goes_on(self, node: cst.Name) -> bool:
        parent = self._tree.parent(node)
        if isinstance(parent, (cst.Attribute, cst.Decorator)) or (isinstance(parent, cst.Call) and parent.func is node):
            return False
        call = self._tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if not isinstance(call, cst.Call):
            return isinstance(parent, _STORING)
        if self._tree.context(node).function is None and isinstance(self._tree.parent(call), cst.Assign):
            return False  # another function is made of it, beside which it is there to be called
        # What wrappers and visible functions do with it is followed.
        return self._wrappings.of(call) is None and not self._calls.callees(call)

    def is_staged(self, function: Function | None) -> bool:
        """Whether a compiler sees a function, in one of its contexts."""
        return any(trace.staged for trace in self._tracing.traces(function))

    # Eager code, from where programs start

    @functools.cached_property
    def _dispatched(self) -> dict[int, Contexts]:
        found: dict[int, Contexts] = {}
        work: list[Function] = []

        def add(function: Function, contexts: Contexts) -> None:
            known = found.get(id(function), Contexts.NONE)
            if contexts & ~known and not self.is_compiled(function) and not self._works_bound_only(function):
                found[id(function)] = known | contexts
                work.append(function)

        for function in self._tree.functions:
            outside = self._incoming.functions.get(function.qualname)
            if self.is_entry(function) or (outside is not None and outside.eager == HIGH):
                add(function, Contexts.EAGER)
        for callee, contexts in self._run_by(None, Contexts.EAGER):
            add(callee, contexts)
        while work:
            function = work.pop()
            for callee, contexts in self._run_by(function, found[id(function)]):
                add(callee, contexts)
        return found

    def _run_by(self, function: Function | None, contexts: Contexts) -> Iterator[tuple[Function, Contexts]]:
        """Yield what a function runs without a compiler, with the contexts in which it does."""
        for site in self._calls.made_by(function):
            if not self._may_stage(site) and not self.is_rather_traced(site):
                yield site.function, Contexts.TRANSFORMED if self._is_transformed(site) else contexts
        for wrapped in self._wrapped_in.get(id(function), ()):
            wrapper = wrapped.wrapper
            if wrapper.kind not in _RUNS_AT_ONCE or wrapper.stages:
                continue
            for target in wrapped.targets:
                for value in self._names.values(target):
                    if isinstance(value, Function):
                        yield value, contexts if wrapper.kind == "map-leaves" else Contexts.TRANSFORMED

    def is_rather_traced(self, site: CallSite) -> bool:
        """Whether a call may be of something else than a function that is traced elsewhere.

        `run = fast if compiled else slow` runs what the author compiles, and `self.step` is that of a subclass.
        """
        if not self._tracing.is_traced(site.function):
            return False
        if len(self._calls.of_node.get(id(site.node), ())) > 1:
            return True
        outside = self._incoming.functions.get(site.function.qualname)
        elsewhere = outside is not None and outside.overridden
        return site.bound and (elsewhere or id(site.function) in self._overridden)

    @functools.cached_property
    def _overridden(self) -> set[int]:
        """The methods of which a subclass in the module has its own, or an instance: `x.step = jax.jit(x.step)`."""
        found = set[int]()
        for wrapped in self._wrappings.calls.values():
            parent = self._tree.parent(wrapped.node)
            target = parent.targets[0].target if isinstance(parent, cst.Assign) else None
            if wrapped.wrapper.stages and isinstance(target, cst.Attribute):
                behind = self._tracing.functions_behind(wrapped.targets[0])
                found.update(id(f) for f in behind if f.cls is not None and f.name == target.attr.value)
        for cls in self._tree.classes:
            for base in self._names.mro(cls)[1:]:
                found.update(id(base.methods[name]) for name in cls.methods if name in base.methods)
        return found

    @functools.cached_property
    def _wrapped_in(self) -> dict[int, list[Wrapped]]:
        found: dict[int, list[Wrapped]] = {}
        for wrapped in self._wrappings.calls.values():
            found.setdefault(id(self._tree.context(wrapped.node).function), []).append(wrapped)
        return found

    def _is_transformed(self, site: CallSite) -> bool:
        """Whether a call goes through `jax.grad(f)` or the like, on the spot or by a decorator."""
        if self._wrappings.of_function(site.function):
            return True
        return site.function not in self._names.functions(site.node.func)

    def _may_stage(self, site: CallSite) -> bool:
        """Whether a call runs, or may run, a compiled form: `jax.jit(f)(x)`, or `g = jax.jit(f) if fast else f`."""
        return any(
            isinstance(made := getattr(value, "node", None), cst.Call) and self._makes_staged(made, site.function)
            for value in self._names.values(site.node.func)
        )

    def _makes_staged(self, call: cst.Call, function: Function) -> bool:
        """Whether a call gives a function in compiled form: by a wrapper, by wrappers around it, by an unknown one."""
        seen: set[int] = set()
        work: list[cst.CSTNode] = [call]
        while work:
            current = work.pop()
            if id(current) in seen or not isinstance(current, cst.Call):
                continue
            seen.add(id(current))
            wrapped = self._wrappings.of(current)
            if wrapped is None:
                # What a function of which nothing is known makes of the one that it is given may well be compiled.
                if any(function in self._names.functions(arg.value) for arg in current.args):
                    return True
                continue
            if wrapped.wrapper.stages:
                return True
            for target in wrapped.targets:
                work.extend(value.node for value in self._names.values(target) if isinstance(value, Expression))
        return False

    def is_compiled(self, function: Function) -> bool:
        """Whether a decorator compiles a function, or may: one from another file of which nothing is known."""
        stages = any(wrapped.wrapper.stages for wrapped in self._wrappings.of_function(function))
        return stages or self.is_changed_unseen(function)

    def is_changed_unseen(self, function: Function) -> bool:
        """Whether a decorator of which nothing is known, from another file, may make something else of a function."""
        for decorator in function.decorators:
            called = decorator.func if isinstance(decorator, cst.Call) else decorator
            if self._wrappings.wrapping(decorator) is not None:
                continue
            names = self._names.externals(called)
            if any(not name.startswith(_HARMLESS) for name in names) or not (names or self._is_known(called)):
                return True
        return False

    def _is_known(self, node: cst.BaseExpression) -> bool:
        """Whether the file or Python binds what a decorator is taken from; else `from other import *` brings it."""
        while isinstance(node, cst.Attribute):
            node = node.value
        return not isinstance(node, cst.Name) or node.value in _BUILTINS or bool(self._names.bindings(node))

    def _works_bound_only(self, function: Function) -> bool:
        """Whether a method works within its library's `apply` alone, which may be compiled."""
        if function.cls is None or (function.name.startswith("__") and function.name != "__call__"):
            return False
        return any(base.endswith(BOUND_ONLY) for base in self._names.base_names(function.cls))

    def is_entry(self, function: Function) -> bool:
        """Whether a function is where a program starts, so that nothing traces it.

        Functions named after initialisation run once as well, but in a library whoever calls them may trace them: they
        count in scripts and at their name's word (`# jaxlint: once`) only.
        """
        if not self._is_run_once(function):
            return False
        if function.outer is not None or function.cls is not None:
            return False
        if self._tracing.is_traced(function):
            return False
        if self._tree.is_script:
            return True
        # In a library `run` and `train` may be a step of what other functions do.
        return function.name.lstrip("_") in ENTRY_POINTS and not any(
            site.context.function not in (None, function) for site in self._calls.of(function)
        )
