"""A folder to lint, and the command run in it, in this process or in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jaxlint.doors.cli import main

LAMBDA = "import jax\n\n\ndef scale(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
"""Holds one finding, JAX102 on row 5."""
NESTED = "import jax\n\n\ndef scale(x):\n    def double(y):\n        return y * 2\n\n    return jax.jit(double)(x)\n"
"""Holds one finding, JAX101 on row 8."""
CLEAN = "import jax\n\n\n@jax.jit\ndef scale(x):\n    return x * 2\n"


@dataclass(frozen=True)
class Outcome:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str

    @property
    def findings(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.out)
        return found

    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.findings]


class Project:
    """A folder of files, in which the command is run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def write(self, name: str, content: str | bytes = LAMBDA) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def run(self, *arguments: str, stdin: bytes = b"") -> Outcome:
        """Run the command in this process."""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self._capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    def json(self, *arguments: str, stdin: bytes = b"") -> Outcome:
        return self.run("check", "--output-format", "json", *arguments, stdin=stdin)

    def spawn(self, *command: str, stdin: bytes = b"", **environment: str) -> Outcome:
        """Run `python COMMAND...` in a process of its own."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path, monkeypatch, capsys)
