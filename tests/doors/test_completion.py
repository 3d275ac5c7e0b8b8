"""`jaxlint completion`: what a shell is told, and what it makes of it."""

from __future__ import annotations

import subprocess

import pytest

from jaxlint import report
from jaxlint.doors.cli import COMMANDS
from jaxlint.doors.cli.completion import SHELLS
from jaxlint.rules import rules
from tests.doors.conftest import Project

ASK = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$(complete -p jaxlint | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def test_bash_completes(project: Project) -> None:
    script = project.write("completion.bash", project.run("completion", "bash").out)
    project.write("train.py")

    def answers(*words: str) -> list[str]:
        command = ["bash", "--norc", "-c", ASK, "bash", str(script), "jaxlint", *words]
        done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    assert set(COMMANDS) <= set(answers(""))
    assert answers("check", "--output-fo") == ["--output-format"]
    assert answers("check", "--output-format", "") == report.names()
    assert answers("check", "--select", "JAX10") == [code for code in rules() if code.startswith("JAX10")]
    assert answers("check", "tr") == ["train.py"]
    assert answers("rule", "jit-of-la") == ["jit-of-lambda"]
    assert answers("config", "min-") == ["min-confidence"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_is_told_all_commands_and_options(project: Project, shell: str) -> None:
    outcome = project.run("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    dash = "" if shell == "fish" else "--"
    for word in (*COMMANDS, *report.names(), f"{dash}unsafe-fixes", f"{dash}fail-on", f"{dash}extend-select", "JAX101"):
        assert word in outcome.out
