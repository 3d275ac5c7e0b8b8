"""The programs of a run in the formats of the field's viewers: Perfetto and chrome://tracing, and speedscope.

Both take what `jsonform.to_json(…, details=True)` gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jaxlint.doctor.recording import replace

_PHASES = ("trace", "lowering", "compile")
_MICROSECONDS = 1e6
SPEEDSCOPE = ".speedscope.json"
"""A name that ends so asks for speedscope's format."""


def write(path: Path, data: Mapping[str, Any]) -> None:
    """Write the programs of a run; the name of the file says for which viewer.

    Raises:
        OSError: the file cannot be written.
    """
    form = speedscope(data, path.name) if path.name.endswith(SPEEDSCOPE) else chrome_trace(data)
    replace(path, [json.dumps(form, ensure_ascii=False, separators=(",", ":")), "\n"])


def chrome_trace(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return Chrome's trace events: for each program a slice, with one for each phase in it.

    Times are in microseconds since the first program was begun.
    """
    processes: dict[tuple[str, str], int] = {}
    threads: dict[tuple[int, str], int] = {}
    events: list[dict[str, Any]] = []
    for program, start in _timed(data):
        host, name = program["host"] or "", program["process"] or ""
        process = processes.setdefault((host, name), len(processes) + 1)
        thread = threads.setdefault((process, program["thread"] or "main"), len(threads) + 1)
        stack = [f"{f[2] or '?'} ({f[0]}:{f[1]})" for f in _frames(data, program)]
        common = {"ph": "X", "pid": process, "tid": thread}
        arguments = {"id": program["id"], "cause": program["cause"], "types": program["types"], "stack": stack}
        whole = sum(program[phase] for phase in _PHASES)
        events.append(common | {"name": program["name"], "cat": _category(program), **_span(start, whole),
                                "args": arguments})  # fmt: skip
        at = start
        for phase in _PHASES:
            if program[phase] > 0:
                shown = "load" if phase == "compile" and program["cached"] else phase
                events.append(common | {"name": shown, "cat": "phase", **_span(at, program[phase])})
                at += program[phase]
    for (host, name), process in processes.items():
        title = " ".join(filter(None, (host, f"process {name}" if name else "program")))
        events.append({"ph": "M", "pid": process, "name": "process_name", "args": {"name": title}})
    for (process, name), thread in threads.items():
        events.append({"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": name}})
    return {"displayTimeUnit": "ms", "traceEvents": events}


def speedscope(data: Mapping[str, Any], title: str = "") -> dict[str, Any]:
    """Return a profile of speedscope's format: the stacks that led to programs, weighted by the seconds they cost.

    A second profile for each large program has the stacks of its equations.
    """
    frames: dict[tuple[str, str, int], int] = {}

    def number(name: str, file: str = "", line: int = 0) -> int:
        return frames.setdefault((name, file, line), len(frames))

    def path(indices: list[int]) -> list[int]:
        rows = [data["frames"][index] for index in reversed(indices)]
        return [number(row[2] or "?", row[0], row[1]) for row in rows]

    samples, weights = [], []
    for program in data["programs"]:
        stack = [] if program["stack"] is None else data["stacks"][program["stack"]]
        outer = [*path(stack), number(program["name"])]
        for phase in _PHASES:
            if program[phase] > 0:
                samples.append([*outer, number(phase)])
                weights.append(program[phase])
    profiles = [_sampled("seconds of tracing and compiling", "seconds", samples, weights)]
    for made in data["equations"]:
        rows = [row for row in made["samples"] if row[2] is not None]
        if rows:
            stacks = [[*path(data["stacks"][stack]), number(primitive or "other")] for _, primitive, stack in rows]
            profiles.append(_sampled(f"equations of {made['name']}", "none", stacks, [row[0] for row in rows]))
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": title,
        "exporter": "jaxlint",
        "activeProfileIndex": 0,
        "shared": {"frames": [_shown(*frame) for frame in frames]},
        "profiles": profiles,
    }


def _timed(data: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield the programs of which it is known when they were made, and when that began, in seconds."""
    for program in sorted(data["programs"], key=lambda program: program["time"] or 0.0):
        if program["time"] is not None:
            yield program, program["time"] - sum(program[phase] for phase in _PHASES)


def _span(start: float, seconds: float) -> dict[str, float]:
    return {"ts": round(start * _MICROSECONDS, 3), "dur": round(seconds * _MICROSECONDS, 3)}


def _category(program: Mapping[str, Any]) -> str:
    return "operation" if program["eager"] else program["cause"] or "program"


def _frames(data: Mapping[str, Any], program: Mapping[str, Any]) -> list[list[Any]]:
    stack = program["stack"]
    return [] if stack is None else [data["frames"][index] for index in data["stacks"][stack]]


def _shown(name: str, file: str, line: int) -> dict[str, Any]:
    return {"name": name, "file": file, "line": line} if file else {"name": name}


def _sampled(name: str, unit: str, samples: list[list[int]], weights: list[float]) -> dict[str, Any]:
    return {
        "type": "sampled",
        "name": name,
        "unit": unit,
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
