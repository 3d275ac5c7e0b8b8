"""Has a program run with other texts of some of its files than those on the disk, which stay as they are.

Like the recorder this is copied beside the user's program, and runs under its interpreter, of Python 3.9 or newer.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TEXTS = "JAXLINT_TEXTS"
"""The environment variable that names a JSON file of texts by the absolute paths of files."""


def texts() -> dict[str, str]:
    """Return the texts that this process is to run with."""
    name = os.environ.get(TEXTS)
    if not name:
        return {}
    with open(name, encoding="utf-8") as file:
        found: dict[str, str] = json.load(file)
    return found


def install() -> None:
    """Have imports take the texts."""
    other = texts()
    if not other:
        return
    from importlib.machinery import SourceFileLoader

    get_code = SourceFileLoader.get_code

    def get_code_of_text(self: Any, name: str) -> Any:
        text = other.get(os.path.abspath(self.path))
        return get_code(self, name) if text is None else compile(text, self.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code_of_text  # type: ignore[method-assign, assignment]


def run(script: str) -> None:
    """Run a script as `python SCRIPT` does, with its text if it has one."""
    text = texts().get(os.path.abspath(script))
    if text is None:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec", dont_inherit=True)
    else:
        code = compile(text, script, "exec", dont_inherit=True)
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    main = sys.modules["__main__"].__dict__
    for name in set(main) - {"__name__", "__builtins__", "__doc__", "__package__", "__spec__", "__loader__"}:
        del main[name]
    main["__file__"] = script
    main["__doc__"] = None
    exec(code, main)  # noqa: S102  (it is the user's program)


if __name__ == "__main__":
    run(sys.argv[1])
