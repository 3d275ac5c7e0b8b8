"""Remove what jaxlint keeps between runs."""

from __future__ import annotations

import argparse
import os
import sys

from jaxlint import cache
from jaxlint.config import Finder
from jaxlint.doors.cli import fail


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint clean`."""
    parser.add_argument("paths", nargs="*", metavar="FOLDER", help="projects whose caches to remove (default: .)")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="a cache that is kept elsewhere")


def run(arguments: argparse.Namespace) -> int:
    """Remove the caches; return the exit code."""
    failed = False
    for folder in _folders(arguments):
        try:
            if cache.remove(folder):
                sys.stdout.write(f"removed {os.path.relpath(folder)}\n")
        except OSError as error:
            failed = True
            fail(f"{folder}: cannot be removed: {error.strerror or error}")
    return 2 if failed else 0


def _folders(arguments: argparse.Namespace) -> list[str]:
    if arguments.cache_dir is not None:
        return [os.path.abspath(arguments.cache_dir)]
    finder = Finder()
    found: dict[str, None] = {}
    for path in arguments.paths or ["."]:
        folder = os.path.abspath(path)
        for root in (folder, finder.config(folder).root):
            found[os.path.join(root, cache.FOLDER)] = None
    return list(found)
