"""Run the code around each finding under JAX, in a process of its own, and say whether the finding is true."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.doors.cli import UsageError, adopting, changed, check, colors, fail, warn
from jaxlint.doors.cli.parsing import whole_number
from jaxlint.interpreter import default

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.discovery import File
    from jaxlint.doctor.observed import Observed
    from jaxlint.verify.remembered import Remembered
    from jaxlint.verify.verdict import Result
    from jaxlint.verify.verifier import Job, Verifier

FAIL_ON = ("confirmed", "any", "never")
_INSTALL = "pip install 'flake8-jaxlint[verify]'"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint verify`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: .)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="FILE:LINE",
        help="verify only the findings at this place; its file is linted even if no PATH names it; repeatable",
    )
    parser.add_argument(
        "--timeout", type=_seconds, default=30.0, metavar="S", help="seconds for each finding (default: 30)"
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="the interpreter of the environment that has jax and what the code imports (default: that of the active "
        "virtual environment, else jaxlint's own if it has jax, else the first python on PATH)",
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="apply each fix that is proven: both versions return the same, and the effect is gone",
    )
    parser.add_argument(
        "--from-run",
        metavar="FILE",
        help="run nothing, but say what a run of your program showed: what `jaxlint run --record` wrote, or a log",
    )
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default="confirmed",
        help="exit with 1 if a finding is confirmed, if there is any, or never (default: %(default)s)",
    )
    parser.add_argument(
        "--output-format",
        choices=("text", "json", "sarif", "rdjson", "markdown"),
        default="text",
        help="(default: %(default)s)",
    )
    parser.add_argument("--min-confidence", choices=("low", "medium", "high"), help="as for check (default: medium)")
    parser.add_argument("--preview", action=argparse.BooleanOptionalAction, help="as for check")
    for flag in ("--select", "--ignore", "--extend-select", "--extend-ignore"):
        parser.add_argument(flag, action="append", metavar="CODES", help="as for check")
    parser.add_argument("--config", action="append", default=[], metavar="FILE|KEY=VALUE", help="as for check")
    parser.add_argument("--isolated", action="store_true", help="read no configuration file")
    colors.configure(parser)
    changed.configure(parser, "; a minute at most")
    parser.add_argument("--no-cache", action="store_true", help="do not use or write cached verdicts")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="as for check")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only the verdicts")
    parser.add_argument("-j", "--jobs", type=whole_number, default=1, metavar="N", help="processes (default: 1)")
    _as_check(parser)


def run(arguments: argparse.Namespace) -> int:
    """Lint, verify and report; return the exit code.

    Raises:
        UsageError: arguments contradict each other, or a place is none.
        ConfigError: an option or a configuration file cannot be used.
    """
    if arguments.from_run is not None:
        return _observe(arguments)
    if sys.platform == "win32":
        return fail("verify works on Linux and macOS only")
    from jaxlint.verify.prover import JaxMissingError, WorkerError
    from jaxlint.verify.verifier import InterruptedRunError, Verifier, only

    places = [_place(text) for text in arguments.only]
    files, jobs, failed = _lint(arguments, [str(path) for path, _ in places])
    if places:
        jobs = only(jobs, places)
        _say_empty(places, arguments.only, jobs)
    progress = Progress(sum(len(job.diagnostics) for job in jobs), sys.stderr)
    results: list[Result] = []
    python = arguments.python or default()
    shown = _Shown(arguments, progress)
    interrupted = False
    if jobs:
        try:
            with _memory(arguments, files, python) as memory:
                total = _A_MINUTE if arguments.changed else None
                verifier = Verifier(python, arguments.timeout, arguments.jobs, total=total, memory=memory)
                results = verifier.verify(jobs, shown.take, lambda *how: _say_what_runs(jobs, *how))
            if arguments.fix:
                progress.end()
                results, written = _mend(verifier, files, results)
                failed = failed or not written
        except JaxMissingError as error:
            return fail(
                f"{error}, which verify needs (by {python}): {_INSTALL}, or name another interpreter with --python"
            )
        except WorkerError as error:
            return fail(str(error))
        except InterruptedRunError as error:
            results, interrupted = error.results, True
        except KeyboardInterrupt:
            interrupted = True
        finally:
            progress.end()
    _write(results, arguments, shown.number)
    if interrupted:
        warn(f"interrupted: {len(results)} of {sum(len(job.diagnostics) for job in jobs)} findings have a verdict")
        return _INTERRUPTED
    if failed:
        return 2
    return int(_fails(results, arguments.fail_on))


def _say_what_runs(jobs: Sequence[Job], version: str, held: str) -> None:
    """Say that code is run, which, and how it is held."""
    from jaxlint.report import count

    names = [os.path.relpath(job.path) for job in jobs]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    files = f"{count(len(names), 'file')} ({', '.join(names[:_NAMED])}{more})"
    sys.stderr.write(f"jaxlint: running the code of {files} under jax {version}; {_HELD[held]}\n")
    sys.stderr.flush()


_NAMED = 3
"""How many files are named."""
_HELD = {
    "namespaces": "it cannot change your files (mounts of its own, read-only), and ends with this command",
    "landlock": "it cannot change what your files hold (Landlock), and ends with this command",
    "hooks": "Python code cannot change your files, other code can; it ends with this command",
}


def _observe(arguments: argparse.Namespace) -> int:
    """Report what a run shows of the findings."""
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder
    from jaxlint.doctor.observed import observe, unseen
    from jaxlint.doors.cli.log import Reader
    from jaxlint.verify.verifier import only

    if arguments.fix:
        raise UsageError("--fix: a fix is proven by running the code, which --from-run does not")
    reader = Reader([arguments.from_run])
    try:
        model = Builder().extend(event for name in reader.names for event in reader.events(name)).model()
    finally:
        reader.progress.end()
    for error in reader.errors:
        fail(error)
    if reader.errors:
        return 2
    places = [_place(text) for text in arguments.only]
    # What a run shows is worth a word however sure the visible code makes it.
    every = argparse.Namespace(**{**vars(arguments), "min_confidence": "low"})
    files, jobs, failed = _lint(every, [str(path) for path, _ in places])
    if places:
        jobs = only(jobs, places)
        _say_empty(places, arguments.only, jobs)
    minimum = {os.path.abspath(file.path): file.config.settings.min_confidence for file in _files(arguments, files)}
    joined = join(model, isolated=arguments.isolated)
    seen = observe(joined)
    results = [
        result
        for job in jobs
        for result in (
            _observed(diagnostic, seen.get((str(job.path), diagnostic.fingerprint)) or unseen(joined, str(job.path)))
            for diagnostic in job.diagnostics
        )
        if result.verdict == "confirmed" or result.diagnostic.confidence >= minimum[str(job.path)]
    ]
    _write(results, arguments)
    if failed:
        return 2
    return int(_fails(results, arguments.fail_on))


def _files(arguments: argparse.Namespace, files: Sequence[File]) -> list[File]:
    """Return the files with the configuration that holds for what is shown."""
    finder = check.finder(arguments)
    return [replace(file, config=finder.config(os.path.dirname(file.path))) for file in files]


def _observed(diagnostic: Diagnostic, seen: Observed) -> Result:
    from jaxlint.finding import Confidence
    from jaxlint.verify.judge import Evidence
    from jaxlint.verify.verdict import Result, Verdict

    traces, compiles, loads = (
        None if number is None else (number,) for number in (seen.traces, seen.compiles, seen.cache_loads)
    )
    evidence = Evidence("", "", traces, compiles, loads, equations=seen.equations, seconds=seen.seconds)
    if not seen.confirmed:
        return Result(diagnostic, Verdict.NOT_RUN, seen.reason, None, evidence)
    # Nothing shows better that it happens and repeats.
    raised = replace(diagnostic, confidence=Confidence.HIGH)
    return Result(raised, Verdict.CONFIRMED, seen.reason, "observed", evidence)


def _fails(results: Sequence[Result], fail_on: str) -> bool:
    left = [result for result in results if result.fix is None or not result.fix.applied]
    if fail_on == "any":
        return bool(left)
    return fail_on == "confirmed" and any(result.verdict == "confirmed" for result in left)


def _mend(verifier: Verifier, files: Sequence[File], results: Sequence[Result]) -> tuple[list[Result], bool]:
    """Apply the fixes that are proven; return the results with verdicts on them, and whether each could be written."""
    from jaxlint.doors.cli.fixing import write_mended
    from jaxlint.driver import shown, widest
    from jaxlint.source import Source
    from jaxlint.verify.mending import Mending

    done: list[Result] = []
    good = True
    with verifier.prover() as prover:
        for file in files:
            own = [result for result in results if result.diagnostic.filename == file.name]
            if not any(result.diagnostic.fixes for result in own):
                done += own
                continue
            data = Path(file.path).read_bytes()
            source = Source.from_bytes(data, file.config.name_of(file.path))
            mending = Mending(
                prover,
                Path(file.path),
                source,
                widest(file.config),
                shown(file),
                file.config.settings,
                verifier.budget,
                file.config.examples(file.path),
            )
            verdicts = mending.mend(own)
            written = write_mended(file, data, mending.source.to_bytes(mending.source.text))
            good = good and written
            done += verdicts if written else own
    return done, good


def _lint(arguments: argparse.Namespace, places: list[str]) -> tuple[list[File], list[Job], bool]:
    """Return the files and what is found in those that have findings, and whether some file could not be linted."""
    from jaxlint import pool
    from jaxlint.discovery import discover
    from jaxlint.verify.verifier import Job

    if "-" in arguments.paths:
        raise UsageError("verify runs files, not standard input")
    # All of the folder has its say, whatever part of it is asked about.
    found = discover([*(arguments.paths or ["."]), *places], check.finder(arguments), notebooks=not arguments.fix)
    files, beside = check.parted(found.files, arguments)
    if places and not arguments.paths:
        asked = {os.path.realpath(place) for place in places}
        beside += [file for file in files if os.path.realpath(file.path) not in asked]
        files = [file for file in files if os.path.realpath(file.path) in asked]
    failed = bool(found.errors)
    configured = (warning for file in files for warning in file.config.warnings)
    for warning in dict.fromkeys([*configured, *found.warnings]):
        warn(warning)
    for error in found.errors:
        fail(error)
    adopting.check_baselines([file.config for file in files])
    jobs = []
    processes = pool.processes(len(files) + len(beside), None)
    results = check.linted(files, beside, processes, arguments, fix=False) if files else []
    for file, checked in zip(files, results, strict=True):
        if checked.error is not None:
            fail(checked.error)
        failed = failed or checked.error is not None or any(d.code == "JAX000" for d in checked.diagnostics)
        if checked.diagnostics:
            jobs.append(Job(Path(file.path), checked.diagnostics, file.config.examples(file.path)))
    return files, jobs, failed


def _place(text: str) -> tuple[Path, int]:
    name, _, row = text.rpartition(":")
    if not name or not row.isdigit():
        raise UsageError(f"--only: {text!r} is not FILE:LINE")
    path = Path(name).resolve()
    if path.is_file():
        rows = len(path.read_bytes().splitlines())
        if not 1 <= int(row) <= rows:
            raise UsageError(f"--only: {text}: the file has {rows} lines")
    return path, int(row)


def _say_empty(places: Sequence[tuple[Path, int]], texts: Sequence[str], jobs: Sequence[Job]) -> None:
    """Say of each place at which there is no finding that it is so."""
    from jaxlint.verify.verifier import only

    for place, text in zip(places, texts, strict=True):
        if not only(jobs, [place]):
            warn(f"--only: {text}: check finds nothing there (see --min-confidence, --preview and --select)")


class _Shown:
    """Shows verdicts as they are reached, where the format allows that."""

    def __init__(self, arguments: argparse.Namespace, progress: Progress) -> None:
        from jaxlint.report import Style

        # What is fixed is said together with the verdict, later.
        self._now = arguments.output_format == "text" and not arguments.fix
        self._style = Style(colors.wanted(arguments.color), not arguments.quiet)
        self._progress = progress
        self.number = 0

    def take(self, result: Result) -> None:
        """Take the next result."""
        from jaxlint.verify import cards

        if self._now:
            self._progress.end()
            cards.write_card(result, sys.stdout, self._style)
            sys.stdout.flush()
            self.number += 1
        self._progress.more(1)


@contextlib.contextmanager
def _memory(arguments: argparse.Namespace, files: Sequence[File], python: str) -> Iterator[Remembered | None]:
    """Give the verdicts of earlier runs, unless they are not wanted."""
    if arguments.no_cache or not files:
        yield None
        return
    from jaxlint.cache import Cache
    from jaxlint.verify.remembered import Remembered

    with contextlib.closing(Cache(check.cache_folder(files, arguments))) as cache:
        yield Remembered(cache, python, arguments.timeout)
        for warning in cache.warnings:
            warn(warning)


def _write(results: Sequence[Result], arguments: argparse.Namespace, shown: int = 0) -> None:
    from jaxlint.report import Style
    from jaxlint.verify import cards

    style = Style(colors.wanted(arguments.color), not arguments.quiet)
    cards.write(results, sys.stdout, style, arguments.output_format, shown=shown)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"S must be a number of seconds above zero, not {text!r}")
    return number


def _as_check(parser: argparse.ArgumentParser) -> None:
    """Give the options of check that verify does not offer the values that they have when they are not used."""
    left_out = ("exclude", "extend_exclude", "per_file_ignores", "force_exclude", "respect_gitignore", "shard")
    others = ("fixable", "unfixable", "unsafe_fixes", "baseline", "no_project", "shared_cache")
    parser.set_defaults(**dict.fromkeys((*left_out, *others)))


class Progress:
    """A bar on a terminal, and a line now and then elsewhere."""

    def __init__(self, total: int, out: Any) -> None:
        self._total = total
        self._done = 0
        self._out = out if out.isatty() else None
        self._log = out
        self._last = time.monotonic()
        self._show()

    def more(self, number: int) -> None:
        """Say that so many more are done."""
        self._done += number
        self._show()
        if self._out is None and self._done < self._total and time.monotonic() - self._last > _OFTEN:
            self._last = time.monotonic()
            self._log.write(f"jaxlint: {self._done} of {self._total} findings have a verdict\n")
            self._log.flush()

    def end(self) -> None:
        """Take the bar away."""
        if self._out is not None:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def _show(self) -> None:
        if self._out is not None and self._total:
            filled = _WIDTH * self._done // self._total
            bar = "#" * filled + "-" * (_WIDTH - filled)
            self._out.write(f"\r[{bar}] {self._done}/{self._total} findings")
            self._out.flush()


_WIDTH = 30
_OFTEN = 10.0
"""Seconds between two lines that say how far it is."""
_A_MINUTE = 55.0
_INTERRUPTED = 130
