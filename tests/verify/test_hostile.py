"""Whatever a module does to the process that runs it, the others get their verdicts and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path

import pytest

from jaxlint.config import Finder
from jaxlint.discovery import discover
from jaxlint.driver import check_file
from jaxlint.verify.proof import Budget
from jaxlint.verify.prover import Limits, Prover
from jaxlint.verify.verdict import Result
from jaxlint.verify.verifier import Job, verify_file
from tests.marks import TESTDATA

MODULES = sorted(path.stem for path in (TESTDATA / "hostile").glob("*.py"))

ENDLESS = "took more than"
REASONS = {
    "allocates": "MemoryError",
    "closes_everything": "the process",
    "crashes": "the process was ended by SIGSEGV",
    "deletes_itself": "may change files in its temporary folder only",
    "exits": "the process ended with status 0",
    "exits_at_once": "the process ended with status 0",
    "exits_politely": "SystemExit: 3",
    "loops": ENDLESS,
    "multiplies": "started more than 20 processes",
    "prints": "printed more than 2 MB",
    "prints_endlessly": "printed more than 2 MB",
    "reads": "EOFError",
    "swallows": ENDLESS,
    "writes": "may change files in its temporary folder only",
}
CONFIRMED = {"escapes", "fine", "forks", "installs_handlers", "loops_at_once", "replaces_jax", "starts_a_thread"}
SECONDS = {"loops_at_once": 5.0, **{name: 1.0 for name, reason in REASONS.items() if reason == ENDLESS}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(TESTDATA / "hostile", tmp_path_factory.mktemp("hostile") / "modules")


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Result]:
    """The verdict on each module, all in one run, each with a harmless one after it."""
    scratch = folder.parent / "scratch"
    scratch.mkdir()
    before, tempfile.tempdir = tempfile.tempdir, str(scratch)
    found: dict[str, Result] = {}
    fine: list[Result] = []
    try:
        with Prover(limits=Limits(processes=20, output=2 << 20)) as prover:
            for name in MODULES:
                prover.timeout = SECONDS.get(name, 60.0)
                (found[name],) = verify_file(prover, job(folder / f"{name}.py"), Budget())
                prover.timeout = 60.0
                fine += verify_file(prover, job(folder / "fine.py"), Budget())
    finally:
        tempfile.tempdir = before
    assert {result.verdict for result in fine} == {"confirmed"}
    return found


def job(path: Path) -> Job:
    (file,) = discover([str(path)], Finder(isolated=True)).files
    (finding,) = check_file(file).diagnostics
    return Job(path, (finding,))


@pytest.mark.parametrize("name", MODULES)
def test_verdict(results: dict[str, Result], name: str) -> None:
    if name in CONFIRMED:
        assert results[name].verdict == "confirmed", results[name].reason
    else:
        assert results[name].verdict == "not-run"
        assert REASONS[name] in results[name].reason


def test_nothing_is_left_behind(results: dict[str, Result], folder: Path) -> None:
    assert results
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.py" for name in MODULES)
    scratch = folder.parent / "scratch"
    assert list(scratch.iterdir()) == []
    assert [name for name in os.listdir("/proc") if name.isdigit() and str(scratch) in _environment(name)] == []
    assert not [thread for thread in threading.enumerate() if "jaxlint" in thread.name]


def _environment(process: str) -> str:
    try:
        return Path("/proc", process, "environ").read_text(errors="replace")
    except OSError:
        return ""
