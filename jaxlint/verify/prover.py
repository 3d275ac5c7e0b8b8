"""The parent's side of proof: keeps one warm child process and asks it to load modules and call what is in them.

    with Prover() as prover:
        module = prover.load("train.py")
        observation = module.call("step")

Whatever the code under test does (exit, loop for ever, crash, print), a call comes back: what could not be observed is
an `Observation` whose `reason` says why.  This module never imports jax.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import site
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jaxlint.verify import keeper
from jaxlint.verify.clock import Clock
from jaxlint.verify.observation import (
    Anchor,
    Growth,
    Inputs,
    Loaded,
    Observation,
    Output,
    Range,
    growth_from_json,
    inputs_from_json,
    loaded_from_json,
    observation_from_json,
    output_from_json,
)
from jaxlint.verify.sources import Source, as_json

CALLS = 3
"""The first call always compiles; two more show whether it goes on."""

TURNS = (2, 4)
"""Iterations of a loop that are enough to see how its programs grow, and few enough to compile."""

_BOOTSTRAP = """
import sys, types
package = types.ModuleType("_jaxlint_verify")
package.__path__ = [sys.argv[1]]
sys.modules["_jaxlint_verify"] = package
import json
options, sys.argv = json.loads(sys.argv[2]), ["jaxlint"]
from _jaxlint_verify.worker import start
start(options)
"""
_TAIL = 40
"""How many of the last lines that a child printed are kept, to explain its end."""


class WorkerError(Exception):
    """The child cannot be had or cannot be understood; the text says why."""


class JaxMissingError(WorkerError):
    """The interpreter has no jax."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the code under test may use, besides time."""

    memory: int = 8 << 30
    """Bytes of memory, where the system can limit it."""
    processes: int = 50
    """Processes alive at the same time, where the system lists them."""
    output: int = 16 << 20
    """Bytes printed in one request."""
    file: int = 256 << 20
    """Bytes of one file."""


class Prover:
    """Owns the child process; use it as a context manager.

    `python` is the interpreter of an environment that has jax.  `timeout` is in seconds and holds for each request,
    `start_timeout` for starting the child, which imports jax; `limits` for the rest.
    """

    _worker: _Worker | None = None
    _current: LoadedModule | None = None
    stopped = False
    """Whether `stop` was called."""
    held = ""
    """How the child is kept from changing files: one of the ways of `keeper`."""

    def __init__(
        self,
        python: str = sys.executable,
        timeout: float = 60.0,
        start_timeout: float = 120.0,
        limits: Limits = Limits(),
    ) -> None:
        self.timeout = timeout
        self._limits = limits
        self._python = python
        self._start_timeout = start_timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> str:
        """Start the child, unless it is there, and return the version of its jax; `held` then says how it is held.

        Raises:
            JaxMissingError: the interpreter has no jax.
            WorkerError: no child can be started.
        """
        if self._worker is None or not self._worker.alive:
            self._worker = _Worker(self._python, self._start_timeout, self._limits)
        try:
            answer = self._worker.ask({"op": "start"}, self.timeout)
        except WorkerError as error:
            self.close()
            if "No module named 'jax" in str(error):
                raise JaxMissingError(f"{self._python} has no jax") from None
            raise
        self.held = str(answer["held"])
        return str(answer["jax"])

    def close(self) -> None:
        """End the child and everything it started."""
        if self._worker is not None:
            self._worker.close()
        self._worker = self._current = None

    def load(
        self,
        path: str | Path,
        *,
        source: str | bytes | None = None,
        watched: Iterable[int] = (),
        loops: Iterable[int] = (),
        spans: Iterable[Range] = (),
        entries: Iterable[str] = (),
        whole: bool = True,
        examples: str | Path | None = None,
    ) -> LoadedModule:
        """Load a module into the child and return it, with what loading did in `loaded`.

        `source` replaces the text of the file.  `watched` are lines to be counted in `Run.reached`, `spans` ranges
        whose parts are counted in `Run.evaluated`, `entries` the functions of which calls may be recorded.
        `whole` says whether to run all of it, as a script, or only what defines something.  `examples` is a file with
        the examples, instead of the module's own.

        Raises:
            WorkerError: no child with jax can be started.
        """
        request = {
            "op": "load",
            "path": str(Path(path).resolve()),
            # Bytes may be in any encoding, which a comment in them names; that way they survive JSON.
            "source": source.decode("latin-1") if isinstance(source, bytes) else source,
            "bytes": isinstance(source, bytes),
            "watched": sorted(set(watched)),
            "loops": sorted(set(loops)),
            "spans": sorted(set(spans)),
            "entries": sorted(set(entries)),
            "whole": whole,
            "seconds": self.timeout * _LOADING,
            "examples": None if examples is None else str(Path(examples).resolve()),
        }
        module = LoadedModule(self, request)
        self.bring_in(module)
        return module

    def reads(self, path: Path, text: bytes | None = None) -> str | None:
        """Return why Python cannot read a file, or None; `text` represents what is in it.

        Raises:
            OSError: the file cannot be read.
            WorkerError: no child with jax can be started, or it cannot tell.
        """
        self.start()
        data = path.read_bytes() if text is None else text
        answer, reason = self.ask({"op": "read", "path": str(path), "source": data.decode("latin-1")})
        if answer is None:
            raise WorkerError(reason)
        return None if answer["failure"] is None else str(answer["failure"])

    def bring_in(self, module: LoadedModule) -> None:
        """Make `module` the one that the child holds, in a fresh child if the last one is gone or no longer clean."""
        if self._current is module and self._worker is not None and self._worker.alive:
            return
        self._current = None
        if self.stopped:
            module.loaded = Loaded(reason="the run was stopped")
            return
        if self._worker is not None and (self._worker.poisoned or not self._worker.alive):
            self.close()
        if self._worker is None:
            self._worker = _Worker(self._python, self._start_timeout, self._limits)
            # What starting takes is no affair of the module's.
            _, reason = self.ask({"op": "start"})
            if reason:
                module.loaded = Loaded(reason=reason)
                return
        answer, reason = self.ask(module.request)
        module.loaded = loaded_from_json(answer["loaded"]) if answer else Loaded(reason=reason)
        self._current = module

    def stop(self) -> None:
        """End the child, and start none any more; may be called from another thread than the one that waits for it."""
        self.stopped = True
        if self._worker is not None:
            self._worker.cut()

    def forget(self, module: LoadedModule) -> None:
        """Take it that the child no longer holds `module`."""
        if self._current is module:
            self._current = None

    def ask(self, request: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """Return the child's answer, or None and the reason why there is none; the child is gone in that case."""
        if self._worker is None:
            return None, "no process to run it in"
        try:
            return self._worker.ask(request, self.timeout), ""
        except WorkerError as error:
            self._worker.close()
            return None, str(error)


class LoadedModule:
    """A module that the child holds, or can be made to hold again.  Made by `Prover.load`."""

    def __init__(self, prover: Prover, request: Mapping[str, Any]) -> None:
        self.request = request
        self.loaded = Loaded()
        self._prover = prover

    @property
    def path(self) -> str:
        """The absolute path of the module's file, as places name it."""
        return str(self.request["path"])

    def call(self, target: str, calls: int = CALLS, *, dispatches: Anchor | None = None) -> Observation:
        """Call the function or method of this qualified name, with the example the module gives for it.

        A function that can be called without arguments needs no example.  With `dispatches`, single operations are
        counted, until they are enough at this place.
        """
        place = None if dispatches is None else asdict(dispatches)
        # All calls together have to be made in the time for a request.
        seconds = self._prover.timeout * (_PATIENT if calls == 1 else _OF_SEVERAL)
        request = {"op": "call", "target": target, "calls": calls, "dispatches": place, "seconds": seconds}
        return self._observe(target, request)

    def reload(self) -> None:
        """Have the child load the module again before the next call."""
        self._prover.forget(self)

    def record(self, targets: Iterable[str], sources: Iterable[Source], seconds: float) -> dict[str, str]:
        """Have what calls some functions run, and keep what they are called with; return a text for each met."""
        request = {"op": "record", "targets": sorted(targets), "sources": as_json(list(sources)), "seconds": seconds}
        answer, _ = self._ask(request)
        return dict(answer["recorded"]) if answer else {}

    def search(
        self,
        target: str,
        line: int,
        anchor: Anchor,
        effect: str,
        tries: int,
        seconds: float,
        state: Mapping[str, Any] | None = None,
        parts: Iterable[str] = (),
        sliced: str = "",
        pieces: Iterable[str] | None = None,
        inside: Anchor | None = None,
    ) -> Inputs:
        """Find arguments for a target without an example, with which it comes to a place; later calls use them.

        `effect` is `call`, `error`, `reach` or `dispatch`, and `parts` are what should all run; see `search.Wanted`,
        also for `pieces` and `inside`.
        `state` is what another search ended in, to be tried first.  `sliced` says for what parts of the target may be
        skipped: `call`, `dispatch` or `grow`, see `sliced.Sliced`.
        """
        place = {"line": line, "anchor": asdict(anchor), "effect": effect, "state": state}
        place["parts"] = list(parts)
        place["inside"] = None if inside is None else asdict(inside)
        place["pieces"] = None if pieces is None else list(pieces)
        place["sliced"] = sliced
        # A search of two attempts, each with a call or two that take so long, stays within the time for a request.
        place["patience"] = self._prover.timeout * _PATIENT
        answer, reason = self._ask({"op": "search", "target": target, "tries": tries, "seconds": seconds, **place})
        return inputs_from_json(answer["inputs"]) if answer else Inputs(target, reason=reason)

    def result(self, target: str, *, compiled: bool = True) -> Output:
        """Call a target once and return what it gives; not `compiled`, operation by operation where that goes."""
        answer, reason = self._ask({"op": "result", "target": target, "compiled": compiled})
        return output_from_json(answer["output"]) if answer else Output(reason=reason)

    def trace(self, target: str, mode: str = "abstract", calls: int = CALLS) -> Observation:
        """Call a target with the arguments found for it, computing and compiling nothing."""
        return self._observe(target, {"op": "trace", "target": target, "mode": mode, "calls": calls})

    def grow(self, target: str, line: int, end_line: int, limits: Iterable[int] = TURNS) -> Growth:
        """Call a target once per limit on the iterations of a loop, and count the equations that come from its lines.

        The limit takes hold only if the line was among the `loops` given to `load`.
        """
        request = {"op": "grow", "target": target, "line": line, "end_line": end_line, "limits": list(limits)}
        answer, reason = self._ask(request)
        return growth_from_json(answer["growth"]) if answer else Growth(target, reason=reason)

    def again(self, line: int, calls: int = CALLS, *, dispatches: Anchor | None = None) -> Observation:
        """Run the module-level statement on a line once more, `calls` times; `dispatches` as for `call`."""
        place = None if dispatches is None else asdict(dispatches)
        seconds = self._prover.timeout * _PATIENT
        request = {"op": "again", "line": line, "calls": calls, "dispatches": place, "seconds": seconds}
        return self._observe(f"line {line}", request)

    def _observe(self, target: str, request: Mapping[str, Any]) -> Observation:
        answer, reason = self._ask(request)
        return observation_from_json(answer["observation"]) if answer else Observation(target, reason=reason)

    def _ask(self, request: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
        self._prover.bring_in(self)
        if self.loaded.reason:
            return None, self.loaded.reason
        return self._prover.ask(request)


class _Worker:
    """One child process with its own session, temporary folder and pipes."""

    def __init__(self, python: str, start_timeout: float, limits: Limits) -> None:
        self.poisoned = False
        self._limits = limits
        self._lock = threading.Lock()
        self._printed = 0
        self._number = 0
        self._pending = b""
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="jaxlint-"))
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # The keeper holds the other end, and goes when this process does, whatever the reason.
        cut, self._lifeline = os.pipe()
        self._answers, self._requests = ours_in, ours_out
        options = {
            "requests": theirs_in,
            "answers": theirs_out,
            "lifeline": cut,
            "memory": limits.memory,
            "file": limits.file,
            "scratch": self._folder,
            "folder": os.path.realpath(os.getcwd()),
        }
        command = [python, "-P", "-c", _BOOTSTRAP, str(Path(__file__).parent), json.dumps(options)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=_environment(self._folder),
                pass_fds=(theirs_in, theirs_out, cut),
                start_new_session=True,
            )
        except OSError as error:
            for descriptor in (ours_in, ours_out, self._lifeline):
                os.close(descriptor)
            keeper.remove(self._folder)
            raise WorkerError(f"{python} cannot be started: {error}") from None
        finally:
            for descriptor in (theirs_in, theirs_out, cut):
                os.close(descriptor)
        self.alive = True
        self._tail: deque[bytes] = deque(maxlen=_TAIL)
        # Left unread, a full pipe would stop whoever prints.
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        self._start_timeout = start_timeout

    def ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises:
            WorkerError: the child ended, takes too long, or answers nonsense.
        """
        if not self._number:
            timeout += self._start_timeout
        self._number += 1
        self._printed = 0
        self._tail.clear()
        data = json.dumps({**request, "id": self._number}).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._requests, data) :]
        except OSError:
            raise WorkerError(self._end()) from None
        try:
            answer = json.loads(self._line(timeout))
            if answer["id"] != self._number:
                raise WorkerError("the process answered out of order")
            self.poisoned = answer["poisoned"]
        except (ValueError, KeyError, TypeError):
            raise WorkerError("the process gave an answer that makes no sense") from None
        if "error" in answer:
            raise WorkerError(f"jaxlint failed in the child process: {answer['error']}")
        return dict(answer)

    def cut(self) -> None:
        """Have the keeper end everything."""
        with self._lock:
            if self._lifeline >= 0:
                os.close(self._lifeline)
                self._lifeline = -1

    def close(self) -> None:
        """End the child and everything it started, and remove the temporary folder."""
        if not self.alive:
            return
        self.alive = False
        self.cut()
        for descriptor in (self._requests, self._answers):
            os.close(descriptor)
        try:
            self._process.wait(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=1)
        if self._process.stdout:
            self._process.stdout.close()
        keeper.remove(self._folder)

    def _line(self, timeout: float) -> bytes:
        # On a busy machine, the time that the child had is less than what passes.
        clock, left = Clock(self._used()), timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                # The pipe stays open if the code under test left processes behind, so the child itself is watched too.
                if left <= 0:
                    raise WorkerError(f"took more than {timeout:g} s")
                if self._printed > self._limits.output:
                    raise WorkerError(f"printed more than {self._limits.output >> 20} MB")
                if not selector.select(min(left, _POLL)):
                    left = timeout - clock.now(self._used())
                    if self._process.poll() is not None:
                        raise WorkerError(self._end())
                    if sum(1 for _ in keeper.descendants(self._process.pid)) > self._limits.processes + _OWN:
                        raise WorkerError(f"started more than {self._limits.processes} processes")
                    continue
                data = os.read(self._answers, 1 << 16)
                if not data:
                    raise WorkerError(self._end())
                self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _used(self) -> float:
        """Return the seconds of a processor that the child and what it started have used, where the system tells."""
        return sum(map(keeper.used, keeper.descendants(self._process.pid)))

    def _end(self) -> str:
        """Say how the child ended."""
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "the process closed its end of the conversation"
        if status < 0:
            return f"the process was ended by {signal.Signals(-status).name}"
        self._reader.join(timeout=1)
        words = b"\n".join(self._tail).decode(errors="replace").strip().splitlines()
        last = f": {words[-1][:200]}" if words and status else ""
        return f"the process ended with status {status}{last}"

    def _drain(self) -> None:
        stream = self._process.stdout
        if stream is None:
            return
        with contextlib.suppress(ValueError, OSError):
            while data := os.read(stream.fileno(), 1 << 16):
                self._printed += len(data)
                self._tail.extend(line[-_LONGEST_LINE:] for line in data.splitlines()[-_TAIL:])


_PATIENT = 0.4
"""The share of the time for a request that one call may take for which nothing was invented."""
_OF_SEVERAL = 0.25
"""The share of the time for a request that each of several calls may take."""
_LOADING = 0.6
"""The share of the time for a request that the statements of a module may take together."""
_POLL = 0.2
"""Seconds between looks at whether the child is still there."""
_PATIENCE = 10.0
"""Seconds that the keeper has to end everything."""
_OWN = 3
"""Processes that are there in any case: the worker, and what it was forked from."""
_LONGEST_LINE = 1000


_IMPORTS = ("PYTHONPATH", "PYTHONUSERBASE", "PYTHONNOUSERSITE")


def _environment(folder: str) -> dict[str, str]:
    """Return the child's environment: CPU only, no settings of jax from outside, and a home of its own.

    What can be imported stays the same: `PYTHONPATH`, and the packages that are installed for the user alone, which
    Python finds by the home.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "XLA_", "PYTHON"))}
    kept |= {name: os.environ[name] for name in _IMPORTS if name in os.environ}
    kept.setdefault("PYTHONUSERBASE", site.getuserbase())
    return kept | {
        "JAX_PLATFORMS": "cpu",
        # What compiles, and how often, is the same; it takes half the time.
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "true",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "HOME": folder,
        "TMPDIR": folder,
        "XDG_CACHE_HOME": folder,
        "XDG_CONFIG_HOME": folder,
        "MPLCONFIGDIR": folder,
        "MPLBACKEND": "agg",
        # Nobody is there to log in, and what is logged goes nowhere.
        "WANDB_MODE": "disabled",
        "COMET_MODE": "disabled",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
