"""Applies the safe fixes to public packages, and runs their own tests before and after.

What is safe, but not offered as such because it is hardly worth it, is applied as well: much of it is in the tests.

`attack.py [--unsafe] [--only NAME]` downloads what `packages.toml` pins into `build/attack`, makes an environment for
the tests there, and writes `attack/results.md`, one row a package; rows of packages that are not chosen stay.  The
tests run twice in one process, as code that keeps more between calls than it did may fail the second time only.  It
ends with 1 where a test fails that did not before.  Nothing of the packages is part of this project.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "attack"
LIMIT = 1200
"""Seconds that the tests of a package may take."""
FIXING = """
import sys
from jaxlint.__main__ import main
from jaxlint.fixes.checks import worth
worth.reason = lambda *_: ""
worth.is_in_test = lambda *_: False
sys.exit(main())
"""
TWICE = """
import sys, pytest
first, second, *rest = sys.argv[1:]
codes = [int(pytest.main([report, *rest])) for report in (first, second)]
sys.exit(max(codes))
"""


@dataclass(frozen=True)
class Outcome:
    """What the tests of a tree gave: the names of those that passed and failed, in the first and the second run."""

    passed: frozenset[str]
    failed: frozenset[str]


@dataclass(frozen=True)
class Row:
    """One package before and after."""

    name: str
    fixes: int
    before: Outcome
    after: Outcome

    @property
    def new(self) -> list[str]:
        """The tests that fail only after the fixes."""
        return sorted((self.after.failed - self.before.failed) | (self.before.passed - self.after.passed))


def main() -> int:
    """Attack all packages, write the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="a package; may be given more than once")
    parser.add_argument("--unsafe", action="store_true", help="apply unsafe fixes as well")
    parser.add_argument("--python", help="an interpreter that has jax and all that the packages need")
    arguments = parser.parse_args()
    packages = tomllib.loads((HERE / "packages.toml").read_text("utf-8"))
    chosen = {name: row for name, row in packages.items() if not arguments.only or name in arguments.only}
    python = arguments.python or environment(chosen)
    rows: list[Row] = []
    for name, package in chosen.items():
        try:
            rows.append(attacked(name, package, python, unsafe=arguments.unsafe))
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            sys.stderr.write(f"{name}: not attacked: {error}\n")
            continue
        sys.stderr.write(shown(rows[-1]) + "\n")
    results = HERE / ("results_unsafe.md" if arguments.unsafe else "results.md")
    known = kept(results, [*chosen]) if arguments.only else []
    results.write_text(written([*known, *map(shown, rows)], unsafe=arguments.unsafe), "utf-8")
    return 1 if any(row.new for row in rows) or len(rows) < len(chosen) else 0


def environment(packages: dict[str, Any]) -> str:
    """Make the environment of the tests, unless it is there, and return its interpreter."""
    folder = BUILD / "environment"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    needs = sorted({need for package in packages.values() for need in package["needs"]})
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "jax", "pytest", *needs], check=True)
    return str(python)


def attacked(name: str, package: dict[str, Any], python: str, *, unsafe: bool) -> Row:
    """Fix a copy of a package, and run its tests in both."""
    before = unpacked(name, package)
    after = BUILD / "fixed" / before.name
    shutil.rmtree(after, ignore_errors=True)
    shutil.copytree(before, after)
    command = [sys.executable, "-c", FIXING, "check", "--fix", "--preview", "--min-confidence", "low", "--no-cache"]
    command += ["-j1", "--isolated", "--show-fixes", "--fix-only", "--unsafe-fixes" if unsafe else "--no-unsafe-fixes"]
    told = subprocess.run([*command, "."], cwd=after, capture_output=True, text=True, check=False)
    if told.returncode not in (0, 1):
        raise ValueError(told.stderr.strip()[-300:])
    fixes = sum(int(line.split()[0]) for line in told.stdout.splitlines() if line[:1].isspace() and " x JAX" in line)
    if not fixes:
        raise ValueError("nothing is fixed in it")
    outcomes = [outcome(folder, package["tests"], python) for folder in (before, after)]
    return Row(f"{name} {package['version']}", fixes, *outcomes)


def unpacked(name: str, package: dict[str, Any]) -> Path:
    """Have pip download a package, unless it is there, and unpack it; return its folder."""
    folder: Path = BUILD / "packages" / f"{name}-{package['version']}"
    if folder.exists():
        return folder
    fetched = BUILD / "fetched" / folder.name
    form = "--only-binary" if package["from"] == "wheel" else "--no-binary"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
    pip += [form, ":all:", "--dest", str(fetched), f"{name}=={package['version']}"]
    subprocess.run(pip, check=True)
    (archive,) = fetched.iterdir()
    partly = folder.with_name(f".{folder.name}")
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as content:
            content.extractall(partly)
        partly.rename(folder)
    else:
        with tarfile.open(archive) as content:
            content.extractall(partly, filter="data")
        (inner,) = partly.iterdir()
        inner.rename(folder)
    return folder


def outcome(folder: Path, tests: list[str], python: str) -> Outcome:
    """Run tests in a folder, twice in one process, and return what they gave.

    Raises:
        ValueError: none passed.
    """
    reports = [BUILD / f"report_{number}.xml" for number in (1, 2)]
    for report in reports:
        report.unlink(missing_ok=True)
    plain = ["-q", "--rootdir", ".", "-c", os.devnull, "-p", "no:cacheprovider", *tests]
    files = [f"--junitxml={report}" for report in reports]
    source = folder / "src"
    paths = ":".join(map(str, [source, folder] if source.is_dir() else [folder]))
    variables = {"PYTHONPATH": paths, "JAX_PLATFORMS": "cpu", "PATH": "/usr/bin:/bin", "HOME": str(BUILD)}
    command = [python, "-c", TWICE, *files, *plain]
    subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, check=False, env=variables)
    passed: set[str] = set()
    failed: set[str] = set()
    for number, report in enumerate(reports, 1):
        for case in ET.parse(report).iter("testcase") if report.exists() else ():
            name = f"{case.get('classname')}::{case.get('name')} ({number})"
            bad = case.find("failure") is not None or case.find("error") is not None
            if case.find("skipped") is None:
                (failed if bad else passed).add(name)
    if not passed:
        raise ValueError(f"no test passed in {folder.name}")
    return Outcome(frozenset(passed), frozenset(failed))


def shown(row: Row) -> str:
    """Return a row of the table."""
    before, after = (f"{len(o.passed)} pass, {len(o.failed)} fail" for o in (row.before, row.after))
    return f"| {row.name} | {row.fixes} | {before} | {after} | {', '.join(row.new) or 'none'} |"


def kept(results: Path, chosen: list[str]) -> list[str]:
    """Return the rows of a table for packages that were not attacked now."""
    lines = results.read_text("utf-8").splitlines() if results.exists() else []
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| package")]
    return [row for row in rows if row.split()[1] not in chosen]


def written(rows: list[str], *, unsafe: bool) -> str:
    """Return the table of all packages, by name."""
    kind = "safe and unsafe" if unsafe else "safe"
    head = [
        f"# What {kind} fixes did to public packages with tests",
        "",
        "Written by `make attack`: at confidence `low`, with preview, each test counted in both runs of one process.",
        "",
        "| package | fixes | before | after | new failures |",
        "|---|--:|---|---|---|",
    ]
    return "\n".join([*head, *sorted(rows), ""])


if __name__ == "__main__":
    sys.exit(main())
