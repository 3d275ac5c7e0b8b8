"""What `jaxlint check` offers to those who start with many findings: comments and a baseline."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint import report
from jaxlint.config import Config, ConfigError
from jaxlint.doors.cli import UsageError, fail, warn
from jaxlint.finding import Confidence

if TYPE_CHECKING:
    from jaxlint.checked import Checked
    from jaxlint.discovery import File
    from jaxlint.source import Source


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments on comments and the baseline."""
    group = parser.add_argument_group("known findings")
    group.add_argument(
        "--add-noqa",
        nargs="?",
        const="",
        metavar="=REASON",
        help="add a noqa comment to each line that has findings, with a reason if given",
    )
    group.add_argument(
        "--warn-unused-noqa",
        action="store_true",
        help="report noqa comments with a JAX code that hide nothing; they count as findings for the exit code",
    )
    group.add_argument("--ignore-noqa", action="store_true", help="also report findings that noqa comments hide")
    group.add_argument("--baseline", metavar="FILE", help="do not report the findings in this file")
    group.add_argument("--write-baseline", action="store_true", help="write the findings to the baseline, and exit")


def prepared(arguments: Sequence[str]) -> list[str]:
    """Return arguments with which a path after `--add-noqa` is not taken for its reason."""
    return ["--add-noqa=" if argument == "--add-noqa" else argument for argument in arguments]


def check_usage(arguments: argparse.Namespace) -> None:
    """Refuse what makes no sense together.

    Raises:
        UsageError: it makes none.
    """
    from jaxlint.noqa import may_be_reason

    changing = [
        flag
        for flag in ("fix", "fix_only", "diff", "write_baseline")
        if getattr(arguments, flag) and arguments.add_noqa is not None
    ]
    if changing:
        raise UsageError(f"--add-noqa and --{changing[0].replace('_', '-')} contradict each other")
    if arguments.write_baseline and (arguments.fix or arguments.fix_only or arguments.diff):
        raise UsageError("--write-baseline goes with no fixing")
    if "-" in arguments.paths and (arguments.add_noqa is not None or arguments.write_baseline):
        raise UsageError("--add-noqa and --write-baseline need files, not standard input")
    if arguments.add_noqa and not may_be_reason(arguments.add_noqa):
        raise UsageError(f"--add-noqa: {arguments.add_noqa!r} would be taken for codes, or is no single line")


# --- the baseline ----------------------------------------------------------------------------------------------------


def check_baselines(configs: Sequence[Config]) -> None:
    """Read all baselines.

    Raises:
        ConfigError: one cannot be used.
    """
    from jaxlint import baseline

    for config in configs:
        if config.baseline is not None:
            try:
                baseline.load(config.baseline)
            except baseline.BaselineError as error:
                raise ConfigError(f"baseline: {error}") from error


def without_baseline(files: Sequence[File]) -> list[File]:
    """Return the files with a configuration that names no baseline."""
    return with_changes(files, baseline=None)


def without_comments(files: Sequence[File]) -> list[File]:
    """Return the files with a configuration in which all is found that a comment may be there to hide."""
    low = {id(file.config): replace(file.config.settings, min_confidence=Confidence.LOW) for file in files}
    return with_changes(
        files, lambda config: {"settings": low[id(config)]}, baseline=None, noqa=False, per_file_ignores=()
    )


def with_changes(
    files: Sequence[File], more: Callable[[Config], dict[str, Any]] = lambda _: {}, **changes: Any
) -> list[File]:
    """Return the files with changes of their configuration."""
    # One configuration for all that shared one, as the core keeps what it derives from it.
    configs = {id(file.config): replace(file.config, **changes, **more(file.config)) for file in files}
    return [replace(file, config=configs[id(file.config)]) for file in files]


def write_baseline(files: Sequence[File], results: Sequence[Checked], *, quiet: bool) -> None:
    """Write what was found to the one baseline that is configured; what is known of other files is kept.

    Raises:
        ConfigError: the baseline that is there is none, or cannot be replaced.
        UsageError: none is configured, or several are.
    """
    from jaxlint import baseline
    from jaxlint.fixes.engine import write

    paths = {file.config.baseline for file in files} or {None}
    path = paths.pop()
    if path is None or paths:
        raise UsageError("--write-baseline needs one file to write to: --baseline FILE, or the key `baseline`")
    try:
        old = baseline.load(path) if os.path.lexists(path) else baseline.empty(path)
        found = {
            file.path: result.diagnostics
            for file, result in zip(files, results, strict=True)
            if result.error is None and not any(d.code in baseline.NEVER for d in result.diagnostics)
        }
        new = old.updated(found)
        # What cannot be decoded of a file's name is a lone surrogate, for which JSON has the same escape.
        data = new.dumps().encode("utf-8", "backslashreplace")
        if os.path.lexists(path):
            write.replace(path, Path(path).read_bytes(), data)
        else:
            write.create(path, data)
    except (baseline.BaselineError, write.NotWrittenError, OSError) as error:
        raise ConfigError(f"baseline: {error}") from error
    if not quiet:
        number = sum(map(len, new.entries.values()))
        sys.stdout.write(f"{report.count(number, 'finding')} known in {report.count(len(new.entries), 'file')}.\n")


# --- comments --------------------------------------------------------------------------------------------------------


def add_comments(files: Sequence[File], results: Sequence[Checked], reason: str, *, quiet: bool) -> tuple[bool, bool]:
    """Hide all findings by comments; return whether some are left, and whether something failed."""
    added = changed = left = 0
    failed = False
    for file, result in zip(files, results, strict=True):
        if not result.diagnostics:
            continue
        number, rest, good = _add_comments(file, result, reason)
        added += number
        changed += number > 0
        left += rest
        failed = failed or not good
    if not quiet:
        sys.stdout.write(f"Added {report.count(added, 'comment')} in {report.count(changed, 'file')}.\n")
    return left > 0, failed


def _add_comments(file: File, result: Checked, reason: str) -> tuple[int, int, bool]:
    """Return how many comments were added, how many findings are left, and whether the file could be written."""
    from jaxlint.baseline import NEVER
    from jaxlint.doors.cli.fixing import write_mended
    from jaxlint.editing import EditError
    from jaxlint.noqa import Noqa
    from jaxlint.source import Source, SourceError

    name = report.one_line(file.name)
    for diagnostic in result.diagnostics:
        if diagnostic.code in NEVER:
            warn(f"{name}: {diagnostic.code} is about the whole file and cannot be hidden on a line")
    found = [diagnostic for diagnostic in result.diagnostics if diagnostic.code not in NEVER]
    whole = len(result.diagnostics) - len(found)
    if not found:
        return 0, whole, True
    try:
        data = Path(file.path).read_bytes()
        source = Source.from_bytes(data, file.config.name_of(file.path))
        codes: dict[int, set[str]] = {}
        for diagnostic in found:
            row = source.row_of(diagnostic.location.row, diagnostic.location.cell)
            if source.written_line(row) != diagnostic.line:
                raise IndexError
            codes.setdefault(row, set()).add(diagnostic.code)
        after = source.edited(Noqa(source).adding(codes, reason))
        fixed = after.data()
    except OSError as error:
        fail(f"{name}: no comments added: {error.strerror or error}")
        return 0, len(result.diagnostics), False
    except (SourceError, IndexError, EditError):
        fail(f"{name}: no comments added: it was changed meanwhile")
        return 0, len(result.diagnostics), False
    except UnicodeError:
        fail(f"{name}: no comments added: the encoding {source.encoding} cannot hold the reason")
        return 0, len(result.diagnostics), False
    hidden = Noqa(after)
    if not _same_code(source, after):
        warn(f"{name}: no comments added: a line has no place for one")
        return 0, len(result.diagnostics), True
    rows = ((after.row_of(d.location.row, d.location.cell), d.code) for d in found)
    left = sum(not hidden.hides(code, row) for row, code in rows)
    return (len(codes), whole + left, True) if write_mended(file, data, fixed) else (0, len(result.diagnostics), False)


def _same_code(before: Source, after: Source) -> bool:
    """Tell whether two texts are the same to Python."""
    try:
        one, other = (ast.dump(ast.parse(source.text)) for source in (before, after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return one == other


def unused_comments(files: Sequence[File], results: Sequence[Checked]) -> int:
    """Report the codes in comments that hide nothing, and return how many there are.

    `results` are of `without_comments(files)`: all that may be hidden.
    """
    return sum(_unused(file, result) for file, result in zip(files, results, strict=True))


def _unused(file: File, result: Checked) -> int:
    from jaxlint.baseline import NEVER
    from jaxlint.noqa import Noqa
    from jaxlint.rules import rules
    from jaxlint.source import Source, SourceError

    try:
        source = Source.from_bytes(Path(file.path).read_bytes(), file.config.name_of(file.path))
    except (OSError, SourceError):
        # Said when it was linted.
        return 0
    if "noqa" not in source.text.lower() or "JAX" not in source.text:
        return 0
    found = [
        (source.row_of(d.location.row, d.location.cell), d.code) for d in result.diagnostics if d.code not in NEVER
    ]
    number = 0
    for item in Noqa(source).listed():
        if not item.code.startswith("JAX"):
            continue
        meant = [rule for code, rule in rules().items() if code.startswith(item.code)]
        if not meant:
            why = f"no rule's code starts with {item.code}"
        elif any(item.rows[0] <= row <= item.rows[1] and code.startswith(item.code) for row, code in found):
            continue
        elif not any(file.config.settings.enabled(rule) for rule in meant):
            # Who runs these rules may need it.
            continue
        else:
            why = f"{item.code} hides nothing"
        number += 1
        warn(f"{report.one_line(file.name)}:{_place(source, item.row)}: unused noqa: {why}")
    return number


def _place(source: Source, row: int) -> str:
    """Return a line as users know it."""
    cell, row = source.place(source.line_starts[row - 1])
    return str(row) if cell is None else f"cell {cell}:{row}"
