"""How long a project's lines are: what its formatter or style checker is configured with, so that fixes keep to it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEFAULT = 88
"""What Black and ruff take where nothing is configured."""
_SECTIONS = ("flake8", "pycodestyle", "pep8")
_LEAST = 40
_MOST = 320
_MOST_DIGITS = 9


def configured(folder: str) -> int | None:
    """Return the line length that a folder's own files configure, None where they say nothing.

    ruff and Black come first, as they format; then flake8 and pycodestyle, then `.editorconfig`.
    """
    return next((length for length in _found(folder) if _LEAST <= length <= _MOST), None)


def _found(folder: str) -> Iterator[int]:
    for name in ("ruff.toml", ".ruff.toml", "pyproject.toml"):
        document = _toml(os.path.join(folder, name))
        tables: list[Any] = [document]
        if name == "pyproject.toml":
            tools = document.get("tool")
            tools = tools if isinstance(tools, dict) else {}
            tables = [tools.get(tool) for tool in ("ruff", "black", "pycodestyle", "flake8")]
        for table in tables:
            for key in ("line-length", "max-line-length", "max_line_length"):
                if isinstance(table, dict) and type(table.get(key)) is int:
                    yield table[key]
    for name in (".flake8", "setup.cfg", "tox.ini"):
        yield from _of_sections(os.path.join(folder, name))
    yield from _of_editors(os.path.join(folder, ".editorconfig"))


def _toml(file: str) -> dict[str, Any]:
    text = _read(file)
    if "line" not in text:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}  # whose file it is says so


def _of_sections(file: str) -> Iterator[int]:
    text = _read(file)
    if "line" not in text:
        return
    import configparser  # slow to load

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in _SECTIONS:
        for key in ("max-line-length", "max_line_length"):
            value = parser.get(section, key, fallback="").strip()
            if value.isdecimal() and len(value) <= _MOST_DIGITS:
                yield int(value)


def _of_editors(file: str) -> Iterator[int]:
    """Yield what `.editorconfig` says of Python files, what it says last first."""
    found: list[int] = []
    python = False
    for line in _read(file).splitlines():
        header = re.match(r"\s*\[(.*)\]\s*$", line)
        if header is not None:
            pattern = header.group(1)
            python = pattern == "*" or re.search(r"\bpy\b", pattern) is not None
        setting = re.match(r"\s*max_line_length\s*=\s*(\d{1,9})\s*$", line)
        if setting is not None and python:
            found.append(int(setting.group(1)))
    yield from reversed(found)


def _read(file: str) -> str:
    try:
        if not os.path.isfile(file):
            return ""
        return Path(file).read_text("utf-8", "replace")
    except OSError:
        return ""
