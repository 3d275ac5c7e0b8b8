"""Writing a fixed file: at once or not at all, and only over what was linted."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


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
        _replace(target, status, before, after)
    except OSError as error:
        raise NotWrittenError(f"it cannot be written: {error.strerror or error}") from error


def _replace(target: str, status: os.stat_result, before: bytes, after: bytes) -> None:
    # In the same folder, so that it can be renamed; hidden and without suffix, so that nothing picks it up as Python.
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(target)[:100]}.", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(after)
            out.flush()
            os.fsync(out.fileno())
        _like(temporary, target, status)
        if Path(target).read_bytes() != before:
            raise NotWrittenError("it was changed meanwhile")
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


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
