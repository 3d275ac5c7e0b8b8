"""What a run showed is used by those who lint, while the function's source is what ran."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from jaxlint.config import Finder
from jaxlint.doctor import evidence
from jaxlint.doctor.events import Compile, Event, Frame, LoweringBegin, Miss, Start, TraceEnd
from jaxlint.doctor.join import join
from jaxlint.doctor.model import Builder
from tests.doors.conftest import Project, project

__all__ = ["project"]

CODE = """\
import jax
import numpy as np


@jax.jit
def step(x):
    return x * 2


def scaled(x):
    return jax.jit(lambda y: y * 2)(x)


def loop(batches):
    for batch in batches:
        step(batch)
"""
NEVER = "  never seen function:\n    {name} id=1"
OTHER = (
    "  for step\n  all previously seen cache keys differ. For the closest previous key:\n  different input types:\n"
    "  * at x, now f32[{n}] and before f32[3]"
)


def call(name: str, row: int, text: str, definition: int, size: int = 3, path: str = "train.py") -> list[Event]:
    """Return what a call on a row gives that compiles."""
    site = (Frame(path, row, "f", 8, row, 19),)
    return [
        Miss(function=name, definition=Frame(path, definition, name), text=text, stack=site),
        TraceEnd(function=name, seconds=0.5, stack=site),
        LoweringBegin(program=name, types=f"(ShapedArray(float32[{size}]),)", stack=site),
        Compile(program=name, seconds=1.0, stack=site),
    ]


def keep(project: Project, *happened: list[Event], code: str = CODE) -> None:
    """Have the project be what ran, and keep what it showed."""
    project.write("train.py", code)
    start = Start(time=1796076000.0, folder=str(project.folder))
    model = Builder().extend([start, *(event for part in happened for event in part)]).model()
    before = Path.cwd()
    os.chdir(project.folder)
    try:
        assert evidence.keep(join(model, str(project.folder)), Finder()) == []
    finally:
        os.chdir(before)


def checked(project: Project, *arguments: str) -> dict[str, dict[str, Any]]:
    outcome = project.run("check", "--output-format", "json", *arguments)
    assert outcome.code in (0, 1), outcome.err
    return {finding["code"]: finding for finding in json.loads(outcome.out)}


LAMBDAS = [call("<lambda>", 11, NEVER.format(name="<lambda>"), 11)] * 4
SHAPES = [call("step", 16, NEVER.format(name="step"), 5)] + [call("step", 16, OTHER.format(n=n), 5, n) for n in (4, 5)]


def test_a_finding_that_was_seen_is_sure_and_says_so(project: Project) -> None:
    code = CODE.replace("def scaled", "def main")
    project.write("train.py", code)
    plain = checked(project, "--min-confidence", "low")
    assert plain["JAX102"]["confidence"] == "low"
    keep(project, *LAMBDAS, code=code)
    found = checked(project)["JAX102"]
    assert found["confidence"] == "high"
    assert found["message"].endswith("(4 calls, 4 compiles, 6.00 s, in the run of 30 November 2026)")
    assert "run of 30 November" not in checked(project, "--isolated").get("JAX102", {}).get("message", "")
    # Wherever the function is now.
    project.write("train.py", "import os\n\n" + code)
    assert checked(project)["JAX102"]["location"]["row"] == 13
    # What has changed since is another function.
    project.write("train.py", code.replace("y * 2", "y * 3"))
    assert "JAX102" not in checked(project)


def test_a_finding_whose_place_ran_and_never_showed_it_is_not_sure(project: Project) -> None:
    site = (Frame("train.py", 11, "f", 8, 11, 19),)
    traced: list[Event] = [TraceEnd(function="<lambda>", seconds=0.0, stack=site)] * 40
    keep(project, LAMBDAS[0], traced)
    assert "JAX102" not in checked(project)
    found = checked(project, "--min-confidence", "low")["JAX102"]
    assert found["confidence"] == "low"
    assert "(traced 41 times and compiled no more than once, in the run of" in found["message"]


def test_what_no_rule_can_see_is_reported_where_it_was_seen(project: Project) -> None:
    project.write("train.py", CODE)
    assert "JAX501" not in checked(project)
    keep(project, *SHAPES)
    found = checked(project)["JAX501"]
    assert (found["location"], found["end_location"]) == ({"row": 16, "column": 9}, {"row": 16, "column": 20})
    assert found["confidence"] == "high"
    assert found["message"].startswith(
        "`step` was compiled again 2 times for new shapes (x: f32[4], before f32[3]), 3.00 s, "
        "in the run of 30 November 2026; pad"
    )
    assert checked(project)["JAX501"] == found  # from the cache
    assert "JAX501" not in checked(project, "--ignore", "JAX501")
    project.write("train.py", CODE.replace("step(batch)", "step(batch)  # noqa: JAX501"))
    assert "JAX501" not in checked(project)
    # Neither where the called function is another.
    project.write("train.py", CODE.replace("x * 2", "x * 3"))
    assert "JAX501" not in checked(project)


def test_flake8_sees_the_same(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(project, *LAMBDAS, *SHAPES)
    monkeypatch.chdir(project.folder)
    from jaxlint.doors.flake8 import Plugin

    monkeypatch.setattr(Plugin, "_finder", None)
    import ast

    lines = CODE.splitlines(keepends=True)
    told = {text.split()[0]: text for _, _, text, _ in Plugin(ast.parse(CODE), "train.py", lines).run()}
    assert told.keys() == {"JAX102", "JAX501"}
    assert all("in the run of 30 November 2026" in text for text in told.values())


def test_runs_add_up_and_a_file_can_be_named(project: Project) -> None:
    project.write("jaxlint.toml", 'observed = "seen.json"\n')
    keep(project, *LAMBDAS)
    keep(project, *SHAPES)
    assert {"JAX102", "JAX501"} <= checked(project).keys()
    data = json.loads((project.folder / "seen.json").read_text())
    assert {entry["code"] for entry in data["files"]["train.py"]} == {"JAX102", "JAX501"}
    # What ran again and did not show it any more is forgotten.
    keep(project, LAMBDAS[0])
    assert "in the run" not in checked(project)["JAX102"]["message"]
    (project.folder / "seen.json").write_text("nonsense")
    assert checked(project)["JAX102"]["confidence"] == "medium"
    assert "JAX501" not in checked(project)
