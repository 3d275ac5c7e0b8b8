"""Run the language server for editors, on standard input and output; needs the extra `lsp`."""

from __future__ import annotations

import argparse
import importlib.util

from jaxlint.doors.cli import fail


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint lsp`."""
    parser.add_argument("--stdio", action="store_true", help="the default; some editors pass it")


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001
    """Serve until the editor ends it; return the exit code."""
    if importlib.util.find_spec("pygls") is None:
        return fail("the language server needs pygls: pip install 'flake8-jaxlint[lsp]'")
    from jaxlint.pool import collect_rarely

    # The classes of the protocol alone are so many objects that a collection takes as long as much of the rest.
    collect_rarely()
    from jaxlint.doors.lsp.server import create

    create().start_io()
    return 0
