"""Reads what the recorder wrote in the processes of a run, as events, and writes events to one file.

The recorder's own lines are terse, because it writes them while the program waits; see `recorder`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.doctor import dialects, events, model
from jaxlint.doctor.events import Event, Frame


@dataclass
class Recordings:
    """What the processes of one run left behind: their events in the order of time, and what could not be recorded."""

    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read(folder: Path, exit_codes: dict[int, int]) -> Recordings:
    """Read all recordings in `folder`.

    `exit_codes` maps the processes of which it is known how they ended.  A line that was cut off, because its process
    was killed while it wrote it, is passed over.

    Raises:
        OSError: a file cannot be read.
    """
    found = Recordings()
    images: Counter[str] = Counter()
    for file in sorted(folder.glob("*.jsonl"), key=_begun):
        process = _Process(exit_codes, images)
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    found.events.extend(process.take(json.loads(line)))
        found.events.extend(process.end())
        found.notes.extend(process.notes)
    found.events.sort(key=lambda event: event.time or 0.0)
    return found


def _begun(file: Path) -> tuple[int, str]:
    """Return when a recording was begun, by its name."""
    time = file.stem.rpartition("-")[2]
    return int(time) if time.isdigit() else 0, file.name


def write(path: Path, happened: Iterable[Event]) -> None:
    """Write events to a file, which is there whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    replace(path, (events.dumps(event) + "\n" for event in happened))


def replace(path: Path, parts: Iterable[str]) -> None:
    """Write a text file, which is there whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    if path.exists() and not path.is_file():
        # A pipe or a device, as in a shell's process substitution.
        with path.open("w", encoding="utf-8") as out:
            out.writelines(parts)
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as out:
            out.writelines(parts)
        if path.exists():
            os.chmod(name, path.stat().st_mode & 0o7777)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class _Process:
    """Makes events of the lines of one file."""

    def __init__(self, exit_codes: dict[int, int], images: Counter[str]) -> None:
        self._images = images
        self._name = ""
        self.notes: list[str] = []
        self._exit_codes = exit_codes
        self._first: dict[str, Any] = {}
        self._begun: events.Start | None = None
        self._last = 0.0
        self._stacks: dict[int, tuple[Frame, ...]] = {}
        # By thread: what the cache missed since the last compile, the last trace, the types that were last lowered for.
        self._missed: dict[str, list[str]] = {}
        self._traced: dict[str, dict[str, Any]] = {}
        self._types: dict[str, str] = {}
        self._known: dict[Frame, set[str]] = {}
        self._readers: dict[str, Callable[[dict[str, Any], dict[str, Any]], Iterator[Event]]] = {
            "trace": self._trace,
            "lowering-begin": self._lowering_begin,
            "lowering": self._lowering,
            "compile": self._compile,
            "equations": self._equations,
            "values": self._values,
            "miss": self._text,
            "record": self._text,
            "xla": self._text,
        }

    def take(self, line: dict[str, Any]) -> Iterator[Event]:
        kind = line["kind"]
        self._last = max(self._last, line.get("time", 0.0), line.get("start", 0.0) + line.get("seconds", 0.0))
        if kind == "process":
            self._first = line
            pid = str(line["pid"])
            self._images[pid] += 1
            # A process that `os.execv` made another program of knows nothing of what was compiled before.
            self._name = pid if self._images[pid] == 1 else f"{pid}, program {self._images[pid]}"
        elif kind == "jax":
            versions = {"python": self._first["python"], **line["versions"]}
            self._begun = events.Start(
                time=self._first["time"],
                process=self._name,
                arguments=tuple(self._first["arguments"]),
                folder=self._first["folder"],
                versions=versions,
            )
            yield self._begun
        elif kind == "stack":
            self._stacks[line["id"]] = tuple(map(_frame, line["frames"]))
        elif kind == "note":
            self.notes.append(f"process {self._name}: {line['text']}")
        elif kind in self._readers:
            common = {
                "process": self._name,
                "thread": line.get("thread", ""),
                "stack": self._stacks.get(line.get("stack", -1), ()),
            }
            yield from self._readers[kind](line, common)

    def end(self) -> Iterator[Event]:
        if self._begun is not None and self._begun.time is not None:
            code = self._exit_codes.get(self._first["pid"])
            seconds = max(self._last - self._begun.time, 0.0)
            yield events.Finish(time=self._last, process=self._name, seconds=seconds, exit_code=code)

    def _trace(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        name = events.name(line["name"])
        self._traced[common["thread"]] = line
        yield events.TraceBegin(time=line["start"], function=name, **common)
        yield events.TraceEnd(time=_end(line), function=name, seconds=line["seconds"], **common)

    def _lowering_begin(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        self._types[common["thread"]] = line["types"]
        said = {"types": line["types"], "committed": line.get("committed", "")}
        yield events.LoweringBegin(time=line["time"], program=events.name(line["name"]), **said, **common)

    def _lowering(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield events.Lowering(time=_end(line), program=events.name(line["name"]), seconds=line["seconds"], **common)

    def _compile(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        program = events.name(line["name"])
        if line.get("unexplained"):
            yield from self._unexplained(program, line, common)
        self._missed.pop(common["thread"], None)
        if line.get("loaded"):
            yield events.PersistentCache(
                time=_end(line), program=program, outcome="hit", saved=line.get("saved"), **common
            )
        yield events.Compile(
            time=_end(line),
            program=program,
            seconds=line["seconds"],
            eager=line.get("eager"),
            traced=line.get("traced"),
            **common,
        )

    def _unexplained(self, program: str, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """Tell of a cache miss that jax does not explain, because the function is one of its own or of flax's.

        That it was traced is known; what it differs in from an earlier call is for the model to find out by its types.
        An operation that takes functions belongs to the line that it is on.
        """
        thread = common["thread"]
        missed = self._missed.get(thread, [])
        place = line["definition"]
        site = common["stack"][0] if common["stack"] else None
        if program in model.CONTROL:
            if missed or site is None:
                return
            definition = Frame(site.file, site.line, program)
        else:
            definition = Frame(place[0], place[1], program)
        types = self._types.get(thread, "")
        if program in missed or thread not in self._traced:
            return
        known = self._known.setdefault(definition, set())
        trace = self._traced[thread]
        never_seen = trace["new"] if "new" in trace and program not in model.CONTROL else not known or types in known
        known.add(types)
        yield events.Miss(
            time=trace["start"],
            function=program,
            definition=definition,
            text=f"  never seen function:\n    {program}" if never_seen else f"  for {program}\n  jax does not say why",
            **common,
        )

    def _equations(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        samples = [
            events.Sample(count, primitive, self._stacks.get(stack, ()))
            for stack, primitive, count in line.get("lines", ())
        ]
        rest = line["total"] - sum(sample.count for sample in samples)
        if rest:
            samples.append(events.Sample(rest, ""))
        place = line["definition"]
        yield events.Equations(
            time=line["time"],
            program=events.name(line["name"]),
            definition=Frame(place[0], place[1], place[2]) if place else None,
            samples=tuple(samples),
            digest=line.get("digest", ""),
            form=line.get("form", ""),
            **common,
        )

    def _values(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        file, number, name = line["definition"]
        definition = Frame(file, number, name)
        yield events.Values(time=line["time"], definition=definition, values=line["values"], **common)

    def _text(self, line: dict[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if line["text"].startswith("Persistent compilation cache hit"):
            # Its compile says so too.
            return
        text = line["text"]
        for path, spelled in line.get("paths", {}).items():
            text = text.replace(f"* at {path},", f"* at {spelled},")
        event = _parsed(text)
        if isinstance(event, events.Miss):
            self._missed.setdefault(common["thread"], []).append(event.function.rpartition(".")[2])
        if event is not None:
            yield dataclasses.replace(event, time=line["time"], **common)


def _parsed(text: str) -> Event | None:
    """Return the event that a record of jax's loggers, or a line of XLA's, tells of."""
    miss = dialects.miss_of_record(text)
    if miss is not None:
        return miss
    known = dialects.message(text)
    if known is None:
        return events.Unknown(text=text)
    made = known[1]
    return made[0](**made[1]) if made is not None else None


def _frame(values: Sequence[Any]) -> Frame:
    file, function, line, column, end_line, end_column = values
    return Frame(file, line, function, column, end_line, end_column)


def _end(line: dict[str, Any]) -> float:
    return float(line["start"] + line["seconds"])
