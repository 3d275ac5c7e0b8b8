"""`check --watch`: lint again whenever a file has changed."""

from __future__ import annotations

import argparse
import copy
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from jaxlint.config import FILE_NAMES, ConfigError
from jaxlint.doors.cli import UsageError, fail

_OFTEN = 0.5
"""Seconds between two looks: files are asked for their times, as notices of changes differ by system and storage."""

_State = dict[str, Any]


def check_usage(arguments: argparse.Namespace) -> None:
    """Refuse what makes no sense while files are watched.

    Raises:
        UsageError: it makes none.
    """
    changing = ("fix", "fix_only", "diff", "write_baseline", "show_files", "show_settings", "output_file")
    given = next((name for name in changing if getattr(arguments, name)), None)
    if arguments.add_noqa is not None:
        given = "add_noqa"
    if given is not None:
        raise UsageError(f"--watch and --{given.replace('_', '-')} contradict each other")
    if "-" in arguments.paths:
        raise UsageError("--watch needs files, not standard input")


def watch(
    arguments: argparse.Namespace,
    once: Callable[[argparse.Namespace], int],
    files: Callable[[argparse.Namespace], list[str]],
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Run `once` now and after each change of one of the `files` or of a configuration, until it is interrupted."""
    single = copy.copy(arguments)
    single.watch = False
    seen: _State | None = None
    try:
        while True:
            now = _state(single, files)
            if now != seen:
                seen = now
                _run(single, once)
            sleep(_OFTEN)
    except KeyboardInterrupt:
        return 0


def _run(arguments: argparse.Namespace, once: Callable[[argparse.Namespace], int]) -> None:
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[2J\x1b[H")
    try:
        once(arguments)
    except ConfigError as error:
        fail(str(error))  # it may be half written, and is read again when it has changed
    sys.stdout.write("Watching for changes; Ctrl-C ends it.\n")
    sys.stdout.flush()


def _state(arguments: argparse.Namespace, files: Callable[[argparse.Namespace], list[str]]) -> _State:
    """Return what tells whether something has changed."""
    try:
        paths = files(arguments)
    except ConfigError as error:
        paths = []
        seen: _State = {"error": str(error)}
    else:
        seen = {}
    folders = {os.getcwd(), *map(os.path.dirname, paths)}
    for path in [*paths, *(os.path.join(folder, name) for folder in folders for name in FILE_NAMES)]:
        try:
            status = os.stat(path)
        except OSError:
            seen[path] = None
        else:
            seen[path] = (status.st_mtime_ns, status.st_size)
    return seen
