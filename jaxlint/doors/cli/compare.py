"""Compare two runs of a program: which functions are compiled more or less often, why, and of how many equations.

BEFORE and AFTER are recordings of `jaxlint run --record`, logs, or reports of `jaxlint run --json`. Seconds are shown
but decide nothing, since they differ from run to run.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from jaxlint.doors.cli import UsageError, fail, warn

if TYPE_CHECKING:
    from jaxlint.doctor.compare import Run


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint compare`."""
    parser.add_argument("before", metavar="BEFORE", help="a recording, log or report of the run to compare with")
    parser.add_argument("after", metavar="AFTER", help="one of the run to judge")
    parser.add_argument(
        "--output-format", choices=("text", "markdown", "json"), default="text", help="(default: %(default)s)"
    )
    parser.add_argument(
        "--max-new-compiles",
        type=int,
        metavar="N",
        help="exit with 1 if more than N programs are new, over all functions",
    )
    parser.add_argument(
        "--max-growth",
        type=float,
        metavar="P",
        help="exit with 1 if a function has more than P percent more equations",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and return the exit code: 1 over a limit, 2 where something cannot be read.

    Raises:
        UsageError: a limit is below zero.
    """
    for limit in (arguments.max_new_compiles, arguments.max_growth):
        if limit is not None and not limit >= 0:
            raise UsageError("a limit cannot be below zero")
    from jaxlint.doctor import compare

    before, after = _read(arguments.before), _read(arguments.after)
    if before is None or after is None:
        return 2
    found = compare.compare(before, after)
    write = {"text": compare.to_text, "markdown": compare.to_markdown, "json": compare.to_json}
    sys.stdout.write(write[arguments.output_format](found))
    over = []
    if arguments.max_new_compiles is not None and found.new_compiles > arguments.max_new_compiles:
        over.append(f"{found.new_compiles} programs are new, at most {arguments.max_new_compiles} allowed")
    if arguments.max_growth is not None and found.growth * 100 > arguments.max_growth:
        over.append(f"a function grew by {found.growth:.0%}, at most {arguments.max_growth:g}% allowed")
    for text in over:
        warn(text)
    return 1 if over else 0


def _read(name: str) -> Run | None:
    """Return a run; None where it cannot be read, which is said."""
    from jaxlint.doctor import compare
    from jaxlint.doctor.model import Builder
    from jaxlint.doors.cli.log import Reader

    report = _report(name)
    if report is not None:
        return report
    reader = Reader([name])
    builder = Builder()
    try:
        for file in reader.names:
            for event in reader.events(file):
                builder.add(event)
            builder.close()
    finally:
        reader.progress.end()
    for error in reader.errors:
        fail(error)
    for cut in reader.cut:
        warn(f"{cut}: it ends early")
    if reader.errors:
        return None
    model = builder.model()
    if not model.functions:
        warn(f"{name}: nothing was compiled there")
    return compare.of_model(model)


def _report(name: str) -> Run | None:
    """Return the run that a report in JSON tells of; None where the file is none."""
    from jaxlint.doctor import compare

    try:
        with open(name, encoding="utf-8") as file:
            if file.read(1) != "{":
                return None
            file.seek(0)
            return compare.of_report(json.load(file))
    except (OSError, ValueError, KeyError, TypeError):
        # Whatever is wrong with it is said where it is read as a log.
        return None
