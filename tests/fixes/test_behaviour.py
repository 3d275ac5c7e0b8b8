"""Safe fixes change nothing of what hostile programs print, raise and do when they are imported."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.fixes.checks import worth
from jaxlint.fixes.engine.apply import Mended, mend
from tests.fixes import behaviour, grammar
from tests.fixes.hostile import PROGRAMS

DEFAULTS = {"SEED": "0", "COUNT": "60"}
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


def differences(python: str, programs: dict[str, str], folder: Path) -> tuple[int, dict[str, Any]]:
    """Fix programs, and return how many changed, and what those do that do something else now."""
    after = {name: fixed(text).source.text for name, text in programs.items()}
    # Programs that did not change do what they did.
    changed = {name: text for name, text in after.items() if text != programs[name]}
    for part in ("before", "after"):
        (folder / part).mkdir()
    before = observed(python, {name: programs[name] for name in changed}, folder / "before")
    now = observed(python, changed, folder / "after")
    different = {name: (changed[name], before[name], now[name]) for name in changed if now[name] != before[name]}
    return len(changed), different


FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


@pytest.fixture(autouse=True)
def _whatever_it_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs as small as these gain nothing by a fix; it must be right all the same."""
    monkeypatch.setattr(worth, "reason", lambda *_: "")


@FORKS
def test_hostile_programs_do_the_same(python: str, tmp_path: Path) -> None:
    _, different = differences(python, PROGRAMS, tmp_path)
    assert different == {}


@FORKS
def test_programs_of_the_grammar_do_the_same(python: str, tmp_path: Path) -> None:
    """`make attack` sets other seeds, and more programs."""
    seed, count = (int(os.environ.get(f"JAXLINT_ATTACK_{name}", default)) for name, default in DEFAULTS.items())
    changed, different = differences(python, dict(grammar.programs(seed, count)), tmp_path)
    assert different == {}
    assert changed > count // 20
