"""What runs outside any trace, and how sure that is."""

from __future__ import annotations

import enum
import functools

import libcst as cst

from jaxlint.facts.calls import Calls
from jaxlint.facts.incoming import HIGH, NOTHING, Incoming
from jaxlint.facts.loops import Loops
from jaxlint.facts.names import Names
from jaxlint.facts.runs import Runs
from jaxlint.facts.tracing import Tracing
from jaxlint.facts.tree import Function, Tree, last_name, within
from jaxlint.facts.wrapping import Wrappings
from jaxlint.settings import ENTRY_POINTS

_HOST_CALLS = frozenset({"float", "int", "print", "bool", "plot", "imshow", "savefig", "scatter", "hist"})
_HARMLESS = ("functools.", "abc.", "typing", "contextlib.", "dataclasses.", "chex.", "jaxtyping.", "beartype", "click.")
"""Decorators that leave a function as it is: the beginnings of their dotted names."""


class Eagerness(enum.Enum):
    """How sure it is that a place runs outside any trace.

    HIGH: the chain of calls starts at module level, in a function that runs once, or the value is used on the host.
    MEDIUM: the place, or a call of its function, stands in a Python loop.  LOW: nobody in sight calls it, so that its
    callers may well trace it: 62 of 592 labelled places were fine for that reason alone.  TRACED: a trace reaches it.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    TRACED = "traced"


class Eager:
    """Tells what runs eagerly."""

    def __init__(
        self,
        tree: Tree,
        names: Names,
        wrappings: Wrappings,
        calls: Calls,
        tracing: Tracing,
        runs: Runs,
        loops: Loops,
        incoming: Incoming = NOTHING,
    ) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._calls = calls
        self._tracing = tracing
        self._runs = runs
        self._incoming = incoming
        self._loops = loops

    def eagerness(self, node: cst.CSTNode) -> Eagerness:
        """Return how sure it is that a place runs outside any trace."""
        context = self._tree.context(node)
        function = context.function
        if self._tracing.is_traced(function) or self._demands_trace(function):
            return Eagerness.TRACED
        if function is None or self._is_entry(function) or self._used_on_host(node):
            return Eagerness.HIGH
        if self._may_be_wrapped(function):
            return Eagerness.LOW
        chain = self._chain(function)
        if chain is Eagerness.HIGH:
            return chain
        if self._tracing.may_be_traced(function):
            return Eagerness.LOW
        called = self._calls.of(function) or function.qualname in self._incoming.functions
        looped = context.loop is not None and self._loops.is_work(context.loop)
        if looped and (called or self._is_script):
            return Eagerness.MEDIUM
        return chain

    def _is_entry(self, function: Function) -> bool:
        """Whether a function is where a program starts, so that nothing traces it.

        Functions named after initialisation run once as well, but in a library whoever calls them may trace them: they
        count in scripts and at their name's word (`# jaxlint: once`) only.
        """
        if not self._runs.is_run_once(function):
            return False
        if function.outer is not None or function.cls is not None:
            return False
        if self._is_script:
            return True
        # In a library `run` and `train` may be a step of what other functions do.
        return function.name.lstrip("_") in ENTRY_POINTS and not any(
            site.context.function not in (None, function) for site in self._calls.of(function)
        )

    def _demands_trace(self, function: Function | None) -> bool:
        """Whether a function raises an error unless something traces it."""
        if function is None or function.is_lambda or not isinstance(function.node.body, cst.IndentedBlock):
            return False
        return any(
            isinstance(node, cst.If)
            and isinstance(node.test, cst.UnaryOperation)
            and isinstance(node.test.operator, cst.Not)
            and isinstance(node.test.expression, cst.Call)
            and last_name(node.test.expression.func) == "isinstance"
            and last_name(node.test.expression.args[-1].value) == "Tracer"
            and any(
                isinstance(part, cst.SimpleStatementLine) and isinstance(part.body[0], cst.Raise)
                for part in node.body.body
            )
            for node in function.node.body.body
        )

    @functools.cached_property
    def _is_script(self) -> bool:
        """Whether the module runs something by itself: it tests `__name__`."""
        return any(isinstance(self._tree.parent(node), cst.Comparison) for node in self._tree.loads.get("__name__", ()))

    def _chain(self, function: Function) -> Eagerness:
        """Follow the callers of a function up to where the chain starts."""
        level, work, seen = Eagerness.LOW, [function], set[int]()
        while work:
            current = work.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            if self._may_be_wrapped(current):
                continue
            outside = self._incoming.functions.get(current.qualname)
            if outside is not None and outside.eager:
                if outside.eager == HIGH:
                    return Eagerness.HIGH
                level = Eagerness.MEDIUM
            for site in self._calls.of(current):
                caller = site.context.function
                if site.wrapped or caller is current or self._tracing.is_traced(caller):
                    continue
                if caller is None or self._is_entry(caller):
                    return Eagerness.HIGH
                if site.context.loop is not None and self._loops.is_work(site.context.loop):
                    level = Eagerness.MEDIUM
                work.append(caller)
        return level

    def _may_be_wrapped(self, function: Function) -> bool:
        """Whether a decorator from another file, of which nothing is known, may compile the function."""
        for decorator in function.decorators:
            called = decorator.func if isinstance(decorator, cst.Call) else decorator
            if self._wrappings.wrapping(decorator) is not None:
                continue
            if any(not name.startswith(_HARMLESS) for name in self._names.externals(called)):
                return True
        return False

    def _used_on_host(self, node: cst.CSTNode) -> bool:
        """Whether what a place gives goes straight to `float`, `print` or a plot, or is read by `.item()`."""
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.Call) and parent is not node and parent.func is not child:
                if last_name(parent.func) in _HOST_CALLS and not self._names.externals(parent.func):
                    return True
            elif isinstance(parent, cst.Attribute) and parent.attr.value in ("item", "tolist"):
                return True
            elif isinstance(parent, cst.Assign) and len(parent.targets) == 1:
                return self._name_used_on_host(parent.targets[0].target)
            elif isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
                return False
            child = parent
        return False

    def _name_used_on_host(self, target: cst.CSTNode) -> bool:
        return isinstance(target, cst.Name) and any(map(self._in_host_call, self._names.uses_of_target(target)))

    def _in_host_call(self, node: cst.CSTNode) -> bool:
        child = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, cst.Call) and parent.func is not child:
                return last_name(parent.func) in _HOST_CALLS and not self._names.externals(parent.func)
            if isinstance(parent, cst.CompFor):
                return any(last_name(c.func) in _HOST_CALLS for c in self._calls_around(parent))
            if isinstance(parent, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
                return False
            child = parent
        return False

    def _calls_around(self, node: cst.CSTNode) -> list[cst.Call]:
        """Return the calls in a comprehension, and those around it."""
        holder = self._tree.parent(node)
        nodes = (*self._tree.ancestors(node), *(within(holder) if holder is not None else ()))
        return [part for part in nodes if isinstance(part, cst.Call)]
