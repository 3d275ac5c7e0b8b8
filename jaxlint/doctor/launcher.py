"""Runs a Python program as it is, with the recorder beside it.

The program runs under its own interpreter, as if nothing were there: the recorder comes in as a `sitecustomize` module
that steps aside for the program's own.  What it writes to the standard error stream is passed on as it comes, and
XLA's lines among it are kept, as C++ writes them past Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from jaxlint.doctor import overlay, recorder

_XLA = re.compile(
    rb"[IWEF]\d{4} [\d:.]+ +\d* ?[\w./-]+\.(?:cc|h):\d+\]|\d{4}-\d\d-\d\d [\d:.]+: [IWEF] \S+\.(?:cc|h):\d+\]"
)
_LINE = 1 << 16
"""Longer lines are not XLA's."""
_AFTER_EXIT = 0.5
"""How many seconds are waited for what a process that outlives the program writes to its standard error stream."""

_SITECUSTOMIZE = """\
import os
import sys


def _start():
    folder = os.path.dirname(os.path.abspath(__file__))
    try:
        import _jaxlint_overlay
        _jaxlint_overlay.install()
        import _jaxlint_recorder as recorder
        to = os.environ.get(recorder.FOLDER)
        if to:
            recorder.start(to)
    except Exception as error:
        sys.stderr.write(f"jaxlint: nothing is recorded: {type(error).__name__}: {error}\\n")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    del sys.modules["sitecustomize"]
    # The program's own, or the ImportError that says that there is none.
    import sitecustomize


_start()
"""


@dataclass(frozen=True)
class Ended:
    """How the program ended: its exit code, as a shell tells it, and its process."""

    code: int
    pid: int


class LaunchError(Exception):
    """The program could not be started; the text says why."""


@contextlib.contextmanager
def recording_folder() -> Iterator[Path]:
    """Give a folder for recordings, which is removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="jaxlint-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


OVERLAY = "_jaxlint_overlay.py"


def environment(
    folder: Path, xla_log_level: int | None = None, texts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment in which Python programs record themselves into `folder`.

    With `texts`, files are taken to hold those, by their absolute paths.
    """
    beside = folder / "inject"
    beside.mkdir()
    (beside / "sitecustomize.py").write_text(_SITECUSTOMIZE, encoding="utf-8")
    shutil.copyfile(recorder.__file__, beside / "_jaxlint_recorder.py")
    shutil.copyfile(overlay.__file__, beside / OVERLAY)
    changed = dict(os.environ)
    changed.pop(overlay.TEXTS, None)
    if texts is not None:
        held = folder / "texts.json"
        held.write_text(json.dumps(texts), encoding="utf-8")
        changed[overlay.TEXTS] = str(held)
    before = changed.get("PYTHONPATH")
    changed["PYTHONPATH"] = f"{beside}{os.pathsep}{before}" if before else str(beside)
    changed[recorder.FOLDER] = str(folder)
    if xla_log_level is not None:
        changed["TF_CPP_MIN_LOG_LEVEL"] = str(xla_log_level)
    return changed


def run(
    command: Sequence[str], folder: Path, xla_log_level: int | None = None, texts: Mapping[str, str] | None = None
) -> Ended:
    """Run `command`, let it record itself into `folder`, and wait until it ends.

    Signals go to the program: it decides what Ctrl-C does.  With `texts` the script that the command names runs as the
    text that is given for it.

    Raises:
        LaunchError: there is no such command.
    """
    tee = _Tee(folder)
    full = list(command)
    if texts is not None:
        full.insert(1, str(folder / "inject" / OVERLAY))
    with tee.streams() as streams:
        try:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                full, env=environment(folder, xla_log_level, texts), **streams
            )
        except OSError as error:
            raise LaunchError(f"{command[0]}: {error.strerror or error}") from None
    tee.process = process.pid
    with _signals(process):
        copying = threading.Thread(target=tee.copy, daemon=True)
        copying.start()
        code = process.wait()
        tee.ended.set()
        copying.join()
    return Ended(code if code >= 0 else 128 - code, process.pid)


@contextlib.contextmanager
def _signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave signals to the program while it runs."""

    def forward(number: int, _: FrameType | None) -> None:
        # The terminal sends Ctrl-C to all of a foreground job at once; a second one would interrupt the tidying up.
        if number in (signal.SIGTERM, signal.SIGHUP) or not _in_foreground():
            process.send_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # What is ignored (as under nohup) stays so, for the program too.
    before = {n: signal.signal(n, forward) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


class _Tee:
    """Passes on what the program writes to the standard error stream, and keeps XLA's lines of it.

    Where that is a terminal, the program sees one.  Where the standard output is the same file, it takes the same way,
    so that the order stays.
    """

    def __init__(self, folder: Path) -> None:
        self.ended = threading.Event()
        self.process = 0
        self._kept = folder / "xla.jsonl"
        self._source = -1
        self._line = b""
        self._out: BinaryIO | None = None

    @contextlib.contextmanager
    def streams(self) -> Iterator[dict[str, Any]]:
        """Give the arguments for `Popen`; what the program alone shall hold is closed afterwards."""
        try:
            error = os.fstat(2)
        except OSError:
            # Closed, and so it is for the program.
            yield {}
            return
        terminal = os.isatty(2)
        self._source, sink = _terminal() if terminal else os.pipe()
        streams: dict[str, Any] = {"stderr": sink}
        with contextlib.suppress(OSError):
            output = os.fstat(1)
            if not terminal and (output.st_dev, output.st_ino) == (error.st_dev, error.st_ino):
                streams["stdout"] = sink
        try:
            yield streams
        finally:
            os.close(sink)

    def copy(self) -> None:
        """Copy until the program has ended and all is said."""
        if self._source < 0:
            return
        try:
            while True:
                ready = select.select([self._source], [], [], _AFTER_EXIT)[0]
                if not ready and self.ended.is_set():
                    break
                if ready:
                    data = _read(self._source)
                    if not data:
                        break
                    _write(data)
                    self._keep(data)
        except BrokenPipeError:
            # Nobody reads on: the program shall notice that itself.
            pass
        finally:
            os.close(self._source)
            if self._out is not None:
                self._out.close()

    def _keep(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).split(b"\n")
        if len(self._line) > _LINE:
            self._line = b""
        for line in lines:
            if _XLA.match(line):
                self._add(
                    {"kind": "xla", "time": round(time.time(), 6), "text": line.decode("utf-8", "replace").rstrip()}
                )

    def _add(self, line: dict[str, object]) -> None:
        if self._out is None:
            self._out = self._kept.open("wb")
            self._add({"kind": "process", "pid": self.process})
        self._out.write(json.dumps(line).encode() + b"\n")


def _read(source: int) -> bytes:
    try:
        return os.read(source, 1 << 16)
    except OSError:
        # How Linux says that no process holds the other end of a terminal.
        return b""


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(2, data) :]


def _terminal() -> tuple[int, int]:
    """Return both ends of a terminal of the size of ours that changes nothing of what is written."""
    import fcntl
    import pty
    import termios

    source, sink = pty.openpty()
    attributes = termios.tcgetattr(sink)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(sink, termios.TCSANOW, attributes)
    with contextlib.suppress(OSError):
        fcntl.ioctl(sink, termios.TIOCSWINSZ, fcntl.ioctl(2, termios.TIOCGWINSZ, b"\0" * 8))
    return source, sink


def command_of(target: Sequence[str], module: bool, python: str | None) -> tuple[str, ...]:
    """Return the command that runs a script, a module or a command, with its arguments.

    Raises:
        LaunchError: there is no such interpreter, file or command.
    """
    from jaxlint.interpreter import default

    interpreter = shutil.which(python) if python else default()
    if interpreter is None:
        raise LaunchError(f"there is no Python interpreter {python}")
    if module:
        return (interpreter, "-m", *target)
    if os.path.exists(target[0]):
        return (interpreter, *target)
    found = shutil.which(target[0])
    if found is None or os.sep in target[0]:
        raise LaunchError(f"{target[0]}: there is no such file")
    return (found, *target[1:])
