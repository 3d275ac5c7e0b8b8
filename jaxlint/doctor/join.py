"""Puts what a run cost and what linting its files finds side by side."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from jaxlint.doctor import roots
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Frame
from jaxlint.doctor.model import CONTROL, Key, MissGroup, Model
from jaxlint.doctor.sources import Sources
from jaxlint.doctor.suggestions import Suggestion, suggest, unique

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
MOST = 10
"""How many suggestions are shown at most."""
_COSTS = 5
"""Of how many others that cost much is told why they would save little."""
SMALL = 0.05
LARGE = 5.0
"""A change is worth it that saves this part of all seconds, or as many seconds."""
MOST_FILES = 5_000
"""How many files of the folder of a run are read at most: it may have been the home of everything."""


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
    found: list[Diagnostic] = field(default_factory=list)
    """All findings, at any confidence."""

    @property
    def shown(self) -> list[Suggestion]:
        """The changes that are worth it, the best first, and at most ten."""
        worth = (one for one in self.suggestions if (one.seconds if one.is_open else one.worth) >= self.least)
        return sorted(worth, key=lambda one: -one.worth)[:MOST]

    @property
    def least(self) -> float:
        """How many seconds of a process are worth a word."""
        totals = self.model.totals
        return min(SMALL * totals.cost.total / max(totals.processes, 1), LARGE)

    @property
    def rest(self) -> list[Suggestion]:
        """The suggestions that are not shown, what costs most first."""
        kept = set(map(id, self.shown))
        return sorted((one for one in self.suggestions if id(one) not in kept), key=lambda one: -one.seconds)

    @property
    def costly(self) -> list[Suggestion]:
        """Those of the rest that cost much and would save little."""
        return [one for one in self.rest if one.seconds >= self.least][:_COSTS]

    @property
    def savings(self) -> dict[int, float]:
        """How many seconds a group's suggestion would save of the group, by `id()` of the group."""
        return {
            number: sum(saving for _, saving in parts)
            for number, parts in itertools.groupby(sorted(self._saved()), key=lambda part: part[0])
        }

    def _saved(self) -> Iterator[tuple[int, float]]:
        for suggestion in self.suggestions:
            if suggestion.seconds:
                for number, cost in suggestion.parts:
                    yield number, cost.total * suggestion.saving / suggestion.seconds


def join(model: Model, folder: str | None = None, *, isolated: bool = False) -> Joined:
    """Lint the files that appear in a run, and say which findings explain what it cost.

    Files that cannot be found from `folder` (default: the current one), or that are not what ran, are skipped;
    `sources.missing` tells them.  `isolated` has no configuration file read.

    Raises:
        ConfigError: a configuration file cannot be used.
    """
    sources = Sources(folder)
    _distrust(model, sources)
    found, errors = _lint(_files(model, sources), sources, isolated)
    found = [_in_text(diagnostic, sources) for diagnostic in found]
    matcher = _Matcher(sources, found)
    of_miss = {id(group): matcher.of_miss(group, model) for group in model.misses}
    of_operation = {id(o): matcher.of_stack(o.stack) for flood in model.floods for o in flood.programs.values()}
    of_flood = {
        id(flood): unique(d for operation in flood.programs.values() for d in of_operation[id(operation)])
        for flood in model.floods
    }
    used = {d.fingerprint + d.filename for ds in (*of_miss.values(), *of_flood.values()) for d in ds}
    suggestions = suggest(model, roots.find(model, sources), of_miss, of_operation, sources)
    for suggestion in suggestions:
        suggestion.possible = _possible(suggestion, found)
        used.update(d.fingerprint + d.filename for d in (*suggestion.findings, *suggestion.possible))
    unused = [d for d in found if d.fingerprint + d.filename not in used and _is_shown(d)]
    return Joined(model, sources, suggestions, of_miss, of_flood, unused, errors, found)


def _in_text(diagnostic: Diagnostic, sources: Sources) -> Diagnostic:
    """Return a finding in a notebook with the lines of the text that its cells make up, as frames have them."""
    text = next((text for text in sources.texts if text.name == diagnostic.filename), None)
    if diagnostic.location.cell is None or text is None:
        return diagnostic
    firsts = {cell.number: text.source.position(cell.start)[0] for cell in text.source.cells}

    from jaxlint.diagnostic import Location

    def moved(at: Location) -> Location:
        return Location(at.row + firsts.get(at.cell or 0, 1) - 1, at.column)

    return dataclasses.replace(
        diagnostic,
        location=moved(diagnostic.location),
        end_location=moved(diagnostic.end_location),
        related=tuple(dataclasses.replace(note, location=moved(note.location)) for note in diagnostic.related),
    )


def _distrust(model: Model, sources: Sources) -> None:
    """Skip files in which functions that ran are not where they were."""
    places: dict[str, list[Frame]] = {}
    for group in model.misses:
        # An operation with functions in it is told of the line that calls it.
        if group.definition is not None and group.definition.function not in CONTROL:
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

    At every confidence, previews included: what costs something is true whatever the visible code shows.
    """
    from jaxlint import pool
    from jaxlint.checking import check_files
    from jaxlint.config import Finder, Layer
    from jaxlint.discovery import File, python_files
    from jaxlint.finding import Confidence

    finder = Finder(
        isolated=isolated, over=[Layer({"min-confidence": Confidence.LOW, "preview": True, "observed": os.devnull})]
    )
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
    # A flood was seen: what may explain it counts however sure the text alone makes it.
    counts = _is_stable if suggestion.floods else _is_shown
    return [diagnostic for diagnostic in found if diagnostic.code in codes and counts(diagnostic)]


def _is_stable(diagnostic: Diagnostic) -> bool:
    """Tell whether a finding is one of a stable rule."""
    from jaxlint.rules import rules

    return not rules()[diagnostic.code].preview


def _is_shown(diagnostic: Diagnostic) -> bool:
    """Tell whether `check` shows a finding by default."""
    from jaxlint.finding import Confidence

    return diagnostic.confidence >= Confidence.MEDIUM and _is_stable(diagnostic)


class _Matcher:
    """Says which findings are where something happened, and are about what happened."""

    def __init__(self, sources: Sources, found: Iterable[Diagnostic]) -> None:
        self._sources = sources
        self._by_file: dict[str, list[Diagnostic]] = {}
        self._of_frames: dict[Frame, list[Diagnostic]] = {}
        for diagnostic in found:
            self._by_file.setdefault(diagnostic.filename, []).append(diagnostic)

    def of_miss(self, group: MissGroup, model: Model) -> list[Diagnostic]:
        """Return the findings that explain a group of misses, the nearest first."""
        if group.cause is Cause.NEW_FUNCTION:
            return self._of_size(group.key, model)
        codes = frozenset(_BY_CAUSE[group.cause].split())
        near = self._at([frame for frame in (group.site,) if frame is not None], codes)
        near += self._at(self._header(group.definition), codes)
        return unique(near or self._at(list(group.frames)[1:], codes))

    def of_stack(self, stack: Iterable[Frame]) -> list[Diagnostic]:
        """Return the findings that explain an operation outside of jitted functions, of the innermost line with one."""
        for frame in stack:
            found = self._of_frames.get(frame)
            if found is None:
                found = self._of_frames[frame] = unique(self._at([frame], _OF_FLOODS))
            if found:
                return found
        return []

    def _of_size(self, key: Key, model: Model) -> list[Diagnostic]:
        """Return the findings on loops that are where a function got its equations, or within the function."""
        equations = model.equations.get(key)
        frames = [frame for sample in equations.samples for frame in sample.stack[:2]] if equations else []
        found = self._at(frames, _OF_SIZE)
        text = self._sources.text(key.file) if key.file else None
        if not found and text is not None and key.line in text.functions:
            last = text.functions[key.line][1]
            found = [
                d for d in self._by_file.get(text.name, ()) if d.code in _OF_SIZE and key.line <= d.location.row <= last
            ]
        return unique(found)

    def _header(self, definition: Frame | None) -> list[Frame]:
        """Return the lines from a function's first decorator to its `def`."""
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
