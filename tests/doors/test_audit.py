"""What `check` does to the machine, as Python's audit hooks see it: it reads files, and runs none of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.doors.conftest import LAMBDA, NESTED, Project
from tests.notebooks import notebook

BOOM = "raise SystemExit('this was run')\n"
SHADOWS = (
    "json",
    "ast",
    "re",
    "sqlite3",
    "tomllib",
    "tokenize",
    "libcst",
    "pathspec",
    "jax",
    "flake8",
    "jaxlint",
    "sitecustomize",
)

HOOK = """
import json, os, sys
seen = []
ours = {"open", "import", "exec", "compile"}
def hook(event, arguments):
    if event in ours or event.split(".")[0] in ("subprocess", "os", "socket", "shutil", "ctypes", "urllib", "pty"):
        if event == "exec":
            seen.append((event, arguments[0].co_filename, ""))
        elif event == "import":
            seen.append((event, str(arguments[0]), str(arguments[1])))
        else:
            seen.append((event, *(str(a) if not isinstance(a, bytes) else os.fsdecode(a) for a in arguments[:2])))
sys.addaudithook(hook)
from jaxlint.doors.cli import main
code = main(sys.argv[2:])
sys.stdout.flush()
found, seen = seen, []
with open(sys.argv[1], "w") as out:
    json.dump({"code": code, "seen": found}, out)
"""


@pytest.fixture
def hostile(project: Project) -> Project:
    """A project whose every file runs something if it is imported, configures, or is merely started."""
    for name in (*SHADOWS, "conftest", "setup"):
        project.write(f"{name}.py", "import jax\n" + BOOM + LAMBDA)
    project.write("pkg/__init__.py", BOOM + "import jax\n" + NESTED)
    project.write("pkg/mod.py", LAMBDA + "\n\nfor _ in range(100):\n    scale(1.0)\n")
    project.write("pkg/__main__.py", BOOM)
    project.write("evil.pth", "import os; os._exit(3)\n")
    project.write("setup.cfg", "[flake8:local-plugins]\nextension = X = evil:Plugin\npaths = .\n")
    project.write("pyproject.toml", "[tool.jaxlint]\n[project.scripts]\na = 'pkg.mod:scale'\n")
    project.write("note.ipynb", json.dumps(notebook("import os", "os._exit(4)", LAMBDA)))
    return project


def audited(project: Project, *arguments: str) -> dict[str, list[tuple[str, str]]]:
    """Return the events of a run of the command, by their names."""
    log = project.folder.parent / f"{project.folder.name}.audit"
    command = [sys.executable, "-P", "-c", HOOK, str(log), *arguments]
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)
    assert "this was run" not in done.stdout + done.stderr
    data = json.loads(log.read_text())
    assert data["code"] in (0, 1), done.stderr
    events: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, first, *rest in data["seen"]:
        events[name].append((first, rest[0] if rest else ""))
    return events


def inside(path: str, folder: Path) -> bool:
    return os.path.realpath(os.path.join(folder, path)).startswith(os.path.realpath(folder) + os.sep)


@pytest.mark.parametrize("arguments", [["check", "."], ["check", "--no-project", "--preview", "--diff", "."]])
def test_check_runs_nothing_and_opens_what_it_should(hostile: Project, arguments: list[str]) -> None:
    folder = hostile.folder
    events = audited(hostile, *arguments, "-j1")
    # Nothing of the project is executed or imported, and nothing else is started or called.
    assert not [name for name, _ in events["exec"] if not name.startswith("<") and inside(name, folder)]
    assert not [file for _, file in events["import"] if file not in ("", "None") and inside(file, folder)]
    assert not {event for event in events if event.startswith(("subprocess", "socket", "urllib", "ctypes", "pty"))}
    assert not {event for event in events if event.startswith("os.") and event not in ALLOWED}, events.keys()
    written: list[str] = []
    read: list[str] = []
    for name, mode in events["open"]:
        if name.isdigit() or name == "-1":
            continue  # a handle that was opened by name before
        (written if set(mode) & set("wax+") else read).append(name)
    assert all(os.path.basename(os.path.dirname(os.path.join(folder, name))) == ".jaxlint_cache" for name in written)
    libraries = {os.path.realpath(path) for path in (sys.prefix, sys.base_prefix)}
    checkout = str(Path(__file__).parent.parent.parent)
    for name in read:
        path = os.path.realpath(os.path.join(folder, name))
        known = any(path.startswith(root + os.sep) for root in (*libraries, checkout))
        configuration = os.path.basename(path) in LOOKED_FOR and str(folder).startswith(os.path.dirname(path))
        assert known or inside(path, folder) or configuration, path
    for name in read:
        assert not inside(name, folder) or name.endswith((".py", ".ipynb", *LOOKED_FOR, "CACHEDIR.TAG"))


ALLOWED = {"os.listdir", "os.scandir", "os.mkdir", "os.walk"}
LOOKED_FOR = (
    *("pyproject.toml", "jaxlint.toml", ".jaxlint.toml", "ruff.toml", ".ruff.toml", ".gitignore", ".flake8"),
    *("setup.cfg", "tox.ini", ".editorconfig", "observed.json"),
)


def test_several_processes_import_nothing_of_the_folder_either(hostile: Project) -> None:
    # Without -P, Python itself puts the current folder first on the path, before jaxlint has a say.
    outcome = hostile.spawn("-P", "-m", "jaxlint", "check", "-q", ".")
    assert "this was run" not in outcome.out + outcome.err
    assert outcome.code == 1, outcome.err
    several = hostile.spawn("-P", "-m", "jaxlint", "check", "-q", "--no-cache", "-j2", ".")
    assert (several.code, several.out) == (1, outcome.out)


def test_what_starts_jaxlint_as_a_module_leaves_the_current_folder_out() -> None:
    root = Path(__file__).parents[2]
    files = [*(root / "jaxlint").rglob("*.py"), *(root / "editors").glob("vscode/src/*.ts"), root / "action.yml"]
    starts = [
        (file.name, flag)
        for file in files
        if file.name != "__main__.py"
        for flag in re.findall(r"([\w-]*)\W+-m\W+jaxlint\b", file.read_text("utf-8"))
    ]
    assert starts == [("server.py", "-P"), ("extension.ts", "-P")]
