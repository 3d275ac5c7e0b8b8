"""What programs print, raise and do when they are imported: `python behaviour.py FILE...` prints it as JSON.

Each program runs in a fork of one process that has imported jax, so that many of them take seconds.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
import warnings
from typing import Any


def run(path: str, name: str) -> dict[str, Any]:
    """Run a file under a name, and return what it printed and the exception that it ended with."""
    out = io.StringIO()
    problem = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(path, run_name=name)
    except BaseException as error:  # noqa: BLE001  (whatever ends a program is what it does)
        problem = type(error).__name__
    return {"printed": out.getvalue(), "raised": problem}


def observed(path: str) -> dict[str, Any]:
    """Import a file, then run it."""
    from jax._src import xla_bridge

    imported = run(path, "imported")
    imported["backend"] = bool(xla_bridge._backends)
    return {"imported": imported, "run": run(path, "__main__")}


def in_a_fork(path: str) -> dict[str, Any]:
    """Return what `observed` finds in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.write(writing, json.dumps(observed(path)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(data) if data else {"died": True}
    return found


def main() -> None:
    """Print what each file does, by its path."""
    warnings.simplefilter("ignore")
    import jax
    import jax.numpy
    import numpy as np

    assert jax.__version__, np.__version__
    sys.stdout.write(json.dumps({path: in_a_fork(path) for path in sys.argv[1:]}))


if __name__ == "__main__":
    main()
