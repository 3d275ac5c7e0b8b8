"""The `jaxlint` command.

A subcommand is a module in this folder with two functions: `configure(parser)` adds its arguments, `run(arguments)`
does the work and returns the exit code; it may have a third, `prepared(arguments)`, which changes the arguments before
they are parsed.  Only the module of the command that was asked for is imported, and it imports
what it needs as late as it can: `jaxlint --version` and a run over files without JAX must cost next to nothing.

Exit codes: 0 nothing found, 1 findings, 2 wrong usage, configuration, unreadable input or an internal failure.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "check": "lint files and folders (what runs when no command is given)",
    "verify": "run the code around each finding under JAX, and say whether the finding is true",
    "run": "run a program under JAX's diagnostics, and say what it compiled, why, and what to change",
    "log": "read the log of a run, and say what it compiled, why, and what to change",
    "merge": "join the JSON or SARIF of several runs",
    "compare": "compare two runs of a program: what compiles more often, and why",
    "lsp": "serve editors, as a language server",
    "rule": "explain a rule",
    "config": "list the keys of the configuration",
    "clean": "remove caches",
    "completion": "print a script for shell completion",
}

ALIASES = {"server": "lsp", "explain": "rule"}
"""Other names of commands, by which users of other tools call them."""

INTERRUPTED = 130
BROKEN_PIPE = 141


class UsageError(Exception):
    """The command was called in a way that makes no sense; the text says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: the arguments, without the program's name; those of the process by default.

    Raises:
        SystemExit: argparse's way of ending after `--help` and on wrong usage, with 0 and 2.
    """
    _make_streams_safe()
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        _drop_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # Not 1, with which Python ends on an exception, and which would say that there are findings.
        _drop_output()
        return fail(str(error))
    except Exception:  # noqa: BLE001
        import traceback

        traceback.print_exc()
        return fail("jaxlint failed; please report this")
    return code


def _drop_output() -> None:
    """Have what is still buffered go nowhere: it must not raise again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str) -> int:
    """Say on the standard error stream what went wrong, and return the exit code for it."""
    _say(f"error: {message}")
    return 2


def warn(message: str) -> None:
    """Say on the standard error stream what the user should know."""
    _say(f"warning: {message}")


def _say(message: str) -> None:
    # Where even this cannot be written, the exit code has to do.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"jaxlint: {message}\n")


def _dispatch(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V") or (first == "version" and not os.path.exists(first)):
        from jaxlint import __version__

        sys.stdout.write(f"jaxlint {__version__}\n")
        return 0
    if first == "help" and arguments[1:] and arguments[1] in (*COMMANDS, *ALIASES):
        first, arguments = arguments[1], [arguments[1], "--help"]
    if first in ("--help", "-h", "help"):
        sys.stdout.write(_overview())
        return 0
    if first in ALIASES and not os.path.exists(first):
        first = arguments[0] = ALIASES[first]
    if first not in COMMANDS and first.isalpha() and not os.path.exists(first):
        from jaxlint.hints import nearest

        meant = nearest(first, (*COMMANDS, *ALIASES, "version", "help"))
        if meant is not None:
            return fail(f"there is neither a command nor a file {first!r}; did you mean {meant!r}?")
    command = arguments.pop(0) if first in COMMANDS else "check"
    from jaxlint.config import ConfigError
    from jaxlint.doors.cli.parsing import Parser

    module = importlib.import_module(f"{__name__}.{command}")
    parser = Parser(prog=f"jaxlint {command}", description=module.__doc__, allow_abbrev=False)
    module.configure(parser)
    if hasattr(module, "prepared"):
        arguments = module.prepared(arguments)
    try:
        code: int = module.run(parser.parsed(arguments))
    except UsageError as error:
        parser.error(str(error))
    except ConfigError as error:
        return fail(str(error))
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS))
    commands = "".join(f"  {name:<{width}}  {text}\n" for name, text in COMMANDS.items())
    return (
        "usage: jaxlint [command] [options] [arguments]\n\n"
        "Finds the Python patterns that make JAX programs recompile on every call, compile for minutes, or fail under\n"
        f"trace.\n\ncommands:\n{commands}\n"
        "`jaxlint COMMAND --help` lists the options of a command; `jaxlint --version` prints the version.\n"
    )


def _make_streams_safe() -> None:
    """Have what an encoding cannot say escaped: names of files and lines of code may hold anything.

    A stream that was closed before the start takes what is written.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (closed when Python exits)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
