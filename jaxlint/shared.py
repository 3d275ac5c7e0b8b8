"""A cache that many machines share: a folder, on storage that all of them reach, with one file for each value.

A file is named after its key, which holds all that the value depends on; so two that write the same file write the
same, and none is ever changed.  It appears by being renamed, whole.  Each starts with a digest of the rest: what is
damaged is ignored, and so is what cannot be read.  Who must not write only reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jaxlint.digests import digest_of

_SUFFIX = ".json"
_MOST_BYTES = 64 << 20
_DAY = 86_400.0
DAYS = 30
"""How long an entry is kept that nobody asks for."""


class SharedCache:
    """Values by their keys; `warnings` holds what the user should know, and no method raises."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self._damaged = 0
        self._writes = True
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            self._writes = False
            if not os.path.isdir(folder):
                self.warnings.append(f"{folder}: the shared cache cannot be used: {error.strerror or error}")

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values of those keys that have one."""
        found = {}
        for key in keys:
            value = self._read(key)
            if value is not None:
                found[key] = value[0]
        if self._damaged and not self.warnings:
            self.warnings.append(f"{self.folder}: damaged entries of the shared cache were ignored")
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep values, as far as this process may."""
        for key, value in values.items():
            if not self._writes:
                return
            try:
                self._write(key, json.dumps(value, separators=(",", ":")).encode("utf-8", "surrogatepass"))
            except PermissionError:
                self._writes = False  # a reader, as it was set up
            except OSError as error:
                self._writes = False
                if error.errno != _READ_ONLY:
                    self.warnings.append(f"{self.folder}: the shared cache cannot be written: {error.strerror}")

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, key[:2], key[2:] + _SUFFIX)

    def _read(self, key: str) -> tuple[Any] | None:
        """Return the value of a key, in a tuple; None where there is none that can be used."""
        path = self._path(key)
        try:
            data = _bytes(path)
        except OSError:
            return None
        head, _, body = data.partition(b"\n")
        if head.decode("ascii", "replace") != digest_of(key.encode() + body):
            self._damaged += 1
            with contextlib.suppress(OSError):
                os.unlink(path)  # so that a whole one can take its place
            return None
        try:
            return (json.loads(body),)
        except (ValueError, RecursionError):
            return None

    def _write(self, key: str, body: bytes) -> None:
        path = self._path(key)
        if os.path.lexists(path):
            return
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(digest_of(key.encode() + body).encode() + b"\n" + body)
            os.chmod(temporary, 0o644)  # other users' runs read it too
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


_READ_ONLY = 30
"""`errno.EROFS`, which Windows lacks."""


def _bytes(path: str) -> bytes:
    # Not following a link, nor waiting for a pipe: what is on shared storage may be anything.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            raise OSError("no entry")
        if time.time() - status.st_mtime > _DAY:
            with contextlib.suppress(OSError):
                os.utime(path)  # `evict` goes by it
        return file.read()


def evict(folder: str, days: float) -> int:
    """Remove the entries that nobody has asked for in so many days, and what killed writers left; return how many.

    Raises:
        OSError: the folder, or what is in it, cannot be read or removed.
    """
    number = 0
    for path in _entries(folder):
        with contextlib.suppress(FileNotFoundError):  # another may be at it
            if os.lstat(path).st_mtime < time.time() - days * _DAY:
                os.unlink(path)
                number += 1
    return number


def _entries(folder: str) -> Iterator[str]:
    """Yield the files that a shared cache is made of, and no other."""
    for name in sorted(os.listdir(folder)):
        below = os.path.join(folder, name)
        if len(name) == 2 and os.path.isdir(below) and not os.path.islink(below):
            for file in sorted(os.listdir(below)):
                if file.endswith((_SUFFIX, ".tmp")):
                    yield os.path.join(below, file)
