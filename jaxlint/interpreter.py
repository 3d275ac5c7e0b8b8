"""Which Python runs the user's program, where nobody names one: the same for `run` and `verify`."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys


def default() -> str:
    """Return the path of the interpreter that most likely has jax and what the program imports.

    That is the one of the active virtual environment; else jaxlint's own, if jax is installed beside it; else the
    `python` that is first on PATH, as where jaxlint is installed as a tool in an environment of its own.
    """
    active = _of_environment(os.environ.get("VIRTUAL_ENV"))
    if active is not None:
        return active
    # Finding a package does not import it.
    if importlib.util.find_spec("jax") is not None:
        return sys.executable
    return shutil.which("python") or shutil.which("python3") or sys.executable


def _of_environment(folder: str | None) -> str | None:
    if not folder:
        return None
    names = (os.path.join("bin", "python"), os.path.join("Scripts", "python.exe"))
    return next((path for name in names if os.path.isfile(path := os.path.join(folder, name))), None)
