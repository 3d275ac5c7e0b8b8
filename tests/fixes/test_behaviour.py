"""Safe fixes change nothing of what hostile programs print, raise and do when they are imported."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.fixes.apply import Mended, mend
from tests.fixes import behaviour
from tests.fixes.hostile import PROGRAMS

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True)


def fixed(text: str) -> Mended:
    """Apply all safe fixes to a text."""
    return mend(Source(text), lambda source: lint(source, SETTINGS), lambda _, found: found)


def observed(python: str, programs: dict[str, str], folder: Path) -> dict[str, Any]:
    """Return what programs do, by their names."""
    paths = {}
    for number, (name, text) in enumerate(programs.items()):
        paths[name] = folder / f"program_{number}.py"
        paths[name].write_text(text)
    command = [python, behaviour.__file__, *map(str, paths.values())]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    output = subprocess.run(command, capture_output=True, check=True, env=environment).stdout
    found = json.loads(output)
    return {name: found[str(path)] for name, path in paths.items()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")
def test_hostile_programs_do_the_same(python: str, tmp_path: Path) -> None:
    after = {name: fixed(text).source.text for name, text in PROGRAMS.items()}
    changed = {name: text for name, text in after.items() if text != PROGRAMS[name]}
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
    # Programs that did not change do what they did.
    before = observed(python, {name: PROGRAMS[name] for name in changed}, tmp_path / "before")
    now = observed(python, changed, tmp_path / "after")
    assert {name: now[name] for name in changed if now[name] != before[name]} == {}
