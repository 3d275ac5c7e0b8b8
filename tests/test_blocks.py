"""Blocks of code on the pages are what they say: commands and options exist, code compiles, tables have known keys."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from jaxlint.config import OPTIONS
from jaxlint.doors.cli import ALIASES, COMMANDS
from tests.doors.conftest import Project, project

__all__ = ["project"]

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def blocks(language: str) -> list[tuple[str, str]]:
    """Return the page and the text of each block in a language."""
    return [
        (page.relative_to(ROOT).as_posix(), re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE))
        for page in PAGES
        for match in BLOCK.finditer(page.read_text("utf-8"))
        if match[2] == language
    ]


def commands(name: str) -> list[tuple[str, list[str]]]:
    """Return the page and the arguments of each call of a program in the console blocks."""
    found = []
    for page, text in blocks("console"):
        for line in text.splitlines():
            for part in re.split(r"&&|;", line.removeprefix("$ ")) if line.startswith("$ ") else ():
                words = shlex.split(re.split(r"\d?>|<", part)[0], comments=True)
                if words and words[0] == name:
                    found.append((page, words[1:]))
    return found


def test_commands_and_their_options_exist() -> None:
    calls = commands("jaxlint")
    assert len(calls) > 40
    for page, words in calls:
        first = ALIASES.get(words[0], words[0]) if words else "check"
        name = first if first in COMMANDS else "check"
        module = importlib.import_module(f"jaxlint.doors.cli.{name}")
        parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
        module.configure(parser)
        arguments = words[1:] if words and first in COMMANDS else words
        if hasattr(module, "prepared"):
            arguments = module.prepared(arguments)
        try:
            parser.parse_args(arguments)
        except (argparse.ArgumentError, SystemExit) as error:
            pytest.fail(f"{page}: jaxlint {' '.join(words)}: {error}")


def test_targets_of_make_exist() -> None:
    calls = commands("make")
    assert calls
    for page, words in calls:
        for word in words:
            assert "=" in word or word in TARGETS, (page, word)


def test_python_compiles() -> None:
    for page, text in blocks("python"):
        compile(text, page, "exec")


def test_tables_have_known_keys() -> None:
    seen = 0
    for page, text in blocks("toml"):
        for table in [tomllib.loads(text).get("tool", {}).get("jaxlint", {})]:
            assert set(table) <= set(OPTIONS), page
            seen += len(table)
    assert seen > 5


def test_json_is_json() -> None:
    for page, text in blocks("json"):
        if "…" not in text:
            assert json.loads(text), page


def test_the_tour_shows_what_check_prints(project: Project) -> None:
    page = (ROOT / "docs" / "tour.md").read_text("utf-8")
    shown = page.partition("$ jaxlint check fit.py\n")[2].partition("```")[0]
    project.write("fit.py", (ROOT / "examples" / "fit.py").read_text("utf-8"))
    assert project.run("check", "fit.py").out == shown
