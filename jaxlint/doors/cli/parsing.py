"""Arguments: what a wrong one is answered with, in one line that names what may have been meant."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from jaxlint.hints import did_you_mean, nearest


class _Help(argparse.HelpFormatter):
    """The usual help, as wide as the terminal; argparse loads `shutil` to ask for that, with each option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


@functools.cache
def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS if sys.__stdout__ else _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS


_COLUMNS = 80


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and which takes options between positional arguments too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and one line; the list of all options would push it off the screen."""
        self.exit(2, f"{self.prog}: error: {message}; `{self.prog} --help` lists the options\n")

    def parsed(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return what the arguments say; unlike `parse_args`, with the nearest option for one that is unknown."""
        takes_rest = any(action.nargs == argparse.REMAINDER for action in self._actions)
        if takes_rest:
            found, unknown = self.parse_known_args(arguments)
        else:
            found, unknown = self.parse_known_intermixed_args(_without_dashes(arguments))
        if unknown:
            self.error(self._unknown(unknown))
        return found

    def _unknown(self, arguments: Sequence[str]) -> str:
        option = next((text for text in arguments if text.startswith("-")), None)
        if option is None:
            return f"unexpected argument {arguments[0]!r}"
        name = option.partition("=")[0]
        meant = nearest(name, (text for text in self._option_string_actions if text.startswith("--")))
        return f"unknown option {name}" + (f", did you mean {meant}?" if meant is not None else "")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = list(action.choices or ())
        if choices and value not in choices:
            names = ", ".join(map(str, choices))
            raise argparse.ArgumentError(action, did_you_mean_value(value, choices, names))


def _without_dashes(arguments: Sequence[str]) -> Sequence[str]:
    """Return arguments in which what is behind `--` does not look like options, which argparse would take it for."""
    if "--" not in arguments:
        return arguments
    end = arguments.index("--")
    behind = arguments[end + 1 :]
    return [*arguments[:end], *(f"./{text}" if text.startswith("-") and text != "-" else text for text in behind)]


def did_you_mean_value(value: Any, choices: Sequence[Any], names: str) -> str:
    """Return what is said of a value that is none of the choices."""
    return f"{value!r} is unknown; {did_you_mean(str(value), map(str, choices), f'choose from {names}')}"


def shard(text: str) -> tuple[int, int]:
    """Read `K/N`: which of how many parts."""
    first, _, last = text.partition("/")
    try:
        number, total = int(first), int(last)
    except ValueError:
        number = total = 0
    if not 1 <= number <= total:
        raise argparse.ArgumentTypeError(f"must be two whole numbers, K from 1 to N, not {text!r}")
    return number, total


def whole_number(text: str) -> int:
    """Read a whole number above zero."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above zero, not {text!r}")
    return int(text)
