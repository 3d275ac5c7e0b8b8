"""The folders of the facts import one another in one direction only, as CONTRIBUTING.md lists them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FACTS = ROOT / "jaxlint" / "facts"
FOLDERS = sorted(path.name for path in FACTS.iterdir() if (path / "__init__.py").is_file())


def listed() -> list[str]:
    """The folders in the order in which CONTRIBUTING.md has them."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("| folder | which question it answers |")[2].partition("\n\n")[0]
    return [line.split("`")[1].rstrip("/") for line in table.splitlines() if line.startswith("| `")]


def imported(folder: str) -> set[str]:
    """The folders that the files of one import."""
    found = set()
    for file in (FACTS / folder).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jaxlint.facts."):
                found.add((node.module or "").split(".")[2])
    return found & set(FOLDERS) - {folder}


def test_contributing_lists_each_folder() -> None:
    assert sorted(listed()) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_those_above_it(folder: str) -> None:
    order = listed()
    assert {other for other in imported(folder) if order.index(other) > order.index(folder)} == set()
