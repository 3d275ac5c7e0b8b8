"""What `jaxlint check` does with fixes: the options, and writing or showing what was changed."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from jaxlint import report
from jaxlint.doors.cli import fail, warn
from jaxlint.finding import Applicability

if TYPE_CHECKING:
    from jaxlint.checked import Change, Checked
    from jaxlint.discovery import File


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments on fixes, but for those that are lists of rules."""
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="apply safe fixes")
    fixes.add_argument("--unsafe-fixes", action=argparse.BooleanOptionalAction, help="also apply unsafe fixes")
    fixes.add_argument(
        "--diff", action="store_true", help="print a diff of what --fix would change, and change nothing"
    )
    fixes.add_argument("--fix-only", action="store_true", help="apply fixes, and do not report remaining findings")
    fixes.add_argument("--show-fixes", action="store_true", help="list the applied fixes")
    fixes.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 if anything was fixed")


def wanted(arguments: argparse.Namespace) -> bool:
    """Tell whether the texts are to be fixed, be it to show how."""
    return bool(arguments.fix or arguments.fix_only or arguments.diff)


def write(files: Sequence[File], results: Sequence[Checked]) -> tuple[list[Checked], bool]:
    """Write the fixed texts; return what came of each file then, and whether each could be written."""
    from jaxlint.driver import check_file

    done: list[Checked] = []
    written: set[str] = set()
    good = True
    for file, result in zip(files, results, strict=True):
        checked = _write(file, result, written)
        good = good and checked is not None
        # What is in a file that was left alone is no longer what was linted, or never was fixed.
        done.append(checked or check_file(file))
    warn_of_dropped(files, done)
    return done, good


def _write(file: File, result: Checked, written: set[str]) -> Checked | None:
    """Write one fixed text and return what is left to report; None if the file was left alone."""
    from jaxlint.driver import check_file

    if result.change is None:
        return result
    target = os.path.realpath(file.path)
    if target in written:
        # It goes by a second name, under which it was linted before it was fixed.
        result = check_file(file, fix=True)
    change = result.change
    if change is None or not change.applied:
        return result
    if not write_mended(file, change.before, change.after):
        return None
    written.add(target)
    return result


def write_mended(file: File, before: bytes, after: bytes) -> bool:
    """Write a fixed text; where that cannot be, say why and return False."""
    from jaxlint.fixes.engine.write import NotWrittenError, replace

    if before == after:
        return True
    try:
        replace(file.path, before, after)
    except NotWrittenError as error:
        fail(f"{report.one_line(file.name)}: not fixed: {error}")
        return False
    return True


def warn_of_dropped(files: Sequence[File], results: Sequence[Checked]) -> None:
    """Say which fixes were not applied, and why."""
    for file, result in zip(files, results, strict=True):
        for dropped in result.change.dropped if result.change else ():
            cell = "" if dropped.cell is None else f"cell {dropped.cell}:"
            place = f"{report.one_line(file.name)}:{cell}{dropped.row}"
            warn(f"{place}: the fix of {dropped.code} was not applied: {dropped.reason}")


def show_diff(files: Sequence[File], results: Sequence[Checked], *, quiet: bool) -> bool:
    """Print the changes as a diff, and tell whether there are any."""
    from jaxlint.fixes.engine.diff import unified
    from jaxlint.patterns import relative_path

    warn_of_dropped(files, results)
    if not quiet:
        sys.stderr.writelines(conditions(files, results))
    for file, change in changes(files, results):
        name = relative_path(file.path, os.getcwd()) or file.name
        write_bytes(unified(name, change.before, change.after))
    fixed = count(results)
    if not quiet:
        sys.stderr.write(f"Would fix {report.count(fixed, 'finding')}.\n" if fixed else "Nothing to fix.\n")
    return fixed > 0


def write_text(data: bytes, results: Sequence[Checked]) -> None:
    """Print what came from standard input, fixed."""
    texts = [result.change.after if result.change else data for result in results]
    write_bytes(texts[0] if texts else data)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are: they are somebody's code, in an encoding of its own."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))
    else:
        buffer.write(data)
        buffer.flush()


def write_summary(
    files: Sequence[File], results: Sequence[Checked], out: TextIO, arguments: argparse.Namespace
) -> None:
    """Write what was fixed, without what is left."""
    if arguments.show_fixes:
        out.writelines(listing(files, results))
    if not arguments.quiet:
        out.write(f"Fixed {report.count(count(results), 'finding')} in {report.count(len(files), 'file')}.\n")


def listing(files: Sequence[File], results: Sequence[Checked]) -> Iterator[str]:
    """Yield lines that tell what was fixed: for each file, how often which rule."""
    for file, change in changes(files, results):
        yield f"{report.one_line(file.name)}:\n"
        counted = Counter((applied.code, applied.name) for applied in change.applied)
        for (code, name), number in sorted(counted.items()):
            yield f"    {number} x {code} ({name})\n"


def conditions(files: Sequence[File], results: Sequence[Checked]) -> Iterator[str]:
    """Yield a line for each fix that is not safe: where it is, what it does, and on what condition."""
    for file, change in changes(files, results):
        for applied in change.applied:
            if applied.applicability is not Applicability.SAFE:
                yield f"{report.one_line(file.name)}:{applied.row}: {applied.code}: {applied.message}\n"


def changes(files: Sequence[File], results: Sequence[Checked]) -> Iterator[tuple[File, Change]]:
    """Yield the files in which something was fixed, and what."""
    for file, result in zip(files, results, strict=True):
        if result.change is not None and result.change.applied:
            yield file, result.change


def count(results: Sequence[Checked]) -> int:
    """Return how many findings were fixed."""
    return sum(len(result.change.applied) for result in results if result.change is not None)
