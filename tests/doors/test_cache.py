"""What runs keep for later ones: the same findings, found faster; and a cache that fails costs nothing but time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint import report
from tests.doors.conftest import LAMBDA, NESTED, Outcome, Project
from tests.notebooks import notebook

LIB = "import jax\n\n\ndef scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
TRACES = "import jax\nimport lib\n\nfast = jax.jit(lib.scaled)\n"
CALLS = "import jax\nimport lib\n\n\ndef use(x):\n    for _ in range(100):\n        x = lib.scaled(x)\n    return x\n"
ROOT = Path(__file__).parent.parent.parent


def cache_of(project: Project) -> Path:
    return project.folder / ".jaxlint_cache" / "v1.sqlite3"


def test_the_same_cold_and_warm_on_all_of_testdata(project: Project) -> None:
    folder = str(ROOT / "testdata")
    options = ("--min-confidence", "low", "--preview", "--isolated", folder)
    cold = project.json(*options)
    assert len(cold.findings) > 100
    for more in ([], ["-j2"], ["-j1", "--no-cache"], ["-j2", "--no-cache"]):
        assert project.json(*more, *options) == cold


@pytest.mark.parametrize("name", report.names())
def test_the_same_cold_and_warm_in_each_format(project: Project, name: str) -> None:
    project.write(
        "a.py", "import jax\n\n\ndef f(x):\n    return jax.jit(\n        lambda y: y * 2\n    )(x)  # noqa JAX\n"
    )
    project.write("b.py", NESTED)
    project.write("broken.py", "import jax\ndef f(:\n")
    project.write("c.ipynb", json.dumps(notebook("import jax", LAMBDA)))
    cold = project.run("check", "--output-format", name)
    assert cold.code == 1
    assert project.run("check", "--output-format", name) == cold
    assert project.run("check", "--output-format", name, "--no-cache") == cold


def test_a_warm_run_loads_no_parser_and_starts_no_process(project: Project) -> None:
    for number in range(5):
        project.write(f"a{number}.py")
    project.write("lib.py", LIB)
    project.write("app.py", TRACES)
    code = (
        "import sys\n"
        "from jaxlint.doors.cli import main\n"
        "code = main(['check', '-q', '.'])\n"
        "heavy = {'libcst', 'multiprocessing', 'jaxlint.project', 'jaxlint.facts.summary.record'}\n"
        "print(code, *(heavy & sys.modules.keys()))\n"
    )

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=project.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    cold, warm = run(), run()
    assert cold[-1].split() != ["1"]
    assert warm == [*cold[:-1], "1"]


def test_an_edit_of_a_caller_renews_what_is_found_in_the_callee(project: Project) -> None:
    project.write("lib.py", LIB)
    project.write("app.py", CALLS)
    assert project.json().codes == ["JAX102"]
    project.write("app.py", TRACES)
    assert project.json().codes == []
    project.write("app.py", CALLS)
    assert project.json().codes == ["JAX102"]
    (project.folder / "app.py").unlink()
    project.write("other.py", TRACES)
    assert project.json().codes == []
    project.write("pyproject.toml", '[tool.jaxlint]\nselect = ["JAX101"]\n')
    project.write("other.py", CALLS)
    assert project.json().codes == []
    assert project.json("--select", "JAX102").codes == ["JAX102"]


def test_whatever_a_finding_depends_on_is_part_of_its_key(project: Project) -> None:
    project.write("a.py")
    project.write("b.py", LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102\n"))
    assert project.json().codes == ["JAX102"]
    assert project.json("--ignore", "JAX102").codes == []
    assert project.json("--per-file-ignores", "a.py:JAX1").codes == []
    os.rename(project.folder / "a.py", project.folder / "test_a.py")
    assert project.json().codes == []
    low = project.json("--min-confidence", "low")
    assert [(f["filename"], f["confidence"]) for f in low.findings] == [("test_a.py", "low")]
    os.rename(project.folder / "test_a.py", project.folder / "c.py")
    assert [f["filename"] for f in project.json().findings] == ["c.py"]
    # A name is no content: the same file by another path.
    around = f"../{project.folder.name}"
    assert [f["filename"] for f in project.json(f"{around}/c.py").findings] == [f"{around}/c.py"]


def test_a_damaged_cache_is_made_anew_with_one_warning(project: Project) -> None:
    project.write("a.py")
    first = project.json()
    for content in (b"", b"SQLite format 3\0" + b"x" * 5000, b"nonsense" * 999, cache_of(project).read_bytes()[:4096]):
        cache_of(project).write_bytes(content)
        outcome = project.json()
        assert (outcome.code, outcome.findings) == (1, first.findings)
        assert outcome.err.count("warning") <= 1
        assert project.json() == first


def test_values_that_make_no_sense_are_found_out_anew(project: Project) -> None:
    import sqlite3

    project.write("a.py")
    project.write("lib.py", LIB)
    project.write("app.py", TRACES)
    first = project.json()
    for value in ("[[1]]", "{}", "17", "[", '["a", "b", "c"]'):
        connection = sqlite3.connect(cache_of(project))
        with connection:
            connection.execute("UPDATE entries SET value = ?", (value,))
        connection.close()
        outcome = project.json()
        assert (outcome.code, outcome.findings) == (1, first.findings)


def test_a_cache_that_cannot_be_used_is_done_without(project: Project) -> None:
    project.write("a.py")
    project.write("b.py")
    (project.folder / ".jaxlint_cache").write_text("a file")
    outcome = project.json()
    assert outcome.codes == ["JAX102", "JAX102"]
    assert outcome.err.count("\n") == 1
    assert "the cache cannot be used" in outcome.err
    assert project.json("--no-cache").err == ""


def test_processes_may_share_a_cache(project: Project) -> None:
    for number in range(20):
        project.write(f"a{number}.py")
    command = [sys.executable, "-m", "jaxlint", "check", "-q", "--output-format", "json", "."]
    running = [
        subprocess.Popen(command, cwd=project.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outcomes = [(*process.communicate(), process.returncode) for process in running]
    assert {(err, code) for _, err, code in outcomes} == {("", 1)}
    assert len({out for out, _, _ in outcomes}) == 1
    assert len(project.json().codes) == 20


def test_where_it_is_and_how_to_be_rid_of_it(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    project.write("pyproject.toml", "[tool.jaxlint]\n")
    project.write("pkg/a.py")
    assert project.json("pkg").codes == ["JAX102"]
    folder = project.folder / ".jaxlint_cache"
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"
    assert project.run("clean", "pkg") == Outcome(0, "removed .jaxlint_cache\n", "")
    assert not folder.exists()
    assert project.run("clean") == Outcome(0, "", "")
    elsewhere = tmp_path_factory.mktemp("cache") / "deep" / "er"
    assert project.json("--cache-dir", str(elsewhere), "pkg").codes == ["JAX102"]
    assert not folder.exists()
    assert project.run("clean", "--cache-dir", str(elsewhere)).code == 0
    assert not elsewhere.exists()


def test_a_repository_of_several_projects_has_one_cache_above_them(project: Project) -> None:
    for name in ("one", "two"):
        project.write(f"{name}/pyproject.toml", "[tool.jaxlint]\n")
        project.write(f"{name}/a.py")
    assert project.json().codes == ["JAX102", "JAX102"]
    assert [path.parent for path in project.folder.rglob(".jaxlint_cache")] == [project.folder]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_where_the_cache_would_write_creates_nothing_elsewhere(project: Project) -> None:
    project.write("a.py")
    folder = project.folder / ".jaxlint_cache"
    folder.mkdir()
    for name in (".gitignore", "CACHEDIR.TAG"):
        (folder / name).symlink_to(project.folder / "elsewhere")
    assert project.json().codes == ["JAX102"]
    assert not (project.folder / "elsewhere").exists()


@pytest.mark.parametrize(
    "sql",
    [
        (
            "CREATE VIEW entries AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT hex(i) AS key, '[]' AS value, 0 AS day FROM n"
        ),
        (
            "CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT, day INTEGER);"
            "CREATE TRIGGER more AFTER INSERT ON entries BEGIN INSERT INTO entries "
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hex(i), '', 0 FROM n; END"
        ),
    ],
)
def test_a_cache_that_would_answer_without_end_is_made_again(project: Project, sql: str) -> None:
    import sqlite3

    project.write("a.py")
    (project.folder / ".jaxlint_cache").mkdir()
    connection = sqlite3.connect(cache_of(project))
    connection.executescript(sql)
    connection.close()
    outcome = project.json()
    assert outcome.codes == ["JAX102"]
    assert outcome.err.count("warning") == 1
    assert project.json().err == ""


def test_clean_leaves_alone_what_is_not_a_cache(project: Project) -> None:
    file = project.write(".jaxlint_cache/mine.txt", "mine")
    assert project.run("clean") == Outcome(0, "", "")
    assert project.run("clean", "--cache-dir", ".") == Outcome(0, "", "")
    assert project.run("clean", "gone") == Outcome(2, "", "jaxlint: error: gone: no such folder\n")
    assert file.exists()
