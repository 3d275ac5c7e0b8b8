"""Keeps accidents of the code under test small: limits, and no change of files outside its scratch folder.

It is no sandbox.  Code that means harm can get around all of it.  What the kernel holds is `keeper`'s affair; what is
here refuses the same in Python, with words that say why, and is all there is where the kernel does not help.
"""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_CHANGES = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.truncate", "os.chmod"),
        *("os.chown", "os.utime", "os.setxattr", "os.removexattr"),
    )
)
_STARTS = frozenset(("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"))
"""What has another program run, over which Python has no say."""
_TWO_PATHS = frozenset(("os.rename", "os.link", "os.symlink"))
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = ("/dev/", "/proc/self/")


def limit(memory: int, file: int) -> None:
    """Limit the memory and the size of files of this process, in bytes, as far as the system can."""
    for kind, size in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, file), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def keep_files(folders: Iterable[str], *, alone: bool) -> None:
    """Refuse, from now on, what would change files outside some folders.

    `alone` says that nothing else does: then no other program is started, either.
    """
    inside = (*(os.path.realpath(folder) + os.sep for folder in folders), *_HARMLESS)
    check = functools.partial(_check, inside)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING:
                check(path)
        elif event in _CHANGES:
            for path in arguments[: 2 if event in _TWO_PATHS else 1]:
                check(path)
        elif alone and event == "sqlite3.connect":
            check(arguments[0])
        elif alone and event in _STARTS:
            raise PermissionError("code under test may start no other program here, which could change files")

    for name in ("mkfifo", "mknod"):
        # No event tells of these.
        if hasattr(os, name):
            setattr(os, name, _checked(getattr(os, name), check))
    sys.addaudithook(refuse)


def _check(inside: tuple[str, ...], path: Any) -> None:
    """Raise PermissionError for a path that is not inside one of some folders."""
    if isinstance(path, int):
        return
    try:
        name = os.fsdecode(path)
        real = os.path.realpath(name)
    except (TypeError, ValueError):
        return
    if name not in ("", ":memory:") and not (real + os.sep).startswith(inside):
        raise PermissionError(f"code under test may change files in its temporary folder only, not {real}")


def _checked(make: Any, check: Callable[[Any], None]) -> Any:
    def checked(path: Any, *arguments: Any, **words: Any) -> Any:
        check(path)
        return make(path, *arguments, **words)

    return checked


def handlers() -> Mapping[int, Any]:
    """Return what handles each signal."""
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def threads() -> int:
    """Return how many threads of Python there are."""
    return threading.active_count()
