"""Why a finding is as sure as it is, in words: what supports it and against it, each with the place that shows it.

`evidence.py` says what counts; this says it to people.  It is asked for findings that are shown, and for no others.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from jaxlint.facts.context.contexts import Contexts
from jaxlint.facts.evidence.confidence import Doubt, Evidence
from jaxlint.facts.incoming import Outside
from jaxlint.facts.syntax.tree import Function, Loop
from jaxlint.finding import Impact, Place

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.context.tracing import Trace
    from jaxlint.facts.module import ModuleFacts

At: TypeAlias = cst.CSTNode | Place | None
"""What shows it: a node of this file, a line of another one, or nothing that has a place."""
_MOST_CALLERS = 20
_UNDER_TRACE = (Impact.ERROR, Impact.COMPILE_TIME)
"""What costs something under trace; everything else does outside."""
_OF_LOOPS = frozenset(
    {
        Doubt.OWN_PROGRAM,
        Doubt.CASES,
        Doubt.SETTING,
        Doubt.LENGTH,
        Doubt.UNCOUNTED,
        Doubt.MAY_BE_LIST,
        Doubt.MEASURED,
        Doubt.FEW,
        Doubt.IMMATERIAL,
        Doubt.BESIDE,
        Doubt.SHAPES,
        Doubt.OUTSIDE,
        Doubt.LIBRARY,
        Doubt.OBJECT,
    }
)
_OF_TARGETS = frozenset({Doubt.ONE_SHOT, Doubt.UNSEEN, Doubt.SOMETIMES, Doubt.GIVEN})


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing that supports a finding, or against it."""

    message: str
    speaks_for: bool
    at: At = None


class Reasons:
    """Puts evidence into words."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts

    def of(self, node: cst.CSTNode, evidence: Evidence, impact: Impact | None) -> list[Ground]:
        """Return the reasons for a finding at a node, what supports it first."""
        context = self._facts.tree.context(node)
        function = context.function
        found: list[Ground] = []
        if evidence.error:
            found.append(Ground("it fails wherever it runs under trace", speaks_for=True))
        if impact in _UNDER_TRACE:
            found += self._traced(function)
        else:
            if evidence.in_loop and context.loop is not None:
                found.append(Ground("it is in a loop", speaks_for=True, at=_header(context.loop)))
            if function is not None:
                found += self._repeated(function)
            found += self._run(function)
        if evidence.run_once and not (evidence.in_loop or evidence.repeated or evidence.error):
            found.append(Ground("its function runs once per process", speaks_for=False, at=self._name(function)))
        if evidence.test and not evidence.error:
            found.append(Ground("it is in a test or a benchmark", speaks_for=False, at=self._name(function)))
        for doubt in sorted(evidence.doubts, key=lambda doubt: doubt.name):
            found.append(Ground(doubt.value, speaks_for=False, at=self._of_doubt(doubt, node)))
        return found

    # For

    def _repeated(self, function: Function) -> Iterator[Ground]:
        again = self._facts.runs.repeating(function)
        if isinstance(again, Outside):
            yield Ground(f"`{function.name}` is called in a loop, perhaps by way of others", True, again.looper)
        elif again is not None:
            through = "" if again.function is function else f", by way of `{again.function.name}`"
            yield Ground(f"`{_called(function)}` is called in a loop{through}", True, again.node)

    def _run(self, function: Function | None) -> Iterator[Ground]:
        """Say where the calls start that run a function without a compiler."""
        if function is None:
            yield Ground("it is at module level", speaks_for=True)
        elif Contexts.EAGER in self._facts.contexts.dispatched(function):
            if self._facts.contexts.is_entry(function):
                yield Ground(f"a program starts with `{function.name}`", True, self._name(function))
                return
            at = self._start(function)
            if at is not None:
                yield Ground(f"the program reaches `{_called(function)}` from here, outside any trace", True, at)

    def _start(self, function: Function) -> At:
        """Return the call at module level, or in a function that a program starts with, that leads to a function."""
        work, seen = [function], set[int]()
        while work and len(seen) < _MOST_CALLERS:
            current = work.pop(0)
            if id(current) in seen:
                continue
            seen.add(id(current))
            outside = self._outside(current)
            if outside is not None and outside.eager and outside.runner is not None:
                return outside.runner
            for site in self._facts.calls.of(current):
                caller = site.context.function
                if caller is None or self._facts.contexts.is_entry(caller):
                    return site.node
                work.append(caller)
        return None

    def _traced(self, function: Function | None) -> Iterator[Ground]:
        """Say what traces a function, from the wrapper on."""
        trace = self._facts.tracing.trace(function)
        if function is None or trace is None:
            return
        start, above = self._wrapper(function, trace)
        outside = self._outside(above) if start is None else None
        if isinstance(start, cst.CSTNode):
            wrapper = self._facts.short_code(start.func if isinstance(start, cst.Call) else start)
            through = "" if above is function else f", by way of `{above.name}`"
            yield Ground(f"`{wrapper}` traces `{_called(function)}`{through}", speaks_for=True, at=start)
        elif outside is not None and outside.tracer is not None:
            how = "compiled" if outside.compiled else "traced"
            yield Ground(f"`{_called(above)}` runs in what is {how} here", speaks_for=True, at=outside.tracer)
        elif trace.far:
            yield Ground(f"code in another file traces `{_called(above)}`", speaks_for=True, at=self._name(above))
        elif above.cls is not None:
            yield Ground(f"the library of its base class traces `{above.name}`", True, above.cls.node.name)

    def _wrapper(self, function: Function, trace: Trace) -> tuple[cst.CSTNode | None, Function]:
        """Return the wrapper where a trace starts, if it is in this file, and the function that it traces."""
        current, seen = function, set[int]()
        while id(current) not in seen:
            seen.add(id(current))
            if trace.node is not None and id(trace.node) in self._wrappers:
                return trace.node, current
            caller = self._facts.tree.context(trace.node).function if trace.node is not None else current.outer
            above = self._facts.tracing.trace(caller)
            if caller is None or above is None or (trace.node is None and (trace.far or current.outer is None)):
                break
            current, trace = caller, above
        return None, current

    @functools.cached_property
    def _wrappers(self) -> set[int]:
        return {id(wrapped.node) for wrapped in self._facts.wrappings.all()}

    # Against

    def _of_doubt(self, doubt: Doubt, node: cst.CSTNode) -> At:
        """Return the place that shows a doubt, None where there is none."""
        facts = self._facts
        function = facts.tree.context(node).function
        if doubt in _OF_LOOPS:
            return self._loop(node)
        if doubt in _OF_TARGETS:
            return self._target(node)
        if doubt is Doubt.REUSED:
            return self._reuse(node)
        if doubt in (Doubt.OPTION, Doubt.SCALARS):
            tests = (above.test for above in facts.tree.ancestors(node) if isinstance(above, (cst.If, cst.IfExp)))
            return next(tests, None)
        if function is None:
            return None
        outside = self._outside(function)
        if doubt is Doubt.FAR:
            return outside.tracer if outside is not None else None
        if doubt in (Doubt.CALLED_ONCE, Doubt.OMITTED):
            sites = facts.calls.of(function)
            return sites[0].node if sites else outside.caller if outside is not None else None
        if doubt is Doubt.EAGER_TOO:
            eager = (s.node for s in facts.calls.of(function) if facts.contexts.dispatched(s.context.function))
            return next(eager, outside.runner if outside is not None else None)
        return None

    def _loop(self, node: cst.CSTNode) -> At:
        if isinstance(node, (cst.For, cst.While, cst.CompFor)):
            return _bound(node)
        loop = self._facts.tree.context(node).loop
        if loop is not None:
            return _header(loop)
        function = self._facts.tree.context(node).function
        again = self._facts.runs.repeating(function) if function is not None else None
        return again.looper if isinstance(again, Outside) else again.node if again is not None else None

    def _site(self, node: cst.CSTNode) -> CompileSite | None:
        known = (*self._facts.sites, *self._facts.factory_calls)
        return next((site for site in known if site.node is node), None)

    def _target(self, node: cst.CSTNode) -> At:
        site = self._site(node)
        root = site.target.root if site is not None else None
        return self._facts.name_node(root) if root is not None else None

    def _reuse(self, node: cst.CSTNode) -> At:
        site = self._site(node)
        calls = site.fate.calls if site is not None else ()
        return calls[-1] if calls else None

    # Places

    def _outside(self, function: Function) -> Outside | None:
        return self._facts.incoming.functions.get(function.qualname)

    def _name(self, function: Function | None) -> At:
        return self._facts.name_node(function) if function is not None else None


def _called(function: Function) -> str:
    return "the lambda" if function.is_lambda else function.name


def _header(loop: Loop) -> cst.CSTNode:
    return _bound(loop.node)


def _bound(node: cst.For | cst.While | cst.CompFor) -> cst.CSTNode:
    """Return what says how often a loop runs, which is a line, where the loop is many."""
    return node.test if isinstance(node, cst.While) else node.iter
