"""List the keys of the configuration: [tool.jaxlint] in pyproject.toml, or the top level of jaxlint.toml."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap

from jaxlint.config import OPTIONS, Option
from jaxlint.doors.cli import UsageError, fail
from jaxlint.hints import did_you_mean


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint config`."""
    parser.add_argument("key", nargs="?", metavar="KEY", help="the key to explain (default: list all)")
    parser.add_argument(
        "--output-format",
        choices=("text", "json", "schema"),
        default="text",
        help="schema is the JSON schema of all keys, for editors (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what there is to know of one key, or of all; return the exit code.

    Raises:
        UsageError: arguments contradict each other.
    """
    if arguments.key is not None and arguments.key not in OPTIONS:
        hint = did_you_mean(arguments.key, OPTIONS, "`jaxlint config` lists all")
        return fail(f"there is no key {arguments.key!r}; {hint}")
    if arguments.output_format == "schema":
        from jaxlint.schema import schema

        if arguments.key is not None:
            raise UsageError("the schema is that of all keys: name none")
        sys.stdout.write(json.dumps(schema(), indent=2) + "\n")
        return 0
    chosen = [OPTIONS[arguments.key]] if arguments.key is not None else list(OPTIONS.values())
    if arguments.output_format == "json":
        objects = {option.key: _object(option) for option in chosen}
        sys.stdout.write(json.dumps(objects, indent=2) + "\n")
    elif arguments.key is not None:
        sys.stdout.write(_explained(chosen[0]))
    else:
        sys.stdout.writelines(option.key + "\n" for option in chosen)
    return 0


def _explained(option: Option) -> str:
    example = textwrap.indent(option.example, "    ")
    text = textwrap.fill(option.help, 100)
    return f"{option.key}\n\n{text}\n\nType: {option.type}\nDefault: {option.default}\nExample:\n\n{example}\n"


def _object(option: Option) -> dict[str, str]:
    return {"type": option.type, "default": option.default, "help": option.help, "example": option.example}
