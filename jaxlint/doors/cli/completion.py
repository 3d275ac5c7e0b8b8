"""Print a script that makes a shell complete jaxlint's commands, options and their values."""

from __future__ import annotations

import argparse
import importlib
import sys

from jaxlint.config import OPTIONS
from jaxlint.doors import cli
from jaxlint.rules import rules

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to write for")


def run(arguments: argparse.Namespace) -> int:
    """Print the script; return the exit code."""
    import shtab

    sys.stdout.write(shtab.complete(whole_parser(), arguments.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Return a parser of all commands, which the command itself does without: it reads those of one command only."""
    parser = argparse.ArgumentParser(prog="jaxlint")
    parser.add_argument("--version", "-V", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command")
    for name, text in cli.COMMANDS.items():
        module = importlib.import_module(f"{cli.__name__}.{name}")
        command = commands.add_parser(name, help=text, description=module.__doc__)
        module.configure(command)
        for action in command._actions:  # argparse has no other way to ask
            _complete(action)
    return parser


def _complete(action: argparse.Action) -> None:
    """Say what may represent a value, by what the help calls it."""
    import shtab

    kind = action.metavar if isinstance(action.metavar, str) else ""
    if kind in ("CODES", "CODE|NAME"):
        action.choices = [*rules(), *(rule.name for rule in rules().values())] if "NAME" in kind else list(rules())
    elif kind == "KEY":
        action.choices = list(OPTIONS)
    elif kind == "FOLDER":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif kind.startswith(("FILE", "PATH", "PAGE", "TARGET", "LOG")) and kind != "PATTERN":
        action.complete = shtab.FILE  # type: ignore[attr-defined]
