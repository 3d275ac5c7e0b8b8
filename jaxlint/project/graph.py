"""Who calls, passes on and wraps whom in a project, and what follows from it, to a fixed point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from jaxlint.facts.context import surroundings
from jaxlint.facts.incoming import CASES, HIGH, STEPS, Outside
from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.jax_api.wrappers import Wrapper
from jaxlint.facts.summary import record as records
from jaxlint.facts.summary.record import GUARDED, HOST_LOOP, RULES, Key
from jaxlint.finding import Place
from jaxlint.project.values import Value, Values, traced_places
from jaxlint.settings import ENTRY_POINTS

_UNTRACED_KINDS = ("partial", "host", "map-leaves", "register")


class Trace(NamedTuple):
    """How sure it is that a function is traced (2 sure, 1 perhaps), and how: see `Trace` of the facts."""

    level: int
    compiled: bool = False
    staged: bool = False
    hidden: bool = False

    def within(self, wrapper: Wrapper) -> Trace:
        """Return how a wrapper's target is traced, where this is how what is around the wrapper is."""
        return Trace(2, self.compiled or wrapper.compiles, self.staged or wrapper.stages, self.hidden or wrapper.hides)


class At(NamedTuple):
    """A line of a module, by the module's number."""

    module: int
    row: int


class _Edge(NamedTuple):
    """A call: the node that is called, the loop that the call is in (0, LOOP or HOST_LOOP), and its place.

    `guarded` says that a test for tracers keeps traces out, `sole` that the call can be of nothing else, `steps` that
    the loop does the same again in each iteration, `nested` that one around it does so, too.
    """

    target: int
    loop: int
    at: At
    guarded: bool = False
    sole: bool = True
    steps: bool = False
    nested: bool = False


def _edge_to(target: int, loop: int, at: At, *, sole: bool) -> _Edge:
    """Return a call in a loop as records write it."""
    flags = (bool(loop & flag) for flag in (records.STEPS, records.NESTED))
    return _Edge(target, loop % GUARDED, at, bool(loop & GUARDED), sole, *flags)


class _Call(NamedTuple):
    """A call from the side of what is called."""

    caller: int
    loop: int
    at: At
    steps: bool
    nested: bool


class Graph:
    """Functions, parameters and methods of a name are nodes, by number; functions come first, numbered as in `Values`.

    A parameter represents the functions that it is given, a method of a class for those of all its subclasses.
    """

    def __init__(self, values: Values, entries: Iterable[str] = ()) -> None:
        self._values = values
        self._entries = frozenset(entries)
        self._functions = values.functions
        self._module_of = list(values.module_of)
        self._count = len(self._functions)
        self.calls: dict[int, list[_Edge]] = defaultdict(list)
        self._callers: dict[int, list[_Call]] = defaultdict(list)
        self._guesses: dict[int, list[str]] = defaultdict(list)
        self._parameters: dict[tuple[int, str], int] = {}
        self._owner: dict[int, int] = {}
        self._virtual: dict[tuple[int, str], int] = {}
        self._parameter_calls: dict[int, list[_Edge]] = defaultdict(list)
        self._handed: dict[int, list[int]] = defaultdict(list)
        self._given: dict[int, list[tuple[int, At]]] = defaultdict(list)
        self._wrapped: dict[int, list[tuple[Wrapper, int, At]]] = defaultdict(list)
        self._nested: dict[int, list[int]] = defaultdict(list)
        self._host: set[int] = set()
        self._spared: frozenset[int] = frozenset()
        self._escapes: dict[int, set[int]] = defaultdict(set)
        self._replaced = {
            node
            for module, item in enumerate(values.modules)
            for ref in item.exports.replaced
            for value in values.evaluate(module, ref)
            for node in self._behind(value)
        }
        self._replaced |= {edge.target for node in self._replaced for edge in self.calls.get(node, ())}
        for function in range(self._count):
            self._read(function)
        self._traces: dict[int, Trace] = {}
        self._traced_at: dict[int, At] = {}
        self._from_elsewhere: dict[int, tuple[Trace, At]] = {}
        self._sources: dict[str, tuple[Trace, list[int]]] = {}
        self._work: list[int] = []
        self._is_example = [surroundings.is_example_file(module.name) for module in values.modules]
        self._is_test_module = [surroundings.is_test_file(item.name, item.settings) for item in values.modules]
        self._tests = [self._is_test(function) for function in range(self._count)]
        self._tests += [False] * (len(self._module_of) - self._count)
        self._eager: dict[int, int] = {}
        self._eager_at: dict[int, At] = {}
        self._repeated: dict[int, At] = {}
        self._trace(tests=False)
        self._spread_eagerness()
        self._unseen = self._spread_unseen()
        self._stepped = self._spread_loops(lambda _, edge: edge.steps)
        self._cased = self._spread_loops(lambda module, edge: bool(edge.loop) and not self._is_example[module])
        # That a test traces a function says that it can be traced, not that others do: what programs run eagerly is
        # eager for all that.
        self._spared = frozenset(function for function, level in self._eager.items() if level == HIGH)
        self._trace(tests=True)
        self._once: dict[int, bool] = {}
        self._guessed = self._guessed_names()

    # Edges

    def _read(self, function: int) -> None:
        known, module = self._values, self._module_of[function]
        record = self._functions[function]
        first = known.first[module]
        refs = known.modules[module].exports.refs
        if record.outer > 0:
            self._nested[first + record.outer].append(function)
        for ref, loop, row in record.calls:
            at = At(module, row)
            values = known.evaluate(module, ref)
            sole = len(values) == 1 and not loop & records.OTHERS
            # `self.step = jax.jit(self.step)`: what an instance calls by that name is the compiled one.
            compiled = any(value[0] == "w" and value[1].stages for value in values)
            for value in values:
                alone = (not compiled if value[0] == "o" else sole) and self._replaced.isdisjoint(self._behind(value))
                self._call(function, value, loop, at, sole=alone)
            attribute = refs[ref][-1] if refs[ref][0] in ("a", "?") else None
            if attribute is not None and (not values or all(value[0] in ("x", "p") for value in values)):
                self._guesses[function].append(attribute)
        for callee, key, arg, row in record.passes:
            for value in known.evaluate(module, callee):
                self._pass(function, value, key, known.evaluate(module, arg), At(module, row))
        around = first + record.outer if record.outer > 0 else first
        for ref in record.decorators:
            for value in known.evaluate(module, ref):
                self._pass(around, value, 0, (("f", function),), At(module, record.row))

    def _call(self, function: int, value: Value, loop: int, at: At, *, sole: bool) -> None:
        known = self._values
        if value[0] == "f":
            self._edge(function, value[1], loop, at, sole=sole)
        elif value[0] == "c":
            for name in CONSTRUCTORS:
                method = known.method(value[1], name)
                if method is not None:
                    self._edge(function, method, loop, at)
        elif value[0] == "i":
            for found in known.member_of_instance(value[1], "__call__", value[2]):
                if found[0] in ("f", "o"):
                    self._call(function, found, loop, at, sole=sole)
        elif value[0] == "o":
            self._edge(function, self._any_of(value[1], value[2]), loop, at, sole=sole)
        elif value[0] == "w" and not value[1].stages:
            # `jax.grad(f)(x)` runs f; what a jitted one runs is compiled by itself.
            for target in value[2]:
                self._call(function, target, loop, at, sole=sole)
        elif value[0] == "p":
            parameter = self._parameter(value[1], value[2])
            self._parameter_calls[function].append(_edge_to(parameter, loop, at, sole=sole))

    def _edge(self, caller: int, callee: int, loop: int, at: At, *, sole: bool = True) -> None:
        edge = _edge_to(callee, loop, at, sole=sole)
        self.calls[caller].append(edge)
        self._callers[callee].append(_Call(caller, edge.loop, at, edge.steps, edge.nested))

    def _any_of(self, cls: int, name: str) -> int:
        """Return the node that represents a method of that name in whatever subclass an instance is of."""
        key = (cls, name)
        node = self._virtual.get(key)
        if node is None:
            node = self._virtual[key] = len(self._module_of)
            self._module_of.append(_NOWHERE)
            overrides = list(self._values.overrides(cls, name))
            for method in overrides:
                self._edge(node, method, 0, _UNPLACED, sole=len(overrides) == 1)
        return node

    def _parameter(self, function: int, name: str) -> int:
        key = (function, name)
        node = self._parameters.get(key)
        if node is None:
            node = self._parameters[key] = len(self._module_of)
            self._module_of.append(self._module_of[function])
            self._owner[node] = function
        return node

    def _pass(self, function: int, callee: Value, key: Key, values: Iterable[Value], at: At) -> None:
        known, module = self._values, self._module_of[function]
        if callee[0] == "x":
            if callee[1] == RULES:
                self._wraps(function, _RULES, values, at)
                return
            wrapper = known.tables[module].get(callee[1])
            if wrapper is not None and str(key) in traced_places(wrapper.traces):
                self._wraps(function, wrapper, values, at)
            return
        target = callee[1] if callee[0] == "f" else None
        if callee[0] == "c":
            target = known.method(callee[1], "__init__")
        elif callee[0] == "i":
            target = known.method(callee[1], "__call__")
        if target is None:
            return
        name = known.parameter(target, key)
        if name is None:
            return
        parameter = self._parameter(target, name)
        for value in values:
            for behind in self._behind(value):
                self._given[parameter].append((behind, at))
                self._handed[behind].append(parameter)
                self._escapes[behind].add(module)

    def _wraps(self, function: int, wrapper: Wrapper, values: Iterable[Value], at: At) -> None:
        for value in values:
            for target in self._behind(value):
                if wrapper.kind == "host":
                    self._host.add(target)
                elif wrapper.kind not in _UNTRACED_KINDS:
                    self._wrapped[function].append((wrapper, target, at))
                self._escapes[target].add(self._module_of[function])

    def _behind(self, value: Value) -> Iterator[int]:
        """Yield the nodes behind a function that is passed on or wrapped."""
        if value[0] == "f":
            yield value[1]
        elif value[0] == "p":
            yield self._parameter(value[1], value[2])
        elif value[0] == "w":
            for target in value[2]:
                yield from self._behind(target)
        elif value[0] == "i":
            for found in self._values.member_of_instance(value[1], "__call__", value[2]):
                if found[0] in ("f", "o"):
                    yield from self._behind(found)
        elif value[0] == "o":
            yield self._any_of(value[1], value[2])

    # Traces

    def _trace(self, *, tests: bool) -> None:
        """Follow what wrappers trace, in tests or elsewhere."""
        for function, wrapped in list(self._wrapped.items()):
            if self._tests[function] is tests:
                for wrapper, target, at in wrapped:
                    self._mark(target, _UNTRACED.within(wrapper), at.module, at)
        for function, cls in () if tests else self._values.traced_by_libraries:
            at = At(self._values.classes[cls][0], self._values.class_record(cls).row)
            self._mark(function, Trace(2), at.module, at)
        for function, record in enumerate(self._functions):
            if record.mapped:
                # pmap and shard_map, which give axes their names, stage.
                module = self._module_of[function]
                self._mark(function, Trace(2, staged=True), module, At(module, record.row))
        while self._work:
            node = self._work.pop()
            self._spread(node, self._traces[node])

    def _mark(self, node: int, trace: Trace, source: int, at: At) -> None:
        """Note that a module has a node traced; `at` is the wrapper where the trace starts."""
        if node in self._host or node in self._spared:
            return
        if source != self._module_of[node] and trace > self._from_elsewhere.get(node, _NO_TRACE)[0]:
            self._from_elsewhere[node] = trace, at
        if trace > self._traces.get(node, _UNTRACED):
            self._traces[node] = trace
            self._traced_at[node] = at
            self._work.append(node)

    def _spread(self, node: int, trace: Trace) -> None:
        module, at = self._module_of[node], self._traced_at[node]
        if node >= self._count:
            for function, giver in self._given.get(node, ()):
                source = module if module != self._module_of[function] else giver.module
                self._mark(function, trace, source, at if at.module != self._module_of[function] else giver)
        for edge in self.calls.get(node, ()):
            if not edge.guarded:
                self._mark(edge.target, trace, module, at)
        for nested in self._nested.get(node, ()):
            self._mark(nested, trace, module, at)
        perhaps = trace._replace(level=1)
        for edge in self._parameter_calls.get(node, ()):
            if not edge.guarded:
                # Whoever else calls this function may be eager; what a function around it is given goes this way alone.
                closed = (
                    trace.staged and self._owner[edge.target] != node and self._owner[edge.target] not in self._traces
                )
                self._mark(edge.target, trace if closed else perhaps, module, at)
        for wrapper, target, place in self._wrapped.get(node, ()):
            self._mark(target, trace.within(wrapper), module, place if wrapper.stages or not trace.staged else at)
        for name in self._guesses.get(node, ()):
            self._guess(name, perhaps, module, at)

    def _guess(self, name: str, trace: Trace, source: int, at: At) -> None:
        """Mark all methods of a name; what two modules say is as much as what all say."""
        methods = self._values.methods.get(name)
        if not methods:
            return
        known, sources = self._sources.get(name, (_UNTRACED, []))
        if trace <= known and (source in sources or len(sources) >= 2):
            return
        best = max(trace, known)
        sources = sources if source in sources or len(sources) >= 2 else [*sources, source]
        self._sources[name] = (best, sources)
        for method in methods:
            other = next((s for s in sources if s != self._module_of[method]), sources[0])
            self._mark(method, best, other, at)

    # Eagerness

    def _is_test(self, function: int) -> bool:
        if self._is_test_module[self._module_of[function]]:
            return True
        module = self._values.modules[self._module_of[function]]
        first = self._values.first[self._module_of[function]]
        current = function
        while current > first:
            record = self._functions[current]
            if surroundings.is_test_name(record.name):
                return True
            if record.cls >= 0 and surroundings.is_test_class(module.exports.classes[record.cls].name):
                return True
            current = first + record.outer
        return False

    def _runs_once(self, function: int) -> bool:
        """Whether a function runs once per process; module level does."""
        record = self._functions[function]
        if not record.name:
            return True
        module = self._values.modules[self._module_of[function]]
        return record.once or module.settings.is_run_once(record.name)

    def _is_entry(self, function: int) -> bool:
        """Whether a program starts here, so that nothing traces it."""
        record = self._functions[function]
        if not record.name:
            return True
        if record.outer > 0 or record.cls >= 0:
            return False
        module = self._values.modules[self._module_of[function]]
        if self._entries:
            dotted = self._values.layout.dotted_name(module.path)
            if f"{dotted}:{record.name}" in self._entries:
                return True
        starts = module.exports.is_script or record.name.lstrip("_") in ENTRY_POINTS
        return starts and self._runs_once(function)

    def _spread_eagerness(self) -> None:
        work = [f for f in range(self._count) if not self._tests[f] and f not in self._traces and self._is_entry(f)]
        entries = set(work)
        callers = dict.fromkeys((*self.calls, *self._parameter_calls))
        work += [f for f in callers if not self._tests[f] and f not in self._traces and f not in entries]
        self._eager.update(dict.fromkeys(entries, 2))
        while work:
            function = work.pop()
            level = self._eager.get(function, 0)
            repeated = function in self._repeated
            for target, loop, at, sole in self._run_by(function):
                if target in self._host or (target in self._traces and not (sole and level == HIGH)):
                    continue
                if target < self._count and self._is_staged_by_decorator(target):
                    continue
                reached = 2 if level == 2 else 1 if loop == HOST_LOOP or level == 1 else 0
                again = (repeated or loop) and target not in self._repeated
                if reached > self._eager.get(target, 0) or again:
                    if reached > self._eager.get(target, 0):
                        self._eager_at[target] = self._start(function, at)
                    self._eager[target] = max(reached, self._eager.get(target, 0))
                    if repeated or loop:
                        self._repeated.setdefault(target, at if loop else self._repeated[function])
                    if not self._tests[target]:
                        work.append(target)

    def _spread_unseen(self) -> set[int]:
        """Return what runs by way of nested functions that nothing visible calls: those that are handed out."""
        found: set[int] = set()
        work = [
            function
            for function, record in enumerate(self._functions)
            if record.outer > 0
            and record.cls < 0
            and not self._callers.get(function)
            and not self._handed.get(function)
            and function not in self._traces
            and not self._tests[function]
        ]
        while work:
            function = work.pop()
            if function in found or function in self._host:
                continue
            found.add(function)
            work.extend(edge.target for edge in self.calls.get(function, ()) if edge.target < self._count)
        return found

    def _spread_loops(self, counts: Callable[[int, _Edge], bool]) -> set[int]:
        """Return what runs in a loop that counts, perhaps by way of others; `counts` gets a call and its module.

        A parameter of a function that is given several functions, as a decorator is, says nothing of any of them unless
        it is called in a loop itself.
        """
        found: set[int] = set()
        work = [
            edge.target
            for function in dict.fromkeys((*self.calls, *self._parameter_calls))
            if not self._tests[function] and self._runs_plainly(function)
            for edge in (*self.calls.get(function, ()), *self._parameter_calls.get(function, ()))
            if counts(self._module_of[function], edge)
        ]
        while work:
            function = work.pop()
            if function in found or function in self._host:
                continue
            found.add(function)
            if self._runs_plainly(function) and not (function < self._count and self._tests[function]):
                work.extend(self._run_alone(function))
        return found

    def _run_alone(self, node: int) -> Iterator[int]:
        """Yield what a node runs, without parameters that several functions are given."""
        yield from (edge.target for edge in self.calls.get(node, ()))
        for edge in self._parameter_calls.get(node, ()):
            if len(self._given.get(edge.target, ())) == 1:
                yield edge.target
        yield from (given for given, _ in self._given.get(node, ()))

    def _runs_plainly(self, node: int) -> bool:
        """Whether something visible runs a function outside any trace, or nothing traces it."""
        if node < self._count and self._is_staged_by_decorator(node):
            return False
        return node not in self._traces or self._eager.get(node) == HIGH

    def _start(self, caller: int, at: At) -> At:
        """Return where the chain of calls starts on which a call runs; the call itself where its caller starts it."""
        return self._eager_at.get(caller, at)

    def _run_by(self, node: int) -> Iterator[tuple[int, int, At, bool]]:
        """Yield what a node runs, with the loop, the place and whether it is that alone which may run there.

        A function runs what it calls, and what the parameters that it calls are given.
        """
        for edge in (*self.calls.get(node, ()), *self._parameter_calls.get(node, ())):
            yield edge.target, edge.loop, edge.at, edge.sole
        for given, at in self._given.get(node, ()):
            yield given, 0, at, False

    def _is_staged_by_decorator(self, function: int) -> bool:
        """Whether a decorator compiles a function, or may: one of the project, or of a library that is not known."""
        known, module = self._values, self._module_of[function]
        for ref in self._functions[function].decorators:
            for value in known.evaluate(module, ref):
                wrapper = known.tables[module].get(value[1]) if value[0] == "x" else None
                if value[0] in ("f", "p") or (wrapper is not None and wrapper.stages):
                    return True
        return False

    def _guessed_names(self) -> dict[str, set[int]]:
        """The names of methods that are called on unknown objects, with up to two modules that do."""
        found: dict[str, set[int]] = defaultdict(set)
        for function, names in self._guesses.items():
            if self._tests[function]:
                continue
            for name in names:
                if len(found[name]) < 2:
                    found[name].add(self._module_of[function])
        return found

    def is_once(self, function: int) -> bool:
        """Whether calls of a function are visible and each of them runs once."""
        if function >= self._count:
            callers = self._callers.get(function, ())
            return bool(callers) and all(not call.loop and self.is_once(call.caller) for call in callers)
        if self._runs_once(function):
            return True
        known = self._once.get(function)
        if known is None:
            self._once[function] = False
            callers = [call for call in self._callers.get(function, ()) if not self._tests[call.caller]]
            guessed = self._functions[function].cls >= 0 and self._guessed.get(self._functions[function].name)
            known = bool(callers) and not guessed and not self._escapes.get(function)
            known = known and all(not call.loop and self.is_once(call.caller) for call in callers)
            self._once[function] = known
        return known

    # What comes from elsewhere

    def outside(self, function: int) -> Outside | None:
        """Return what other modules do with a function, None for nothing."""
        module = self._module_of[function]
        trace, tracer = self._from_elsewhere.get(function, _NO_TRACE)
        eager, called = 0, 0
        runner, looper, first, unseen = _UNPLACED, None, _UNPLACED, False
        for caller, loop, at, _, _ in self._callers.get(function, ()):
            if self._module_of[caller] == module or self._tests[caller]:
                continue
            called = max(called, 1 if not loop and self.is_once(caller) else 2)
            first = at if first == _UNPLACED else first
            unseen = unseen or caller in self._unseen
            if caller in self._traces and self._eager.get(caller) != HIGH:
                continue
            level = self._level(caller, loop)
            if level > eager:
                eager, runner = level, self._start(caller, at)
            if loop or caller in self._repeated:
                looper = looper or (at if loop else self._repeated[caller])
        for parameter in dict.fromkeys(self._handed.get(function, ())):
            # What a file sees by itself ends where a function is passed on, so these count from the file as well.
            if parameter not in self._traces:
                if self._eager.get(parameter, 0) > eager:
                    eager, runner = self._eager[parameter], self._eager_at.get(parameter, _UNPLACED)
                looper = looper or self._repeated.get(parameter)
        if function in self._traces and self._eager.get(function) != HIGH:
            eager = 0  # some calls of it may be of its compiled form
        record = self._functions[function]
        guessed = self._guessed.get(record.name, set()) if record.cls >= 0 else set()
        if guessed - {module} or self._escapes.get(function, set()) - {module}:
            called = 2
        overridden = self._is_overridden(function)
        known = eager or looper is not None or called or overridden or self._again(function)
        if trace == _UNTRACED and not known:
            return None
        places = (tracer, runner if eager else _UNPLACED, looper or _UNPLACED, first)
        return Outside(
            *trace,
            eager,
            looper is not None,
            called,
            self._again(function),
            unseen,
            overridden,
            self._is_beside(function),
            *(self._place(at, module) for at in places),
        )

    def _is_overridden(self, function: int) -> bool:
        """Whether a class of another module inherits from that of a method and has its own of that name.

        An instance may have one of its own as well, `model.step = jax.jit(model.step)`.
        """
        record, module = self._functions[function], self._module_of[function]
        if record.cls < 0:
            return False
        overrides = self._values.overrides(self._values.first_class[module] + record.cls, record.name)
        return function in self._replaced or any(self._module_of[other] != module for other in overrides)

    def _again(self, function: int) -> int:
        """Say what kind of loop of other modules runs a function: STEPS, CASES, or 0 for none."""
        module, again = self._module_of[function], 0
        for caller, loop, _, steps, _ in self._callers.get(function, ()):
            if self._module_of[caller] == module or self._tests[caller] or not self._runs_plainly(caller):
                continue
            if steps or caller in self._stepped:
                return STEPS
            if (loop and not self._is_example[self._module_of[caller]]) or caller in self._cased:
                again = CASES
        for parameter in self._handed.get(function, ()):
            if parameter in self._stepped:
                return STEPS
            again = CASES if parameter in self._cased else again
        return again

    def _is_beside(self, function: int) -> bool:
        """Whether the loops of other modules that run a function again run one with such a loop beside it each time."""
        callers = [call for call in self._callers.get(function, ()) if not self._tests[call.caller]]
        if any(parameter in self._stepped for parameter in self._handed.get(function, ())):
            return False
        if any(call.nested or (not call.steps and call.caller in self._stepped) for call in callers):
            return False
        return all(self._runs_loop_beside(call.caller, function) for call in callers if call.steps)

    def _runs_loop_beside(self, caller: int, function: int) -> bool:
        return any(
            edge.steps
            and edge.target not in (caller, function)
            and edge.target < self._count
            and any(flags & records.STEPS for _, flags, _ in self._functions[edge.target].calls)
            for edge in self.calls.get(caller, ())
        )

    def _place(self, at: At, module: int) -> Place | None:
        """Return a line as a file is told of it, None where it is one of its own, or of a notebook's cells."""
        if at.module in (_NOWHERE, module):
            return None
        return self._values.place(at.module, at.row, module)

    def _level(self, caller: int, loop: int) -> int:
        level = self._eager.get(caller, 0)
        return 2 if level == 2 else 1 if loop == HOST_LOOP or level == 1 else 0


_NOWHERE = -1
"""The module of a node that belongs to none, so that whatever it says comes from elsewhere."""
_UNPLACED = At(_NOWHERE, 0)
_UNTRACED = Trace(0)
_NO_TRACE = (_UNTRACED, _UNPLACED)
_RULES = Wrapper(RULES, "control-flow", stages=False)
