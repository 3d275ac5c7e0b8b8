"""The child process: reads requests, one JSON object a line, and answers each with one line.

The two ends of the conversation are file descriptors of their own, given on the command line, so that whatever the
code under test prints or reads cannot disturb it.

A request is an object whose `op` says what is wanted: `start`, `load` a module, `record` calls, `search` for arguments,
`trace` or `call` a target, its `result`, let a loop `grow`, or run a statement `again`; `Worker.answer` shows what
else each needs.  It carries an `id` that its answer repeats, beside what was asked for or `error`, and `poisoned`:
whether this process should be replaced before it loads another module.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from dataclasses import replace
from typing import Any

from . import containment, keeper
from .loader import Module
from .observation import Anchor, to_json
from .recorder import Recorder
from .search import Wanted
from .steady import Steady


class Worker:
    """Serves requests until the parent closes its end."""

    def __init__(self, recorder: Recorder, held: keeper.Held) -> None:
        self._recorder = recorder
        self._held = held
        self._recorder.install()
        self._steady = Steady(self._recorder.is_user)
        jax = self._recorder.jax
        self._module: Module | None = None
        # The first compile sets up the backend, which is no affair of the first target.
        jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))
        self._settings = dict(jax.config.values)
        self._handlers = containment.handlers()
        self._threads = containment.threads()
        # Collecting garbage before each call is cheap only if jax's own objects are skipped.
        gc.collect()
        gc.freeze()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request asks; raises KeyError or ValueError for a request that makes no sense."""
        if request["op"] == "start":
            return {"jax": self._recorder.jax.__version__, "held": self._held.how}
        if request["op"] == "load":
            if self._module is not None:
                self._module.close()
            self._module = Module(self._recorder, request["path"])
            source = request["source"]
            loaded = self._module.load(
                source.encode("latin-1") if request["bytes"] else source,
                request["watched"],
                request["loops"],
                entries=request["entries"],
                spans=[tuple(span) for span in request["spans"]],
                whole=request["whole"],
                seconds=request["seconds"],
                examples=request["examples"],
            )
            return {"loaded": to_json(loaded)}
        if request["op"] == "read":
            return {"failure": read(request["source"].encode("latin-1"), request["path"])}
        if self._module is None:
            raise ValueError("nothing is loaded")
        return self._of_module(self._module, request)

    def _of_module(self, module: Module, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request asks of the module that is loaded."""
        if request["op"] == "call":
            place = request["dispatches"]
            counted = None if place is None else _anchor(place)
            seen = module.call(request["target"], request["calls"], dispatches=counted, seconds=request["seconds"])
            return {"observation": to_json(seen)}
        if request["op"] == "record":
            sources = [(path, test) for path, test in request["sources"]]
            return {"recorded": module.record(request["targets"], sources, request["seconds"])}
        if request["op"] == "search":
            anchor = _anchor(request["anchor"])
            budget = request["tries"], request["seconds"]
            pieces = None if request["pieces"] is None else tuple(request["pieces"])
            parts = tuple(request["parts"])
            wanted = Wanted(request["line"], anchor, request["effect"], parts, pieces=pieces)
            if request["inside"] is not None:
                wanted = replace(wanted, inside=_anchor(request["inside"]))
            found = module.search(
                request["target"], wanted, *budget, request["state"], request["patience"], request["sliced"]
            )
            return {"inputs": to_json(found)}
        if request["op"] == "result":
            with self._steady.begin():
                output = module.result(request["target"], compiled=request["compiled"])
            return {"output": to_json(output)}
        if request["op"] == "trace":
            seen = module.trace(request["target"], request["mode"], request["calls"])
            return {"observation": to_json(seen)}
        if request["op"] == "grow":
            lines = range(request["line"], request["end_line"] + 1)
            return {"growth": to_json(module.grow(request["target"], lines, request["limits"]))}
        if request["op"] == "again":
            place = request["dispatches"]
            counted = None if place is None else _anchor(place)
            seen = module.again(request["line"], request["calls"], dispatches=counted, seconds=request["seconds"])
            return {"observation": to_json(seen)}
        raise ValueError(f"unknown request {request['op']!r}")

    def poisoned(self) -> bool:
        """Tell whether the code under test changed this process in a way that the next module would feel."""
        replaced = sys.modules.get("jax") is not self._recorder.jax
        busy = containment.threads() > self._threads or containment.handlers() != self._handlers
        return replaced or busy or dict(self._recorder.jax.config.values) != self._settings


def read(source: bytes, path: str) -> str | None:
    """Compile a text, and return the error that this raises, if one does."""
    try:
        compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _anchor(data: dict[str, Any]) -> Anchor:
    file, *ranges = data.values()
    return Anchor(file, *(tuple(map(tuple, some)) for some in ranges))


def start(options: dict[str, Any]) -> None:
    """Start a worker and keep it, as `prover` asks; never returns."""
    requests, answers = options["requests"], options["answers"]

    def work(held: keeper.Held) -> None:
        serve(requests, answers, options["memory"], options["file"], held)

    keeper.keep(options["scratch"], options["folder"], options["lifeline"], (requests, answers), work)


def serve(requests: int, answers: int, memory: int, file: int, held: keeper.Held) -> None:
    """Serve requests read from one file descriptor and write the answers to another, until the first is closed.

    `memory` and `file` are limits in bytes, `held` says how this process is kept from changing files.
    """
    containment.limit(memory, file)
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, False)
    parent = os.getpid()
    from .recorder import Recorder

    worker = Worker(Recorder(), held)
    containment.keep_files(held.writable, alone=held.how == keeper.HOOKS)
    with open(requests, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
        for line in lines:
            request = json.loads(line)
            try:
                answer = worker.answer(request)
            except Exception:  # noqa: BLE001 (a fault of this program, told to the parent)
                answer = {"error": traceback.format_exc(limit=-3)}
            if os.getpid() != parent:
                # The code under test forked, and its child came back here.
                os._exit(0)
            print(json.dumps({"id": request["id"], "poisoned": worker.poisoned(), **answer}), file=out, flush=True)
