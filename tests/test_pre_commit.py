"""The hooks, installed and run by pre-commit itself from a repository of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks import dumps, notebook

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (".pre-commit-hooks.yaml", "jaxlint", "pyproject.toml", "README.md", "LICENSE", "hatch_build.py")
FIXABLE = "import jax\n\n\n@jax.jit\ndef total(x, axis):\n    return x.sum(axis=axis)\n"
UNFIXABLE = "import jax\n\n\n@jax.jit\ndef first(x):\n    return x[x > 0]\n"


class Repository:
    """A git repository, and what pre-commit does in it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._environment = {
            **os.environ,
            "PRE_COMMIT_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
        }
        # Set where the tests themselves run in a hook.
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
            self._environment.pop(name, None)
        folder.mkdir(exist_ok=True)
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        return self._run("git", *arguments, check=True).stdout

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", "all")

    def hook(self, name: str) -> tuple[int, str]:
        done = self._run(sys.executable, "-m", "pre_commit", "run", "--color", "never", name, check=False)
        return done.returncode, done.stdout + done.stderr

    def _run(self, *command: str, check: bool) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=check
        )


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The repository of the hooks, at its tag v1."""
    repository = Repository(tmp_path_factory.mktemp("hooks"), tmp_path_factory.mktemp("home"))
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, repository.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, repository.folder)
    repository.commit()
    repository.git("tag", "v1")
    return repository


def test_hooks_lint_and_fix_what_is_committed(hooks: Repository, tmp_path: Path) -> None:
    project = Repository(tmp_path / "project", tmp_path / "home")
    (project.folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks.folder.as_uri()}\n    rev: v1\n    hooks:\n"
        "      - id: jaxlint-fix\n        exclude: left/\n      - id: jaxlint\n"
    )
    for name in ("a.py", "left/b.py", "excluded/c.py", "d.txt", "e.pyi"):
        (project.folder / name).parent.mkdir(exist_ok=True)
        (project.folder / name).write_text(FIXABLE)
    (project.folder / "g.ipynb").write_text(dumps(notebook(FIXABLE)))
    (project.folder / "f.py").write_text(UNFIXABLE)
    (project.folder / "pyproject.toml").write_text("[tool.jaxlint]\nexclude = ['excluded/']\n")
    project.git("add", "--all")

    code, out = project.hook("jaxlint")
    assert code == 1, out
    assert [line.split(" ")[0] for line in out.splitlines() if ": JAX" in line] == [
        "a.py:6:23:",
        "e.pyi:6:23:",
        "f.py:6:12:",
        "g.ipynb:cell",
        "left/b.py:6:23:",
    ]

    code, out = project.hook("jaxlint-fix")
    assert code == 1, out
    assert "files were modified by this hook" in out
    assert "static_argnames" in (project.folder / "a.py").read_text()
    assert project.git("diff", "--name-only").split() == ["a.py", "e.pyi", "g.ipynb"]
    # What cannot be fixed is left to the other hook.
    assert ": JAX" not in out
    project.git("add", "--all")

    (project.folder / "f.py").write_text("import jax\n")
    shutil.rmtree(project.folder / "left")
    project.git("add", "--all")
    for name in ("jaxlint", "jaxlint-fix"):
        code, out = project.hook(name)
        assert code == 0, out
