"""Which Python `run` and `verify` take, where nobody names one: the same."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from jaxlint import interpreter
from jaxlint.doctor import launcher


def executable(path: Path) -> str:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """An active environment's Python and one on PATH; jax is not beside jaxlint."""
    active = executable(tmp_path / "venv" / "bin" / "python")
    on_path = executable(tmp_path / "bin" / "python")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "venv"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    return active, on_path


def test_the_active_environment_comes_first(places: tuple[str, str]) -> None:
    assert interpreter.default() == places[0]
    assert launcher.command_of(["program"], True, None)[0] == places[0]


def test_then_jaxlint_s_own_if_jax_is_there(places: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", "/no/such/folder")
    assert interpreter.default() == places[1]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert interpreter.default() == sys.executable


@pytest.mark.usefixtures("places")
def test_where_there_is_no_other_it_is_jaxlint_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV")
    monkeypatch.setenv("PATH", "")
    assert interpreter.default() == sys.executable
