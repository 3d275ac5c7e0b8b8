"""Which files are found; for what git ignores, git itself is the judge."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jaxlint.config import DEFAULT_EXCLUDE, Finder, Layer
from jaxlint.discovery import discover


def make(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")


def names(*paths: str, **values: object) -> list[str]:
    """Return the names of the files found, with some keys configured."""
    layer = Layer({key.replace("_", "-"): value for key, value in values.items()})
    return [file.name for file in discover(paths, Finder(over=[layer])).files]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(root: Path, *arguments: str) -> str:
    # Nothing of this machine's own configuration may decide.
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, env=environment)
    return done.stdout.decode()


def test_python_files_in_the_order_of_their_paths(root: Path) -> None:
    make(root, "b.py", "a/z.py", "a.py", "a/b/c.py", "a-b/x.py", "a/n.txt", "a/stub.pyi", "n.ipynb", "py")
    assert names(".") == ["a/b/c.py", "a/z.py", "a-b/x.py", "a.py", "b.py", "n.ipynb"]
    assert names("a", "b.py") == ["a/b/c.py", "a/z.py", "b.py"]
    assert names(str(root / "a")) == [str(root / "a/b/c.py"), str(root / "a/z.py")]


def test_what_is_named_is_found_whatever_it_is_called(root: Path) -> None:
    make(root, "script", "stub.pyi")
    assert names("script", "stub.pyi") == ["script", "stub.pyi"]


@pytest.mark.parametrize(
    "folder",
    sorted(set(DEFAULT_EXCLUDE) - {".#*"}),
)
def test_folders_that_hold_no_code_of_the_project(root: Path, folder: str) -> None:
    make(root, "a.py", f"{folder}/a.py", f"pkg/{folder}/sub/a.py", f"{folder}_/a.py", f"lib/{folder}/{folder}/a.py")
    make(root, f"lib/{folder}/b.py")
    assert set(names(".")) == {f"{folder}_/a.py", "a.py"}
    # A folder that is named is entered, but not such a folder in it.
    assert names(f"pkg/{folder}") == [f"pkg/{folder}/sub/a.py"]
    assert names(f"lib/{folder}") == [f"lib/{folder}/b.py"]
    assert names(f"{folder}/a.py") == [f"{folder}/a.py"]
    assert names(f"{folder}/a.py", folder, force_exclude=True) == []


def test_locks_of_editors_are_no_files(root: Path) -> None:
    (root / ".#a.py").symlink_to("someone@somewhere.1234")
    found = discover(["."], Finder())
    assert (found.files, found.errors) == ([], [])


def test_links(root: Path) -> None:
    make(root, "pkg/a.py", "elsewhere/b.py")
    (root / "pkg" / "loop").symlink_to("..")
    (root / "pkg" / "self").symlink_to("self")
    (root / "pkg" / "self.py").symlink_to("self.py")
    (root / "pkg" / "folder.py").symlink_to("../elsewhere")
    (root / "pkg" / "link.py").symlink_to("../elsewhere/b.py")
    # That `self.py` cannot be read is for the run to say.
    assert names("pkg") == ["pkg/a.py", "pkg/link.py", "pkg/self.py"]
    # A link that is named is followed.
    assert names("pkg/folder.py") == ["pkg/folder.py/b.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such pipes")
def test_a_pipe_is_no_file(root: Path) -> None:
    make(root, "a.py")
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to("pipe.py")
    assert names(".") == ["a.py"]


def test_the_empty_name_is_not_the_current_folder(root: Path) -> None:
    make(root, "a.py")
    assert discover([""], Finder()).errors == ["'': no such file or folder"]


def test_paths_that_are_not_there(root: Path) -> None:
    make(root, "a.py")
    found = discover(["gone.py", "a.py", "gone/b.py"], Finder())
    assert [file.name for file in found.files] == ["a.py"]
    assert found.errors == ["gone.py: no such file or folder", "gone/b.py: no such file or folder"]


def test_a_folder_that_cannot_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, "a.py", "pkg/b.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "pkg":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover(["."], Finder())
    assert [file.name for file in found.files] == ["a.py"]
    assert found.errors == ["pkg: cannot be read: Permission denied"]


def test_exclusions(root: Path) -> None:
    make(root, "a.py", "gen/a.py", "src/gen/a.py", "src/b_pb2.py", "src/keep_pb2.py")
    assert names(".", extend_exclude=("gen/",)) == ["a.py", "src/b_pb2.py", "src/keep_pb2.py"]
    assert names(".", extend_exclude=("/gen/", "src/b*")) == ["a.py", "src/gen/a.py", "src/keep_pb2.py"]
    assert names(".", extend_exclude=("*_pb2.py", "!keep_pb2.py", "gen")) == ["a.py", "src/keep_pb2.py"]
    assert names(".", exclude=("src/",)) == ["a.py", "gen/a.py"]
    assert names("gen", extend_exclude=("gen",)) == ["gen/a.py"]
    assert names("src", extend_exclude=("src",)) == ["src/b_pb2.py", "src/gen/a.py", "src/keep_pb2.py"]


def test_exclusions_are_relative_to_the_file_that_they_stand_in(root: Path) -> None:
    make(root, "gen/a.py", "pkg/gen/a.py", "pkg/src/gen/a.py")
    (root / "pkg" / "jaxlint.toml").write_text('extend-exclude = ["/gen/"]')
    assert names(".") == ["gen/a.py", "pkg/src/gen/a.py"]


def test_exclusions_hold_for_folders_elsewhere(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, "here/sub/a.py", "here/gen/a.py", "there/a.py", "there/gen/a.py", "there/.venv/a.py")
    monkeypatch.chdir(root / "here" / "sub")
    assert names("../../there") == ["../../there/a.py", "../../there/gen/a.py"]
    assert names(str(root / "there"), extend_exclude=("gen",)) == [str(root / "there" / "a.py")]
    assert names("..", extend_exclude=("gen", "/a.py")) == []


IGNORE_FILES = {
    "names": {".gitignore": "gen\n*.tmp.py\n# a.py\n\n   \n\\#odd.py\n"},
    "anchored": {".gitignore": "/gen/\nsrc/gen\nsrc/*.py\n"},
    "folders only": {".gitignore": "gen/\na.py/\n"},
    "taken back": {".gitignore": "*.py\n!a.py\n!src/\nsrc/gen/\n!src/gen/a.py\n"},
    "nested": {".gitignore": "a.py\n", "src/.gitignore": "!a.py\n/b.py\n", "src/gen/.gitignore": "*\n"},
    "stars": {".gitignore": "**/gen/**\nsrc/**/b.py\n[ab].py\n?.tmp.py\n"},
    "windows line ends": {".gitignore": "gen/\r\nb.py\r\n"},
    "byte order mark": {".gitignore": "\ufeffgen/\nb.py\n"},
    "of the clone": {".git/info/exclude": "gen/\nb.py\n", "src/.gitignore": "!b.py\n"},
    "all": {".gitignore": "*\n"},
}
FILES = ("a.py", "b.py", "x.tmp.py", "#odd.py", "gen/a.py", "src/a.py", "src/b.py", "src/gen/a.py", "src/deep/b.py")


@pytest.mark.parametrize("case", IGNORE_FILES)
@pytest.mark.parametrize("start", [".", "src"])
def test_what_git_ignores_is_not_found(root: Path, case: str, start: str) -> None:
    git(root, "init", "--quiet")
    make(root, *FILES)
    for name, text in IGNORE_FILES[case].items():
        (root / name).write_bytes(text.encode())
    listed = git(root, "ls-files", "--others", "--exclude-standard", "-z", start).split("\0")
    expected = {name for name in listed if name.endswith(".py")}
    assert set(names(start)) == expected
    # The case says something: git leaves some file out.
    assert case == "all" or expected != {name for name in FILES if start == "." or name.startswith("src/")}
    everything = {name for name in FILES if start == "." or name.startswith("src/")}
    assert set(names(start, respect_gitignore=False)) == everything


def test_a_folder_that_git_ignores_is_entered_where_named(root: Path) -> None:
    git(root, "init", "--quiet")
    make(root, "data/a.py", "data/b.tmp.py", "data/sub/c.py")
    (root / ".gitignore").write_text("data/\n*.tmp.py\n")
    assert names(".") == []
    assert names("data") == ["data/a.py", "data/sub/c.py"]
    assert names("data/b.tmp.py") == ["data/b.tmp.py"]


def test_ignore_files_above_the_repository_do_not_count(root: Path) -> None:
    make(root, "repo/a.py", "repo/sub/a.py")
    (root / ".gitignore").write_text("a.py\n")
    git(root / "repo", "init", "--quiet")
    assert names("repo/sub") == ["repo/sub/a.py"]
    # With no repository, those in the folder count.
    assert names(".") == []


def test_a_linked_work_tree_has_the_exclusions_of_its_repository(root: Path) -> None:
    git(root, "init", "--quiet", "main")
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    git(root / "main", *identity, "commit", "--quiet", "--allow-empty", "-m", "start")
    git(root / "main", "worktree", "add", "--quiet", "../linked")
    (root / "main/.git/info/exclude").write_text("b.py\n")
    make(root, "linked/a.py", "linked/b.py")
    assert names("linked") == ["linked/a.py"]


def test_patterns_that_git_cannot_read_are_skipped_as_by_git(root: Path) -> None:
    git(root, "init", "--quiet")
    make(root, "a.py", "b.py")
    (root / ".gitignore").write_text("!\n/\nb.py\n")
    assert names(".") == ["a.py"]


def test_each_file_has_the_nearest_configuration(root: Path) -> None:
    make(root, "a.py", "pkg/a.py", "pkg/sub/a.py")
    (root / "pyproject.toml").write_text("[tool.jaxlint]\n")
    (root / "pkg" / "jaxlint.toml").write_text("")
    (root / "pkg" / "sub" / "pyproject.toml").write_text("[project]\n")
    found = discover(["."], Finder())
    assert {file.name: file.config.file for file in found.files} == {
        "a.py": str(root / "pyproject.toml"),
        "pkg/a.py": str(root / "pkg/jaxlint.toml"),
        "pkg/sub/a.py": str(root / "pkg/jaxlint.toml"),
    }
