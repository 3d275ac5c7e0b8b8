"""`jaxlint compare`: what differs between two runs, and nothing where only seconds and lines do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from jaxlint.doctor import events
from jaxlint.doctor.events import Compile, Equations, Event, Frame, LoweringBegin, Miss, Sample, Start, TraceEnd
from tests.doors.conftest import Project, project

__all__ = ["project"]


def program(
    shape: int, *, seconds: float = 1.0, count: int = 100, folder: str = "/a", line: int = 5
) -> Iterator[Event]:
    """Yield what a function gives that is compiled for a shape."""
    definition, site = Frame(f"{folder}/train.py", line, "step"), Frame(f"{folder}/train.py", line + 20, "main")
    text = (
        "  never seen function:\n    step id=1"
        if shape == 1
        else (
            "  for step\n  all previously seen cache keys differ. For the closest previous key:\n"
            "  different input types:\n"
            f"  * at x, now f32[{shape}] and before f32[1]"
        )
    )
    yield Miss(function="step", definition=definition, text=text, stack=(site,))
    yield TraceEnd(function="step", seconds=0.1)
    yield LoweringBegin(program="step", types=f"(ShapedArray(float32[{shape}]),)")
    yield Equations(program="step", definition=definition, samples=(Sample(count, "add"),))
    yield Compile(program="step", seconds=seconds)
    yield TraceEnd(function="add", seconds=0.0)
    yield Compile(program="add", seconds=0.01, eager=True)


def record(project: Project, name: str, *parts: Iterator[Event], folder: str = "/a") -> str:
    happened = [Start(folder=folder), *(event for part in parts for event in part)]
    project.write(name, "".join(events.dumps(event) + "\n" for event in happened))
    return name


def test_seconds_lines_and_folders_are_no_change(project: Project) -> None:
    before = record(project, "a.jsonl", program(1), program(2))
    for number in range(5):
        folder = f"/elsewhere/{number}"
        after = record(
            project,
            "b.jsonl",
            *(program(shape, seconds=number + 0.5, folder=folder, line=50 + number) for shape in (1, 2)),
            folder=folder,
        )
        outcome = project.run("compare", before, after, "--max-new-compiles", "0", "--max-growth", "0")
        assert outcome.code == 0
        assert outcome.out.startswith("Nothing changed: 4 programs")
        assert outcome.err == ""


def test_what_changed_is_told_and_limits_decide(project: Project) -> None:
    before = record(project, "a.jsonl", program(1), program(2))
    after = record(project, "b.jsonl", program(1, count=150), program(2), program(3), program(4))
    outcome = project.run("compare", before, after)
    assert outcome.code == 0
    assert (
        "step (train.py): 2 programs before, 4 now; 100 equations before, 150 now (+50%); +2 for `shape`" in outcome.out
    )
    assert "(operations outside jitted functions): 2 programs before, 4 now" in outcome.out
    data = json.loads(project.run("compare", before, after, "--output-format", "json").out)
    assert (data["new_compiles"], data["growth"]) == (4, 0.5)
    assert [change["causes"] for change in data["changes"] if change["name"] == "step"] == [{"shape": 2}]
    assert project.run("compare", before, after, "--max-new-compiles", "3").code == 1
    assert project.run("compare", before, after, "--max-new-compiles", "4").code == 0
    assert project.run("compare", before, after, "--max-growth", "49").code == 1
    assert project.run("compare", before, after, "--max-growth", "50").code == 0
    # Less is told, and is over no limit.
    back = project.run("compare", after, before, "--max-new-compiles", "0", "--max-growth", "0")
    assert (back.code, back.err) == (0, "")
    assert "4 programs before, 2 now" in back.out


def test_markdown_is_a_table_whatever_names_hold(project: Project) -> None:
    name = "a|b`<img>\x1b[0m\u202e"
    happened: list[Event] = [
        Start(),
        TraceEnd(function=name, seconds=0.0),
        Compile(program=name, seconds=1.0, eager=False),
    ]
    project.write("b.jsonl", "".join(events.dumps(event) + "\n" for event in happened))
    project.write("a.jsonl", events.dumps(Start()) + "\n")
    told = project.run("compare", "a.jsonl", "b.jsonl", "--output-format", "markdown").out
    assert "| `a\\|b'&lt;img>\\x1b[0m\\u202e` | 0 → 1 | - → - |" in told


def test_reports_and_logs_are_compared_too(project: Project) -> None:
    before = record(project, "a.jsonl", program(1), program(2))
    after = record(project, "b.jsonl", program(1), program(2), program(3))
    for name in (before, after):
        report = project.run("log", "--isolated", "--output-format", "json", name).out
        project.write(name.replace("jsonl", "json"), report)
    by_events = json.loads(project.run("compare", before, after, "--output-format", "json").out)
    by_report = json.loads(project.run("compare", "a.json", "b.json", "--output-format", "json").out)
    assert by_report == by_events
    assert project.run("compare", "a.json", "a.jsonl").out.startswith("Nothing changed")


@pytest.mark.parametrize("arguments", [("missing.log", "a.jsonl"), ("a.jsonl", "missing.log")])
def test_what_cannot_be_read_is_an_error(project: Project, arguments: tuple[str, str]) -> None:
    record(project, "a.jsonl", program(1))
    outcome = project.run("compare", *arguments)
    assert outcome.code == 2
    assert "missing.log" in outcome.err
    assert project.run("compare", "a.jsonl", "a.jsonl", "--max-growth", "-1").code == 2
