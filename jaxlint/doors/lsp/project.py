"""What the rest of a workspace folder says about a file, kept up to date while files change.

Each file has a record of what it tells the others (`jaxlint.facts.summary.exports`).  Records of files on disk come
from the cache that `jaxlint check` keeps as well; that of an open file is made of what the editor holds.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint import checking, driver
from jaxlint.cache import FOLDER, Cache
from jaxlint.config import ConfigError, Finder
from jaxlint.digests import digest_of
from jaxlint.discovery import File, python_files
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.scripts import scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxlint.diagnostic import Diagnostic
    from jaxlint.facts.summary.record import Exports
    from jaxlint.source import Source

MOST_FILES = 5_000
"""In a folder with more files, each is seen alone."""


class Project:
    """The files of one folder of the workspace.

    All but `holds`, `incoming` and `recalled` is called in one thread.
    """

    def __init__(self, folder: str, finder: Finder) -> None:
        self.folder = folder
        self.loaded = threading.Event()
        """Set once the folder has been read, or could not be."""
        self.warnings: list[str] = []
        self.finder = finder
        self._recalled: dict[str, tuple[str, Sequence[Diagnostic]]] = {}
        self._files: dict[str, File] = {}
        self._records: dict[str, Exports | None] = {}
        self._incoming: dict[str, Incoming] = {}

    def holds(self, path: str) -> bool:
        """Tell whether a file is in the folder, by its absolute path."""
        return path.startswith(self.folder.rstrip(os.sep) + os.sep)

    def incoming(self, path: str) -> Incoming:
        """Return what is known of what the others say about a file."""
        return self._incoming.get(path, NOTHING)

    def recalled(self, path: str, text: str) -> Sequence[Diagnostic] | None:
        """Return what was found in a file when the whole folder was as it is; None if that or the text is not known."""
        content, found = self._recalled.get(path, ("", ()))
        return found if content == digest_of(text.encode("utf-8", "surrogatepass")) else None

    def recall(self) -> None:
        """Look up what was found in the folder before, which takes a fraction of the time of reading it."""
        with contextlib.suppress(Exception):  # whatever is wrong, `load` says it
            files = self._listed()
            if files is not None:
                with contextlib.closing(self._cache()) as cache:
                    known = checking.recall(files, cache)
                self._recalled = {file.path: it for file, it in zip(files, known, strict=True) if it is not None}

    def keep(self, path: str, text: str, incoming: Incoming, found: Sequence[Diagnostic]) -> None:
        """Have a later `recall` know what was found in a file, if it and the folder are still as they were then."""
        numbers = {known: number for number, known in enumerate(self._files)}
        if path not in numbers or self.incoming(path).digest != incoming.digest:
            return
        content = text.encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            if Path(path).read_bytes() == content:
                files = [replace(file, incoming=self.incoming(at)) for at, file in self._files.items()]
                with contextlib.closing(self._cache()) as cache:
                    checking.keep(files, {numbers[path]: (digest_of(content), found)}, cache)

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
        files = self._listed()
        if files is None:
            self.warnings.append(f"{self.folder}: more than {MOST_FILES} files, so each is seen alone; see `exclude`")
            return
        self._files = {file.path: file for file in files}
        with contextlib.closing(self._cache()) as cache:
            records = checking.read_records(files, cache)
        self.warnings += cache.warnings
        self._records = dict(zip(self._files, records, strict=True))
        self._join()

    def _listed(self) -> list[File] | None:
        """Return the files of the folder, None where there are too many."""
        files = list(itertools.islice(python_files(self.folder, self.finder), MOST_FILES + 1))
        return files if len(files) <= MOST_FILES else None

    def _cache(self) -> Cache:
        return Cache(os.path.join(self.finder.config(self.folder).root, FOLDER))

    def update(self, path: str, source: Source | None = None) -> list[str]:
        """Take a new state of a file, from the disk or as an editor holds it, and return whom it concerns.

        These are the files about which the others say something else now.
        """
        file = self._files.get(path)
        if file is None:
            # A new file is part of the project if the next look at its folder finds it.
            file = next((f for f in python_files(os.path.dirname(path), self.finder) if f.path == path), None)
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
