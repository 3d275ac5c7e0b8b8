"""Logs come in whatever shape a collector, a console or a person gave them: no compile of theirs is lost."""

from __future__ import annotations

import gzip
import io
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.doctor import logs
from tests.doors.conftest import Project, project

__all__ = ["project"]

NEWEST = logs.VERSIONS[-1]
TEXT = logs.text("training", NEWEST)
RECORDS = re.split(r"\n(?! )", TEXT.rstrip("\n"))
LINES = TEXT.splitlines()


def moment(number: int) -> str:
    return f"2026-11-30T20:{number // 60:02}:{number % 60:02}.{number:09}Z"


def structured(key: str, **more: Any) -> str:
    return "\n".join(json.dumps({key: record, "level": "warning", **more}) for record in RECORDS)


def exported(key: str, indent: int | None, newest_first: bool = True, wrap: Callable[[Any], Any] = lambda x: x) -> str:
    entries = [
        {key: record, "timestamp": moment(number), "labels": {"pod": "worker"}, "tags": ["a"]}
        for number, record in enumerate(RECORDS)
    ]
    return json.dumps(wrap(entries[::-1] if newest_first else entries), indent=indent)


def parts(line: str, number: int) -> list[str]:
    pieces = [line[at : at + 60] for at in range(0, len(line), 60)] or [""]
    return [f"{moment(number)} stderr {'F' if piece is pieces[-1] else 'P'} {piece}" for piece in pieces]


def by_rich(width: int) -> str:
    from rich.console import Console
    from rich.logging import RichHandler

    out = io.StringIO()
    handler = RichHandler(console=Console(file=out, width=width), markup=False)
    for number, text in enumerate(RECORDS):
        record = logging.LogRecord("jax", logging.WARNING, "/x/dispatch.py", 195, text, (), None)
        record.created = 1e9 + number // 3
        handler.handle(record)
    return out.getvalue()


def boxed() -> str:
    width = max(map(len, LINES))
    return "\n".join(["┌" + "─" * width + "┐", *(f"│{line.ljust(width)}│" for line in LINES), "└" + "─" * width + "┘"])


ONE: dict[str, Callable[[], str | bytes]] = {
    "structlog": lambda: structured("event", logger="jax._src.dispatch", timestamp="2026-11-30T20:00:00Z"),
    "pino": lambda: structured("msg", pid=1, hostname="a"),
    "loguru": lambda: "\n".join(
        json.dumps({"text": record + "\n", "record": {"message": record, "level": {"name": "WARNING"}}})
        for record in RECORDS
    ),
    "journald": lambda: structured("MESSAGE", _PID="7", _HOSTNAME="a"),
    "nested": lambda: "\n".join(
        json.dumps({"jsonPayload": {"message": record}, "severity": "X"}) for record in RECORDS
    ),
    "a key of its own": lambda: structured("what_was_said"),
    "cri": lambda: "\n".join(f"{moment(n)} stderr F {line}" for n, line in enumerate(LINES)),
    "cri in parts": lambda: "\n".join(part for n, line in enumerate(LINES) for part in parts(line, n)),
    "console export": lambda: exported("textPayload", 2),
    "console export, oldest first": lambda: exported("textPayload", 4, newest_first=False),
    "console export on one line": lambda: exported("message", None),
    "export with a head": lambda: exported("message", 2, False, lambda entries: {"next": [], "events": entries}),
    "search hits": lambda: exported("message", 1, False, lambda es: {"hits": {"hits": [{"_source": e} for e in es]}}),
    "objects one after the other": lambda: "\n".join(json.dumps({"message": record}, indent=2) for record in RECORDS),
    "array of texts": lambda: json.dumps(RECORDS, indent=2),
    "indented": lambda: "\n".join("    " + line for line in LINES),
    "quoted": lambda: "\n".join("> " + line for line in LINES),
    "pasted": lambda: "It hangs, see:\n\n```\n" + TEXT + "```\nAny idea?\n",
    "utf-16": lambda: TEXT.replace("\n", "\r\n").encode("utf-16"),
    "utf-16 without a mark": lambda: TEXT.encode("utf-16-le"),
    "utf-16, big end first": lambda: "\ufeff".encode("utf-16-be") + TEXT.encode("utf-16-be"),
    "utf-8 with a mark": lambda: TEXT.encode("utf-8-sig"),
    "packed utf-16": lambda: gzip.compress(TEXT.encode("utf-16")),
    "rich": lambda: by_rich(200),
    "rich, wrapped": lambda: by_rich(90),
    "table": boxed,
}


def told(project: Project, text: str | bytes, name: str = "run.log") -> tuple[dict[str, Any], str]:
    project.write(name, text)
    outcome = project.run("log", "--isolated", "--output-format", "json", name)
    assert outcome.code == 0, outcome.err
    data: dict[str, Any] = json.loads(outcome.out)
    return data, outcome.err


def gist(data: dict[str, Any]) -> dict[str, Any]:
    """Return what must not get lost."""
    misses = Counter({(m["function"], m["site"] and m["site"]["line"], m["cause"]): m["count"] for m in data["misses"]})
    compiles = {(f["name"], f["line"]): f["compiles"] for f in data["functions"]}
    seconds = {phase: round(data["totals"][f"{phase}_seconds"], 6) for phase in ("trace", "lowering", "compile")}
    return {"misses": misses, "compiles": compiles, "seconds": seconds, "unknown": data["not_understood"]["lines"]}


@pytest.mark.parametrize("how", ONE)
def test_a_shape_is_read_without_loss(project: Project, how: str) -> None:
    plain, _ = told(project, TEXT, "plain.log")
    data, said = told(project, ONE[how]())
    assert gist(data) == gist(plain)
    assert said == ""


def mixed(ranks: int, mark: Callable[[int], str]) -> str:
    """Return the log of so many processes that say the same, their lines in any order between them."""
    chosen = random.Random(3)
    waiting = {rank: list(LINES) for rank in range(ranks)}
    lines = []
    while waiting:
        rank = chosen.choice(list(waiting))
        lines.append(mark(rank) + waiting[rank].pop(0))
        if not waiting[rank]:
            del waiting[rank]
    return "\n".join(lines)


MARKS: dict[str, Callable[[int], str]] = {
    "srun": lambda rank: f"{rank:2}: ",
    "mpirun": lambda rank: f"[1,{rank}]<stderr>: ",
    "kubectl": lambda rank: f"[pod/train-{rank}/main] ",
    "compose": lambda rank: f"worker-{rank}   | ",
    "aligned": lambda rank: f"{rank:>5}| ",
}


@pytest.mark.parametrize("how", MARKS)
def test_ranks_of_any_form_are_processes(project: Project, how: str) -> None:
    plain, _ = told(project, TEXT, "plain.log")
    data, _ = told(project, mixed(12, MARKS[how]))
    assert data["totals"]["processes"] == 12
    assert data["totals"]["compiles"] == 12 * plain["totals"]["compiles"]
    assert gist(data)["misses"] == Counter({key: 12 * n for key, n in gist(plain)["misses"].items()})


def test_what_a_killed_job_left_is_read(project: Project) -> None:
    plain, _ = told(project, TEXT, "plain.log")
    noise = "".join(f"step {random.Random(n).random()}\n" for n in range(5000))
    packed = gzip.compress((TEXT + noise).encode())
    data, said = told(project, packed[: len(packed) // 2], "run.log.gz")
    assert gist(data) == gist(plain)
    assert "run.log.gz: it ends early" in said
    lines = ['{"event":"start"}', '{"event":"compile","program":"f","seconds":1.0}', '{"event":"compile","progr']
    data, said = told(project, "\n".join(lines), "run.jsonl")
    assert data["totals"]["compiles"] == 1
    assert "run.jsonl: it ends early" in said
    data, said = told(project, exported("message", 2, False)[:-1500], "export.json")
    assert 0 < data["totals"]["compiles"] <= plain["totals"]["compiles"]


def test_what_was_looked_for_is_said_where_nothing_was_read(project: Project) -> None:
    _, said = told(project, "step 1 loss 0.1\nstep 2 loss 0.05\n")
    assert "nothing was read: no line looks like `Finished tracing f for jit" in said
    assert "stage duration" in said


def test_types_without_a_mapping_are_types(project: Project) -> None:
    text = (
        "Finished tracing f for jit in 0.1 sec\n"
        "Compiling jit(f) with global shapes and types (ShapedArray(float32[{n}]),).\n"
        "Finished XLA compilation of jit(f) in 0.2 sec\n"
    )
    data, _ = told(project, text.replace("{n}", "3") + text.replace("{n}", "4"))
    assert data["not_understood"]["lines"] == 0
    assert [(miss["cause"], miss["changes"]) for miss in data["misses"]][-1:] or data["misses"]
    assert {miss["cause"] for miss in data["misses"]} == {"new-function", "shape"}


@pytest.mark.parametrize(
    "line",
    [
        "Compiling f for with global shapes and types [ShapedArray(float32[3])]. Argument mapping: [].",
        "Compiling f (140123) for args (ShapedArray(float32[3]),).",
        "Compiling f (140123) for 8 devices with args (ShapedArray(float32[3]),). (num_replicas=8 num_partitions=1)",
    ],
)
def test_lines_of_older_versions_are_known(project: Project, line: str) -> None:
    data, _ = told(project, f"{line}\nFinished XLA compilation of f in 0.2 sec\n")
    assert data["not_understood"]["lines"] == 0
    assert data["totals"]["compiles"] == 1
