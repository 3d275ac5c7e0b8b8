"""Keeps accidents of the code under test small: limits, and no change of files outside its temporary folder.

It is no sandbox.  Code that means harm can get around all of it.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

_CHANGES = frozenset(
    ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.truncate", "os.chmod", "os.chown")
)
_TWO_PATHS = frozenset(("os.rename", "os.link", "os.symlink"))
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = ("/dev/", "/proc/self/")
_INTERVAL = 0.5
"""Seconds between looks at whether the parent is still there."""


def limit(memory: int, file: int) -> None:
    """Limit the memory and the size of files of this process, in bytes, as far as the system can."""
    for kind, size in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, file), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def end_with(parent: int) -> None:
    """Have this process and its group end when the parent does."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_INTERVAL)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True, name="jaxlint parent watch").start()


def keep_files(folder: str) -> None:
    """Refuse, from now on, what would change files outside a folder."""
    inside = (os.path.realpath(folder) + os.sep, *_HARMLESS)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING:
                check(path)
        elif event in _CHANGES:
            for path in arguments[: 2 if event in _TWO_PATHS else 1]:
                check(path)

    def check(path: Any) -> None:
        if isinstance(path, int):
            return
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return
        if not (real + os.sep).startswith(inside):
            raise PermissionError(f"code under test may change files in its temporary folder only, not {real}")

    sys.addaudithook(refuse)


def handlers() -> Mapping[int, Any]:
    """Return what handles each signal."""
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def threads() -> int:
    """Return how many threads of Python there are."""
    return threading.active_count()
