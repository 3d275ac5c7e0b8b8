"""Run an unchanged Python program under JAX's diagnostics, and say what it compiled, why, and what to change."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.doors.cli import UsageError, colors, fail, outputs, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxlint.doctor.events import Event
    from jaxlint.doctor.join import Joined


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint run`."""
    parser.usage = "jaxlint run [options] [-m] TARGET [ARGUMENT ...]"
    parser.add_argument("-m", dest="module", action="store_true", help="TARGET is a module, as in `python -m`")
    outputs.configure(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the events, for `verify --from-run`")
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the interpreter to run TARGET with (default: that of the active virtual environment, else jaxlint's own "
        "if it has jax, else the first python on PATH)",
    )
    parser.add_argument(
        "--xla-log-level",
        type=int,
        choices=(0, 1, 2, 3),
        metavar="N",
        help="set TF_CPP_MIN_LOG_LEVEL: with 0 XLA tells how long its stages take, on the standard error stream",
    )
    parser.add_argument(
        "--try",
        dest="tries",
        action="store_true",
        help="run the program again for each of the first three suggestions that say how, with that one followed in "
        "its text (the files stay as they are), and tell what it saved",
    )
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no report")
    colors.configure(parser)
    parser.add_argument(
        "target",
        nargs=argparse.REMAINDER,
        metavar="TARGET",
        help="a script, a notebook or a command on PATH, and its arguments",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the program, report to the standard error stream, and return the program's exit code.

    Raises:
        UsageError: there is nothing to run, or a folder to write to is missing.
    """
    if sys.platform == "win32":
        return fail("run works on Linux and macOS only")
    from jaxlint.doctor import launcher, recording

    if not arguments.target:
        raise UsageError("TARGET is missing: a script, or a module after -m")
    outputs.check((arguments.report, arguments.trace, arguments.json, arguments.record))
    try:
        command = launcher.command_of(arguments.target, arguments.module, arguments.python)
        with launcher.recording_folder() as folder:
            ended = launcher.run(command, folder, arguments.xla_log_level, _texts(arguments))
            found = recording.read(folder, {ended.pid: ended.code})
    except launcher.LaunchError as error:
        return fail(str(error))
    for note in found.notes:
        warn(note)
    if arguments.record is not None:
        recording.write(arguments.record, found.events)
    _report(found.events, command, arguments)
    return ended.code


def _texts(arguments: argparse.Namespace) -> dict[str, str] | None:
    """Return the code of a notebook by its path; None where the target is none.

    Raises:
        UsageError: the notebook cannot be read.
    """
    name = arguments.target[0]
    if arguments.module or not name.endswith(".ipynb") or not os.path.isfile(name):
        return None
    from jaxlint.source import Source, SourceError

    try:
        source = Source.from_bytes(Path(name).read_bytes(), name)
    except (OSError, SourceError) as error:
        raise UsageError(f"{name}: {error}") from None
    for problem in source.problems:
        warn(f"{name}: {problem.message}")
    os.environ.setdefault("MPLBACKEND", "agg")
    return {os.path.abspath(name): source.text}


def _report(events: list[Event], command: Sequence[str], arguments: argparse.Namespace) -> None:
    """Say what was found, on the standard error stream and in the files that were asked for."""
    from jaxlint.config import Finder

    # Where a file is named for it, what was seen is kept whatever else is asked for.
    kept = not arguments.isolated and Finder().config(os.getcwd()).observed is not None
    if arguments.quiet and not kept and not any((arguments.report, arguments.trace, arguments.json)):
        return
    from jaxlint.doctor import jsonform, recording, text
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder

    joined = join(Builder().extend(events).model(), isolated=arguments.isolated)
    if arguments.tries:
        _try(joined, command, arguments)
    if arguments.json is not None:
        recording.replace(arguments.json, [json.dumps(jsonform.to_json(joined), indent=1), "\n"])
    outputs.write(joined, arguments)
    if not arguments.isolated:
        from jaxlint.doctor import evidence

        for problem in evidence.keep(joined, Finder()):
            warn(problem)
    if arguments.quiet:
        return
    if not events:
        warn(
            "no Python process that could be recorded imported jax: there is nothing to report; "
            f"{command[0]} was run, and --python names another interpreter"
        )
        return
    text.write(joined, sys.stderr, color=colors.wanted(arguments.color, sys.stderr))


def _try(joined: Joined, command: Sequence[str], arguments: argparse.Namespace) -> None:
    """Try the first suggestions, and say so while the program runs again."""
    from jaxlint.doctor import trying

    script = trying.script_of(arguments.target, arguments.module)
    if script is None and not arguments.module:
        warn("--try works on scripts and on modules: nothing was tried")
        return
    for word in trying.try_all(joined, command, script, joined.model.totals.wall or 0.0):
        sys.stderr.write(f"jaxlint: {word}\n")
