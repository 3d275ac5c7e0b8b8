"""Whatever a module does to the process that runs it, the others get their verdicts and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from jaxlint.config import Finder
from jaxlint.discovery import discover
from jaxlint.driver import check_file
from jaxlint.verify.keeper import HOOKS, NO_KERNEL
from jaxlint.verify.proof import Budget
from jaxlint.verify.prover import Limits, Prover
from jaxlint.verify.verdict import Result
from jaxlint.verify.verifier import Job, verify_file
from tests.marks import TESTDATA

MODULES = sorted(path.stem for path in (TESTDATA / "hostile").glob("*.py"))

ENDLESS = "took more than"
REASONS = {
    "closes_everything": "the process",
    "crashes": "the process was ended by SIGSEGV",
    "exits": "the process ended with status 0",
    "exits_at_once": "the process ended with status 0",
    "exits_politely": "SystemExit: 3",
    "loops": ENDLESS,
    "multiplies": "started more than 20 processes",
    "prints": "printed more than 2 MB",
    "prints_endlessly": "printed more than 2 MB",
    "swallows": ENDLESS,
}
CONFIRMED = {"escapes", "fine", "forks", "installs_handlers", "loops_at_once", "replaces_jax", "starts_a_thread"}
CONFIRMED |= {"allocates", "deletes_itself", "reads", "writes"}  # without the line that fails
SECONDS = {"loops_at_once": 5.0, **{name: 1.0 for name, reason in REASONS.items() if reason == ENDLESS}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    around = tmp_path_factory.mktemp("hostile")
    (around / "jaxlint.toml").write_text('min-confidence = "low"\n')
    return shutil.copytree(TESTDATA / "hostile", around / "modules")


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
    (file,) = discover([str(path)], Finder()).files
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


def test_a_killed_run_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "jaxlint", "verify", "--isolated", "--timeout", "60", str(folder / "loops.py")]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        assert b"running the code of 1 file" in running.stderr.readline()
        assert [path.name.partition("-")[0] for path in tmp_path.iterdir()] == ["jaxlint"]
        running.kill()
    for _ in range(500):
        left = [*tmp_path.iterdir(), *(name for name in os.listdir("/proc") if str(tmp_path) in _environment(name))]
        if not left:
            break
        time.sleep(0.02)
    assert left == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere hooks alone hold the code")
@pytest.mark.parametrize("without", ["", "namespaces"])
def test_what_python_does_not_see_is_held_by_the_kernel(
    without: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without:
        monkeypatch.setenv(NO_KERNEL, without)
    module = tmp_path / "module.py"
    module.write_text(WRITING)
    os.chmod(module, 0o644)
    before = module.stat()
    with Prover() as prover:
        prover.start()
        if prover.held == HOOKS:
            pytest.skip("this kernel holds nothing")
        (result,) = verify_file(prover, job(module), Budget())
    assert result.verdict == "confirmed", result.reason
    assert [path.name for path in tmp_path.iterdir()] == ["module.py"]
    assert (module.stat().st_mtime_ns, module.stat().st_mode) == (before.st_mtime_ns, before.st_mode)
    assert not [name for name in os.listdir("/proc") if name.isdigit() and b"3607" in _command(name)]


WRITING = """
import ctypes, os, sqlite3, subprocess

import jax

here = os.path.dirname(__file__) + "/"
touched = subprocess.run(["touch", here + "touched"])
said = os.system(f"echo hi > {here}said")
opened = ctypes.CDLL(None).open((here + "opened").encode(), os.O_CREAT | os.O_WRONLY, 0o644)
old = os.utime(__file__, (0, 0))
pipe = os.mkfifo(here + "pipe")
base = sqlite3.connect(here + "base").execute("create table t (a int)")
if os.fork() == 0:
    own = os.setsid()
    if os.fork() == 0:
        sleeping = os.execvpe("sleep", ["sleep", "3607"], {})
    gone = os._exit(0)

def step(x):
    return jax.jit(lambda y: y * 2)(x)
"""


def _command(process: str) -> bytes:
    try:
        return Path("/proc", process, "cmdline").read_bytes()
    except OSError:
        return b""


def _environment(process: str) -> str:
    try:
        return Path("/proc", process, "environ").read_text(errors="replace")
    except OSError:
        return ""
