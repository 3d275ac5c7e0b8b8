"""What to change, as said to people: one suggestion for all that one change takes care of."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxlint.doctor import advice
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Equations, Frame
from jaxlint.doctor.model import Cost, Flood, Key, MissGroup, Model, Operation
from jaxlint.doctor.roots import WHILE_TRACED, Root, runs_once
from jaxlint.doctor.sources import Sources
from jaxlint.doctor.traceable import Module

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic

FEW = 3
"""Of how many programs a flood is made at least."""
MANY = 10
"""From how many traces within others on they are worth a word."""
LOOPED = 32
"""How many iterations of a Python loop are written out in a program before that is worth a change."""


@dataclass(frozen=True)
class Tried:
    """What came of following a suggestion: programs and seconds of the whole run before and after, or why it failed."""

    programs_before: int = 0
    programs_after: int = 0
    seconds_before: float = 0.0
    seconds_after: float = 0.0
    failure: str = ""

    @property
    def saved(self) -> float:
        """How many seconds were saved: below 0 where it took more, 0 where it failed."""
        return 0.0 if self.failure else self.seconds_before - self.seconds_after


@dataclass
class Suggestion:
    """One thing to change.

    `saving` is how many seconds of this run it would have saved, at most; `title` says what happens, `advice` what to
    do, `facts` are lines of evidence.  `findings` explain it; they are the same for all that one finding explains.
    `possible` are those that may, where it is not known which line it comes of.
    """

    title: str
    site: Frame | None
    saving: float
    seconds: float
    advice: str
    facts: list[str] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    possible: list[Diagnostic] = field(default_factory=list)
    misses: list[MissGroup] = field(default_factory=list)
    floods: list[Flood] = field(default_factory=list)
    root: Root | None = None
    tried: Tried | None = None
    obstacle: str = ""
    """Why nothing is saved, where that is known."""
    flood_costs: dict[int, Cost] = field(default_factory=dict)
    """By `id()` of a flood: what its operations cost that the suggestion is about."""

    @property
    def worth(self) -> float:
        """How many seconds following it saves: as measured, where it was tried, else at most."""
        return self.tried.saved if self.tried is not None else self.saving

    @property
    def is_open(self) -> bool:
        """Tell whether it is not known how much it saves: a log says no seconds, or no equations of a program."""
        is_large = self.root is None and any(group.cause is Cause.NEW_FUNCTION for group in self.misses)
        return self.tried is None and self.saving == 0 and (is_large or self.seconds == 0)

    @property
    def other_sites(self) -> list[Frame]:
        """The other lines that its groups are of."""
        sites = [group.site for group in self.misses]
        sites += list(self.root.sites) if self.root is not None else [flood.site for flood in self.floods]
        lines = {(site.file, site.line): site for site in reversed(sites) if site is not None}
        if self.site is not None:
            lines.pop((self.site.file, self.site.line), None)
        return sorted(lines.values(), key=lambda site: (site.file, site.line))

    @property
    def cost(self) -> Cost:
        """What its parts cost, by phase."""
        cost = Cost()
        for _, part in self.parts:
            cost.add(part)
        return cost

    @property
    def parts(self) -> list[tuple[int, Cost]]:
        """The `id()` of each of its groups, and what it cost."""
        return [(id(group), group.cost) for group in self.misses] + list(self.flood_costs.items())


def unique(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings without those that are there twice."""
    return list({(d.filename, d.fingerprint): d for d in found}.values())


def suggest(
    model: Model,
    roots: list[Root],
    of_miss: dict[int, list[Diagnostic]],
    of_operation: dict[int, list[Diagnostic]],
    sources: Sources,
) -> list[Suggestion]:
    """Return what to change, the largest saving first; what one finding explains is one suggestion."""
    made: dict[object, Suggestion] = {}
    grown: list[Suggestion] = []
    flood_of = {id(operation): flood for flood in model.floods for operation in flood.programs.values()}
    for root in roots:
        for part in _parted(root, of_operation):
            suggestion = _of_root(part, flood_of, of_operation)
            if root.kind == "growth":
                grown.append(suggestion)
            mark = _mark(suggestion, id(part)) if root.kind == "body" else (id(part),)
            _add(made, mark, suggestion)
    for flood in model.floods:
        if not flood.programs:
            # Told by XLA alone: there is nothing but a count.
            suggestion = Suggestion("", None, 0.0, 0.0, f"{advice.FLOOD}  {advice.PLACELESS}", floods=[flood])
            _add(made, id(flood), suggestion)
    pooled = {id(group) for root in roots for group in root.again}
    for group in model.misses:
        if id(group) in pooled:
            continue
        of_growth = next((s for s in grown if _is_below(group, s)), None)
        if of_growth is not None:
            of_growth.misses.append(group)
            of_growth.saving += group.cost.total / (len(group.processes) or 1)
            of_growth.seconds += group.cost.total
            of_growth.findings = unique([*of_growth.findings, *of_miss[id(group)]])
            continue
        miss = _of_miss(group, of_miss[id(group)], model, sources)
        if miss is not None:
            _add(made, (group.cause, *_mark(miss, group.key)), miss)
    wanted = [suggestion for suggestion in made.values() if _matters(suggestion)]
    for suggestion in wanted:
        _say(suggestion, model)
        if suggestion.misses and suggestion.misses[0].cause is Cause.WEAK_TYPE:
            suggestion.facts += _makers(suggestion.misses, sources)
    return sorted(wanted, key=lambda s: -s.saving)


def _is_below(group: MissGroup, growth: Suggestion) -> bool:
    """Tell whether a function is compiled again for the shapes that grow."""
    site = growth.site
    return (
        group.cause is Cause.SHAPE
        and site is not None
        and any((frame.file, frame.line) == (site.file, site.line) for frame in group.frames)
    )


def _parted(root: Root, of_operation: dict[int, list[Diagnostic]]) -> Iterator[Root]:
    """Yield a part for each finding, where a root is no more than what runs in the same function."""
    if root.kind not in ("body", "unknown"):
        yield root
        return
    parts: dict[object, list[Operation]] = {}
    for operation in root.operations:
        found = of_operation[id(operation)]
        parts.setdefault((found[0].filename, found[0].fingerprint) if found else None, []).append(operation)
    whole = root.seconds
    for operations in parts.values():
        if len(parts) == 1:
            yield root
            return
        part = Root(root.kind, None, root.name, root.wrapper, root.options, root.obstacle, operations=operations)
        sites = [frame for operation in operations for frame in operation.stack if frame in root.sites]
        part.sites = dict.fromkeys(sites)
        part.site = sites[0] if sites else root.site
        part.saving = root.saving * part.seconds / whole if whole else 0.0
        yield part


def _of_root(root: Root, flood_of: dict[int, Flood], of_operation: dict[int, list[Diagnostic]]) -> Suggestion:
    suggestion = Suggestion("", root.site, root.saving, root.seconds, _root_advice(root), root=root)
    floods: dict[int, Flood] = {}
    for operation in root.operations:
        flood = flood_of[id(operation)]
        floods[id(flood)] = flood
        suggestion.flood_costs.setdefault(id(flood), Cost()).add(operation.cost)
    suggestion.floods = list(floods.values())
    suggestion.misses = list(root.again)
    suggestion.findings = unique(found for operation in root.operations for found in of_operation[id(operation)])
    return suggestion


def _root_advice(root: Root) -> str:
    if root.kind == "growth":
        return advice.GROWTH
    if root.kind == "unknown":
        return f"{advice.FLOOD}  {advice.PLACELESS}"
    if root.kind == "library":
        return advice.PERSISTENT
    if root.kind == "body":
        why = f"  `{root.name}` cannot be jitted as a whole: {root.obstacle}." if root.obstacle and root.name else ""
        if root.obstacle == WHILE_TRACED:
            return advice.CONSTANTS
        return advice.FLOOD + why
    compiled = f"{root.wrapper}({_clipped(root.name)}{root.static})"
    where = advice.WHERE_DEFINED if root.kind == "function" and not root.is_method else advice.COMPILE
    return where.format(compiled=compiled, name=_clipped(root.name))


def _matters(suggestion: Suggestion) -> bool:
    """Tell whether something is worth a suggestion: not two operations, nor a few traces within another one."""
    if suggestion.root is not None:
        return suggestion.root.programs >= FEW or bool(suggestion.root.again)
    if suggestion.floods:
        return sum(flood.compiles + flood.cache_loads for flood in suggestion.floods) >= FEW
    return suggestion.seconds > 0 or sum(group.count for group in suggestion.misses) >= MANY


def _mark(suggestion: Suggestion, *otherwise: object) -> tuple[object, ...]:
    if suggestion.findings:
        first = suggestion.findings[0]
        return first.filename, first.fingerprint
    return otherwise


def _add(made: dict[object, Suggestion], key: object, suggestion: Suggestion) -> None:
    old = made.get(key)
    if old is None:
        made[key] = suggestion
        return
    old.saving += suggestion.saving
    old.seconds += suggestion.seconds
    old.misses += suggestion.misses
    known = set(map(id, old.floods))
    old.floods += [flood for flood in suggestion.floods if id(flood) not in known]
    for number, cost in suggestion.flood_costs.items():
        old.flood_costs.setdefault(number, Cost()).add(cost)
    if old.root is not None and suggestion.root is not None:
        old.root.operations += suggestion.root.operations
        old.root.sites.update(suggestion.root.sites)
    old.findings = unique([*old.findings, *suggestion.findings])


_OF_THE_CALL = frozenset({Cause.REDEFINED_FUNCTION, Cause.PYTREE, Cause.STATIC_VALUE})
"""What a library's function is compiled again for at another call of the user's, which needs a program of its own."""


def _of_miss(group: MissGroup, findings: list[Diagnostic], model: Model, sources: Sources) -> Suggestion | None:
    seconds = group.cost.total
    # Processes wait at the same time.
    each = seconds / (len(group.processes) or 1)
    if group.cause is Cause.NEW_FUNCTION:
        share = _written_out(group.key, findings, model, sources)
        if share is None:
            return None
        return Suggestion("", group.site, each * share, seconds, advice.LARGE, findings=findings, misses=[group])
    text = advice.ADVICE[group.cause]
    if group.cause in _OF_THE_CALL and group.key.file and not sources.is_user(group.key.file):
        if runs_once(group.stack, sources):
            return None
        if group.cause is Cause.REDEFINED_FUNCTION:
            text = advice.OF_A_LIBRARY
        if not _is_begun(group, model):
            each *= 1 - 1 / group.count
        if not each:
            return None
    if group.is_placed:
        text = advice.COMMITTED if group.cause is Cause.UNKNOWN else f"{text}  {advice.COMMITTED}"
    return Suggestion("", group.site, each, seconds, text, findings=findings, misses=[group])


def _is_begun(group: MissGroup, model: Model) -> bool:
    """Tell whether its function was compiled at its line for another cause."""
    return any(
        other.key == group.key and other.site == group.site and other.compiles + other.cache_loads
        for other in model.misses
        if other is not group
    )


def _written_out(key: Key, findings: list[Diagnostic], model: Model, sources: Sources) -> float | None:
    """Return the share of a program's equations that a Python loop wrote out; None where no loop did."""
    equations = model.equations.get(key)
    if equations is None or equations.count < advice.MANY_EQUATIONS:
        # Without counts a finding has to do, and how much it costs cannot be told.
        return 0.0 if findings and equations is None else None
    share = _looped(equations, sources) / equations.count
    if share < 0.1 and not findings:
        return None
    return share


def _looped(equations: Equations, sources: Sources) -> int:
    """Count the equations of a program that Python loops repeat."""
    loops: dict[object, list[int]] = {}
    for sample in equations.samples:
        loop = next((loop for frame in sample.stack for loop in _loops_around(frame, sources)), None)
        if loop is not None:
            loops.setdefault(loop, []).append(sample.count)
    return sum(map(_repeated, loops.values()))


def _loops_around(frame: Frame, sources: Sources) -> list[tuple[str, range]]:
    text = sources.text(frame.file)
    return [(frame.file, rows) for rows in text.loops if frame.line in rows] if text is not None else []


def _repeated(counts: list[int]) -> int:
    """Return how many equations a loop repeats: it runs as often as divides most of them; 0 where that is too few."""
    whole = sum(counts)
    kinds = set(counts)
    for times in sorted({math.gcd(one, other) for one in kinds for other in kinds}, reverse=True):
        if times < LOOPED:
            break
        if 4 * sum(count for count in counts if count % times == 0) >= 3 * whole:
            return whole - whole // times
    return 0


_WHY = {
    Cause.REDEFINED_FUNCTION: "for a new function object",
    Cause.SHAPE: "for a new shape",
    Cause.DTYPE: "for a new dtype",
    Cause.WEAK_TYPE: "for a weak type",
    Cause.STATIC_VALUE: "for a new static value",
    Cause.PYTREE: "for a different pytree structure",
    Cause.CONTEXT: "in another context",
    Cause.UNKNOWN: "for an unknown reason",
}


def _say(suggestion: Suggestion, model: Model) -> None:
    """Put into words what happened."""
    if suggestion.floods or suggestion.root is not None:
        _say_operations(suggestion)
        return
    group = suggestion.misses[0]
    name = group.program or group.key.name
    if group.cause is Cause.NEW_FUNCTION:
        equations = model.equations.get(group.key)
        of = f" of {equations.count:,} equations" if equations is not None else ""
        suggestion.title = f"{name} is one large program{of}"
        return
    inner = sum(part.inner for part in suggestion.misses)
    alone = sum(part.count for part in suggestion.misses) - inner
    what, times = ("compiled", alone) if alone else ("traced", inner)
    processes = len(set().union(*(part.processes for part in suggestion.misses))) or 1
    suggestion.title = f"{name} was {what} again {_WHY[group.cause]}{_often(times, processes)}"
    for part in suggestion.misses:
        suggestion.facts.extend(list(part.changes)[:3])
    if not alone:
        suggestion.facts.append("inside another trace, whose time includes this")
    if group.cause is Cause.UNKNOWN and group.evidence:
        suggestion.facts.append(" ".join(group.evidence.split())[:200])
    if any(part.corrected for part in suggestion.misses):
        again = group.cause is Cause.REDEFINED_FUNCTION
        suggestion.facts.append(
            "in part with argument types that the earlier function had seen, for which JAX names another cause"
            if again
            else "JAX's own explanation names another cause, as it compares with another earlier call"
        )


def _makers(groups: list[MissGroup], sources: Sources) -> list[str]:
    """Return the lines that made the arguments that differ, where the call names a variable for them."""
    found: dict[str, None] = {}
    for group in groups:
        site = group.site
        text = sources.text(site.file) if site is not None else None
        if site is None or text is None:
            continue
        module = Module(text.source.text)
        call = module.call(site.line, site.column, site.end_line, site.end_column)
        function = module.named(group.program or group.key.name)
        if not isinstance(call, ast.Call) or function is None:
            continue
        given = dict(zip(function.parameters, call.args, strict=False))
        given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
        for change in group.changes:
            name = _FIRST_NAME.match(change)
            value = given.get(name[0]) if name is not None else None
            if isinstance(value, ast.Name):
                made = module.made(value.id, call, module.function(site.line, site.function))
                if made is not None:
                    found[f"`{value.id}` was created at line {made.lineno}: {text.line(made.lineno)}"] = None
    return list(found)


_OF_GROWTH = frozenset({"JAX404", "JAX501"})
_FIRST_NAME = re.compile(r"[A-Za-z_]\w*")


def _often(times: int, processes: int) -> str:
    """Say how often something happened; what happened in all processes alike, as if there were one."""
    if processes == 1:
        return f", {times} times" if times > 1 else ""
    if times % processes:
        return f", {times} times in {processes} processes"
    each = times // processes
    return f", {each} times in each of {processes} processes" if each > 1 else f", in each of {processes} processes"


def _say_operations(suggestion: Suggestion) -> None:
    root = suggestion.root
    operations: Counter[str] = Counter()
    if root is not None:
        for operation in root.operations:
            operations[operation.name or "others"] += operation.count
    else:
        for flood in suggestion.floods:
            operations.update(flood.operations)
    programs = sum(operations.values())
    several = root.processes if root is not None else 1
    of_each = several > 1 and programs % several == 0
    programs = programs // several if of_each else programs
    end = f", in {'each of ' if of_each else ''}{several} processes" if several > 1 else ""
    if root is None or root.kind in ("body", "unknown"):
        if suggestion.findings:
            # Where it can be changed, rather than in a helper that is called there.
            first = suggestion.findings[0]
            suggestion.site = Frame(first.filename, first.location.row, column=first.location.column - 1)
        suggestion.title = f"{programs} operations were compiled one by one, outside any jitted function{end}"
    elif root.kind == "growth":
        suggestion.findings = [d for d in suggestion.findings if d.code in _OF_GROWTH] or suggestion.findings
        suggestion.title = f"shapes grow, and {programs} programs were compiled for {len(root.sizes)} sizes{end}"
        shown = ", ".join(map(str, root.sizes[:4])) + (", ..." if len(root.sizes) > 4 else "")
        suggestion.facts.append(f"sizes {shown}, at {_counted(len(root.sites), 'line')}")
        for group in suggestion.misses[:2]:
            suggestion.facts.append(f"{group.program or group.key.name} was compiled again for them as well")
    else:
        what = "inside the library" if root.kind == "library" else "where one would be enough"
        suggestion.title = f"`{_clipped(root.name)}` runs operation by operation: {programs} programs, {what}{end}"
    if root is not None:
        _say_loops(suggestion, root, programs, end)
    most = sorted(operations.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{name} x{count}" if count > 1 else name for name, count in most[:8])
    if listed:
        suggestion.facts.append(listed + (f" and {len(most) - 8} more" if len(most) > 8 else ""))
    if root is not None:
        suggestion.obstacle = _obstacle(root)
    if suggestion.obstacle == advice.HEAVY:
        suggestion.facts.append(advice.HEAVY)


def _obstacle(root: Root) -> str:
    """Say why jitting a root saves nothing, or little; empty where it does not."""
    if root.kind == "library":
        return advice.CHANGES
    if root.akin:
        name, line = root.akin[0]
        return advice.AKIN.format(name=_clipped(name), line=line)
    return advice.HEAVY if root.kind != "growth" and root.saving < root.seconds / 5 else ""


def _say_loops(suggestion: Suggestion, root: Root, programs: int, end: str) -> None:
    if root.again:
        times = sum(group.count for group in root.again)
        names = ", ".join(sorted({group.program for group in root.again}))
        if programs:
            suggestion.facts.append(f"{names} in it compiled again, {_counted(times, 'time')}")
        else:
            suggestion.title = f"`{_clipped(root.name)}` compiles {names} again, {_counted(times, 'time')}{end}"


def _clipped(name: str) -> str:
    """Return the text of a function; of a long expression what it calls, as `vmap(...)`."""
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST].partition('(')[0]}(...)"


_LONGEST = 60


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
