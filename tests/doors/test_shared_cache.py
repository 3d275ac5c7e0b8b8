"""A cache that machines share, a run in parts, and the parts joined again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from jaxlint import baseline
from jaxlint.shared import DAYS, SharedCache
from tests.doors.conftest import CLEAN, LAMBDA, NESTED, Outcome, Project

LIB = "import jax\n\n\ndef scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
TRACES = "import jax\nimport lib\n\nfast = jax.jit(lib.scaled)\n"
RUN = (
    "import sys\n"
    "from jaxlint.doors.cli import main\n"
    "code = main(['check', '-q', '--shared-cache', sys.argv[1], '.'])\n"
    "print(code, *({'libcst', 'jaxlint.project'} & sys.modules.keys()))\n"
)


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("storage") / "jaxlint"


def entries(store: Path) -> list[Path]:
    return sorted(path for path in store.glob("*/*") if path.is_file())


def several(project: Project) -> None:
    project.write("pyproject.toml", "[tool.jaxlint]\nbaseline = 'known.json'\n[tool.jaxlint.verify]\nexamples = {}\n")
    project.write("known.json", baseline.empty("known.json").dumps())
    for number in range(3):
        project.write(f"pkg/a{number}.py", LAMBDA + "\n" * number)
        project.write(f"pkg/b{number}.py", NESTED + "\n" * number)
    project.write("pkg/__init__.py", "")
    project.write("lib.py", LIB)
    project.write("app.py", TRACES)


def test_another_machine_finds_what_the_first_found_wherever_the_files_lie(
    project: Project, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    several(project)
    other = tmp_path_factory.mktemp("other") / "checkout"
    shutil.copytree(project.folder, other)

    def run(folder: Path) -> list[str]:
        command = [sys.executable, "-c", RUN, str(store)]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()

    cold, warm = run(project.folder), run(other)
    assert cold[-1].split() != ["1"]
    assert warm == [*cold[:-1], "1"]
    # And by now it is known there without the storage.
    shutil.rmtree(store)
    assert run(other) == warm


def test_the_variable_names_it_too(project: Project, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAXLINT_SHARED_CACHE", str(store))
    project.write("a.py")
    assert project.json().codes == ["JAX102"]
    assert entries(store)


def test_who_must_not_write_reads(project: Project, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a.py")
    project.json("--shared-cache", str(store))
    kept = entries(store)

    def denied(*_: object, **__: object) -> NoReturn:
        raise PermissionError(13, "denied")

    monkeypatch.setattr("tempfile.mkstemp", denied)
    project.write("b.py", NESTED)
    shutil.rmtree(project.folder / ".jaxlint_cache")
    outcome = project.json("--shared-cache", str(store))
    assert (outcome.codes, outcome.err) == (["JAX102", "JAX101"], "")
    assert entries(store) == kept


def test_storage_that_is_full_is_said_once(project: Project, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    project.write("a.py")
    project.write("b.py", NESTED)
    outcome = project.json("--shared-cache", str(store))
    assert outcome.codes == ["JAX102", "JAX101"]
    assert outcome.err == (f"jaxlint: warning: {store}: the shared cache cannot be written: No space left on device\n")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut short": lambda kept: kept[:-1],
    "no JSON": lambda kept: kept.replace(b'"', b"'"),
}


@pytest.mark.parametrize("damage", [*DAMAGES, "of another key"])
def test_damaged_entries_are_ignored_and_replaced(project: Project, store: Path, damage: str) -> None:
    several(project)
    first = project.json("--shared-cache", str(store))
    paths = entries(store)
    kept = [path.read_bytes() for path in paths]
    broken = list(map(DAMAGES[damage], kept)) if damage in DAMAGES else [kept[-1], *kept[:-1]]
    for path, content in zip(paths, broken, strict=True):
        path.write_bytes(content)
    shutil.rmtree(project.folder / ".jaxlint_cache")
    again = project.json("--shared-cache", str(store))
    assert (again.code, again.out) == (first.code, first.out)
    assert again.err == f"jaxlint: warning: {store}: damaged entries of the shared cache were ignored\n"
    shutil.rmtree(project.folder / ".jaxlint_cache")
    assert project.json("--shared-cache", str(store)) == first


@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes and links of this kind")
def test_what_is_no_entry_is_neither_waited_for_nor_followed(store: Path, tmp_path: Path) -> None:
    cache = SharedCache(str(store))
    cache.put({"ab" + "0" * 38: 1, "cd" + "0" * 38: 2})
    pipe, link = entries(store)
    pipe.unlink()
    os.mkfifo(pipe)
    whole = tmp_path / "whole"
    link.rename(whole)
    link.symlink_to(whole)
    assert cache.get(["ab" + "0" * 38, "cd" + "0" * 38]) == {}
    assert cache.warnings == []


def test_many_may_write_at_a_time(project: Project, store: Path) -> None:
    several(project)
    command = [sys.executable, "-m", "jaxlint", "check", "--shared-cache", str(store), "--cache-dir"]
    running = [
        subprocess.Popen([*command, f"own{number}", "."], cwd=project.folder, stdout=subprocess.PIPE)
        for number in range(3)
    ]
    outputs = [process.communicate()[0] for process in running]
    assert len(set(outputs)) == 1
    assert all(path.suffix == ".json" for path in entries(store))
    for path in entries(store):
        key = path.parent.name + path.stem
        assert list(SharedCache(str(store)).get([key])) == [key]


def test_entries_that_nobody_asks_for_can_be_removed(project: Project, store: Path) -> None:
    several(project)
    project.json("--shared-cache", str(store))
    kept = entries(store)
    old = time.time() - (DAYS + 1) * 86_400
    os.utime(kept[0], (old, old))
    mine = store / "mine.txt"
    mine.write_text("mine")
    assert project.run("clean", "--shared-cache", str(store)).out == f"removed 1 entry of {store}\n"
    assert entries(store) == kept[1:]
    assert mine.exists()
    assert project.run("clean", "--shared-cache", "nowhere").code == 2


# --- in parts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_shards_joined_are_the_whole(project: Project, form: str) -> None:
    several(project)
    whole = project.run("check", "--output-format", form)
    parts = []
    for number in range(1, 4):
        part = project.run("check", "--output-format", form, "--shard", f"{number}/3")
        assert part.code == (1 if '"fingerprint' in part.out or '"partialFingerprints' in part.out else 0)
        parts.append(project.write(f"part{number}.out", part.out).name)
        assert part.out != whole.out
    merged = project.run("merge", *reversed(parts))
    assert (merged.code, merged.err) == (1, "")
    assert json.loads(merged.out) == json.loads(whole.out)
    if form == "json":
        assert merged.out == whole.out
    assert project.run("merge", "--exit-zero", "--output-file", "all.out", *parts) == Outcome(0, "", "")
    assert (project.folder / "all.out").read_text() == merged.out


def test_a_shard_knows_what_the_files_of_others_do(project: Project) -> None:
    project.write("lib.py", LIB)
    project.write("app.py", TRACES)
    for more in ([], ["--no-cache"], []):
        found = [project.json(*more, "--shard", f"{number}/2", ".").codes for number in (1, 2)]
        assert found == [[], []]  # alone, lib.py would have a finding


def test_a_new_file_moves_no_other_to_another_shard(project: Project) -> None:
    def parts() -> list[list[str]]:
        shown = (
            project.run("check", "--shard", f"{number}/2", "--output-format", "json").findings for number in (1, 2)
        )
        return [[finding["filename"] for finding in findings] for findings in shown]

    for number in range(6):
        project.write(f"a{number}.py")
    before = parts()
    project.write("new.py", CLEAN)
    assert parts() == before


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0"])
def test_a_shard_that_does_not_exist_is_wrong_usage(project: Project, text: str) -> None:
    outcome = project.run("check", "--shard", text)
    assert outcome.code == 2
    assert "must be two whole numbers" in outcome.err


def test_json_lines_are_joined_as_json(project: Project) -> None:
    project.write("a.py")
    project.write("b.py", NESTED)
    project.write("one", project.run("check", "--output-format", "json-lines", "a.py").out)
    project.write("two", project.run("check", "--output-format", "json-lines", "b.py", "a.py").out)
    assert project.run("merge", "one", "two").findings == project.json("a.py", "b.py").findings


def test_nothing_joined_with_nothing_is_nothing(project: Project) -> None:
    project.write("a", "[]\n")
    project.write("b", "")
    assert project.run("merge", "a", "b") == Outcome(0, "[]\n", "")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("rdjson", "rdjson: give reviewdog one file after the other"),
        ("junit", "JUnit: whatever shows it takes several files"),
        ("gitlab", "GitLab joins the reports of several jobs by itself"),
        ("text", "this is neither"),
    ],
)
def test_what_cannot_be_joined_is_said(project: Project, form: str, said: str) -> None:
    project.write("a.py")
    project.write("found", project.run("check", "--output-format", form).out)
    outcome = project.run("merge", "found")
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_json_and_sarif_do_not_mix(project: Project) -> None:
    project.write("a.py")
    project.write("a.json", project.json().out)
    project.write("a.sarif", project.run("check", "--output-format", "sarif").out)
    outcome = project.run("merge", "a.json", "a.sarif")
    assert (outcome.code, outcome.out) == (2, "")
    assert "a.sarif is SARIF and a.json is JSON" in outcome.err
    assert "no-such: cannot be read" in project.run("merge", "no-such").err


def test_sarif_of_different_versions_keeps_a_run_for_each(project: Project) -> None:
    project.write("a.py")
    text = project.run("check", "--output-format", "sarif").out
    project.write("a", text)
    project.write("b", text.replace('"semanticVersion": "', '"semanticVersion": "9.'))
    outcome = project.run("merge", "a", "b")
    assert len(json.loads(outcome.out)["runs"]) == 2
    assert "different tools or versions" in outcome.err
