"""Puts what a run cost and what linting its files finds side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from jaxlint.doctor import advice
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Frame
from jaxlint.doctor.model import Cost, Flood, Key, MissGroup, Model
from jaxlint.doctor.sources import Sources

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic

_BY_CAUSE = {
    Cause.REDEFINED_FUNCTION: "JAX101 JAX102 JAX103 JAX104 JAX105 JAX106 JAX107 JAX108 JAX109 JAX203",
    Cause.STATIC_VALUE: "JAX109 JAX202 JAX203 JAX204 JAX207 JAX503",
    Cause.SHAPE: "JAX404 JAX501 JAX204",
    Cause.DTYPE: "JAX502 JAX501",
    Cause.WEAK_TYPE: "JAX502",
    Cause.PYTREE: "JAX503 JAX501 JAX404",
    Cause.NEW_FUNCTION: "",
    Cause.CONTEXT: "",
    Cause.UNKNOWN: "",
}
_OF_FLOODS = frozenset("JAX401 JAX402 JAX403 JAX404 JAX405 JAX901".split())
_OF_SIZE = frozenset("JAX301 JAX302 JAX303".split())
FEW = 3
"""Of how many programs a flood is made at least."""
MOST_FILES = 5_000
"""How many files of the folder of a run are read at most: it may have been the home of everything."""
MANY = 10
"""From how many traces within others on they are worth a word."""


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

    @property
    def other_sites(self) -> list[Frame]:
        """The other lines that its groups are of."""
        sites = [group.site for group in self.misses] + [flood.site for flood in self.floods]
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
        return [(id(group), group.cost) for group in self.misses] + [(id(flood), flood.cost) for flood in self.floods]


@dataclass
class Joined:
    """A run with the findings of its files.

    `of_miss` and `of_flood` give the findings that explain a group, by `id()` of the group.  `unused` are the findings
    that no cost belongs to.
    """

    model: Model
    sources: Sources
    suggestions: list[Suggestion]
    of_miss: dict[int, list[Diagnostic]]
    of_flood: dict[int, list[Diagnostic]]
    unused: list[Diagnostic]
    errors: list[str] = field(default_factory=list)

    @property
    def savings(self) -> dict[int, float]:
        """How many seconds a group's suggestion would save of the group, by `id()` of the group."""
        return {
            number: cost.total * suggestion.saving / suggestion.seconds
            for suggestion in self.suggestions
            if suggestion.seconds
            for number, cost in suggestion.parts
        }


def join(model: Model, folder: str | None = None, *, isolated: bool = False) -> Joined:
    """Lint the files that appear in a run, and say which findings explain what it cost.

    Files that cannot be found from `folder` (default: the current one), or that are not what ran, are left out;
    `sources.missing` tells them.  `isolated` has no configuration file read.

    Raises:
        ConfigError: a configuration file cannot be used.
    """
    sources = Sources(folder)
    _distrust(model, sources)
    found, errors = _lint(_files(model, sources), sources, isolated)
    matcher = _Matcher(sources, found)
    of_miss = {id(group): matcher.of_miss(group, model) for group in model.misses}
    of_flood = {id(flood): matcher.of_flood(flood) for flood in model.floods}
    used = {d.fingerprint + d.filename for ds in (*of_miss.values(), *of_flood.values()) for d in ds}
    suggestions = _suggestions(model, of_miss, of_flood)
    for suggestion in suggestions:
        suggestion.possible = _possible(suggestion, found)
        used.update(d.fingerprint + d.filename for d in (*suggestion.findings, *suggestion.possible))
    unused = [d for d in found if d.fingerprint + d.filename not in used and _is_shown(d)]
    return Joined(model, sources, suggestions, of_miss, of_flood, unused, errors)


def _distrust(model: Model, sources: Sources) -> None:
    """Leave out files in which functions that ran are not where they were."""
    places: dict[str, list[Frame]] = {}
    for group in model.misses:
        if group.definition is not None:
            places.setdefault(group.definition.file, []).append(group.definition)
    for file, frames in places.items():
        text = sources.text(file)
        if text is not None:
            good = sum(text.is_definition(frame) for frame in frames)
            if good * 2 < len(frames):
                sources.distrust(file, f"{text.name} is not what ran: its functions are at other lines")


def _files(model: Model, sources: Sources) -> list[str]:
    """Return the absolute paths of the user's files that something happened in."""
    frames: dict[Frame, None] = {}
    for group in model.misses:
        frames.update(group.frames)
        for place in (group.site, group.definition):
            if place is not None:
                frames[place] = None
    for flood in model.floods:
        frames.update(flood.frames)
    for equations in model.equations.values():
        frames.update({frame: None for sample in equations.samples for frame in sample.stack})
    texts = {frame.file: sources.text(frame.file) for frame in frames}
    return list(dict.fromkeys(text.path for text in texts.values() if text is not None))


def _lint(paths: Sequence[str], sources: Sources, isolated: bool) -> tuple[list[Diagnostic], list[str]]:
    """Lint files as `check` does in the folder of the run, where the other files say what is done with theirs.

    At every confidence, previews included: what costs something is true whatever the code in sight shows.
    """
    from jaxlint import pool
    from jaxlint.checking import check_files
    from jaxlint.config import Finder, Layer
    from jaxlint.discovery import File, python_files
    from jaxlint.finding import Confidence

    finder = Finder(isolated=isolated, over=[Layer({"min-confidence": Confidence.LOW, "preview": True})])
    below = any(path.startswith(sources.folder + os.sep) for path in paths)
    project = {file.path: file for file in islice(python_files(sources.folder, finder), MOST_FILES + 1) if below}
    errors: list[str] = []
    if len(project) > MOST_FILES:
        errors.append(f"{sources.folder} holds more than {MOST_FILES:,} Python files: each was linted alone")
        project = {}
    files = [
        project[path] if path in project else File(sources.shown(path), path, finder.config(os.path.dirname(path)))
        for path in paths
    ]
    beside = [file for path, file in project.items() if path not in paths]
    results = check_files(files, pool.processes(len(files) + len(beside), None), beside=beside)
    errors += [checked.error for checked in results if checked.error is not None]
    return [diagnostic for checked in results for diagnostic in checked.diagnostics], errors


def _possible(suggestion: Suggestion, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings of all files that may explain something of which no line is known."""
    if suggestion.site is not None or suggestion.findings:
        return []
    codes = set(_OF_FLOODS) if suggestion.floods else set()
    for group in suggestion.misses:
        codes.update(_BY_CAUSE[group.cause].split() if group.definition is None else ())
    return [diagnostic for diagnostic in found if diagnostic.code in codes and _is_shown(diagnostic)]


def _is_shown(diagnostic: Diagnostic) -> bool:
    """Tell whether `check` shows a finding by default."""
    from jaxlint.finding import Confidence
    from jaxlint.rules import rules

    return diagnostic.confidence >= Confidence.MEDIUM and not rules()[diagnostic.code].preview


class _Matcher:
    """Says which findings stand where something happened, and are about what happened."""

    def __init__(self, sources: Sources, found: Iterable[Diagnostic]) -> None:
        self._sources = sources
        self._by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in found:
            self._by_file.setdefault(diagnostic.filename, []).append(diagnostic)

    def of_miss(self, group: MissGroup, model: Model) -> list[Diagnostic]:
        """Return the findings that explain a group of misses, the nearest first."""
        if group.cause is Cause.NEW_FUNCTION:
            return self._of_size(group.key, model)
        codes = frozenset(_BY_CAUSE[group.cause].split())
        near = self._at([frame for frame in (group.site,) if frame is not None], codes)
        near += self._at(self._header(group.definition), codes)
        return _unique(near or self._at(list(group.frames)[1:], codes))

    def of_flood(self, flood: Flood) -> list[Diagnostic]:
        """Return the findings that explain operations outside of compiled functions."""
        for frame in [flood.site, *list(flood.frames)[1:]]:
            found = self._at([frame], _OF_FLOODS) if frame is not None else []
            if found:
                return _unique(found)
        return []

    def _of_size(self, key: Key, model: Model) -> list[Diagnostic]:
        """Return the findings on loops that stand where a function got its equations, or within the function."""
        equations = model.equations.get(key)
        frames = [frame for sample in equations.samples for frame in sample.stack[:2]] if equations else []
        found = self._at(frames, _OF_SIZE)
        text = self._sources.text(key.file) if key.file else None
        if not found and text is not None and key.line in text.functions:
            last = text.functions[key.line][1]
            found = [
                d for d in self._by_file.get(text.name, ()) if d.code in _OF_SIZE and key.line <= d.location.row <= last
            ]
        return _unique(found)

    def _header(self, definition: Frame | None) -> list[Frame]:
        """Return the rows from a function's first decorator to its `def`."""
        if definition is None:
            return []
        text = self._sources.text(definition.file)
        last = text.functions.get(definition.line, (definition.line, 0))[0] if text is not None else definition.line
        return [Frame(definition.file, row) for row in range(definition.line, last + 1)]

    def _at(self, frames: Iterable[Frame], codes: frozenset[str]) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for frame in frames:
            text = self._sources.text(frame.file)
            if text is None:
                continue
            rows = range(frame.line, (frame.end_line or frame.line) + 1)
            found.extend(d for d in self._by_file.get(text.name, ()) if d.code in codes and _touches(d, rows))
        return found


def _touches(diagnostic: Diagnostic, rows: range) -> bool:
    own = range(diagnostic.location.row, diagnostic.end_location.row + 1)
    return (own.start < rows.stop and rows.start < own.stop) or any(
        note.location.row in rows for note in diagnostic.related
    )


def _unique(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    return list({(d.filename, d.fingerprint): d for d in found}.values())


# --- suggestions -----------------------------------------------------------------------------------------------------


def _suggestions(
    model: Model, of_miss: dict[int, list[Diagnostic]], of_flood: dict[int, list[Diagnostic]]
) -> list[Suggestion]:
    """Return what to change, the largest saving first; what one finding explains is one suggestion."""
    made: dict[object, Suggestion] = {}
    for group in model.misses:
        suggestion = _of_miss(group, of_miss[id(group)], model)
        if suggestion is not None:
            _add(made, (group.cause, *_mark(suggestion, group.key)), suggestion)
    for flood in model.floods:
        suggestion = _of_flood(flood, of_flood[id(flood)])
        _add(made, _mark(suggestion, flood.site), suggestion)
    wanted = [suggestion for suggestion in made.values() if _matters(suggestion)]
    for suggestion in wanted:
        _say(suggestion, model)
    return sorted(wanted, key=lambda s: -s.saving)


def _matters(suggestion: Suggestion) -> bool:
    """Tell whether something is worth a suggestion: not two operations, nor a few traces within another one."""
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
    old.floods += suggestion.floods
    old.findings = _unique([*old.findings, *suggestion.findings])


def _of_miss(group: MissGroup, findings: list[Diagnostic], model: Model) -> Suggestion | None:
    seconds = group.cost.total
    if group.cause is Cause.NEW_FUNCTION:
        share = _written_out(group.key, findings, model)
        if share is None:
            return None
        return Suggestion("", group.site, seconds * share, seconds, advice.LARGE, findings=findings, misses=[group])
    return Suggestion("", group.site, seconds, seconds, advice.ADVICE[group.cause], findings=findings, misses=[group])


def _written_out(key: Key, findings: list[Diagnostic], model: Model) -> float | None:
    """Return the share of a program's equations that its largest line brought in; None where it is not large."""
    equations = model.equations.get(key)
    if equations is None or equations.count < advice.MANY_EQUATIONS:
        # Without counts a finding has to do, and how much it costs cannot be told.
        return 0.0 if findings and equations is None else None
    lines: dict[tuple[str, int], int] = {}
    for sample in equations.samples:
        for frame in sample.stack[:1]:
            lines[frame.file, frame.line] = lines.get((frame.file, frame.line), 0) + sample.count
    return max(lines.values(), default=0) / equations.count


def _of_flood(flood: Flood, findings: list[Diagnostic]) -> Suggestion:
    seconds = flood.cost.total
    text = advice.FLOOD if flood.site is not None else f"{advice.FLOOD}  {advice.PLACELESS}"
    return Suggestion("", flood.site, seconds * advice.FLOOD_SHARE, seconds, text, findings=findings, floods=[flood])


_WHY = {
    Cause.REDEFINED_FUNCTION: "for a new function object",
    Cause.SHAPE: "for a new shape",
    Cause.DTYPE: "for a new dtype",
    Cause.WEAK_TYPE: "for a weak type",
    Cause.STATIC_VALUE: "for a new static value",
    Cause.PYTREE: "for another structure of its arguments",
    Cause.CONTEXT: "in another context",
    Cause.UNKNOWN: "for an unknown reason",
}


def _say(suggestion: Suggestion, model: Model) -> None:
    """Put into words what happened."""
    if suggestion.floods:
        if suggestion.findings:
            # Where it can be mended, rather than in a helper that is called there.
            first = suggestion.findings[0]
            suggestion.site = Frame(first.filename, first.location.row, column=first.location.column - 1)
        operations: dict[str, int] = {}
        for flood in suggestion.floods:
            for name, count in flood.operations.items():
                operations[name] = operations.get(name, 0) + count
        programs = sum(operations.values())
        suggestion.title = f"{programs} operations were compiled one by one, outside of any compiled function"
        most = sorted(operations.items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{name} x{count}" if count > 1 else name for name, count in most[:8])
        suggestion.facts.append(listed + (f" and {len(most) - 8} more" if len(most) > 8 else ""))
        return
    group = suggestion.misses[0]
    name = group.program or group.key.name
    if group.cause is Cause.NEW_FUNCTION:
        equations = model.equations.get(group.key)
        of = f" of {equations.count:,} equations" if equations is not None else ""
        suggestion.title = f"{name} is one large program{of}"
        return
    times = sum(part.count for part in suggestion.misses)
    inner = sum(part.inner for part in suggestion.misses)
    what = "traced" if inner == times else "compiled"
    suggestion.title = f"{name} was {what} again {_WHY[group.cause]}" + (f", {times} times" if times > 1 else "")
    for part in suggestion.misses:
        suggestion.facts.extend(list(part.changes)[:3])
    if inner and inner == times:
        suggestion.facts.append("inside of another trace, whose time has this in it")
    if group.cause is Cause.UNKNOWN and group.evidence:
        suggestion.facts.append(" ".join(group.evidence.split())[:200])
    if any(part.corrected for part in suggestion.misses):
        again = group.cause is Cause.REDEFINED_FUNCTION
        suggestion.facts.append(
            "in part for types that the function of before was compiled for: jax calls it another cause"
            if again
            else "jax's own explanation names another cause: it compares with another earlier call"
        )
