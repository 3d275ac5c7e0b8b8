"""The tables that come with jaxlint are TOML, and are read as TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import jaxlint
from jaxlint import tables

PACKAGE = Path(jaxlint.__file__).parent
FILES = sorted(PACKAGE.rglob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_tables_are_read_as_toml(file: Path) -> None:
    package = ".".join(["jaxlint", *file.parent.relative_to(PACKAGE).parts])
    read = tables.read(package, file.name)
    assert list(read.items()) == list(tomllib.loads(file.read_text("utf-8")).items())


def test_other_lines_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pkgutil.get_data", lambda *_: b"[a]\nb: 1\n")
    with pytest.raises(ValueError, match="none of the lines"):
        tables.read("jaxlint", "a.toml")
