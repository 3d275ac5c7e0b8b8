"""Whether jaxlint says the same however it is asked: `make agreement`.

    python lintcheck/agreement.py [FOLDER ...]  (default: testdata)

A finding is true of a file, its settings and the rest of its project.  So it must not depend on whether a cache is cold
or warm, on the number of processes, on the door that asks, nor on which other rules run and from which confidence on
findings are shown.  Each folder is linted in all these ways; what one of them shows and another does not is printed.

What sees the project is compared with `check --no-cache -j1`; what sees each file alone, flake8 and standard input,
with the same and `--no-project`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxlint.doors.cli import main as jaxlint
from jaxlint.rules import rules

Found = frozenset[tuple[str, int, int, str, str]]
WHOLE_FILE = ("JAX000", "JAX001")
"""What speaks of a file as a whole; flake8 does not call its plugins on a file that Python cannot parse."""
PARTLY_PREVIEW = "JAX403"
"""One of its two findings is in preview."""


def main() -> int:
    """Lint in all ways and print what differs; return 1 where something does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=["testdata"], metavar="FOLDER")
    differing = 0
    for folder in parser.parse_args().folders:
        for line in differences(Path(folder)):
            differing += 1
            print(line)
    print(f"{differing} differences" if differing else "the same in all ways")
    return int(differing > 0)


def differences(folder: Path) -> Iterator[str]:
    """Yield a line for each finding that not all ways of linting a folder show."""
    tree = [str(folder)]
    reference = check("--no-cache", "-j1", *tree)
    for way, found in seeing_the_project(tree):
        more = {finding for finding in found - reference if way.startswith("preview") and finding[3] == PARTLY_PREVIEW}
        yield from _compared(way, found - more, reference)
    alone = check("--no-cache", "-j1", "--no-project", *tree)
    files = sorted({path for path, *_ in alone} | {path for path, *_ in reference})
    yield from _compared("standard input", from_stdin(files), alone)
    parsed = frozenset(finding for finding in alone if finding[3] not in WHOLE_FILE)
    yield from _compared("flake8", from_flake8(tree), parsed)


def seeing_the_project(tree: Sequence[str]) -> Iterator[tuple[str, Found]]:
    """Yield each way that sees the whole project, with what it shows of what is shown by default."""
    yield "two processes", check("--no-cache", "-j2", *tree)
    with tempfile.TemporaryDirectory() as cache:
        yield "a cold cache", check("-j1", "--cache-dir", cache, *tree)
        yield "a warm cache", check("-j1", "--cache-dir", cache, *tree)
    yield "low confidence", check("--no-cache", "-j1", "--min-confidence", "low", *tree)
    yield "preview", check("--no-cache", "-j1", "--preview", *tree)
    yield "preview and low confidence", check("--no-cache", "-j1", "--preview", "--min-confidence", "low", *tree)


def check(*arguments: str, text: str | None = None) -> Found:
    """Return what `jaxlint check` shows, without what is shown only on demand."""
    out, stdin = io.StringIO(), sys.stdin
    with contextlib.redirect_stdout(out):
        if text is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")), "utf-8")
        try:
            jaxlint(["check", "--exit-zero", "--output-format", "json", *arguments])
        finally:
            sys.stdin = stdin
    return frozenset(_keys(json.loads(out.getvalue())))


def _keys(found: Iterable[dict[str, Any]]) -> Iterator[tuple[str, int, int, str, str]]:
    on_demand = {rule.code for rule in rules().values() if rule.preview or rule.off_by_default}
    for finding in found:
        if finding["confidence"] != "low" and finding["code"] not in on_demand:
            place = finding["location"]
            yield finding["filename"], place["row"], place["column"], finding["code"], finding["message"]


def from_stdin(files: Iterable[str]) -> Found:
    """Return what is found in files that are handed over on standard input."""
    found: set[tuple[str, int, int, str, str]] = set()
    for file in files:
        if file.endswith(".py"):
            text = Path(file).read_bytes().decode("utf-8", "surrogateescape")
            found |= check("--stdin-filename", file, "-", text=text)
    return frozenset(found)


def from_flake8(tree: Sequence[str]) -> Found:
    """Return what flake8 shows by the plugin."""
    form = "%(path)s\t%(row)d\t%(col)d\t%(code)s\t%(text)s"
    command = [sys.executable, "-m", "flake8", "--isolated", "--exit-zero", "--select", "JAX", "--format", form, *tree]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split("\t", 4) for line in lines]
    found = {(path, int(row), int(column), code, text) for path, row, column, code, text in rows}
    return frozenset(finding for finding in found if finding[3] not in WHOLE_FILE)


def _compared(way: str, found: Found, reference: Found) -> Iterator[str]:
    for path, row, column, code, message in sorted(found - reference):
        yield f"only with {way}: {path}:{row}:{column}: {code} {message}"
    for path, row, column, code, message in sorted(reference - found):
        yield f"not with {way}: {path}:{row}:{column}: {code} {message}"


if __name__ == "__main__":
    sys.exit(main())
