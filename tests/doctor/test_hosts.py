"""Many processes of one job: what all did is told once, and what some did otherwise is told first."""

from __future__ import annotations

import json
from typing import Any

from tests.doctor import logs
from tests.doctor.test_compare import program, record
from tests.doors.conftest import Project, project

__all__ = ["project"]

TEXT = logs.text("training", logs.VERSIONS[-1])
EXTRA = (
    "Finished tracing step for jit in 0.1 sec\n"
    "Compiling jit(step) with global shapes and types (ShapedArray(float32[7,8]),). Argument mapping: (x,).\n"
    "Finished XLA compilation of jit(step) in 0.2 sec\n"
)


def told(project: Project, *names: str) -> tuple[dict[str, Any], str]:
    text = " ".join(project.run("log", "--isolated", *names).out.split())
    outcome = project.run("log", "--isolated", "--output-format", "json", *names)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out), text


def test_what_all_ranks_did_is_told_once(project: Project) -> None:
    plain, _ = told(project, project.write("one.log", TEXT).name)
    for rank in range(6):
        project.write(f"logs/host{rank}/run.log", TEXT)
    data, text = told(project, "logs")
    assert data["totals"]["processes"] == 6
    assert data["divergences"] == []
    assert [one["title"].partition(", ")[0] for one in data["suggestions"]] == [
        one["title"].partition(", ")[0] for one in plain["suggestions"]
    ]
    assert "2 times in each of 6 processes" in text
    assert "5 operations were compiled one by one, outside any jitted function, in each of 6 processes" in text
    # They wait at the same time.
    assert [round(one["saving"], 4) for one in data["suggestions"]] == [
        round(one["saving"], 4) for one in plain["suggestions"]
    ]


def test_what_some_ranks_did_otherwise_is_told_first(project: Project) -> None:
    for rank in range(6):
        project.write(f"logs/rank{rank}.log", TEXT + EXTRA * (rank == 3))
    data, text = told(project, "logs")
    (one,) = data["divergences"]
    assert (one["function"], one["types"]) == ("step", "(ShapedArray(float32[7,8]),)")
    assert one["counts"] == [
        {"count": 0, "processes": [f"rank{rank}.log" for rank in range(6) if rank != 3]},
        {"count": 1, "processes": ["rank3.log"]},
    ]
    assert text.index("Not all processes compiled the same") < text.index("What to change")
    assert "once in rank3.log; never in 5 processes (rank0.log, rank1.log, rank2.log, rank4.log, ...)" in text


def test_ranks_in_one_log_are_compared_too(project: Project) -> None:
    lines = [f"[{rank}]: {line}" for rank in range(4) for line in (TEXT + EXTRA * (rank == 2)).splitlines()]
    data, _ = told(project, project.write("run.log", "\n".join(lines)).name)
    (one,) = data["divergences"]
    assert {entry["count"]: len(entry["processes"]) for entry in one["counts"]} == {0: 3, 1: 1}


def test_processes_that_do_something_else_are_no_ranks(project: Project) -> None:
    project.write("a.log", TEXT)
    project.write("b.log", TEXT)
    project.write("loader.log", EXTRA)
    data, _ = told(project, "a.log", "b.log", "loader.log")
    assert data["divergences"] == []


def test_recordings_of_several_hosts_may_have_the_same_process_numbers(project: Project) -> None:
    for host in range(3):
        shapes = (1, 2, 3) if host == 1 else (1, 2)
        record(project, f"host{host}.jsonl", *(program(shape) for shape in shapes))
    data, _ = told(project, "host0.jsonl", "host1.jsonl", "host2.jsonl")
    assert data["totals"]["hosts"] == 3
    ((count, names), _) = [(entry["count"], entry["processes"]) for entry in data["divergences"][0]["counts"]]
    assert (count, names) == (0, ["host0.jsonl", "host2.jsonl"])
