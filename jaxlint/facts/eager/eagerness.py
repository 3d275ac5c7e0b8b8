"""What runs outside any trace, and how sure that is."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.contexts import DISPATCHED, Contexts
from jaxlint.facts.incoming import HIGH
from jaxlint.facts.syntax.tree import Function, last_name, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_HOST_CALLS = frozenset({"float", "int", "print", "bool", "plot", "imshow", "savefig", "scatter", "hist"})
_SELECTING = frozenset({"jax.lax.cond", "jax.lax.switch"})


class Eagerness(enum.Enum):
    """How sure it is that a place runs outside any trace.

    HIGH: a chain of plain calls starts at module level or where a program starts, or the value is used on the host.
    MEDIUM: the place, or a call of its function, is in a Python loop.  LOW: nothing visible calls it, so that its
    callers may well trace it: 62 of 592 labelled places were fine for that reason alone.  TRACED: a trace reaches it,
    and nothing visible runs it outside a compiled program as well.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    TRACED = "traced"


class Eager:
    """Tells what runs eagerly."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._contexts = facts.contexts
        self._incoming = facts.incoming
        self._loops = facts.loops

    def eagerness(self, node: cst.CSTNode) -> Eagerness:
        """Return how sure it is that a place runs outside any trace."""
        context = self._tree.context(node)
        function = context.function
        if self._contexts.is_traced_only(function) or self._demands_trace(function):
            return Eagerness.TRACED
        if function is None or self._contexts.of(function) & DISPATCHED or self._used_on_host(node):
            return Eagerness.HIGH
        if self._contexts.is_compiled(function):
            return Eagerness.LOW
        if self.starts_unseen(function):
            return Eagerness.LOW
        chain = self._chain(function)
        if self._tracing.may_be_traced(function):
            return Eagerness.LOW
        called = self._calls.of(function) or function.qualname in self._incoming.functions
        looped = context.loop is not None and self._loops.is_work(context.loop)
        if looped and (called or self._tree.is_script):
            return Eagerness.MEDIUM
        return chain

    def is_selection(self, call: cst.Call, name: str) -> bool:
        """Whether a `cond` or a `switch` by values that `vmap` maps over runs under it alone.

        Then both branches run, operation by operation, and a `select` takes the results: nothing compiles each time.
        """
        function = self._tree.context(call).function
        if function is None or name not in _SELECTING or Contexts.EAGER in self._contexts.dispatched(function):
            return False
        if not any(trace.hidden and not trace.staged for trace in self._tracing.traces(function)):
            return False
        return bool(call.args) and any(
            isinstance(part, cst.Name) and part.value in function.scope.bindings for part in within(call.args[0].value)
        )

    def starts_unseen(self, function: Function) -> bool:
        """Whether what runs a function is called by others: a function that nothing visible calls, and that travels."""
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            outside = self._incoming.functions.get(current.qualname)
            if outside is not None and outside.unseen and outside.eager < HIGH:
                return True
            callers = [site.context.function for site in self._calls.of(current)]
            if not callers and self._contexts.travels(current):
                return True
            work.extend(caller for caller in callers if caller is not None)
        return False

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

    def _chain(self, function: Function) -> Eagerness:
        """Say whether a function, or one of its callers, is called in a loop in which a program may spend its time."""
        level, work, seen = Eagerness.LOW, [function], set[int]()
        while work:
            current = work.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            if self._contexts.is_compiled(current):
                continue
            outside = self._incoming.functions.get(current.qualname)
            if outside is not None and outside.eager:
                level = Eagerness.MEDIUM
            for site in self._calls.of(current):
                caller = site.context.function
                if site.wrapped or caller is None or caller is current or self._contexts.is_traced_only(caller):
                    continue
                if self._contexts.is_rather_traced(site):
                    continue
                if site.context.loop is not None and self._loops.is_work(site.context.loop):
                    level = Eagerness.MEDIUM
                work.append(caller)
        return level

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
