"""Linting what has changed: since a git revision, or while somebody is writing it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.doors.cli import watch
from tests.doors.conftest import CLEAN, LAMBDA, NESTED, Project

LIB = "import jax\n\n\ndef scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
TRACES = "import jax\nimport lib\n\nfast = jax.jit(lib.scaled)\n"


def git(project: Project, *command: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *command], cwd=project.folder, check=True, capture_output=True)


def test_only_changed_files_are_reported_on(project: Project) -> None:
    project.write("a.py")
    project.write("b.py")
    project.write("c.py", CLEAN)
    project.write("app.py", TRACES)
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    assert project.json("--changed").findings == []
    project.write("sub/new.py", NESTED)
    project.write("b.py", LAMBDA + "\n")
    assert [f["filename"] for f in project.json("--changed", "HEAD").findings] == [
        "b.py",
        os.path.join("sub", "new.py"),
    ]
    assert [f["filename"] for f in project.json("--changed=HEAD", "sub").findings] == [os.path.join("sub", "new.py")]
    # It knows what files do that have not changed.
    project.write("lib.py", LIB)
    assert "lib.py" not in {f["filename"] for f in project.json("--changed").findings}
    assert "lib.py" in {f["filename"] for f in project.json("--changed", "--no-project").findings}
    outcome = project.run("check", "--changed", "nowhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--changed: fatal: Not a valid object name nowhere" in outcome.err


Edit = Callable[[], object]


@pytest.fixture
def edits(monkeypatch: pytest.MonkeyPatch) -> list[Edit]:
    """What happens while the watch sleeps, one after the other; then it is interrupted."""
    left: list[Edit] = []
    true_watch = watch.watch

    def sleep(_: float) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    def watched(arguments: Any, once: Any, files: Any) -> int:
        return true_watch(arguments, once, files, sleep)

    monkeypatch.setattr(watch, "watch", watched)
    return left


def test_a_watch_lints_again_after_each_change(project: Project, edits: list[Edit]) -> None:
    project.write("a.py", CLEAN)
    edits += [
        lambda: None,
        lambda: project.write("a.py", LAMBDA),
        lambda: None,
        lambda: project.write("new.py", NESTED),
        lambda: project.write("jaxlint.toml", "ignore = ['JAX1"),
        lambda: project.write("jaxlint.toml", "ignore = ['JAX1']"),
        (project.folder / "a.py").unlink,
    ]
    outcome = project.run("check", "--watch", "--output-format", "concise")
    assert outcome.code == 0
    runs = outcome.out.split("Watching for changes; Ctrl-C ends it.\n")
    found = [run.count(": JAX1") for run in runs]
    assert found == [0, 1, 2, 0, 0, 0, 0]
    assert outcome.err.count("jaxlint.toml: not valid TOML") == 1


@pytest.mark.parametrize("arguments", [["--fix"], ["--add-noqa"], ["-"], ["--diff"], ["--output-file", "x"]])
def test_a_watch_only_looks(project: Project, arguments: list[str]) -> None:
    outcome = project.run("check", "--watch", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--watch" in outcome.err
