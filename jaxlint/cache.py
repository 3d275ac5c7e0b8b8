"""What earlier runs found out, kept between runs, so that only what changed is looked at again.

A cache only ever answers what would be found out again: each key holds all that its value depends on, the version of
jaxlint (and of its files), of Python and of LibCST among it, and nothing of the machine or of where the files lie.  It
is one SQLite file, which several processes may use at a time.  One that is damaged is made again, one that cannot be
used is done without; either is said once.  Behind it there may be one that machines share (`jaxlint.shared`).

Values are JSON: a cache that came with somebody else's code must not be able to run any.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.digests import digest, digest_of
from jaxlint.observed import CACHE_FOLDER

if TYPE_CHECKING:
    from jaxlint.shared import SharedCache

FOLDER = CACHE_FOLDER
_FILE = "v1.sqlite3"
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by jaxlint, which can make it again.\n"
_IGNORE = "# Made by jaxlint.\n*\n"
_DAYS = 30
"""How long a value is kept that no run asks for."""
_SECONDS = 5.0
"""How long to wait for another process that is writing."""
_AT_ONCE = 500
_SECONDS_A_DAY = 86_400
_TABLE = "CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT, day INTEGER)"


def version(cache: Cache) -> str:
    """Return what names the program that finds things: Python, LibCST, jaxlint and what is in its files.

    Reading them all takes a while, so `cache` remembers the answer for as long as none of them is written.
    """
    files = [*_own_files(), *_libcst()]
    statuses = [(path, status.st_size, status.st_mtime_ns) for path in files for status in (os.stat(path),)]
    key = digest("program", sys.implementation.cache_tag, sys.version_info[:3], statuses)
    known = cache.get_own([key]).get(key)
    if isinstance(known, str):
        return known
    contents = [digest_of(Path(path).read_bytes()) for path in files]
    value = digest(sys.implementation.cache_tag, sys.version_info[:3], *contents)
    cache.remember(key, value)
    return value


def _own_files() -> list[str]:
    root = os.path.dirname(os.path.abspath(__file__))
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        found += [os.path.join(folder, name) for name in sorted(files)]
    return found


def _libcst() -> list[str]:
    """Return the file that says which LibCST is installed, without importing it."""
    paths = (os.path.join(folder, "libcst", "_version.py") for folder in sys.path)
    return [path for path in paths if os.path.isfile(path)][:1]


class Cache:
    """Values by their keys.

    `warnings` holds what the user should know; no method raises.
    """

    def __init__(self, folder: str, shared: SharedCache | None = None) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self._shared = shared
        self._own: dict[str, Any] = {}
        self._day = int(time.time()) // _SECONDS_A_DAY
        self._stale: list[str] = []
        self._connection: sqlite3.Connection | None = None
        try:
            self._connection = self._open()
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        os.makedirs(self.folder, exist_ok=True)
        for name, text in ((_TAG, _TAG_TEXT), (".gitignore", _IGNORE)):
            # Not through a link, which may lead anywhere.
            with (
                contextlib.suppress(FileExistsError),
                open(os.path.join(self.folder, name), "x", encoding="utf-8") as out,
            ):
                out.write(text)
        file = os.path.join(self.folder, _FILE)
        try:
            return _connect(file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.warnings.append(f"{file}: the cache is damaged and will be rebuilt")
            os.unlink(file)
            return _connect(file)

    def _give_up(self, error: Exception) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        if not self.warnings:
            reason = getattr(error, "strerror", None) or error
            self.warnings.append(f"{self.folder}: the cache cannot be used: {reason}; see --cache-dir and --no-cache")

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values of those keys that have one, here or in the shared cache."""
        wanted = list(dict.fromkeys(keys))
        found = self.get_own(wanted)
        if self._shared is not None and len(found) < len(wanted):
            others = self._shared.get([key for key in wanted if key not in found])
            self._own.update(others)
            found.update(others)
        return found

    def get_own(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values that are kept on this machine."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, Any] = {}
        if self._connection is None:
            return found
        try:
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value, day FROM entries WHERE key IN ({marks})"
                for key, value, day in self._connection.execute(query, some):
                    found[key] = json.loads(value)
                    if day < self._day:
                        self._stale.append(key)
        except (sqlite3.Error, ValueError, TypeError) as error:
            self._give_up(error)
            return {}
        return found

    def remember(self, key: str, value: Any) -> None:
        """Have a value kept with the others, but on this machine only."""
        self._own[key] = value

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep values, and forget those that nobody has asked for in a while.  Called once, at the end."""
        if self._shared is not None:
            self._shared.put(values)
            self.warnings += self._shared.warnings
        connection = self._connection
        values = {**self._own, **values}
        if connection is None or not (values or self._stale):
            return
        rows = [(key, json.dumps(value, separators=(",", ":")), self._day) for key, value in values.items()]
        try:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
                connection.executemany(
                    "UPDATE entries SET day = ? WHERE key = ?", [(self._day, key) for key in self._stale]
                )
                connection.execute("DELETE FROM entries WHERE day < ?", (self._day - _DAYS,))
        except sqlite3.Error as error:
            self._give_up(error)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _connect(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_SECONDS)
    try:
        connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
        connection.commit()
        # A view or a trigger could answer without end.
        kept = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if kept != [(_TABLE,)]:
            raise sqlite3.DatabaseError("it holds something else")
    except BaseException:
        connection.close()
        raise
    return connection


def remove(folder: str) -> bool:
    """Remove a cache; return whether there was one.  A folder that jaxlint did not make is left alone.

    Raises:
        OSError: it cannot be removed.
    """
    import shutil

    try:
        if Path(folder, _TAG).read_text("utf-8") != _TAG_TEXT:
            return False
    except (OSError, UnicodeError):
        return False
    shutil.rmtree(folder)
    return True
