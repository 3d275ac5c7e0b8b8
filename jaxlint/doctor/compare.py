"""What two runs of a program differ in: how often functions were compiled, why, and of how many equations.

Seconds differ from one run to the next.  They are told, and nothing is decided by them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxlint.doctor.model import Model
from jaxlint.doctor.visible import visible

OPERATIONS = "(operations outside jitted functions)"


@dataclass
class Entry:
    """What one function did in one run."""

    programs: int = 0
    """Compiles, and loads from the persistent cache: what the cache holds makes no difference."""
    seconds: float = 0.0
    equations: int | None = None
    causes: Counter[str] = field(default_factory=Counter)


Run = dict[tuple[str, str], Entry]
"""By the name of a function and that of its file.  Its line is skipped, as any change above it moves it."""


@dataclass(frozen=True)
class Change:
    """One function, before and after; a run in which it was not compiled has an empty entry."""

    name: str
    file: str
    before: Entry
    after: Entry

    @property
    def programs(self) -> int:
        """How many programs more there are."""
        return self.after.programs - self.before.programs

    @property
    def growth(self) -> float:
        """By which share its equations grew; 0 where that is not known."""
        before, after = self.before.equations, self.after.equations
        return after / before - 1.0 if before and after is not None else 0.0

    @property
    def causes(self) -> dict[str, int]:
        """How often more it was compiled, by cause."""
        names = sorted({*self.before.causes, *self.after.causes})
        return {name: self.after.causes[name] - self.before.causes[name] for name in names}

    @property
    def is_one(self) -> bool:
        """Tell whether anything but seconds differs."""
        return bool(self.programs or self.growth or any(self.causes.values()))


@dataclass(frozen=True)
class Comparison:
    """Two runs; `changes` are the functions that differ, those with the most new programs first."""

    changes: tuple[Change, ...]
    before: Entry
    after: Entry

    @property
    def new_compiles(self) -> int:
        """How many programs are new, those that are gone not counted against them."""
        return sum(max(change.programs, 0) for change in self.changes)

    @property
    def growth(self) -> float:
        """The largest share by which the equations of a function grew."""
        return max((change.growth for change in self.changes), default=0.0)


def of_model(model: Model) -> Run:
    """Return the functions of a run."""
    folder = model.start.folder if model.start is not None else ""
    run: Run = {}
    for function in model.functions:
        key = (OPERATIONS, "") if function.eager else (function.key.name, _relative(function.key.file, folder))
        entry = run.setdefault(key, Entry())
        entry.programs += function.compiles + function.cache_loads
        entry.seconds += function.cost.total
        if function.equations is not None:
            entry.equations = (entry.equations or 0) + function.equations
    for group in model.misses:
        found = run.get((group.key.name, _relative(group.key.file, folder)))
        if found is not None and group.compiles + group.cache_loads:
            found.causes[group.cause.value] += group.compiles + group.cache_loads
    return run


def of_report(data: Mapping[str, Any]) -> Run:
    """Return the functions of a run as `run --json` and `log --output-format json` tell of it.

    Raises:
        KeyError, TypeError: it is no such report.
    """
    run: Run = {}
    for function in data["functions"]:
        key = (OPERATIONS, "") if function["eager"] else (function["name"], _relative(function["file"] or "", ""))
        entry = run.setdefault(key, Entry())
        entry.programs += function["compiles"] + function["cache_loads"]
        entry.seconds += sum(function[f"{phase}_seconds"] for phase in ("trace", "lowering", "compile"))
        if function["equations"] is not None:
            entry.equations = (entry.equations or 0) + function["equations"]
    for miss in data["misses"]:
        place = miss["definition"] or miss["site"]
        found = run.get((miss["function"], _relative(place["file"] if place else "", "")))
        if found is not None and miss["compiles"] + miss["cache_loads"]:
            found.causes[miss["cause"]] += miss["compiles"] + miss["cache_loads"]
    return run


def _relative(file: str, folder: str) -> str:
    """Name a file so that it is the same in another checkout: from the folder of the run on."""
    if not os.path.isabs(file):
        return file
    if folder and file.startswith(folder.rstrip(os.sep) + os.sep):
        return os.path.relpath(file, folder)
    return os.path.basename(file)


def compare(before: Run, after: Run) -> Comparison:
    """Return what differs."""
    changes = [Change(*key, before.get(key, Entry()), after.get(key, Entry())) for key in {**before, **after}]
    changes = [change for change in changes if change.is_one]
    changes.sort(key=lambda change: (-change.programs, -change.growth, change.name, change.file))
    return Comparison(tuple(changes), _total(before.values()), _total(after.values()))


def _total(entries: Iterable[Entry]) -> Entry:
    total = Entry()
    for entry in entries:
        total.programs += entry.programs
        total.seconds += entry.seconds
        total.equations = (total.equations or 0) + (entry.equations or 0)
    return total


# --- as text ---------------------------------------------------------------------------------------------------------


def to_text(found: Comparison) -> str:
    """Return the comparison for people."""
    lines = [_summary(found)]
    for change in found.changes:
        place = f" ({change.file})" if change.file else ""
        lines.append(f"  {change.name}{place}: {'; '.join(_told(change))}")
    return "".join(visible(line) + "\n" for line in lines)


def to_markdown(found: Comparison) -> str:
    """Return the comparison as a comment on a pull request."""
    lines = [f"**{_summary(found)}**"]
    if found.changes:
        lines += ["", "| function | programs | equations | what changed |", "|---|---|---|---|"]
    for change in found.changes:
        equations = f"{_number(change.before.equations)} → {_number(change.after.equations)}"
        name = f"`{_cell(change.name)}`" + (f" ({_cell(change.file)})" if change.file else "")
        programs = f"{change.before.programs} → {change.after.programs}"
        lines.append(f"| {name} | {programs} | {equations} | {_cell('; '.join(_why(change)))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def to_json(found: Comparison) -> str:
    """Return the comparison for programs."""
    data = {
        "new_compiles": found.new_compiles,
        "growth": round(found.growth, 6),
        "before": _plain(found.before),
        "after": _plain(found.after),
        "changes": [
            {
                "name": change.name,
                "file": change.file or None,
                "before": _plain(change.before),
                "after": _plain(change.after),
                "causes": {name: number for name, number in change.causes.items() if number},
            }
            for change in found.changes
        ],
    }
    return json.dumps(data, indent=1) + "\n"


def _plain(entry: Entry) -> dict[str, Any]:
    return {"programs": entry.programs, "seconds": round(entry.seconds, 6), "equations": entry.equations}


def _summary(found: Comparison) -> str:
    before, after = found.before, found.after
    if not found.changes:
        return (
            f"Nothing changed: {before.programs} programs ({before.seconds:.1f} s before, {after.seconds:.1f} s now)."
        )
    return (
        f"{before.programs} programs before, {after.programs} now ({before.seconds:.1f} s before, "
        f"{after.seconds:.1f} s now)."
    )


def _told(change: Change) -> Iterator[str]:
    if change.programs:
        yield f"{change.before.programs} programs before, {change.after.programs} now"
    if change.growth:
        yield f"{change.before.equations:,} equations before, {change.after.equations:,} now ({change.growth:+.0%})"
    yield from _why(change)


def _why(change: Change) -> Iterator[str]:
    for name, number in change.causes.items():
        if number:
            yield f"{number:+} for `{name}`"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
