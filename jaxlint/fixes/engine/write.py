"""Writing a fixed file: at once or not at all, and only over what was linted.

A file with a second name (a hard link) cannot be replaced for both names at once: it is left alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn


class NotWrittenError(Exception):
    """A file was left as it is; the text says why."""


def replace(path: str, before: bytes, after: bytes) -> None:
    """Put `after` in the place of `before` in a file; a link stays one, and what it leads to is replaced.

    Who reads the file meanwhile sees the one or the other, and never a part; mode and owner are kept.

    Raises:
        NotWrittenError: the file holds something else than `before` by now, must not be written, or cannot be.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        # The superuser may write everything; that a file is marked read-only was still somebody's wish.
        if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
            raise NotWrittenError("it is read-only")
        if not stat.S_ISREG(status.st_mode):
            raise NotWrittenError("it is no regular file")
        if status.st_nlink > 1:
            raise NotWrittenError("it has other names (hard links), which would keep the old text")
        _replace(target, status, before, after)
    except OSError as error:
        raise NotWrittenError(f"it cannot be written: {error.strerror or error}") from error


def create(path: str, data: bytes) -> None:
    """Write a file that is not there yet: whole, or not at all.

    Raises:
        NotWrittenError: it cannot be written.
    """
    try:
        with _beside(path, data) as temporary:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
    except OSError as error:
        raise NotWrittenError(f"it cannot be written: {error.strerror or error}") from error


def _replace(target: str, status: os.stat_result, before: bytes, after: bytes) -> None:
    with _beside(target, after) as temporary:
        _like(temporary, target, status)
        if Path(target).read_bytes() != before:
            raise NotWrittenError("it was changed meanwhile")
        os.replace(temporary, target)


_SUFFIX = ".jaxlint-new"
_SECONDS = 600
"""After this time, nobody is writing a file any more."""


@contextlib.contextmanager
def _beside(target: str, data: bytes) -> Iterator[str]:
    """Write data to a new file beside another and give its path; where it is not renamed, it is removed."""
    folder, name = os.path.split(os.path.abspath(target))
    prefix = f".{name[:100]}."
    _remove_leftovers(folder, prefix)
    with _interruptible():
        # In the same folder, so that it can be renamed; its suffix is nobody's, so that nothing picks it up as Python.
        handle, temporary = tempfile.mkstemp(prefix=prefix, suffix=_SUFFIX, dir=folder)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            yield temporary
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _remove_leftovers(folder: str, prefix: str) -> None:
    """Remove what a run that was killed while it wrote this file has left beside it."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _SECONDS:
                        os.unlink(entry.path)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Have signals that end the process raise an exception, so that it ends with nothing left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) is signal.SIG_DFL}
    for number in before:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def _like(temporary: str, target: str, status: os.stat_result) -> None:
    """Give a new file the owner, the mode and the attributes of the one that it replaces, as far as that is allowed."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                os.setxattr(temporary, name, os.getxattr(target, name))
    # Last: a change of the owner takes bits away.
    os.chmod(temporary, stat.S_IMODE(status.st_mode))
