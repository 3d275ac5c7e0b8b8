"""A program that runs under `jaxlint run` is the same run as its log."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint.doctor import events
from jaxlint.doctor.model import Builder
from tests.doctor import logs


@pytest.mark.parametrize("name", logs.NAMES)
def test_run_and_log_agree(name: str, tmp_path: Path) -> None:
    shutil.copy(logs.PROGRAMS / f"{name}.py", tmp_path)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JAX_")}
    subprocess.run(
        [sys.executable, "-m", "jaxlint", "run", "-q", "--python", sys.executable, "--record", "r.jsonl", f"{name}.py"],
        cwd=tmp_path,
        env=environment | {"JAX_PLATFORMS": "cpu"},
        check=True,
        capture_output=True,
    )
    with (tmp_path / "r.jsonl").open(encoding="utf-8") as lines:
        run = Builder().extend(events.read(lines)).model()
    log, _ = logs.read(logs.text(name, logs.VERSIONS[-1]))
    assert logs.functions(run) == logs.functions(log)
    assert logs.causes(run) == logs.causes(log)
    if run.start is not None and run.start.versions["jax"] == logs.VERSIONS[-1]:
        # Of how many operations a function of jax's is made is its own business.
        assert logs.operations(run) == logs.operations(log)
    # What a log does not tell, a run does.
    assert run.attributed > 0.99
    assert log.attributed <= run.attributed
