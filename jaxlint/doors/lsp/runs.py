"""What the last recorded run of a program says of lines: the file that `jaxlint run --json` writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECONDS = ("trace_seconds", "lowering_seconds", "compile_seconds")


@dataclass(frozen=True)
class Seen:
    """What a run did at the line where a function is defined."""

    name: str
    compiles: int
    seconds: float

    def __str__(self) -> str:
        """Return it as editors show it."""
        return f"compiled {self.compiles}\N{MULTIPLICATION SIGN}, {_shown(self.seconds)}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


class Runs:
    """The records of runs in the folders of a workspace, read again when they change."""

    def __init__(self, folders: list[str], name: str) -> None:
        self._files = [os.path.join(folder, name) for folder in folders]
        self._known: dict[str, tuple[int, dict[str, dict[int, Seen]]]] = {}

    def seen(self, path: str) -> dict[int, Seen]:
        """Return what runs did in a file, by its absolute path, and at which lines; a broken record says nothing."""
        found: dict[int, Seen] = {}
        for file in self._files:
            found |= self._read(file).get(os.path.realpath(path), {})
        return found

    def _read(self, file: str) -> dict[str, dict[int, Seen]]:
        try:
            stamp = os.stat(file).st_mtime_ns
            known = self._known.get(file)
            if known is None or known[0] != stamp:
                known = self._known[file] = (stamp, _by_file(json.loads(Path(file).read_bytes()), file))
            return known[1]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}


def _by_file(data: Any, file: str) -> dict[str, dict[int, Seen]]:
    found: dict[str, dict[int, Seen]] = {}
    for function in data["functions"]:
        name, line, compiles = function["file"], function["line"], function["compiles"]
        if name and line and compiles and not function["eager"]:
            path = os.path.realpath(os.path.join(os.path.dirname(file), name))
            spent = sum(float(function[key]) for key in _SECONDS)
            known = found.setdefault(path, {}).get(line)
            if known is not None:
                compiles, spent = compiles + known.compiles, spent + known.seconds
            found[path][line] = Seen(str(function["name"]), compiles, spent)
    return found
