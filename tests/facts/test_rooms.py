"""The folders of facts and of fixes import one another in one direction only, as CONTRIBUTING.md lists them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = {"facts": "| folder | which question it answers |", "fixes": "| folder | what its builders share, or fix |"}


def folders(package: str) -> list[str]:
    """The folders of a package."""
    return sorted(path.name for path in (ROOT / "jaxlint" / package).iterdir() if (path / "__init__.py").is_file())


def listed(package: str) -> list[str]:
    """The folders in the order in which CONTRIBUTING.md has them."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition(TABLES[package])[2].partition("\n\n")[0]
    return [line.split("`")[1].rstrip("/") for line in table.splitlines() if line.startswith("| `")]


def imported(package: str, folder: str) -> set[str]:
    """The folders that the files of one import."""
    found = set()
    for file in (ROOT / "jaxlint" / package / folder).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"jaxlint.{package}."):
                found.add((node.module or "").split(".")[2])
    return found & set(folders(package)) - {folder}


def answered() -> dict[str, str]:
    """For each fact of `ModuleFacts` the folder of the class that answers it."""
    module = ast.parse((ROOT / "jaxlint/facts/module.py").read_text("utf-8"))
    homes = {
        alias.name: (node.module or "").split(".")[2]
        for node in module.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jaxlint.facts.")
        for alias in node.names
    }
    facts = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "ModuleFacts")
    return {
        fact.name: homes[made.func.id]
        for fact in facts.body
        if isinstance(fact, ast.FunctionDef)
        for made in ast.walk(fact)
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in homes
    }


@pytest.mark.parametrize("folder", folders("facts"))
def test_what_answers_a_fact_asks_only_those_above_it(folder: str) -> None:
    order, homes = listed("facts"), answered()
    asked = {
        node.attr
        for file in (ROOT / "jaxlint/facts" / folder).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "facts"
    }
    below = {name for name in asked & homes.keys() if order.index(homes[name]) > order.index(folder)}
    assert below == set()


@pytest.mark.parametrize("package", TABLES)
def test_contributing_lists_each_folder(package: str) -> None:
    assert sorted(listed(package)) == folders(package)


@pytest.mark.parametrize(("package", "folder"), [(name, folder) for name in TABLES for folder in folders(name)])
def test_a_folder_imports_only_those_above_it(package: str, folder: str) -> None:
    order = listed(package)
    assert {other for other in imported(package, folder) if order.index(other) > order.index(folder)} == set()
