"""The model of a run as JSON, for programs: `log --output-format json` and `run --json`.

Lines and columns are 1-based here, as in all that jaxlint writes for programs.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from jaxlint.doctor import advice
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Equations, Frame
from jaxlint.doctor.join import Joined
from jaxlint.doctor.model import Cost, Flood, Function, Key, MissGroup, Model, Program
from jaxlint.doctor.suggestions import Suggestion
from jaxlint.report.json import finding

_LINES = 20
_AROUND = 3


def to_json(joined: Joined, *, details: bool = False, links: str = "") -> dict[str, Any]:
    """Return the object that represents a run.

    `details` adds what a page shows beside it: each program that was built, with its stack, the equations of large ones
    with theirs, the lines of source around all places, and their addresses in the form that `links` names.
    """
    model = joined.model
    data = {
        "functions": [_function(function, model, joined) for function in model.functions],
        "misses": [_miss(group, joined) for group in model.misses],
        "floods": [_flood(flood, joined) for flood in model.floods],
        "unattributed": _unattributed(model),
        "totals": _totals(model),
        "divergences": [
            {
                "function": one.name,
                "types": one.types,
                "site": _place(one.site, joined),
                "counts": [{"count": number, "processes": names} for number, names in sorted(one.counts.items())],
            }
            for one in model.divergences
        ],
        "suggestions": _suggestions(joined),
        "unused": [finding(diagnostic) for diagnostic in joined.unused],
        "missing_files": [{"filename": file, "reason": reason} for file, reason in joined.sources.missing.items()],
        "not_understood": {
            "lines": model.unknown,
            "examples": [
                {"filename": example.file, "row": example.number, "text": example.text}
                for example in model.unknown_examples
            ],
        },
    }
    return data | _Details(joined).json(links) if details else data


def _function(function: Function, model: Model, joined: Joined) -> dict[str, Any]:
    key = function.key
    equations = model.equations.get(key)
    return {
        "name": key.name,
        "file": joined.sources.name(key.file) if key.file else None,
        "line": key.line or None,
        "eager": function.eager,
        "traces": function.traces,
        "trace_events": function.trace_events,
        "compiles": function.compiles,
        "cache_loads": function.cache_loads,
        **_seconds(function.cost),
        "equations": function.equations,
        "equations_by_line": _by_line(equations, joined) if equations is not None else [],
    }


def _by_line(equations: Equations, joined: Joined) -> list[dict[str, Any]]:
    lines: dict[tuple[str, int, str], int] = {}
    for sample in equations.samples:
        frame = sample.stack[0] if sample.stack else Frame("", 0)
        mark = (frame.file, frame.line, frame.function)
        lines[mark] = lines.get(mark, 0) + sample.count
    return [
        {"file": joined.sources.name(file) or None, "line": line or None, "function": function or None, "count": count}
        for (file, line, function), count in sorted(lines.items(), key=lambda item: -item[1])[:_LINES]
    ]


def _miss(group: MissGroup, joined: Joined) -> dict[str, Any]:
    found = joined.of_miss[id(group)]
    return {
        "function": group.key.name,
        "site": _place(group.site, joined),
        "definition": _place(group.definition, joined),
        "cause": group.cause.value,
        "evidence": group.evidence,
        "changes": list(group.changes),
        "corrected": group.corrected,
        "count": group.count,
        "inner": group.inner,
        "compiles": group.compiles,
        "cache_loads": group.cache_loads,
        "seconds": round(group.cost.total, 9),
        "saving": round(joined.savings.get(id(group), 0.0), 9),
        **_seconds(group.cost),
        "ids": group.ids,
        "findings": [finding(diagnostic) for diagnostic in found],
        "advice": None if found or group.cause is Cause.NEW_FUNCTION else advice.ADVICE[group.cause],
    }


def _flood(flood: Flood, joined: Joined) -> dict[str, Any]:
    found = joined.of_flood[id(flood)]
    return {
        "site": _place(flood.site, joined),
        "programs": sum(flood.operations.values()),
        "compiles": flood.compiles,
        "cache_loads": flood.cache_loads,
        "seconds": round(flood.cost.total, 9),
        "saving": round(joined.savings.get(id(flood), 0.0), 9),
        **_seconds(flood.cost),
        "operations": [{"name": name, "count": count} for name, count in flood.operations.most_common()],
        "findings": [finding(diagnostic) for diagnostic in found],
        "advice": None if found else advice.FLOOD,
    }


def _unattributed(model: Model) -> dict[str, Any]:
    total = sum(cost.total for _, cost in model.unattributed.values())
    return {
        "seconds": round(total, 9),
        "share": round(1.0 - model.attributed, 6),
        "programs": sum(count for count, _ in model.unattributed.values()),
        "reasons": [
            {"reason": reason, "programs": count, "seconds": round(cost.total, 9)}
            for reason, (count, cost) in model.unattributed.items()
        ],
    }


def _totals(model: Model) -> dict[str, Any]:
    totals = model.totals
    return {
        "traces": totals.traces,
        "trace_events": totals.trace_events,
        "compiles": totals.compiles,
        "cache_loads": totals.cache_loads,
        "seconds": round(totals.cost.total, 9),
        **_seconds(totals.cost),
        "wall_seconds": None if totals.wall is None else round(totals.wall, 6),
        "processes": totals.processes,
        "hosts": totals.hosts,
        "xla_stages": [
            {"stage": stage, "count": count, "seconds": round(spent, 9)}
            for stage, (count, spent) in totals.stages.items()
        ],
        "persistent_cache": dict(totals.persistent),
        "fingerprints": totals.fingerprints,
        "slow_compile_alarms": dict(totals.slow_compiles),
        "versions": dict(model.start.versions) if model.start is not None else {},
    }


def _suggestions(joined: Joined) -> list[dict[str, Any]]:
    shown, costly = set(map(id, joined.shown)), set(map(id, joined.costly))
    return [
        {**_suggestion(one, joined), "shown": id(one) in shown, "costly": id(one) in costly}
        for one in joined.suggestions
    ]


def _suggestion(suggestion: Suggestion, joined: Joined) -> dict[str, Any]:
    return {
        "title": suggestion.title,
        "kind": suggestion.root.kind if suggestion.root is not None else None,
        "replaced": suggestion.root.programs if suggestion.root is not None else None,
        "static": suggestion.root.options if suggestion.root is not None else [],
        "tried": dataclasses.asdict(suggestion.tried) if suggestion.tried is not None else None,
        "functions": [
            {
                "name": group.key.name,
                "file": joined.sources.name(group.key.file) or None,
                "line": group.key.line or None,
            }
            for group in suggestion.misses
        ],
        "site": _place(suggestion.site, joined),
        "other_sites": [_place(site, joined) for site in suggestion.other_sites],
        "saving": round(suggestion.saving, 9),
        "seconds": round(suggestion.seconds, 9),
        "facts": suggestion.facts,
        "advice": suggestion.advice,
        "obstacle": suggestion.obstacle,
        "causes": list(dict.fromkeys(group.cause.value for group in suggestion.misses)),
        "findings": [finding(diagnostic) for diagnostic in suggestion.findings],
        "possible_findings": [finding(diagnostic) for diagnostic in suggestion.possible],
        "programs": [ident for group in suggestion.misses for ident in group.ids],
    }


def _place(frame: Frame | None, joined: Joined) -> dict[str, Any] | None:
    if frame is None:
        return None
    last = None
    if frame.end_line is not None and frame.end_column is not None:
        last = Frame(frame.file, frame.end_line, column=frame.end_column)
    return {
        "file": joined.sources.name(frame.file),
        "line": frame.line,
        "shown": joined.sources.spot(frame.file, frame.line),
        "column": joined.sources.column(frame),
        "end_line": frame.end_line,
        "end_column": None if last is None else joined.sources.column(last),
        "function": frame.function or None,
    }


def _seconds(cost: Cost) -> dict[str, float]:
    return {
        "trace_seconds": round(cost.trace, 9),
        "lowering_seconds": round(cost.lowering, 9),
        "compile_seconds": round(cost.compile, 9),
    }


class _Details:
    """What a page shows beside the model; stacks, and the frames in them, are told once and named by number."""

    def __init__(self, joined: Joined) -> None:
        self._joined = joined
        self._frames: dict[Frame, int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}

    def json(self, links: str) -> dict[str, Any]:
        model = self._joined.model
        begun = [p.time - p.cost.total for p in model.programs if p.time is not None]
        start = min(begun, default=0.0)
        programs = [self._program(program, start) for program in model.programs]
        equations = [self._equations(key, found) for key, found in model.equations.items()]
        run = model.start
        return {
            "run": None
            if run is None
            else {"arguments": list(run.arguments), "folder": run.folder, "versions": dict(run.versions)},
            "programs": programs,
            "programs_left_out": model.dropped,
            "equations": equations,
            "frames": [
                [self._joined.sources.name(f.file), f.line, f.function, f.column, f.end_line, f.end_column]
                for f in self._frames
            ],
            "stacks": [list(stack) for stack in self._stacks],
            "sources": self._sources(),
            "links": self._links(links),
        }

    def _program(self, program: Program, start: float) -> dict[str, Any]:
        key = program.key
        return {
            "id": program.id,
            "name": key.name,
            "file": self._joined.sources.name(key.file) if key.file else None,
            "line": key.line or None,
            "time": None if program.time is None else round(program.time - start, 6),
            "process": program.process,
            "thread": program.thread,
            "host": program.host,
            "cached": program.cached,
            "eager": program.eager,
            "cause": None if program.cause is None else program.cause.value,
            "types": program.types,
            "trace": round(program.cost.trace, 9),
            "lowering": round(program.cost.lowering, 9),
            "compile": round(program.cost.compile, 9),
            "stack": self._stack(program.stack),
        }

    def _equations(self, key: Key, equations: Equations) -> dict[str, Any]:
        return {
            "name": key.name,
            "file": self._joined.sources.name(key.file) if key.file else None,
            "line": key.line or None,
            "count": equations.count,
            "samples": [
                [sample.count, sample.primitive, self._stack(sample.stack)]
                for sample in sorted(equations.samples, key=lambda sample: -sample.count)
            ],
        }

    def _stack(self, stack: tuple[Frame, ...]) -> int | None:
        if not stack:
            return None
        numbers = tuple(self._frames.setdefault(frame, len(self._frames)) for frame in stack)
        return self._stacks.setdefault(numbers, len(self._stacks))

    def _links(self, form: str) -> dict[str, str]:
        """Return the address of each file of the user's, with `{line}` in it."""
        if not form:
            return {}
        from jaxlint.doctor.links import addresses

        sources = self._joined.sources
        return addresses(form, sources.folder, (text.name for text in sources.texts))

    def _sources(self) -> dict[str, dict[str, str]]:
        """Return the lines around each place, by the name of the file and the line."""
        model = self._joined.model
        places = [place for group in model.misses for place in (group.site, group.definition)]
        places += [flood.site for flood in model.floods]
        for equations in model.equations.values():
            largest = sorted(equations.samples, key=lambda sample: -sample.count)[:_LINES]
            places += [sample.stack[0] for sample in largest if sample.stack]
        shown: dict[str, dict[str, str]] = {}
        for place in places:
            text = self._joined.sources.text(place.file) if place is not None else None
            if place is None or text is None:
                continue
            rows = shown.setdefault(text.name, {})
            last = len(text.source.line_starts)
            for row in range(max(place.line - _AROUND, 1), min(place.line + _AROUND, last) + 1):
                rows[str(row)] = text.source.line(row)
        return shown
