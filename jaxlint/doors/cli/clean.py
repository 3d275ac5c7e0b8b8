"""Remove the caches that jaxlint keeps between runs."""

from __future__ import annotations

import argparse
import os
import sys

from jaxlint import cache, shared
from jaxlint.config import Finder
from jaxlint.doors.cli import fail
from jaxlint.report import count


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint clean`."""
    parser.add_argument("paths", nargs="*", metavar="FOLDER", help="projects whose caches to remove (default: .)")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="a cache folder elsewhere")
    parser.add_argument(
        "--shared-cache",
        metavar="FOLDER",
        help=f"remove the entries of a shared cache that nobody asked for in {shared.DAYS} days, and stop",
    )


def run(arguments: argparse.Namespace) -> int:
    """Remove the caches; return the exit code."""
    if arguments.shared_cache is not None:
        return _evict(arguments.shared_cache)
    missing = [path for path in arguments.paths if not os.path.isdir(path)]
    for path in missing:
        fail(f"{path}: no such folder")
    if missing:
        return 2
    failed = False
    for folder in _folders(arguments):
        try:
            if cache.remove(folder):
                sys.stdout.write(f"removed {os.path.relpath(folder)}\n")
        except OSError as error:
            failed = True
            fail(f"{folder}: cannot be removed: {error.strerror or error}")
    return 2 if failed else 0


def _evict(folder: str) -> int:
    try:
        number = shared.evict(folder, shared.DAYS)
    except OSError as error:
        return fail(f"{folder}: cannot be cleaned: {error.strerror or error}")
    if number:
        sys.stdout.write(f"removed {count(number, 'entry', 'entries')} of {folder}\n")
    return 0


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
