"""The model of a run: its functions, why they were traced, what ran operation by operation, and what it all cost.

A `Builder` takes events one at a time and keeps sums, so that its memory grows with the number of functions and places
in a program, not with how long it ran.
"""

from __future__ import annotations

import functools
import heapq
import importlib.resources
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxlint.doctor import causes, events
from jaxlint.doctor.causes import Cause, Explanation, History, Signature
from jaxlint.doctor.events import Equations, Event, Frame, Miss

KEPT_PROGRAMS = 20_000
"""Of how many programs a model has more than sums: those that took the longest."""
_KEPT_TEXTS = 6
_LONGEST_EVIDENCE = 4000
_LONGEST_TYPES = 500
_KEPT_FRAMES = 8
_KEPT_PENDING = 2048
_KEPT_EQUATIONS = 50

CONTROL = frozenset({"scan", "while", "cond", "switch", "custom_linear_solve", "custom_root", "map"})
"""Operations that take functions: outside of jitted functions they are compiled again for each new function."""

_UNNAMED = frozenset({"<unnamed wrapped function>", "<unnamed function>", "<unknown>"})
"""What partials are called, up to 0.9, by all but the explanation of their cache miss."""

_PARTIAL = re.compile(r"^functools\.partial\(<(?:bound method|function|class) '?(?P<name>[\w.<>]+)")
_REPR = re.compile(r"^<(?:\w+ )+?(?P<name>[A-Za-z_][\w.<>]*) (?:at 0x|of )")
_INTERNAL = re.compile(r"[/\\](?:site|dist)-packages[/\\](?:jax|jaxlib)[/\\]|[/\\]jax[/\\]_src[/\\]")
_NOT_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What makes a function of a program: its name, and where it is defined (empty and 0 where that is unknown)."""

    name: str
    file: str = ""
    line: int = 0


@dataclass(slots=True)
class Cost:
    """Seconds by phase.  `compile` includes the loads from the persistent cache."""

    trace: float = 0.0
    lowering: float = 0.0
    compile: float = 0.0

    @property
    def total(self) -> float:
        """All phases."""
        return self.trace + self.lowering + self.compile

    def add(self, other: Cost) -> None:
        """Add what another one holds."""
        self.trace += other.trace
        self.lowering += other.lowering
        self.compile += other.compile


@dataclass(slots=True)
class Function:
    """What one function cost.  `traces` counts explained misses: None where jax was not asked to explain them."""

    key: Key
    traces: int | None = None
    trace_events: int = 0
    compiles: int = 0
    cache_loads: int = 0
    cost: Cost = field(default_factory=Cost)
    equations: int | None = None
    eager: bool = False


@dataclass(slots=True)
class MissGroup:
    """The misses at one call site, of one function, for one cause.

    `count` is how often; `inner` how often of that inside of another trace, whose time has theirs in it.  `frames` are
    those of user code around the call site, innermost first.
    """

    key: Key
    site: Frame | None
    cause: Cause
    definition: Frame | None = None
    program: str = ""
    evidence: str = ""
    changes: dict[str, None] = field(default_factory=dict)
    corrected: bool = False
    is_placed: bool = False
    """Whether other arguments are committed to devices than before."""
    count: int = 0
    inner: int = 0
    compiles: int = 0
    cache_loads: int = 0
    cost: Cost = field(default_factory=Cost)
    ids: list[str] = field(default_factory=list)
    frames: dict[Frame, None] = field(default_factory=dict)
    stack: tuple[Frame, ...] = ()
    """The stack of the program that took longest."""
    processes: set[tuple[str, str]] = field(default_factory=set)
    longest: float = 0.0


@dataclass(slots=True)
class Operation:
    """The programs of one operation for arguments of the same types, from one stack; `number` counts from the first."""

    name: str
    types: str
    stack: tuple[Frame, ...]
    number: int = 0
    count: int = 0
    cost: Cost = field(default_factory=Cost)
    traced: bool | None = None
    """Whether a function around it was being traced; None where that is not known."""


@dataclass(slots=True)
class Flood:
    """The programs of single operations that one line of user code dispatched; `site` is None where it is unknown."""

    site: Frame | None
    compiles: int = 0
    cache_loads: int = 0
    cost: Cost = field(default_factory=Cost)
    operations: Counter[str] = field(default_factory=Counter)
    frames: dict[Frame, None] = field(default_factory=dict)
    programs: dict[tuple[tuple[Frame, ...], str, str], Operation] = field(default_factory=dict)
    processes: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Program:
    """One program that was built: `id` is `[function/nth]`, counted from 0 in each process."""

    id: str
    key: Key
    cost: Cost
    time: float | None
    process: str
    thread: str
    host: str
    cached: bool
    eager: bool
    cause: Cause | None
    types: str
    stack: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """A program that not all processes of a job compiled as often: `counts` maps each number of times to processes."""

    name: str
    types: str
    site: Frame | None
    counts: dict[int, list[str]]


@dataclass(slots=True)
class Totals:
    """Sums over the run."""

    traces: int | None = None
    trace_events: int = 0
    compiles: int = 0
    cache_loads: int = 0
    cost: Cost = field(default_factory=Cost)
    wall: float | None = None
    processes: int = 0
    hosts: int = 0
    stages: dict[str, tuple[int, float]] = field(default_factory=dict)
    persistent: Counter[str] = field(default_factory=Counter)
    fingerprints: int = 0
    slow_compiles: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Model:
    """A run.  All lists are sorted by what they cost, the most first."""

    functions: list[Function]
    misses: list[MissGroup]
    floods: list[Flood]
    unattributed: dict[str, tuple[int, Cost]]
    """By reason: how many programs, and what they cost."""
    totals: Totals
    programs: list[Program]
    dropped: int
    """How many programs are not in `programs`; they are in all sums."""
    equations: dict[Key, Equations]
    unknown: int
    unknown_examples: list[events.Unknown]
    start: events.Start | None
    sites: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By file and line: how often jax looked for the trace of what was called there, whether or not it had it."""
    values: dict[tuple[str, str, int], dict[str, str]] = field(default_factory=dict)
    """What names were seen to hold (see `events.Values`), by file, function and its first line: 0 for a module."""
    divergences: list[Divergence] = field(default_factory=list)
    """What the processes of one job did not do alike, in the order in which it happened."""

    @property
    def attributed(self) -> float:
        """The share of all seconds that are known to come of some line of the user's; 1 where there are none."""
        total = self.totals.cost.total
        unknown = sum(cost.total for _, cost in self.unattributed.values())
        return min(max(1.0 - unknown / total, 0.0), 1.0) if total else 1.0


# --- what is under way -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Pending:
    """A miss whose program did not come yet."""

    miss: Miss
    name: str
    key: Key
    said: Explanation
    seconds: float | None = None
    adopted: bool = False


@dataclass(slots=True)
class _Open:
    """A program that is being built."""

    name: str
    event: Event
    types: str = ""
    committed: str = ""
    matched: _Pending | None = None
    adopted: list[_Pending] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)
    cached: bool = False
    stack: tuple[Frame, ...] = ()
    digest: str = ""
    form: str = ""
    traced: bool | None = None


@dataclass(slots=True)
class _Thread:
    pending: list[_Pending] = field(default_factory=list)
    traces: list[tuple[str, float]] = field(default_factory=list)


@dataclass(slots=True)
class _Process:
    defined: Counter[tuple[Key, int]] = field(default_factory=Counter)
    histories: dict[Key, History] = field(default_factory=dict)
    by_name: dict[str, Key] = field(default_factory=dict)
    threads: dict[str, _Thread] = field(default_factory=dict)
    open: dict[tuple[str, str], _Open] = field(default_factory=dict)
    """By thread and name."""
    hits: Counter[str] = field(default_factory=Counter)
    ids: Counter[str] = field(default_factory=Counter)
    seen: set[tuple[Frame | None, str, Signature]] = field(default_factory=set)
    built: set[tuple[Key, str]] = field(default_factory=set)
    """The digests of the programs of each function."""
    sites: set[tuple[Key, Frame | None]] = field(default_factory=set)
    compiled: Counter[str] = field(default_factory=Counter)
    fingerprints: Counter[str] = field(default_factory=Counter)
    sequence: array[int] = field(default_factory=lambda: array("q"))
    """The programs of functions in their order, by a number that names each."""
    explains: bool = False
    first: float | None = None
    last: float | None = None
    recorded: float | None = None

    def thread(self, name: str) -> _Thread:
        return self.threads.setdefault(name, _Thread())

    def know(self, key: Key, program: _Open) -> None:
        """Remember what a program of a function computes."""
        self.built.update((key, mark) for mark in (program.digest, program.form) if mark)

    def forget(self) -> None:
        """Keep nothing but sums."""
        for held in (self.defined, self.histories, self.by_name, self.threads, self.open, self.hits, self.ids):
            held.clear()
        for kept in (self.seen, self.built, self.sites, self.compiled, self.fingerprints):
            kept.clear()


EAGER_WITHOUT_PLACE = "operations outside any jitted function; JAX's log does not say where they ran"
WITHOUT_EXPLANATION = "functions whose cache misses JAX does not explain, such as those of libraries"
NOT_EXPLAINING = "JAX was not asked to explain cache misses, so the log does not say where functions were called"
_UNTRACED = {
    Cause.NEW_FUNCTION: "its trace was cached, as for a call inside another program",
    Cause.UNKNOWN: (
        "recompiled without a new trace: the placement of its arguments changed (device, sharding, committed or not), "
        "or a compiler option"
    ),
}
_UNTRACED_TYPES = "its trace was cached, as under vmap; known by the types of the arguments"
TRACED_ONLY = "traces without a compilation: of a known function, or for another use than running it"
INCOMPLETE = "programs that the log has only in part"


class Builder:
    """Makes the model of a run from its events, which may be of many processes, in any order between them."""

    def __init__(self) -> None:
        self._processes: dict[tuple[str, str], _Process] = {}
        self._functions: dict[Key, Function] = {}
        self._misses: dict[tuple[Any, ...], MissGroup] = {}
        self._floods: dict[Frame | None, Flood] = {}
        self._unattributed: dict[str, tuple[int, Cost]] = {}
        self._totals = Totals()
        self._heap: list[tuple[float, int, Program]] = []
        self._number = 0
        self._operations = 0
        self._equations: dict[Key, Equations] = {}
        self._unknown = 0
        self._unknown_examples: list[events.Unknown] = []
        self._start: events.Start | None = None
        self._sites: Counter[tuple[str, int]] = Counter()
        self._named: list[tuple[str, str, Frame | None]] = []
        self._numbers: dict[tuple[Key, str], int] = {}
        self._values: dict[tuple[str, str, int], dict[str, str]] = {}
        self._handlers: Mapping[type[Event], Any] = {
            events.Start: self._on_start,
            events.Finish: self._on_finish,
            events.TraceEnd: self._on_trace,
            events.Miss: self._on_miss,
            events.LoweringBegin: self._on_lowering_begin,
            events.Lowering: self._on_lowering,
            events.Compile: self._on_compile,
            events.PersistentCache: self._on_persistent_cache,
            events.Stage: self._on_stage,
            events.Fingerprint: self._on_fingerprint,
            events.Equations: self._on_equations,
            events.Values: self._on_values,
            events.Unknown: self._on_unknown,
        }

    def add(self, event: Event) -> None:
        """Take one more event."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            # A dump of equations is of no process.
            dump = isinstance(event, Equations) and not event.process
            process = _Process() if dump else self._process(event)
            if event.time is not None:
                process.first = event.time if process.first is None else min(process.first, event.time)
                process.last = event.time if process.last is None else max(process.last, event.time)
            handler(event, process)

    def extend(self, stream: Iterable[Event]) -> Builder:
        """Take all events of a stream, and return this builder."""
        for event in stream:
            self.add(event)
        return self

    def model(self) -> Model:
        """Return the model of what was added; nothing may be added after it."""
        self.close()
        self._sum_up()
        return Model(
            functions=sorted(filter(_is_of_use, self._functions.values()), key=lambda f: (-f.cost.total, f.key)),
            misses=sorted(self._misses.values(), key=lambda m: (-m.cost.total, -m.count, m.key, m.cause)),
            floods=sorted(self._floods.values(), key=lambda f: (-f.cost.total, -f.compiles)),
            unattributed=dict(sorted(self._unattributed.items(), key=lambda item: -item[1][1].total)),
            totals=self._totals,
            programs=[program for _, _, program in sorted(self._heap, key=lambda entry: entry[1])],
            dropped=self._number - len(self._heap),
            equations=self._equations,
            unknown=self._unknown,
            unknown_examples=self._unknown_examples,
            start=self._start,
            sites=self._sites,
            values=self._values,
            divergences=self._divergences(),
        )

    def close(self) -> None:
        """Have done with the processes of which events were added: no more of theirs come, as at the end of a file."""
        for process in self._processes.values():
            for program in process.open.values():
                self._give_up(program, process)
            for thread in process.threads.values():
                self._leave(thread, process)
            self._count_fingerprints(process)
            process.forget()

    def _divergences(self) -> list[Divergence]:
        """Compare what processes compiled that did mostly the same: the ranks of a job, and not what helps them."""
        done = {key: process.sequence for key, process in self._processes.items() if process.sequence}
        alike: Counter[bytes] = Counter(array("q", sorted(sequence)).tobytes() for sequence in done.values())
        if len(done) < 2 or len(alike) < 2:
            return []
        usual = Counter(array("q", alike.most_common(1)[0][0]))
        shares = {key: (Counter(sequence) & usual).total() / usual.total() for key, sequence in done.items()}
        ranks = {key: Counter(done[key]) for key, share in shares.items() if share >= 0.5}
        numbers = dict.fromkeys(number for key in ranks for number in done[key])
        found = []
        for number in numbers:
            counts: dict[int, list[str]] = {}
            for (host, name), programs in ranks.items():
                counts.setdefault(programs[number], []).append(" ".join(filter(None, (host, name))) or "the program")
            if len(counts) > 1:
                found.append(Divergence(*self._named[number], counts))
        return found

    def _sum_up(self) -> None:
        totals = self._totals
        explained = any(process.explains for process in self._processes.values())
        for function in self._functions.values():
            if function.traces is None and explained and not function.eager and function.key.file:
                function.traces = 0
        totals.traces = sum(f.traces or 0 for f in self._functions.values()) if explained else None
        if any(process.first is not None for process in self._processes.values()):
            totals.wall = max(
                process.recorded if process.recorded is not None else (process.last or 0.0) - (process.first or 0.0)
                for process in self._processes.values()
            )
        totals.processes = len(self._processes)
        totals.hosts = len({host for host, _ in self._processes})

    def _process(self, event: Event) -> _Process:
        key = (event.host, event.process)
        process = self._processes.get(key)
        if process is None:
            process = self._processes[key] = _Process()
        return process

    def _function(self, key: Key) -> Function:
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = Function(key)
        return function

    # --- events ----------------------------------------------------------------------------------------------------

    def _on_start(self, event: events.Start, _: _Process) -> None:
        self._start = self._start or event

    def _on_finish(self, event: events.Finish, process: _Process) -> None:
        process.recorded = event.seconds

    def _on_trace(self, event: events.TraceEnd, process: _Process) -> None:
        self._totals.trace_events += 1
        site = event.site
        if site is not None and (len(self._sites) < KEPT_PROGRAMS or (site.file, site.line) in self._sites):
            self._sites[site.file, site.line] += 1
        thread = process.thread(event.thread)
        number = _outermost(thread.pending, event)
        if number is not None:
            pending = thread.pending[number]
            pending.seconds = event.seconds
            # Those after it were traced within; those before are of something that is not over.
            for inner in thread.pending[number + 1 :]:
                self._inner(inner, process)
            del thread.pending[number + 1 :]
            _fold(thread.traces, event.seconds)
            self._function(pending.key).trace_events += 1
            return
        self._function(process.by_name.get(event.function) or Key(event.function)).trace_events += 1
        thread.traces.append((event.function, event.seconds))
        if len(thread.traces) > _KEPT_PENDING:
            self._traced_only(thread.traces[: _KEPT_PENDING // 2])
            del thread.traces[: _KEPT_PENDING // 2]

    def _on_miss(self, event: Miss, process: _Process) -> None:
        process.explains = True
        thread = process.thread(event.thread)
        name = _short(event.function)
        definition = event.definition
        internal = definition is not None and is_internal(definition.file)
        site = event.site
        if definition is not None and not internal:
            key = Key(name, definition.file, definition.line)
        elif definition is None and site is not None:
            # Where jax does not know the definition, the call site has to do.
            key = Key(name, site.file, site.line)
        else:
            key = Key(name)
        pending = _Pending(event, name, key, causes.explanation(event))
        if event.traced:
            self._claim(pending, thread)
        if not internal:
            function = self._function(key)
            function.traces = (function.traces or 0) + 1
            process.by_name[name] = key
        thread.pending.append(pending)
        if len(thread.pending) > _KEPT_PENDING:
            self._inner(thread.pending.pop(0), process)

    def _claim(self, pending: _Pending, thread: _Thread) -> None:
        """Find the trace of a miss that jax tells of when the trace is over."""
        pending.seconds = pending.miss.seconds
        for number in range(len(thread.traces) - 1, -1, -1):
            name, seconds = thread.traces[number]
            if _is_of(name, pending):
                pending.seconds = seconds
                del thread.traces[number]
                _fold(thread.traces, seconds)
                return

    def _on_lowering_begin(self, event: events.LoweringBegin, process: _Process) -> None:
        self._begin(event, event.program, event.types, process).committed = event.committed

    def _begin(self, event: Event, name: str, types: str, process: _Process) -> _Open:
        """Open a program, and find the trace and the misses that led to it."""
        before = process.open.pop((event.thread, name), None)
        if before is not None:
            self._give_up(before, process)
        program = process.open[event.thread, name] = _Open(name, event, types, stack=event.stack)
        thread = process.thread(event.thread)
        number = _last(thread.pending, name)
        if number is not None:
            program.matched = matched = thread.pending.pop(number)
            program.name = matched.name
            program.cost.trace = matched.seconds or 0.0
        else:
            number = next((n for n in range(len(thread.traces) - 1, -1, -1) if thread.traces[n][0] == name), None)
            if number is not None:
                _, program.cost.trace = thread.traces.pop(number)
                _fold(thread.traces, program.cost.trace)
            if name in CONTROL:
                program.adopted = [p for p in thread.pending if p.seconds is None and not p.miss.traced]
                thread.pending = [p for p in thread.pending if p not in program.adopted]
        budget = program.cost.trace
        for pending in thread.pending:
            if pending.seconds is None or pending.seconds <= budget:
                budget -= pending.seconds or 0.0
                self._inner(pending, process)
            else:
                self._miss_alone(pending, process)
        thread.pending.clear()
        self._traced_only(thread.traces)
        thread.traces.clear()
        return program

    def _opened(self, event: Event, name: str, process: _Process) -> _Open:
        """Return the program that is being built, or begin one where the log does not tell that it was begun."""
        return process.open.get((event.thread, name)) or self._begin(event, name, "", process)

    def _on_lowering(self, event: events.Lowering, process: _Process) -> None:
        program = self._opened(event, event.program, process)
        program.cost.lowering += event.seconds
        program.stack = program.stack or event.stack
        # Up to 0.9 jax tells of what it traces while it lowers.
        _fold(process.thread(event.thread).traces, event.seconds)

    def _on_compile(self, event: events.Compile, process: _Process) -> None:
        program = self._opened(event, event.program, process)
        del process.open[event.thread, event.program]
        program.cost.compile = event.seconds
        program.stack = event.stack or program.stack
        program.traced = event.traced
        process.compiled[_module(event.program)] += 1
        if process.hits[_module(event.program)] > 0:
            process.hits[_module(event.program)] -= 1
            program.cached = True
        self._built(program, event, process)

    def _on_persistent_cache(self, event: events.PersistentCache, process: _Process) -> None:
        self._totals.persistent[event.outcome] += 1
        if event.outcome == "hit":
            process.hits[_module(event.program)] += 1

    def _on_stage(self, event: events.Stage, _: _Process) -> None:
        if event.stage == "SLOW_COMPILE":
            self._totals.slow_compiles[event.program] += 1
            return
        count, seconds = self._totals.stages.get(event.stage, (0, 0.0))
        self._totals.stages[event.stage] = (count + 1, seconds + event.seconds)

    def _on_fingerprint(self, event: events.Fingerprint, process: _Process) -> None:
        self._totals.fingerprints += 1
        process.fingerprints[event.program] += 1

    def _on_equations(self, event: Equations, process: _Process) -> None:
        program = process.open.get((event.thread, event.program))
        if program is not None:
            program.digest, program.form = event.digest, event.form
        definition = event.definition
        key = process.by_name.get(event.program) or Key(event.program)
        if definition is not None and not is_internal(definition.file):
            key = Key(_short(event.program), definition.file, definition.line)
        elif definition is not None:
            key = Key(event.program)
        function = self._function(key)
        function.equations = max(function.equations or 0, event.count)
        old = self._equations.get(key)
        if old is None or old.count < event.count:
            self._equations[key] = event
        if len(self._equations) > _KEPT_EQUATIONS:
            del self._equations[min(self._equations, key=lambda k: self._equations[k].count)]

    def _on_values(self, event: events.Values, _: _Process) -> None:
        place = event.definition
        name = place.function.rpartition(".")[2]
        held = self._values.setdefault((place.file, name, place.line if name != "<module>" else 0), {})
        held.update(event.values | held)

    def _on_unknown(self, event: events.Unknown, _: _Process) -> None:
        self._unknown += 1
        if len(self._unknown_examples) < _KEPT_TEXTS:
            self._unknown_examples.append(event)

    # --- what is over ----------------------------------------------------------------------------------------------

    def _built(self, program: _Open, event: events.Compile, process: _Process) -> None:
        key, eager = self._judge(program, event, process)
        function = self._function(key)
        function.eager = eager
        function.compiles += not program.cached
        function.cache_loads += program.cached
        function.cost.add(program.cost)
        self._totals.compiles += not program.cached
        self._totals.cache_loads += program.cached
        self._totals.cost.add(program.cost)
        group = None if eager else self._group(program, key, process)
        stack = program.stack or (program.matched.miss.stack if program.matched is not None else ())
        site = group.site if group is not None else (stack[0] if stack else None)
        number = process.ids[key.name]
        process.ids[key.name] += 1
        ident = f"[{key.name}/{number}]"
        if group is not None:
            group.processes.add((event.host, event.process))
            if stack and program.cost.total >= group.longest:
                group.stack, group.longest = stack, program.cost.total
            number = self._numbers.setdefault((key, program.types[:_LONGEST_TYPES]), len(self._named))
            if number == len(self._named):
                self._named.append((key.name, program.types[:_LONGEST_TYPES], site))
            if len(process.sequence) < KEPT_PROGRAMS:
                process.sequence.append(number)
            if len(group.ids) < _KEPT_TEXTS:
                group.ids.append(ident)
            group.compiles += not program.cached
            group.cache_loads += program.cached
            group.cost.add(program.cost)
        elif eager:
            self._flood(program, site).processes.add((event.host, event.process))
        if site is None:
            self._not_attributed(self._reason(program, eager, process), program.cost)
        self._keep(
            Program(
                id=ident,
                key=key,
                cost=program.cost,
                time=event.time,
                process=event.process,
                thread=event.thread,
                host=event.host,
                cached=program.cached,
                eager=eager,
                cause=group.cause if group is not None else None,
                types=program.types[:_LONGEST_TYPES],
                stack=stack or (() if site is None else (site,)),
            )
        )

    def _judge(self, program: _Open, event: events.Compile, process: _Process) -> tuple[Key, bool]:
        """Say of which function a program is, and whether it is that of one operation."""
        matched = program.matched
        if matched is not None:
            internal = not matched.key.file
            eager = internal if event.eager is None else event.eager
            return matched.key, eager and program.name not in CONTROL
        if program.adopted:
            return Key(program.name), False
        known = process.by_name.get(program.name)
        if known is not None and event.eager is not True:
            return known, False
        eager = is_operation(program.name) if event.eager is None else event.eager
        return Key(program.name), eager and program.name not in CONTROL

    def _group(self, program: _Open, key: Key, process: _Process) -> MissGroup | None:
        """Return the group of misses that a program belongs to; None for those of operations."""
        types = causes.signature(program.types) if program.types else None
        if program.adopted:
            groups = self._adopt(program, process)
            return groups[0]
        if program.name in CONTROL and not key.file:
            return self._control(program, types, process)
        if program.matched is not None:
            if not key.file:
                return None
            return self._record(program.matched, types, process, program)
        if key.file and key.name in process.by_name:
            return self._untraced(program, key, types, process)
        if types is not None and not is_operation(program.name):
            return self._unexplained(program, key, types, process)
        return None

    def _record(
        self,
        pending: _Pending,
        types: Signature | None,
        process: _Process,
        program: _Open | None,
        slot: int = 0,
        known: bool | None = None,
    ) -> MissGroup:
        """Count a miss in its group.

        `known` tells of a function that an operation was given whether the operation was compiled for such before.
        """
        key = pending.key
        history = process.histories.setdefault(key, History())
        if types is not None and not history.signatures and process.defined[key, slot]:
            # It was only traced inside of other programs, and never compiled by itself.
            process.defined[key, slot] += 1
            verdict = causes.Verdict(Cause.NEW_FUNCTION)
        elif pending.said.never_seen or not pending.miss.text:
            again = process.defined[key, slot] > 0
            process.defined[key, slot] += 1
            if known is not None:
                verdict = causes.Verdict(Cause.REDEFINED_FUNCTION if again and known else Cause.NEW_FUNCTION)
            elif again and program is not None and self._is_another(program, key, process):
                other = self._is_another_form(program, key, process)
                verdict = causes.Verdict(Cause.NEW_FUNCTION) if other else causes.another(types, history)
            else:
                verdict = causes.Verdict(Cause.REDEFINED_FUNCTION if again else Cause.NEW_FUNCTION)
            if again and slot == 0:
                history.begin_again()
        else:
            process.defined[key, slot] += 1
            verdict = causes.cause(pending.said, types, history)
            if (
                verdict.cause is Cause.STATIC_VALUE
                and program is not None
                and self._is_another(program, key, process)
                and causes.is_of_objects(verdict)
            ):
                # Another function, or object with other methods, to compute with needs a program of its own.
                verdict = causes.Verdict(Cause.NEW_FUNCTION)
        history.add(pending.said, types)
        if program is not None:
            process.know(key, program)
            verdict = causes.placed(verdict, program.committed, history)
        stack = (program.stack if program is not None else ()) or pending.miss.stack
        site = pending.miss.site or (stack[0] if stack else None)
        process.sites.add((key, site))
        group = self._miss_group(site, key, verdict.cause)
        group.definition = group.definition or pending.miss.definition
        group.program = group.program or (program.name if program is not None else "")
        group.evidence = group.evidence or pending.miss.text[:_LONGEST_EVIDENCE]
        group.corrected = group.corrected or verdict.corrected
        group.is_placed = group.is_placed or verdict.is_placed
        _add_changes(group, verdict.changes)
        _add_frames(group.frames, stack)
        group.count += 1
        return group

    def _is_another(self, program: _Open, key: Key, process: _Process) -> bool:
        """Tell whether a program computes what none of the same function did: what it closes over differs."""
        return bool(program.digest) and (key, program.digest) not in process.built

    def _is_another_form(self, program: _Open, key: Key, process: _Process) -> bool:
        """Tell whether a program computes what none of the same function did, for whatever shapes."""
        return bool(program.form) and (key, program.form) not in process.built

    def _miss_group(self, site: Frame | None, key: Key, cause: Cause) -> MissGroup:
        place = (site.file, site.line, site.column) if site is not None else None
        group = self._misses.get((place, key, cause))
        if group is None:
            group = self._misses[place, key, cause] = MissGroup(key, site, cause)
        return group

    def _adopt(self, program: _Open, process: _Process) -> list[MissGroup]:
        """Count the functions that an operation of control flow was given."""
        slots: Counter[Key] = Counter()
        groups: list[MissGroup] = []
        known = self._is_known(program, process)
        for pending in program.adopted:
            group = self._record(pending, None, process, program, slots[pending.key], known)
            slots[pending.key] += 1
            if group in groups:
                # Two functions of one line are one miss of the operation.
                group.count -= 1
            else:
                groups.append(group)
        # What is new each time, costs each time; a function that lives is not to blame.
        return sorted(groups, key=lambda group: group.cause is not Cause.REDEFINED_FUNCTION)

    def _is_known(self, program: _Open, process: _Process) -> bool:
        """Tell whether an operation was compiled before for functions that are defined where these are.

        Functions within those that it was given may have been traced before, inside of another program.
        """
        key = Key(program.name)
        if program.digest:
            known = (key, program.digest) in process.built
            process.know(key, program)
            return known
        return process.defined[program.adopted[0].key, 0] > 0

    def _control(self, program: _Open, types: Signature | None, process: _Process) -> MissGroup:
        """Count an operation of control flow of which jax does not tell the functions that it was given."""
        pending = program.matched
        stack = program.stack or (pending.miss.stack if pending is not None else ())
        site = stack[0] if stack else None
        seen = (site, program.name, types or ())
        cause = Cause.REDEFINED_FUNCTION if seen in process.seen else Cause.NEW_FUNCTION
        if len(process.seen) < _KEPT_PENDING:
            process.seen.add(seen)
        group = self._miss_group(site, Key(program.name), cause)
        group.program = program.name
        group.evidence = group.evidence or (
            "recompiled for arguments of the same types, as for a new function" if types else ""
        )
        group.count += 1
        _add_frames(group.frames, stack)
        return group

    def _unexplained(self, program: _Open, key: Key, types: Signature, process: _Process) -> MissGroup:
        """Count a compile of a function of which jax explains nothing, but tells the types of the arguments."""
        history = process.histories.setdefault(key, History())
        verdict = causes.unexplained(types, history)
        if self._is_another_form(program, key, process):
            verdict = causes.Verdict(Cause.NEW_FUNCTION)
        process.know(key, program)
        history.add(Explanation(False), types)
        group = self._miss_group(program.stack[0] if program.stack else None, key, verdict.cause)
        group.program = program.name
        group.evidence = group.evidence or (
            "compiled again for arguments of the same types: a new function object, another static value, structure or "
            "context"
            if verdict.cause is Cause.UNKNOWN
            else "known by the types of the arguments alone"
        )
        _add_changes(group, verdict.changes)
        group.count += 1
        _add_frames(group.frames, program.stack)
        return group

    def _untraced(self, program: _Open, key: Key, types: Signature | None, process: _Process) -> MissGroup:
        """Count a compile of a known function that no trace preceded: its trace was in the cache.

        It may be the first compile all the same: of what was traced inside of another program, or for another batch
        under `vmap`.
        """
        site = program.stack[0] if program.stack else None
        history = process.histories.setdefault(key, History())
        verdict = causes.Verdict(Cause.UNKNOWN)
        if types is not None:
            verdict = causes.unexplained(types, history)
            history.add(Explanation(False), types)
        if (
            (verdict.cause is Cause.PYTREE and (key, site) not in process.sites)
            or (verdict.cause is Cause.UNKNOWN and self._is_another(program, key, process))
            or self._is_another_form(program, key, process)
        ):
            # Another use of a function, which needs a program of its own.
            verdict = causes.Verdict(Cause.NEW_FUNCTION)
        verdict = causes.placed(verdict, program.committed, history)
        process.know(key, program)
        process.sites.add((key, site))
        group = self._miss_group(site, key, verdict.cause)
        group.is_placed = group.is_placed or verdict.is_placed
        group.definition = Frame(key.file, key.line, key.name)
        group.program = program.name
        group.evidence = group.evidence or _UNTRACED.get(verdict.cause, _UNTRACED_TYPES)
        _add_changes(group, verdict.changes)
        group.count += 1
        _add_frames(group.frames, program.stack)
        return group

    def _inner(self, pending: _Pending, process: _Process) -> None:
        """Count a miss inside of another trace."""
        if pending.key.file:
            self._record(pending, None, process, None).inner += 1

    def _miss_alone(self, pending: _Pending, process: _Process) -> None:
        """Count a miss of a function that was traced and not compiled."""
        cost = Cost(trace=pending.seconds or 0.0)
        self._totals.cost.add(cost)
        self._function(pending.key).cost.add(cost)
        if not pending.key.file:
            self._not_attributed(TRACED_ONLY, cost)
            return
        group = self._record(pending, None, process, None)
        group.cost.add(cost)
        if group.site is None:
            self._not_attributed(TRACED_ONLY, cost)

    def _traced_only(self, traces: Iterable[tuple[str, float]]) -> None:
        for name, seconds in traces:
            cost = Cost(trace=seconds)
            self._totals.cost.add(cost)
            self._function(Key(name)).cost.add(cost)
            self._not_attributed(TRACED_ONLY, cost)

    def _leave(self, thread: _Thread, process: _Process) -> None:
        for pending in thread.pending:
            self._miss_alone(pending, process)
        self._traced_only(thread.traces)

    def _give_up(self, program: _Open, process: _Process) -> None:
        """Count a program that was lowered, and of whose compile nothing is known."""
        key = program.matched.key if program.matched is not None else process.by_name.get(program.name)
        key = key or Key(program.name)
        self._totals.cost.add(program.cost)
        self._function(key).cost.add(program.cost)
        group = self._group(program, key, process)
        if group is not None:
            group.cost.add(program.cost)
        if group is None or group.site is None:
            self._not_attributed(INCOMPLETE, program.cost)

    def _flood(self, program: _Open, site: Frame | None) -> Flood:
        matched = program.matched
        flood = self._floods.get(site)
        if flood is None:
            flood = self._floods[site] = Flood(site)
        flood.compiles += not program.cached
        flood.cache_loads += program.cached
        flood.cost.add(program.cost)
        flood.operations[program.name] += 1
        stack = program.stack or (matched.miss.stack if matched is not None else ())
        _add_frames(flood.frames, stack)
        self._operation(flood, program, stack)
        return flood

    def _operation(self, flood: Flood, program: _Open, stack: tuple[Frame, ...]) -> None:
        key = stack, program.name, program.types[:_LONGEST_TYPES]
        if key not in flood.programs and self._operations >= KEPT_PROGRAMS:
            key = stack[:1], "", ""
        operation = flood.programs.get(key)
        if operation is None:
            self._operations += 1
            operation = flood.programs[key] = Operation(key[1], key[2], key[0], self._number, traced=program.traced)
        operation.count += 1
        operation.cost.add(program.cost)

    def _count_fingerprints(self, process: _Process) -> None:
        """Count the programs that XLA tells of and jax was not asked to."""
        for name, count in process.fingerprints.items():
            more = count - process.compiled[_module(name)]
            if more > 0:
                function = self._function(process.by_name.get(name) or Key(name))
                function.compiles += more
                function.eager = function.eager or is_operation(name)
                self._totals.compiles += more
                if is_operation(name):
                    flood = self._floods.setdefault(None, Flood(None))
                    flood.compiles += more
                    flood.operations[name] += more

    def _reason(self, program: _Open, eager: bool, process: _Process) -> str:
        if eager or program.name in CONTROL:
            return EAGER_WITHOUT_PLACE
        if not process.explains:
            return NOT_EXPLAINING
        return WITHOUT_EXPLANATION if program.types else INCOMPLETE

    def _not_attributed(self, reason: str, cost: Cost) -> None:
        count, total = self._unattributed.setdefault(reason, (0, Cost()))
        total.add(cost)
        self._unattributed[reason] = (count + 1, total)

    def _keep(self, program: Program) -> None:
        entry = (program.cost.total, self._number, program)
        self._number += 1
        if len(self._heap) < KEPT_PROGRAMS:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)


def _is_of_use(function: Function) -> bool:
    """Tell whether more is known of a function than that it was traced within another."""
    return bool(
        function.compiles
        or function.cache_loads
        or function.traces
        or function.cost.total
        or function.equations is not None
    )


# --- names -----------------------------------------------------------------------------------------------------------


def is_internal(file: str) -> bool:
    """Tell whether a file is one of jax's own."""
    return _INTERNAL.search(file) is not None


def is_operation(name: str) -> bool:
    """Tell whether a program of this name is that of one of jax's own operations."""
    return name.lstrip("_") in _operations()


@functools.cache
def _operations() -> frozenset[str]:
    text = importlib.resources.files("jaxlint.doctor").joinpath("operations.txt").read_text(encoding="utf-8")
    return frozenset(text.split()) | {"stage"}


@functools.lru_cache(maxsize=4096)
def _short(function: str) -> str:
    """Return the name that a program has, for a function as jax prints it: qualified, or as the text of an object."""
    found = _PARTIAL.match(function) or _REPR.match(function)
    name = found["name"] if found is not None else function
    if name == "<unknown>":
        # What its program is called.
        return "<unnamed function>"
    return name.rsplit(".", 1)[-1] if not name.endswith(">") else re.split(r"\.(?=<?\w+>?$)", name)[-1]


@functools.lru_cache(maxsize=4096)
def _module(program: str) -> str:
    """Return the name of a program as modules of XLA and keys of the persistent cache spell it."""
    return _NOT_WORD.sub("_", program).strip("_")


def _is_of(name: str, pending: _Pending) -> bool:
    """Tell whether a trace, or a program, of this name can come of a miss."""
    return name in (pending.name, pending.miss.function) or name in _UNNAMED


def _last(pending: list[_Pending], name: str) -> int | None:
    """Return the number of the last miss that a program of this name can come of."""
    return next((n for n in range(len(pending) - 1, -1, -1) if _is_of(name, pending[n])), None)


def _outermost(pending: list[_Pending], event: events.TraceEnd) -> int | None:
    """Return the number of the miss whose trace is over.

    Of functions of one name, as lambdas, jax tells of the outermost alone; a miss before its trace began, such as of a
    trace that failed, is of another.
    """
    numbers = [
        number
        for number, one in enumerate(pending)
        if _is_of(event.function, one) and one.seconds is None and not one.miss.traced
    ]
    if event.time is None:
        return next(iter(numbers), None)
    start = event.time - event.seconds - _ROUNDED
    within = (number for number in numbers if (pending[number].miss.time or 0.0) >= start)
    return next(within, numbers[-1] if numbers else None)


_ROUNDED = 2e-6
"""By how much times may be off that are told in microseconds."""


def _fold(traces: list[tuple[str, float]], seconds: float) -> None:
    """Take away the traces that were made within something that took so many seconds, the last first.

    A log need not tell when they began: what fits is taken for inner.
    """
    budgets = [seconds]
    while traces and budgets:
        if traces[-1][1] > budgets[-1]:
            budgets.pop()
            continue
        inner = traces.pop()[1]
        budgets[-1] -= inner
        # What it holds itself is a part of it already.
        budgets.append(inner)


def _add_changes(group: MissGroup, changes: Iterable[str]) -> None:
    for change in changes:
        if len(group.changes) < _KEPT_TEXTS:
            group.changes[change] = None


def _add_frames(frames: dict[Frame, None], stack: tuple[Frame, ...]) -> None:
    for frame in stack[:_KEPT_FRAMES]:
        if len(frames) < 4 * _KEPT_FRAMES:
            frames[frame] = None
