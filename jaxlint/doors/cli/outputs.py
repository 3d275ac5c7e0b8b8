"""The files that `jaxlint run` and `jaxlint log` write beside the report: the page, and the programs for viewers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.doors.cli import UsageError

if TYPE_CHECKING:
    from jaxlint.doctor.join import Joined


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--report", type=Path, metavar="PAGE", help="write a page for the browser: one HTML file")
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="write the programs for a viewer: Chrome's trace events, for Perfetto; for speedscope where FILE ends in "
        ".speedscope.json",
    )


def check(paths: Iterable[Path | None]) -> None:
    """See that files can be written where they shall be: now, not after hours of running.

    Raises:
        UsageError: a folder is missing, or a path names one.
    """
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise UsageError(f"{path}: its folder does not exist")
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder")


def write(joined: Joined, arguments: argparse.Namespace) -> None:
    """Write what was asked for.

    Raises:
        OSError: a file cannot be written.
    """
    if arguments.report is None and arguments.trace is None:
        return
    from jaxlint.config import Finder
    from jaxlint.doctor import export, jsonform, page

    links = Finder(isolated=arguments.isolated).config(joined.sources.folder).source_links
    data = jsonform.to_json(joined, details=True, links=links)
    if arguments.report is not None:
        page.write(arguments.report, data)
    if arguments.trace is not None:
        export.write(arguments.trace, data)
