"""The process between jaxlint and the code under test: it holds that code, and outlives neither.

jaxlint starts the keeper, the keeper forks the worker.  On Linux it first takes the worker into namespaces of its own,
where the kernel allows that: every file system is read-only but for the scratch folder and a layer over the current
folder, and all processes end with the first one.  Where it does not, Landlock refuses what would change files outside,
or, as elsewhere, Python's audit hooks alone do.

When jaxlint goes away, however that may be, the keeper ends whatever was started, and removes the scratch folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

NAMESPACES, LANDLOCK, HOOKS = "namespaces", "landlock", "hooks"
"""How files are kept from being changed: by mounts of the worker's own, by Landlock, or by audit hooks alone."""

NO_KERNEL = "JAXLINT_NO_KERNEL_CONTAINMENT"
"""An environment variable: `all` has neither namespaces nor Landlock be tried, `namespaces` only Landlock."""


@dataclass(frozen=True)
class Held:
    """How the worker is held, and which folders it may change."""

    how: str
    writable: tuple[str, ...]


def keep(scratch: str, folder: str, lifeline: int, ends: tuple[int, ...], work: Callable[[Held], None]) -> None:
    """Run `work` in a process of its own until it ends, or until the other end of `lifeline` is closed.

    This process then ends the way that one did.  `folder` is where the code runs, `ends` are file descriptors that
    are the worker's alone.
    """
    linux = sys.platform == "linux"
    if linux:
        _prctl(_SUBREAPER, 1)
    without = os.environ.get(NO_KERNEL)
    how = HOOKS if without == "all" or not linux else LANDLOCK
    if how == LANDLOCK and not without and _can_unshare(scratch, folder):
        how = NAMESPACES
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(lifeline)
        os.close(ours)
        _Inside(scratch, folder, theirs, ends, work).run(how)
    for descriptor in (theirs, *ends):
        os.close(descriptor)
    status = _wait(child, lifeline, ours)
    end_all(child)
    if status is None:
        remove(scratch)
        os._exit(0)
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def remove(scratch: str) -> None:
    """Remove the scratch folder."""
    with contextlib.suppress(OSError):
        # The kernel leaves this one closed to everybody.
        os.chmod(os.path.join(scratch, _LAYERS[1], "work"), 0o700)
    shutil.rmtree(scratch, ignore_errors=True)


def _wait(child: int, lifeline: int, result: int) -> int | None:
    """Return the status of the worker, None if the lifeline was cut first."""
    with selectors.DefaultSelector() as selector:
        selector.register(lifeline, selectors.EVENT_READ)
        selector.register(result, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == lifeline:
                    return None
                text = os.read(result, 64)
                # Without a text, nobody is left who could say how it ended.
                return int(text) if text else os.waitpid(child, 0)[1]


def end_all(child: int) -> None:
    """Kill everything that this process started, and what that started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    for _ in range(_SWEEPS):
        left = list(descendants(os.getpid()))
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        # What was being forked meanwhile is found the next time.
        time.sleep(_PAUSE)


def descendants(process: int) -> Iterator[int]:
    """Yield the processes that come of one, as far as the system lists them."""
    parents: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state != b"Z":
                    parents.setdefault(int(parent), []).append(int(name))
    pending = list(parents.get(process, ()))
    while pending:
        one = pending.pop()
        yield one
        pending += parents.get(one, ())


def used(process: int) -> float:
    """Return the seconds of a processor that a process has used; nothing where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/stat", "rb") as file:
        parts = file.read().rpartition(b")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


# --- inside ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Inside:
    """What the keeper's child does, and its children, down to the worker."""

    scratch: str
    folder: str
    result: int
    ends: tuple[int, ...]
    work: Callable[[Held], None]

    def run(self, how: str) -> None:
        """Run the worker, and tell how it ended; never returns."""
        os.setsid()
        _end_with_parent()
        held = Held(HOOKS, (self.scratch,))
        if how == NAMESPACES and _unshare():
            first = os.fork()
            if first:
                self._forward(first)
            _end_with_parent()
            held = Held(how, _mount(self.scratch, self.folder))
        elif how == LANDLOCK and _landlock((self.scratch, "/dev")):
            held = Held(how, (self.scratch,))
        worker = os.fork()
        if worker == 0:
            os.close(self.result)
            _end_with_parent()
            self._work(held)
        self._forward(worker)

    def _work(self, held: Held) -> None:
        try:
            with contextlib.suppress(OSError):
                os.chdir(self.folder)
            self.work(held)
            os._exit(0)
        except SystemExit as error:
            os._exit(error.code if isinstance(error.code, int) else 0 if error.code is None else 1)
        except BaseException:  # noqa: BLE001 (its text is the last word of this process)
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(1)

    def _forward(self, process: int) -> None:
        """Wait for a process, burying others meanwhile; tell its status, and end."""
        for descriptor in self.ends:
            os.close(descriptor)
        found = status = 0
        while found != process:
            found, status = os.waitpid(-1, 0)
        if not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == _TOLD):
            os.write(self.result, str(status).encode())
        os._exit(_TOLD)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


# --- Linux -----------------------------------------------------------------------------------------------------------


def _can_unshare(scratch: str, folder: str) -> bool:
    """Try namespaces in a process of its own: there is no way back from them."""
    trial = os.fork()
    if trial == 0:
        status = 1
        with contextlib.suppress(OSError):
            if _unshare():
                inner = os.fork()
                if inner == 0:
                    try:
                        _mount(scratch, folder)
                    finally:
                        os._exit(int(sys.exc_info()[0] is not None))
                status = int(os.waitpid(inner, 0)[1] != 0)
        os._exit(status)
    return os.waitpid(trial, 0)[1] == 0


def _unshare() -> bool:
    """Leave the namespaces of users, mounts and processes; False where that is not allowed."""
    user, group = os.getuid(), os.getgid()
    if _libc().unshare(_NEW_USER | _NEW_MOUNTS | _NEW_PROCESSES) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    except OSError:
        return False
    return True


def _mount(scratch: str, folder: str) -> tuple[str, ...]:
    """Make everything read-only but the scratch folder, and put a layer over a folder; return what may be changed.

    Raises:
        OSError: the kernel refuses.
    """
    _call("mount", b"none", b"/", None, _PRIVATE, None)
    _call("mount", os.fsencode(scratch), os.fsencode(scratch), None, _BIND, None)
    _read_only("/", True, _RECURSIVE)
    _read_only(scratch, False, 0)
    with contextlib.suppress(OSError):
        # Where another one may not be mounted, the old one serves.
        _call("mount", b"proc", b"/proc", b"proc", 0, None)
    with contextlib.suppress(OSError):
        _call("mount", b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"size=1g")
    with contextlib.suppress(OSError):
        _layer(scratch, folder)
        return scratch, folder
    return (scratch,)


def _layer(scratch: str, folder: str) -> None:
    """Have changes of a folder go to the scratch folder; raises OSError where that is not possible."""
    below = folder.rstrip("/") + "/"
    with open("/proc/self/mountinfo") as file:
        points = [line.split()[4] for line in file]
    if any((point + "/").startswith(below) for point in points) or any(letter in folder for letter in ",:\\"):
        raise OSError("something is mounted there")
    above = [os.path.join(scratch, name) for name in _LAYERS]
    for path in above:
        os.makedirs(path, exist_ok=True)
    options = f"lowerdir={folder},upperdir={above[0]},workdir={above[1]},userxattr"
    _call("mount", b"overlay", os.fsencode(folder), b"overlay", 0, os.fsencode(options))


def _read_only(path: str, value: bool, flags: int) -> None:
    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]

    attributes = Attributes(_RDONLY if value else 0, 0 if value else _RDONLY, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _syscall(
        _MOUNT_SETATTR, ctypes.c_int(-100), os.fsencode(path), ctypes.c_uint(flags), ctypes.byref(attributes), size
    )


def _landlock(writable: tuple[str, ...]) -> bool:
    """Have the kernel refuse changes outside some folders to this process and its children; False where it cannot."""

    class Ruleset(ctypes.Structure):
        _fields_ = [("fs", ctypes.c_uint64)]

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]

    try:
        version = _syscall(_LANDLOCK, None, ctypes.c_size_t(0), ctypes.c_uint(1))
        # Writing, removing and making; moving between folders and truncating came later.
        handled = sum(
            1 << bit for bit in (1, *range(4, 13), *([13] if version > 1 else []), *([14] if version > 2 else []))
        )
        ruleset = Ruleset(handled)
        rules = _syscall(_LANDLOCK, ctypes.byref(ruleset), ctypes.c_size_t(8), ctypes.c_uint(0))
        for path in writable:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = Beneath(handled, parent)
            _syscall(_LANDLOCK + 1, ctypes.c_int(rules), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint(0))
            os.close(parent)
        _prctl(_NO_NEW_PRIVILEGES, 1)
        _syscall(_LANDLOCK + 2, ctypes.c_int(rules), ctypes.c_uint(0))
        os.close(rules)
    except OSError:
        return False
    return True


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> int:
    return _checked(int(getattr(_libc(), name)(*arguments)))


def _syscall(number: int, *arguments: object) -> int:
    return _checked(int(_libc().syscall(ctypes.c_long(number), *arguments)))


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _prctl(option: int, value: int) -> None:
    _libc().prctl(option, value, 0, 0, 0)


_SUBREAPER, _PARENT_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 36, 1, 38
_NEW_USER, _NEW_MOUNTS, _NEW_PROCESSES = 0x10000000, 0x00020000, 0x20000000
_BIND, _PRIVATE = 0x1000, 0x4000 | 0x40000
_RDONLY, _RECURSIVE = 1, 0x8000
_MOUNT_SETATTR, _LANDLOCK = 442, 444
_LAYERS = (".layer", ".layer-work")
_TOLD = 98
"""How a process ends that has told how another one did."""
_SWEEPS, _PAUSE = 100, 0.02
