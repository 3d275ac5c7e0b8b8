"""What the rest of a workspace folder says about a file, kept up to date while files change.

Each file has a record of what it tells the others (`jaxlint.facts.summary.exports`).  Records of files on disk come
from the cache that `jaxlint check` keeps as well; that of an open file is made of what the editor holds.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint import checking, driver
from jaxlint.cache import FOLDER, Cache
from jaxlint.config import ConfigError, Finder
from jaxlint.discovery import File, python_files
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.scripts import scripts

if TYPE_CHECKING:
    from jaxlint.facts.summary.exports import Exports
    from jaxlint.source import Source

MOST_FILES = 5_000
"""In a folder with more files, each is seen alone."""


class Project:
    """The files of one folder of the workspace.

    `load`, `update` and `remove` are called in one thread; `incoming` may be called in any.
    """

    def __init__(self, folder: str, finder: Finder) -> None:
        self.folder = folder
        self.loaded = threading.Event()
        """Set once the folder has been read, or could not be."""
        self.warnings: list[str] = []
        self._finder = finder
        self._files: dict[str, File] = {}
        self._records: dict[str, Exports | None] = {}
        self._incoming: dict[str, Incoming] = {}

    def holds(self, path: str) -> bool:
        """Tell whether a file is in the folder, by its absolute path."""
        return path.startswith(self.folder.rstrip(os.sep) + os.sep)

    def incoming(self, path: str) -> Incoming:
        """Return what is known of what the others say about a file."""
        return self._incoming.get(path, NOTHING)

    def load(self) -> None:
        """Read the folder; where that fails, each file is seen alone."""
        try:
            self._load()
        except ConfigError as error:
            self.warnings.append(str(error))
        except Exception as error:  # noqa: BLE001  (files can still be linted)
            self.warnings.append(f"{self.folder}: each file is seen alone: {type(error).__name__}: {error}")
        finally:
            self.loaded.set()

    def _load(self) -> None:
        files = list(python_files(self.folder, self._finder))
        if len(files) > MOST_FILES:
            self.warnings.append(
                f"{self.folder}: {len(files)} files, more than {MOST_FILES}, so each is seen alone; see `exclude`"
            )
            return
        self._files = {file.path: file for file in files}
        cache = Cache(os.path.join(self._finder.config(self.folder).root, FOLDER))
        with contextlib.closing(cache):
            records = checking.read_records(files, cache)
        self.warnings += cache.warnings
        self._records = dict(zip(self._files, records, strict=True))
        self._join()

    def update(self, path: str, source: Source | None = None) -> list[str]:
        """Take a new state of a file, from the disk or as an editor holds it, and return whom it concerns.

        These are the files about which the others say something else now.
        """
        file = self._files.get(path)
        if file is None:
            # A new file is part of the project if the next look at its folder finds it.
            file = next((f for f in python_files(os.path.dirname(path), self._finder) if f.path == path), None)
            if file is None:
                return []
            self._files[path] = file
        before = self._records.get(path)
        if source is not None:
            record = driver.exports_of(source)
        else:
            try:
                record = driver.read_exports(Path(path).read_bytes(), path)
            except OSError:
                record = None
        known = path in self._records
        self._records[path] = record
        if known and _plain(before) == _plain(record):
            return []
        return self._join()

    def remove(self, path: str) -> list[str]:
        """Forget a file, and return whom it concerns."""
        if self._files.pop(path, None) is None:
            return []
        self._records.pop(path, None)
        return self._join()

    def _join(self) -> list[str]:
        records = {path: record for path, record in self._records.items() if record is not None}
        files = [self._files[path] for path in records]
        entries = sorted(set(scripts(self._files)))
        told = checking.joined(files, list(records.values()), entries) if len(files) > 1 else []
        incoming = dict(zip(records, told, strict=True)) if told else {}
        changed = [
            path
            for path in {*self._incoming, *incoming}
            if self._incoming.get(path, NOTHING).digest != incoming.get(path, NOTHING).digest
        ]
        self._incoming = incoming
        return changed


def _plain(record: Exports | None) -> object:
    return record.plain() if record is not None else None
