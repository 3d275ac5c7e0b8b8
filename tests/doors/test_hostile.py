"""What no project should hold, and some do: no crash, no hang, nothing lost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint import patterns
from jaxlint.fixes.engine import write
from jaxlint.patterns import Patterns
from tests.doors.conftest import LAMBDA, Project

DEPTH = 1100
"""More folders than Python likes functions to be nested."""


@pytest.fixture
def deep(project: Project) -> Iterator[None]:
    """Folders within folders, removed by hand: `shutil.rmtree`, which pytest uses, fails on them."""
    here = os.getcwd()
    try:
        os.chdir(project.folder)
        for _ in range(DEPTH):
            os.mkdir("d")
            os.chdir("d")
        Path("a.py").write_text(LAMBDA)
        Path("b.py").write_text(
            "import jax\nfrom a import scale\n\n\ndef use(x):\n    for _ in range(100):\n        x = scale(x)\n"
        )
        os.chdir(here)
        yield
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", str(project.folder / "d")], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="has no paths of this length")
@pytest.mark.usefixtures("deep")
def test_folders_that_are_nested_deeply(project: Project) -> None:
    project.write("a.py")
    project.write("b.py")
    outcome = project.json()
    assert (outcome.codes, outcome.err) == (["JAX102"] * 3, "")


@pytest.mark.parametrize("name", ["jaxlint.toml", "pyproject.toml"])
@pytest.mark.parametrize("value", ["[" * 20_000, "9" * 5_000])
def test_toml_that_is_too_much_for_python_is_an_error_of_the_file(project: Project, name: str, value: str) -> None:
    project.write("a.py")
    project.write(name, f"[tool.jaxlint]\nselect = {value}\n")
    outcome = project.json()
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{name}: not valid TOML: " in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ruff.toml", f"line-length = {'9' * 5_000}\n"),
        ("setup.cfg", f"[flake8]\nmax-line-length = {'9' * 5_000}\n"),
        (".editorconfig", f"[*.py]\nmax_line_length = {'9' * 5_000}\n"),
        ("pyproject.toml", f"[project.scripts]\na = {'[' * 20_000}\n"),
    ],
)
def test_files_of_other_tools_that_are_too_much_for_python_are_theirs_to_say(
    project: Project, name: str, content: str
) -> None:
    project.write("a.py")
    project.write("b.py")
    project.write(name, content)
    outcome = project.json()
    assert (outcome.codes, outcome.err) == (["JAX102"] * 2, "")


STARS = "*a" * 40 + "*b"


@pytest.mark.parametrize("where", [".gitignore", "jaxlint.toml"])
def test_patterns_of_many_stars_end(project: Project, where: str) -> None:
    (project.folder / ".git").mkdir()
    project.write("a" * 200 + ".py")
    project.write(where, STARS if where == ".gitignore" else f"extend-exclude = ['{STARS}']\n")
    assert project.json().codes == ["JAX102"]


@pytest.mark.parametrize(
    "line", ["*a*b*c", "x*a*b*c/", "*a/*b*c*d", "a**b*c*d", "*[ab]*?*c", "*(a)*b*c", "**/a*b*c*d/**/*e*f*g*", "!*a*b*c"]
)
def test_patterns_of_many_stars_mean_what_they_mean_to_git(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import itertools

    paths = ["".join(path) for length in range(1, 6) for path in itertools.product("abc/", repeat=length)]
    paths += ["xaabbcc", "xabc/d", "ca/ccbddcd", "aab-c-d", "(a)b(a)bc", "q/abcd/r/efg", "abcd/xexfxgx", "a.b.b.c"]
    paths = [path for path in paths if "//" not in path and path[0] != "/"]

    def verdicts() -> list[bool | None]:
        patterns._compiled.cache_clear()
        return [Patterns("/r", (line,)).verdict(f"/r/{path}") for path in paths]

    mine = verdicts()
    monkeypatch.setattr(patterns, "_patient", lambda pattern: pattern)
    assert verdicts() == mine
    patterns._compiled.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes of this kind")
def test_pipes_where_files_are_looked_for_are_not_waited_for(project: Project) -> None:
    project.write("a.py")
    for name in (".gitignore", "pyproject.toml", "jaxlint.toml", "setup.cfg", ".editorconfig"):
        os.mkfifo(project.folder / name)
    (project.folder / ".git" / "info").mkdir(parents=True)
    os.mkfifo(project.folder / ".git" / "info" / "exclude")
    assert project.json().codes == ["JAX102"]


# --- writing ---------------------------------------------------------------------------------------------------------


def test_a_file_with_another_name_is_not_cut_off_from_it(project: Project) -> None:
    file = project.write("a.py")
    os.link(file, project.folder / "other")
    outcome = project.run("check", "--fix", "a.py")
    assert outcome.code == 2
    assert "not fixed: it has other names (hard links)" in outcome.err
    assert os.path.samefile(file, project.folder / "other")
    assert file.read_text() == LAMBDA


WRITE = """
import os, sys, time
from jaxlint.fixes.engine import write
os.fsync = lambda _: (print("writing", flush=True), time.sleep(60))
write.replace(sys.argv[1], b"before", b"after")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_run_that_is_ended_while_it_writes_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "a.py"
    file.write_text("before")
    process = subprocess.Popen(
        [sys.executable, "-c", f"import signal\nsignal.signal(2, signal.default_int_handler)\n{WRITE}", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)
    process.wait()
    process.stdout.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]
    assert file.read_text() == "before"


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("before")
    process = subprocess.Popen([sys.executable, "-c", WRITE, file], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    assert file.read_text() == "before"
    (left,) = (path for path in tmp_path.iterdir() if path != file)
    write.replace(str(file), b"before", b"after")
    assert left.exists()  # another run may be writing it at this moment
    old = time.time() - 3600
    os.utime(left, (old, old))
    mine = tmp_path / ".a.py.mine"
    mine.write_text("mine")
    os.utime(mine, (old, old))
    write.replace(str(file), b"after", b"later")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a.py.mine", "a.py"]


LIMITED = """
import resource, signal, sys
from jaxlint.doors.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
sys.exit(main(["check", "--no-cache", *sys.argv[1:]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
@pytest.mark.parametrize("arguments", [["--fix"], ["--write-baseline", "--baseline", "known.json"], ["--add-noqa"]])
def test_a_disk_that_is_full_loses_nothing(project: Project, arguments: list[str]) -> None:
    assert resource.RLIMIT_FSIZE
    file = project.write("a.py")
    outcome = project.spawn("-c", LIMITED, *arguments, "a.py")
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert file.read_text() == LAMBDA
    assert [path.name for path in project.folder.iterdir()] == ["a.py"]


def test_two_that_fix_at_a_time_lose_nothing(project: Project) -> None:
    names = [f"a{number}.py" for number in range(6)]
    for name in names:
        project.write(name)
    project.write("alone/a.py")
    command = [sys.executable, "-m", "jaxlint", "check", "--fix", "--no-cache", "-q", *names]
    running = [subprocess.Popen(command, cwd=project.folder, stderr=subprocess.DEVNULL) for _ in range(2)]
    for process in running:
        process.wait()
    project.run("check", "--fix", "alone")
    fixed = (project.folder / "alone" / "a.py").read_text()
    assert {(project.folder / name).read_text() for name in names} == {fixed}
    assert not list(project.folder.glob(".a*"))
