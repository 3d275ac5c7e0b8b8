"""The action for GitHub: its steps, taken out of action.yml and run in a repository as a runner would run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.doors.conftest import CLEAN, LAMBDA, NESTED

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
LAMBDA_IN_LIB = "import jax\n\n\ndef scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
SHIM = """#!/bin/sh
echo "$0 $*" >> "$RUNNER_TEMP/commands"
case "$*" in *"-m venv"*|*"-m pip"*) exit 0;; esac
exec {python} "$@"
"""
RECORD = """#!/bin/sh
echo "$(basename "$0") $*" >> "$RUNNER_TEMP/commands"
"""


def git(folder: Path, *command: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *command], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@dataclass
class Job:
    """A job of a workflow whose steps are this action's."""

    folder: Path
    temp: Path
    inputs: dict[str, str]
    github: dict[str, Any]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    failed: str | None = None

    def run(self) -> Job:
        for step in STEPS:
            if self.failed is None and self._wanted(step):
                self._step(step)
        return self

    def _step(self, step: dict[str, Any]) -> None:
        if "uses" in step:
            self.used.append(step["uses"].partition("@")[0])
            return
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # so nothing that somebody else names becomes a part of a script
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        files = {name: self.temp / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        given = {name: self._value(text) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={**os.environ, **self.environment, **given, **{name: str(file) for name, file in files.items()}},
            capture_output=True,
            text=True,
            check=False,
        )
        self.said[step["name"]] = done.stdout + done.stderr
        self.environment.update(_pairs(files["GITHUB_ENV"]))
        self.outputs[step.get("id", "")] = _pairs(files["GITHUB_OUTPUT"])
        if done.returncode:
            self.failed = step["name"]

    def _value(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: str(self._look_up(match[1]) or ""), str(text))

    def _look_up(self, name: str) -> Any:
        parts = name.split(".")
        if parts[0] == "inputs":
            default = str(ACTION["inputs"][parts[1]]["default"])
            return self.inputs[parts[1]] if parts[1] in self.inputs else self._value(default)
        if parts[0] == "steps":
            return self.outputs.get(parts[1], {}).get(parts[3])
        value: Any = self.github
        for part in parts[1:]:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def _wanted(self, step: dict[str, Any]) -> bool:
        """Evaluate what of the language of conditions the action uses."""
        text = step.get("if", "'' == ''")
        names = re.sub(r"(?:inputs|steps|github)\.[\w.]+", lambda match: repr(self._look_up(match[0]) or ""), text)
        python = names.replace("&&", "and").replace("||", "or")
        assert re.fullmatch(r"(?:'[^']*'|[=! ()]|and|or)*", python), python
        return bool(eval(python))


def _pairs(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job for a pull request that changes one file and adds another; its base has moved on since."""
    folder, temp, tools = tmp_path / "work tree", tmp_path / "temp", tmp_path / "tools"
    for path in (folder, temp, tools):
        path.mkdir()
    for name, text in (("python", SHIM.format(python=sys.executable)), ("gh", RECORD), ("reviewdog", RECORD)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    git(folder, "init", "-q", "-b", "main")
    (folder / "old.py").write_text(LAMBDA)
    (folder / "lib.py").write_text(CLEAN)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "switch", "-qc", "topic")
    (folder / "lib.py").write_text(LAMBDA_IN_LIB)
    (folder / "new file.py").write_text(NESTED)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "second")
    git(folder, "switch", "-q", "main")
    (folder / "later.py").write_text(LAMBDA)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "third")
    base = git(folder, "rev-parse", "HEAD")
    git(folder, "switch", "-q", "topic")
    jaxlint = temp / "jaxlint" / "bin" / "jaxlint"
    jaxlint.parent.mkdir(parents=True)
    # What `venv` and `pip` would have made.
    jaxlint.write_text(f'#!/bin/sh\nexec {sys.executable} -m jaxlint "$@"\n')
    jaxlint.with_name("python").write_text(SHIM.format(python=sys.executable))
    for file in jaxlint.parent.iterdir():
        file.chmod(0o755)
    github = {
        "action_path": str(ROOT),
        "event_name": "pull_request",
        "event": {"pull_request": {"base": {"sha": base}, "number": 7}},
        "repository": "somebody/something",
        "token": "secret",
    }
    job = Job(folder, temp, {}, github)
    job.environment |= {"RUNNER_TEMP": str(temp), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return job


def commands(job: Job) -> str:
    return (job.temp / "commands").read_text()


def test_a_pull_request_is_told_of_what_it_changes(job: Job) -> None:
    job.run()
    assert job.failed == "Fail where there are findings"
    assert "jaxlint found 2" in job.said[job.failed]
    said = job.said["Lint"].splitlines()
    assert [re.findall("file=(.*?),", line) for line in said] == [["lib.py"], ["new file.py"]]
    sarif = json.loads(Path(job.outputs["check"]["sarif"]).read_text())
    assert len(sarif["runs"][0]["results"]) == 2
    assert f"-m pip install --quiet --disable-pip-version-check {ROOT}\n" in commands(job)
    assert (job.used, list(job.said)[-1]) == ([], "Fail where there are findings")


def test_without_a_pull_request_all_files_count(job: Job) -> None:
    job.github["event_name"] = "push"
    del job.github["event"]
    job.inputs = {
        "fail": "false",
        "arguments": "--ignore JAX101",
        "paths": "lib.py old.py",
        "package": "flake8-jaxlint",
    }
    job.run()
    assert job.failed is None
    assert job.outputs["check"]["findings"] == "2"
    assert "--disable-pip-version-check flake8-jaxlint\n" in commands(job)


def test_nothing_found_is_no_failure(job: Job) -> None:
    job.inputs = {"arguments": "--select JAX4"}
    job.run()
    assert (job.failed, job.outputs["check"]["findings"]) == (None, "0")


def test_wrong_usage_fails_at_once(job: Job) -> None:
    job.inputs = {"arguments": "--selct JAX4", "fail": "false"}
    assert job.run().failed == "Lint"
    assert "did you mean --select?" in job.said["Lint"]


def test_code_scanning_and_suggestions_on_demand(job: Job) -> None:
    job.inputs = {"sarif": "true", "suggestions": "true", "fail": "false"}
    job.run()
    assert job.failed is None
    assert job.used == ["github/codeql-action/upload-sarif", "reviewdog/action-setup"]
    assert "reviewdog -f=rdjson -name=jaxlint -reporter=github-pr-review" in commands(job)
    found = json.loads((job.temp / "jaxlint.rdjson").read_text())["diagnostics"]
    assert [item["location"]["path"] for item in found] == ["lib.py", "new file.py"]
    assert any("suggestions" in item for item in found)


def test_verdicts_and_a_comparison_become_one_comment(job: Job) -> None:
    pytest.importorskip("jax")
    for name, compiles in (("before.jsonl", 1), ("after.jsonl", 2)):
        _record(job.folder / name, compiles)
    git(job.folder, "rm", "-q", "new file.py")
    job.inputs = {"verify": "true", "compare": "before.jsonl after.jsonl", "fail": "false"}
    job.run()
    assert job.failed is None, job.said
    assert "gh pr comment 7 --edit-last --create-if-none --body-file" in commands(job)
    text = (job.temp / "jaxlint-short.md").read_text()
    verified, _, compared = text.partition("### What the program compiles")
    assert verified.startswith("### Findings, verified under jax\n\n")
    assert "lib.py" in verified
    assert "confirmed" in verified
    assert compared.strip()


def _record(path: Path, calls: int) -> None:
    """Write a log as jax does, of a program that compiles a function so many times."""
    line = (
        "WARNING:2026-01-01 00:00:0{},000:jax._src.interpreters.pxla:1906: Compiling jit(scaled) with global "
        "shapes and types [ShapedArray(float32[{}])]. Argument mapping: (UnspecifiedValue,).\n"
    )
    path.write_text("".join(line.format(number, number + 1) for number in range(calls)))
