"""Measures what jax compiles for the rows of the ground truth: one process for all rows.

Run as a script by an interpreter that has jax, of whatever version: reads the rows as JSON from its standard input and
writes what it measured to the file that its argument names.  It needs nothing but jax and what the rows import.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import io
import json
import logging
import os
import platform
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CALLS = 3
_COMPILED = "/jax/core/compile/backend_compile_duration"
_MISSED = "TRACING CACHE MISS"


class Meter(logging.Handler):
    """Counts the programs that jax makes, and the misses of the cache of traces that it explains."""

    def __init__(self, jax: Any) -> None:
        super().__init__()
        self._jax = jax
        self.counts: Counter[str] = Counter()
        jax.monitoring.register_event_duration_secs_listener(self._on_event)
        logger = logging.getLogger("jax")
        logger.handlers[:] = [self]
        logger.propagate = False

    def _on_event(self, event: str, *_: float, **__: Any) -> None:
        self.counts["compiles"] += event == _COMPILED

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record that explains a miss."""
        self.counts["misses"] += record.getMessage().startswith(_MISSED)

    def measure(self, run: Callable[[Iterator[int]], Any], *, cold: bool, explained: bool) -> dict[str, Any]:
        """Let `run` go through numbers of calls, and return the figures of each call.

        With `cold`, nothing that was compiled before is found again.  Misses are counted where they are to be
        `explained`, which takes long.  The exception that ended it, if any, is told by
        its type and text; `same` tells whether each call printed the same.
        """
        found: dict[str, Any] = {"compiles": [], "misses": [], "error": None, "text": ""}
        printed: set[str] = set()

        def numbers() -> Iterator[int]:
            for number in range(CALLS):
                self.counts.clear()
                text.seek(0)
                text.truncate()
                yield number
                printed.add(text.getvalue())
                found["compiles"].append(self.counts["compiles"])
                found["misses"].append(self.counts["misses"])

        self._jax.config.update("jax_explain_cache_misses", explained)
        if cold:
            self._jax.clear_caches()
        with contextlib.redirect_stdout(io.StringIO()) as text:
            try:
                run(numbers())
            except Exception as error:  # noqa: BLE001 (what a row raises is what is measured)
                found["error"], found["text"] = type(error).__name__, str(error)[:500]
        return found | {"same": len(printed) == 1}


class Rows:
    """Runs rows; what `testdata` holds is loaded once for all rows that refer to the same file."""

    def __init__(self, jax: Any, testdata: Path) -> None:
        self._jax = jax
        self._meter = Meter(jax)
        self._testdata = testdata
        self._files: dict[str, tuple[dict[str, Any], list[str]]] = {}

    def measure(self, row: dict[str, Any]) -> dict[str, Any]:
        """Measure a row that has either `source` or the `file` and `example` of testdata."""
        if "source" in row:
            names, problems = _load(row["source"], f"<row {row['id']}>")
            run = names.get("program")
        else:
            if row["file"] not in self._files:
                path = self._testdata / row["file"]
                self._files[row["file"]] = _load(path.read_text(), str(path))
            names, problems = self._files[row["file"]]
            run = self._repeat(names, row["example"])
        if problems and "source" in row:
            kind, _, text = problems[0].partition(": ")
            return {"compiles": [], "misses": [], "error": kind, "text": text}
        if run is None:
            return {"compiles": [], "misses": [], "error": "LookupError", "text": "; ".join(problems) or "no example"}
        found = self._meter.measure(run, cold=row["cold"], explained=row["explained"])
        if found["error"] and problems:
            found["text"] += f" (while loading: {'; '.join(problems)})"
        return found

    def _repeat(self, names: dict[str, Any], name: str) -> Callable[[Iterator[int]], Any] | None:
        """Return what calls an example as often as it is told."""
        try:
            example = names["jaxlint_examples"]()[name]
        except Exception:  # noqa: BLE001 (what an example needs may be missing in this version)
            return None
        if callable(example):
            target, arguments = example, ()
        else:
            target = types.SimpleNamespace(**names)
            for part in name.split("."):
                target = getattr(target, part)
            arguments = example

        def run(numbers: Iterator[int]) -> None:
            for _ in numbers:
                result = target(*arguments)
                if isinstance(result, Iterator):
                    result = list(result)
                del result

        return run


def _load(text: str, name: str) -> tuple[dict[str, Any], list[str]]:
    """Run a module statement by statement; what fails in this version of jax is told, and left out."""
    module = types.ModuleType(f"row_{len(sys.modules)}")
    sys.modules[module.__name__] = module
    problems = []
    for statement in ast.parse(text).body:
        code = compile(ast.Module([statement], []), name, "exec", dont_inherit=True)
        try:
            exec(code, module.__dict__)  # noqa: S102 (rows are there to be run)
        except Exception as error:  # noqa: BLE001
            problems.append(f"{type(error).__name__}: {error}")
    return module.__dict__, problems


def main() -> None:
    """Measure the rows given on standard input."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    warnings.simplefilter("ignore")
    jax: Any = importlib.import_module("jax")
    # What only a cycle keeps alive would be collected at some time or other, which takes long as well.
    gc.disable()
    given = json.load(sys.stdin)
    # How many programs there are is the question, not how good they are.
    jax.config.update("jax_disable_most_optimizations", True)
    rows = Rows(jax, Path(given["testdata"]))
    # The first program sets up the backend, which is no affair of the first row.
    jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))
    with contextlib.redirect_stdout(io.StringIO()):
        measured = {row["id"]: rows.measure(row) for row in given["rows"]}
    versions = {"jax": jax.__version__, "python": platform.python_version()}
    Path(sys.argv[1]).write_text(json.dumps({"versions": versions, "rows": measured}))


if __name__ == "__main__":
    main()
