"""Lint Python files and notebooks for patterns that make JAX programs slow to trace and compile, or fail."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from jaxlint import report
from jaxlint.config import OPTIONS, Config, ConfigError, Finder, Layer, read_table
from jaxlint.doors.cli import UsageError, adopting, changed, colors, fail, fixing, warn
from jaxlint.doors.cli.parsing import shard, whole_number

if TYPE_CHECKING:
    from jaxlint.checked import Checked
    from jaxlint.discovery import Discovered, File
    from jaxlint.shared import SharedCache

ENVIRONMENT = "JAXLINT_SHARED_CACHE"
"""The variable that names the folder of a shared cache where no option does."""
_PATTERNS = ("exclude", "extend-exclude")
_LISTS = (
    *("select", "ignore", "extend-select", "extend-ignore", "fixable", "unfixable"),
    *_PATTERNS,
)
_VALUES = ("min-confidence", "preview", "unsafe-fixes", "baseline", "force-exclude", "respect-gitignore")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint check`."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders, or - for standard input (default: .)"
    )

    rules = parser.add_argument_group("rules")
    _add_list(rules, "--select", "CODES", "rules to run, by code or prefix of a code; overrides the configuration")
    _add_list(rules, "--ignore", "CODES", "rules not to run")
    _add_list(rules, "--extend-select", "CODES", "rules to run in addition to the selected ones")
    _add_list(rules, "--extend-ignore", "CODES", "rules not to run, in addition to the ignored ones")
    _add_list(rules, "--fixable", "CODES", "rules whose fixes are offered and applied (default: all)")
    _add_list(rules, "--unfixable", "CODES", "rules whose fixes are neither offered nor applied")
    _add_list(rules, "--per-file-ignores", "PATTERN:CODES", "rules whose findings are hidden in matching files")
    rules.add_argument(
        "--min-confidence", choices=("low", "medium", "high"), help="the lowest confidence to report (default: medium)"
    )
    rules.add_argument(
        "--preview",
        action=argparse.BooleanOptionalAction,
        help="also run rules in preview",
    )

    fixing.configure(parser)
    adopting.configure(parser)

    files = parser.add_argument_group("files")
    _add_list(files, "--exclude", "PATTERNS", "files and folders to skip, instead of the default")
    _add_list(files, "--extend-exclude", "PATTERNS", "files and folders to skip, in addition to the excluded ones")
    files.add_argument(
        "--force-exclude", action=argparse.BooleanOptionalAction, help="skip excluded files even if named"
    )
    files.add_argument(
        "--respect-gitignore",
        action=argparse.BooleanOptionalAction,
        help="skip files that git ignores (default: yes)",
    )
    files.add_argument("--stdin-filename", metavar="PATH", help="the path of the file on standard input")
    files.add_argument("--show-files", action="store_true", help="list the files that would be linted, and exit")

    config = parser.add_argument_group("configuration")
    config.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="FILE|KEY=VALUE",
        help="a configuration file to use instead of the nearest, or a key and value as in TOML; repeatable",
    )
    config.add_argument("--isolated", action="store_true", help="read no configuration file")
    config.add_argument("--show-settings", action="store_true", help="print the settings for the first file, and exit")

    output = parser.add_argument_group("output")
    output.add_argument(
        "--output-format",
        choices=report.names(),
        default=report.DEFAULT,
        help="format of the findings (default: %(default)s)",
    )
    output.add_argument(
        "-o", "--output-file", metavar="FILE", help="write the findings to a file instead of standard output"
    )
    output.add_argument("--statistics", action="store_true", help="print the number of findings per rule instead")
    output.add_argument(
        "--show-evidence", action="store_true", help="show the evidence for and against each finding, with places"
    )
    colors.configure(output)
    output.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    output.add_argument("-q", "--quiet", action="store_true", help="print only the findings")
    output.add_argument(
        "-v", "--verbose", action="store_true", help="also print the configuration file and the number of processes"
    )

    running = parser.add_argument_group("running")
    running.add_argument("-j", "--jobs", type=whole_number, metavar="N", help="processes (default: one per CPU)")
    running.add_argument(
        "--no-project",
        action="store_true",
        help="lint each file by itself, without what other files do with its functions",
    )
    running.add_argument("-w", "--watch", action="store_true", help="lint again whenever a file changes")
    changed.configure(running)
    running.add_argument(
        "--shard",
        type=shard,
        metavar="K/N",
        help="report on the K-th of N parts of the files, which still know of all others; `jaxlint merge` joins them",
    )
    running.add_argument("-n", "--no-cache", action="store_true", help="do not use or write the cache")
    running.add_argument(
        "--cache-dir",
        metavar="FOLDER",
        help="the cache folder (default: .jaxlint_cache next to the configuration file)",
    )
    running.add_argument(
        "--shared-cache",
        metavar="FOLDER",
        help="keep it there too, for other machines (default: what JAXLINT_SHARED_CACHE names)",
    )


prepared = adopting.prepared


def run(arguments: argparse.Namespace) -> int:
    """Lint, fix and report; return the exit code.

    Raises:
        UsageError: arguments contradict each other.
        ConfigError: an option or a configuration file cannot be used.
    """
    _check_format(arguments)
    adopting.check_usage(arguments)
    if arguments.watch:
        from jaxlint.doors.cli import watch

        watch.check_usage(arguments)
        return watch.watch(arguments, run, lambda watched: [file.path for file in _find(watched).files])
    found = _without_noqa(_find(arguments)) if arguments.ignore_noqa else _find(arguments)
    configs = _distinct([file.config for file in found.files])
    for warning in dict.fromkeys(warning for config in configs for warning in config.warnings):
        warn(warning)
    for warning in found.warnings:
        warn(warning)
    for error in found.errors:
        fail(error)
    if arguments.show_files:
        sys.stdout.writelines(report.one_line(file.name) + "\n" for file in found.files)
        return 2 if found.errors else 0
    if arguments.show_settings:
        sys.stdout.writelines(_settings(found.files[0].name, found.files[0].config) if found.files else ())
        return 2 if found.errors else 0
    if not arguments.write_baseline:
        adopting.check_baselines(configs)
    if (arguments.shard is not None or arguments.changed is not None) and _from_stdin(arguments):
        raise UsageError("--shard and --changed need files, not standard input")
    something, failed = _check(*parted(found.files, arguments), arguments)
    return 2 if failed or found.errors else int(something)


def _without_noqa(found: Discovered) -> Discovered:
    return replace(found, files=adopting.with_changes(found.files, noqa=False))


def _find(arguments: argparse.Namespace) -> Discovered:
    from jaxlint.discovery import Discovered, discover

    by = finder(arguments)
    paths = arguments.paths or ["."]
    if not _from_stdin(arguments):
        return discover(paths, by)
    if len(paths) > 1:
        raise UsageError("- is standard input, and allows no other path")
    if sys.stdin is None:
        raise UsageError("standard input (-) is closed")
    return Discovered(_stdin_files(arguments.stdin_filename, by))


def _from_stdin(arguments: argparse.Namespace) -> bool:
    return "-" in arguments.paths


def _check(files: Sequence[File], beside: Sequence[File], arguments: argparse.Namespace) -> tuple[bool, bool]:
    """Lint, fix and report; return whether there is something to exit with 1 for, and whether something failed."""
    from jaxlint import pool

    jobs = pool.processes(len(files) + len(beside), arguments.jobs)
    if arguments.verbose:
        _say_how(_distinct([file.config for file in files]), len(files), jobs)
    fix = fixing.wanted(arguments)
    data = sys.stdin.buffer.read() if _from_stdin(arguments) else None
    if data is None:
        bare = adopting.without_baseline(files) if arguments.write_baseline else files
        results = linted(bare, beside, jobs, arguments, fix=fix)
    else:
        from jaxlint.driver import check_bytes

        results = [check_bytes(data, file, fix=fix) for file in files]
    _say(files, results)
    if arguments.write_baseline:
        adopting.write_baseline(files, results, quiet=arguments.quiet)
        return False, _failed(results)
    if arguments.add_noqa is not None:
        left, failed = adopting.add_comments(files, results, arguments.add_noqa, quiet=arguments.quiet)
        return left and not arguments.exit_zero, failed or _failed(results)
    out = sys.stdout
    good = True
    if arguments.diff:
        changed = fixing.show_diff(files, results, quiet=arguments.quiet)
        return changed and not arguments.exit_zero, _failed(results)
    if fix and data is not None:
        fixing.write_text(data, results)
        out = sys.stderr
    elif fix:
        results, good = fixing.write(files, results)
    unused = _unused_comments(files, beside, jobs, arguments) if arguments.warn_unused_noqa and data is None else 0
    if arguments.fix_only:
        fixing.write_summary(files, results, out, arguments)
    else:
        _write(_report(files, results, arguments, unused), arguments, out)
    left = not arguments.fix_only and any(result.diagnostics for result in results)
    fixed = arguments.exit_non_zero_on_fix and fixing.count(results) > 0
    return ((left or unused > 0) and not arguments.exit_zero) or fixed, not good or _failed(results)


def _say(files: Sequence[File], results: Sequence[Checked]) -> None:
    """Say which files could not be read, and what is to be said of others besides findings."""
    for file, result in zip(files, results, strict=True):
        if result.error is not None:
            fail(result.error)
        for warning in result.warnings:
            warn(f"{report.one_line(file.name)}:{warning}")


def _unused_comments(files: Sequence[File], beside: Sequence[File], jobs: int, arguments: argparse.Namespace) -> int:
    bare = adopting.without_comments(files)
    return adopting.unused_comments(files, linted(bare, beside, jobs, arguments, fix=False))


def cache_folder(files: Sequence[File], arguments: argparse.Namespace) -> str:
    """Return where a run keeps what it finds out: beside the configuration that holds for all of its files together.

    In a repository of several projects, that is the one above them, and not that of the first.
    """
    from jaxlint.cache import FOLDER

    if arguments.cache_dir:
        return str(arguments.cache_dir)
    roots = {file.config.root for file in files}
    if len(roots) == 1:
        return os.path.join(*roots, FOLDER)
    above = os.path.commonpath([os.path.dirname(file.path) for file in files])
    return os.path.join(finder(arguments).config(above).root, FOLDER)


def parted(files: Sequence[File], arguments: argparse.Namespace) -> tuple[list[File], list[File]]:
    """Split files into those to report on and those beside them, which have their say in the project all the same."""
    wanted, beside = list(files), []
    if arguments.changed is not None:
        names = {os.path.realpath(name) for name in changed.files(arguments.changed, arguments.paths or ["."])}
        beside += [file for file in wanted if os.path.realpath(file.path) not in names]
        wanted = [file for file in wanted if os.path.realpath(file.path) in names]
    if arguments.shard is not None:
        number, total = arguments.shard
        beside += [file for file in wanted if _shard_of(file, total) != number]
        wanted = [file for file in wanted if _shard_of(file, total) == number]
    return wanted, beside


def _shard_of(file: File, total: int) -> int:
    """Return which of so many parts a file belongs to: by its name, so that a new file moves no other."""
    from jaxlint.digests import digest

    return int(digest(file.config.name_of(file.path)), 16) % total + 1


def linted(
    files: Sequence[File], beside: Sequence[File], jobs: int, arguments: argparse.Namespace, *, fix: bool
) -> list[Checked]:
    """Lint files with those beside them, and with the cache if it may be used; say what is wrong with that."""
    from jaxlint import checking

    project = not arguments.no_project
    if arguments.no_cache or not files:
        return checking.check_files(files, jobs, fix=fix, project=project, beside=beside)
    from jaxlint.cache import Cache

    others = _shared_cache(arguments)
    with contextlib.closing(Cache(cache_folder([*files, *beside], arguments), others)) as cache:
        results = checking.check_files(files, jobs, fix=fix, project=project, cache=cache, beside=beside)
        for warning in cache.warnings:
            warn(warning)
    return results


def _shared_cache(arguments: argparse.Namespace) -> SharedCache | None:
    folder = arguments.shared_cache or os.environ.get(ENVIRONMENT)
    if not folder:
        return None
    from jaxlint.shared import SharedCache

    return SharedCache(folder)


def _failed(results: Sequence[Checked]) -> bool:
    return any(
        result.error is not None or any(diagnostic.code == "JAX000" for diagnostic in result.diagnostics)
        for result in results
    )


def _report(
    files: Sequence[File], results: Sequence[Checked], arguments: argparse.Namespace, unused: int
) -> report.Report:
    return report.Report(
        tuple(diagnostic for result in results for diagnostic in result.diagnostics),
        sum(result.error is None for result in results),
        unsafe_fixes=any(file.config.unsafe_fixes for file in files),
        show_reasons=arguments.show_evidence,
        fixed=fixing.count(results),
        unused=unused,
        fixes=tuple(fixing.listing(files, results)) if arguments.show_fixes else (),
    )


# --- arguments -------------------------------------------------------------------------------------------------------


def _check_format(arguments: argparse.Namespace) -> None:
    if arguments.statistics and not report.counts(report.load(arguments.output_format)):
        raise UsageError(f"--statistics: the format {arguments.output_format} shows findings only")


def _add_list(group: Any, flag: str, metavar: str, text: str) -> None:
    group.add_argument(flag, action="append", metavar=metavar, help=f"{text}; separated by commas, repeatable")


def finder(arguments: argparse.Namespace) -> Finder:
    """Return what finds the configuration of a file, with the options laid over it.

    Raises:
        UsageError: arguments contradict each other.
        ConfigError: an option cannot be used.
    """
    files = [text for text in arguments.config if "=" not in text or Path(text).exists()]
    if len(files) > 1:
        raise UsageError("--config: only one file can be used")
    if files and arguments.isolated:
        raise UsageError("--isolated and --config FILE contradict each other")
    inline = [_inline(text) for text in arguments.config if text not in files]
    over = [*inline, Layer(_options(arguments))]
    return Finder(file=files[0] if files else None, isolated=arguments.isolated, over=over)


def _inline(text: str) -> Layer:
    import tomllib

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--config: {text!r} is neither a file nor TOML: {error}") from error
    return read_table(table, "--config", os.getcwd())


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of those options that are keys of the configuration too, as the configuration holds them."""
    given: dict[str, Any] = {}
    for key in _LISTS:
        texts = getattr(arguments, key.replace("-", "_"))
        if texts is not None:
            parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
            given[key] = parts if key in _PATTERNS else [code.upper() if _is_code(code) else code for code in parts]
    if given.get("select") == []:
        raise UsageError("--select names no rule; `jaxlint rule --all` lists all")
    if arguments.per_file_ignores is not None:
        given["per-file-ignores"] = _per_file_ignores(arguments.per_file_ignores)
    for key in _VALUES:
        value = getattr(arguments, key.replace("-", "_"))
        if value is not None:
            given[key] = value
    return {key: OPTIONS[key].parse(value, f"--{key}") for key, value in given.items()}


def _is_code(text: str) -> bool:
    """Tell whether a text can only be meant as a code: on a command line, nobody minds how it is capitalised."""
    return text.upper().startswith("JAX") or text.upper() == "ALL"


def _per_file_ignores(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read `PATTERN:CODE,CODE,PATTERN:CODE`: a part with a colon starts a new pattern."""
    table: dict[str, list[str]] = {}
    for text in texts:
        pattern = None
        for part in filter(None, (part.strip() for part in text.split(","))):
            before, colon, code = part.rpartition(":")
            if colon:
                pattern = before
            if pattern is None:
                raise UsageError(f"--per-file-ignores: {text!r} has no PATTERN: before its codes")
            table.setdefault(pattern, []).append(code.strip().upper())
    return table


def _stdin_files(name: str | None, finder: Finder) -> list[File]:
    """Return the one file that standard input represents, or none where it is excluded by force."""
    from jaxlint.discovery import File, force_excluded

    if name is None:
        return [File("<stdin>", "<stdin>", finder.config(os.getcwd()))]
    path = os.path.abspath(name)
    config = finder.config(os.path.dirname(path))
    return [] if force_excluded(path, config) else [File(os.path.normpath(name), path, config)]


# --- output ----------------------------------------------------------------------------------------------------------


def _write(result: report.Report, arguments: argparse.Namespace, out: TextIO) -> None:
    form = report.load(arguments.output_format)
    write = form.write_statistics if arguments.statistics and report.counts(form) else form.write
    if arguments.output_file is None:
        write(result, out, report.Style(colors.wanted(arguments.color, out), not arguments.quiet))
        return
    try:
        with open(arguments.output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            write(result, out, report.Style(arguments.color == "always", not arguments.quiet))
    except OSError as error:
        raise ConfigError(f"--output-file: {arguments.output_file}: {error.strerror or error}") from error


def _distinct(configs: Sequence[Config]) -> list[Config]:
    return list({id(config): config for config in configs}.values())


def _say_how(configs: Sequence[Config], files: int, jobs: int) -> None:
    for config in configs:
        sys.stderr.write(f"jaxlint: configuration: {config.file or 'none'}\n")
    sys.stderr.write(f"jaxlint: {report.count(files, 'file')}, {report.count(jobs, 'process', 'processes')}\n")


def _settings(name: str, config: Config) -> Iterator[str]:
    import json

    from jaxlint.rules import rules

    yield f"# for {name}\n"
    yield f"# from {config.file or 'no configuration file'}\n"
    for key, value in config.values().items():
        yield f"{key} = {json.dumps(value)}\n"
    for rule in rules().values():
        if config.settings.enabled(rule):
            yield f"# runs {rule.code} {rule.name}\n"
