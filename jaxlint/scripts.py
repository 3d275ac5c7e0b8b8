"""The console scripts of projects: functions where programs start."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator


def scripts(paths: Iterable[str]) -> Iterator[str]:
    """Yield the console scripts that the `pyproject.toml` files in and above the folders of some files name.

    Each is named as `package.module:function`.
    """
    seen: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while folder not in seen:
            seen.add(folder)
            yield from _scripts_in(os.path.join(folder, "pyproject.toml"))
            folder = os.path.dirname(folder)


def _scripts_in(file: str) -> Iterator[str]:
    if not os.path.isfile(file):
        return
    import tomllib

    try:
        with open(file, "rb") as stream:
            table = tomllib.load(stream)
    except (OSError, ValueError, RecursionError):
        return  # the configuration says what is wrong with it, where it is its business
    project, tool = table.get("project", {}), table.get("tool", {})
    poetry = tool.get("poetry", {}) if isinstance(tool, dict) else {}
    for holder, key in ((project, "scripts"), (project, "gui-scripts"), (poetry, "scripts")):
        named = holder.get(key, {}) if isinstance(holder, dict) else {}
        yield from (value.strip() for value in named.values() if isinstance(value, str))
