"""The page on the doctor shows what the command prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.doctor import logs
from tests.doors.conftest import Project, project

__all__ = ["project"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "doctor.md"


def test_the_report_is_what_log_prints(project: Project) -> None:
    """To write it anew: `cd testdata/logs/programs; jaxlint log --isolated ../jax-0.10.2/training.log`."""
    shutil.copy(logs.PROGRAMS / "training.py", project.folder)
    printed = project.run("log", "--isolated", str(logs.LOGS / "jax-0.10.2" / "training.log")).out
    shown = re.search(r"<!-- report -->\n```text\n(.*?)```\n<!-- /report -->", PAGE.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    assert without_findings(shown[1]) == without_findings(printed)
    assert "JAX101" in shown[1]


def without_findings(text: str) -> str:
    """Leave out what the rules say, in words of their own."""
    return re.sub(r"   training\.py:\d+:\d+: JAX.*?\n\n", "", text, flags=re.DOTALL)
