"""Starting with many findings: a baseline, comments that hide, and comments that hide nothing."""

from __future__ import annotations

import ast
import json
import os
import sys

import pytest

from tests.doors.conftest import LAMBDA, NESTED, Project

# --- baseline ---


def test_what_is_in_the_baseline_is_not_reported(project: Project) -> None:
    project.write("a.py")
    project.write("src/b.py", NESTED)
    outcome = project.run("check", "--baseline", "known.json", "--write-baseline")
    assert (outcome.code, outcome.out, outcome.err) == (0, "2 findings known in 2 files.\n", "")
    assert project.json("--baseline", "known.json").codes == []
    assert project.json().codes == ["JAX102", "JAX101"]
    written = json.loads((project.folder / "known.json").read_text())
    assert list(written["files"]) == ["a.py", "src/b.py"]
    assert written["files"]["a.py"][0]["line"] == "return jax.jit(lambda y: y * 2)(x)"


def test_the_baseline_stands_in_the_configuration(project: Project) -> None:
    project.write("src/a.py")
    project.write("pyproject.toml", "[tool.jaxlint]\nbaseline = 'known.json'\n")
    assert project.run("check", "--write-baseline").code == 0
    assert project.run("check", "src/a.py").code == 0
    assert project.run("check", "--baseline", "", "src/a.py").code == 1
    assert project.run("check", "--config", "baseline = 'gone.json'").code == 2


def test_a_finding_may_move_and_a_new_one_is_reported(project: Project) -> None:
    project.write("a.py")
    assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 0
    project.write("a.py", '"""Moved."""\n\n' + LAMBDA.replace("return jax", "x = x + 1\n    return   jax"))
    assert project.json("--baseline", "known.json").codes == []
    project.write("a.py", LAMBDA + "\n\ndef scale_more(x):\n    return jax.jit(lambda y: y * 2)(x)\n")
    outcome = project.json("--baseline", "known.json")
    assert [finding["location"]["row"] for finding in outcome.findings] == [9]
    # Two in one function, on rows that read the same: the second is one more.
    project.write("a.py", LAMBDA.replace("return ", "x = ") + "    x = jax.jit(lambda y: y * 2)(x)\n    return x\n")
    assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 0
    project.write(
        "a.py", LAMBDA.replace("return ", "x = ") + "    x = jax.jit(lambda y: y * 2)(x)\n" * 2 + "    return x\n"
    )
    outcome = project.json("--baseline", "known.json")
    assert [finding["location"]["row"] for finding in outcome.findings] == [7]


def test_low_findings_do_not_change_what_is_known(project: Project) -> None:
    text = LAMBDA.replace("def scale(x)", "def scale(x, y)")
    project.write("a.py", text)
    assert project.run("check", "--baseline", "known.json", "--write-baseline", "--min-confidence", "low").code == 0
    assert project.json("--baseline", "known.json").codes == []


def test_writing_part_of_a_baseline_keeps_the_rest(project: Project) -> None:
    for name in ("a.py", "b.py", "c.py"):
        project.write(name)
    assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 0
    project.write("a.py", "")
    (project.folder / "c.py").unlink()
    outcome = project.run("check", "--baseline", "known.json", "--write-baseline", "a.py")
    assert outcome.out == "1 finding known in 1 file.\n"
    assert list(json.loads((project.folder / "known.json").read_text())["files"]) == ["b.py"]


def test_what_is_known_is_not_fixed(project: Project) -> None:
    text = "import jax\n\n\n@jax.jit\ndef total(x, axis):\n    return x.sum(axis=axis)\n"
    file = project.write("a.py", text)
    assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 0
    assert project.run("check", "--baseline", "known.json", "--fix").code == 0
    assert file.read_text() == text
    assert project.run("check", "--fix").code == 0
    assert file.read_text() != text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        ("[", "no baseline: JSONDecodeError"),
        ("[]", "no baseline: TypeError"),
        ('{"version": 1, "files": {"a.py": [{}]}}', "no baseline: KeyError"),
        ('{"version": 2, "files": {}}', "written by another version"),
    ],
)
def test_a_baseline_that_is_none(project: Project, text: str | None, message: str) -> None:
    project.write("a.py")
    if text is not None:
        project.write("known.json", text)
    for command in ("check", "verify"):
        outcome = project.run(command, "--config", "baseline = 'known.json'", "a.py")
        assert outcome.code == 2
        assert message in outcome.err
    if text is not None:
        assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 2
        assert (project.folder / "known.json").read_text() == text


def test_files_that_cannot_be_linted_are_not_known(project: Project) -> None:
    project.write("a.py", "import jax\njax.jit(\n")
    outcome = project.run("check", "--baseline", "known.json", "--write-baseline")
    assert (outcome.code, outcome.out) == (0, "0 findings known in 0 files.\n")
    assert project.json("--baseline", "known.json").codes == ["JAX001"]


# --- comments that hide ---

HARD = '''\
import jax


def many(x):
    a = jax.jit(lambda y: y * 2)(x); b = jax.jit(lambda y: y * 3)(x)
    c = jax.jit(lambda y: y * 2)(x)  # a remark
    d = jax.jit(lambda y: y * 2)(x)  # noqa: E501
    e = jax.jit(lambda y: y * 2)(x)  # noqa: E501, W291  # and more
    f = jax.jit(
        lambda y: y * 2
    )(x)
    g = 1 + \\
        jax.jit(lambda y: y * 2)(x) + \\
        2
    h = jax.jit(lambda y: y * 2)("""
    """)   \n\
    i = jax.jit(lambda y: y * 2)(x)  # noqa: JAX102
    return a, b, c, d, e, f, g, h, i
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_are_added_where_they_hide(project: Project, newline: str) -> None:
    file = project.write("a.py", HARD.replace("\n", newline))
    outcome = project.run("check", "--add-noqa=not called often", "a.py")
    assert (outcome.code, outcome.out, outcome.err) == (0, "Added 7 comments in 1 file.\n", "")
    text = file.read_bytes().decode()
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(HARD))
    assert text.count("\r\n") == (text.count("\n") if newline == "\r\n" else 0)
    lines = text.split(newline)
    assert lines[4].endswith("y * 3)(x)  # noqa: JAX102 not called often")
    assert lines[5].endswith("# a remark  # noqa: JAX102 not called often")
    assert lines[6].endswith("  # noqa: E501, JAX102")
    assert lines[7].endswith("  # noqa: E501, W291, JAX102  # and more")
    assert lines[8].endswith("f = jax.jit(  # noqa: JAX102 not called often")
    assert lines[13] == "        2  # noqa: JAX102 not called often"
    assert lines[15].startswith('    """)  # noqa: JAX102 not called often')
    again = project.run("check", "--add-noqa", "a.py")
    assert (again.code, again.out) == (0, "Added 0 comments in 0 files.\n")
    assert project.run("check", "a.py").code == 0


def test_a_path_is_not_taken_for_the_reason(project: Project) -> None:
    file = project.write("a.py")
    assert project.run("check", "--add-noqa", "a.py").code == 0
    assert file.read_text() == LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102\n")


def test_what_no_comment_hides_is_left(project: Project) -> None:
    project.write("a.py", "import jax\njax.jit(\n")
    outcome = project.run("check", "--add-noqa", "a.py")
    assert outcome.code == 1
    assert outcome.err == "jaxlint: warning: a.py: JAX001 is about the whole file and cannot be hidden on a line\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--add-noqa=E501 too"],
        ["--add-noqa=one\ntwo"],
        ["--add-noqa", "--fix"],
        ["--add-noqa", "--diff"],
        ["--add-noqa", "-"],
        ["--write-baseline"],
        ["--write-baseline", "--baseline", "known.json", "--fix"],
        ["--write-baseline", "--baseline", "known.json", "-"],
    ],
)
def test_wrong_usage(project: Project, arguments: list[str]) -> None:
    file = project.write("a.py")
    assert project.run("check", *arguments).code == 2
    assert file.read_text() == LAMBDA


# --- comments that hide nothing ---


def test_comments_that_hide_nothing(project: Project) -> None:
    text = LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102, JAX101\n") + (
        "\n\n"
        '"""# noqa: JAX101"""\n'
        "a = 1  # noqa\n"
        "b = 1  # noqa: E501, JAX1\n"
        "c = 1  # noqa: JAX777\n"
        "d = 1  # noqa: JAX2\n"
    )
    project.write("a.py", text)
    outcome = project.run("check", "--warn-unused-noqa", "--ignore", "JAX2", "a.py")
    assert (outcome.code, outcome.out) == (1, "Found nothing in 1 file; 3 unused noqa comments.\n")
    assert outcome.err.splitlines() == [
        "jaxlint: warning: a.py:5: unused noqa: JAX101 hides nothing",
        "jaxlint: warning: a.py:10: unused noqa: JAX1 hides nothing",
        "jaxlint: warning: a.py:11: unused noqa: no rule's code starts with JAX777",
    ]
    assert project.run("check", "--warn-unused-noqa", "--exit-zero", "a.py").code == 0
    assert project.run("check", "a.py").err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_baseline_holds_files_whose_names_cannot_be_decoded(project: Project) -> None:
    (project.folder / os.fsdecode(b"\xff \n'.py")).write_text(LAMBDA)
    assert project.run("check", "--baseline", "known.json", "--write-baseline").code == 0
    assert project.json("--baseline", "known.json").codes == []
