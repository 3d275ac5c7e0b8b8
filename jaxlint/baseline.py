"""A baseline: findings that are known and put up with, so that only new ones are reported.

It is a JSON file.  A finding is known by its file and its fingerprint, which stays the same when it moves to another
line; the code and the line of text beside it are for people who read the file.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.patterns import relative_path

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic

VERSION = 1
NEVER = ("JAX000", "JAX001")
"""Codes that mention a file that was not linted; nobody knows what is in it, so nothing in it is known."""


class BaselineError(Exception):
    """A baseline cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Baseline:
    """Entries by the names of files, which are relative to `root`, the folder of the baseline."""

    root: str
    entries: Mapping[str, tuple[Mapping[str, str], ...]]

    def name_of(self, path: str) -> str:
        """Return what a file is called here, by its absolute path."""
        return relative_path(path, self.root) or Path(os.path.relpath(path, self.root)).as_posix()

    def known(self, path: str) -> frozenset[str]:
        """Return the fingerprints that are known of the file at an absolute path."""
        return frozenset(entry["fingerprint"] for entry in self.entries.get(self.name_of(path), ()))

    def updated(self, found: Mapping[str, Iterable[Diagnostic]]) -> Baseline:
        """Return the baseline after a run: for the files of the run, by absolute path, what was found is what is known.

        Files that are no longer there are forgotten.
        """
        entries = {name: kept for name, kept in self.entries.items() if os.path.exists(os.path.join(self.root, name))}
        for path, diagnostics in found.items():
            entries.pop(self.name_of(path), None)
            known = tuple(
                {"code": d.code, "fingerprint": d.fingerprint, "line": " ".join(d.line.split())}
                for d in diagnostics
                if d.code not in NEVER
            )
            if known:
                entries[self.name_of(path)] = known
        return Baseline(self.root, entries)

    def dumps(self) -> str:
        """Return what is in the file: one line a finding, sorted, so that a diff of it can be read."""
        files = []
        for name in sorted(self.entries):
            rows = ",".join("\n      " + json.dumps(entry, ensure_ascii=False) for entry in self.entries[name])
            files.append(f"\n    {json.dumps(name, ensure_ascii=False)}: [{rows}\n    ]")
        return f'{{\n  "version": {VERSION},\n  "files": {{{",".join(files)}\n  }}\n}}\n'


def empty(file: str) -> Baseline:
    """Return the baseline that is to be written to a file, given by its absolute path."""
    return Baseline(os.path.dirname(file), {})


def load(file: str) -> Baseline:
    """Read a baseline, given by its absolute path; it is read again only when it has changed.

    Raises:
        BaselineError: it is not there, cannot be read, or is none.
    """
    try:
        status = os.stat(file)
    except OSError as error:
        raise BaselineError(f"{file}: cannot be read: {error.strerror or error}") from error
    return _load(file, (status.st_mtime_ns, status.st_size, status.st_ino))


@functools.lru_cache(maxsize=32)
def _load(file: str, _: tuple[int, ...]) -> Baseline:
    try:
        text = Path(file).read_bytes().decode()
    except OSError as error:
        raise BaselineError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeError as error:
        raise BaselineError(f"{file}: no baseline: {error}") from error
    try:
        document = json.loads(text)
        if document["version"] != VERSION:
            raise BaselineError(f"{file}: written by another version of jaxlint; write it again with --write-baseline")
        entries = {name: tuple(map(_entry, rows)) for name, rows in document["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BaselineError(f"{file}: no baseline: {type(error).__name__}: {error}") from error
    return Baseline(os.path.dirname(file), entries)


def _entry(row: Any) -> dict[str, str]:
    return {key: str(row[key]) for key in ("code", "fingerprint", "line")}
