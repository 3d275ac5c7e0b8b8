"""`jaxlint check --fix` and its kin: what is written, what is printed, and how it ends."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import subprocess
from collections.abc import Iterator

import pytest

from jaxlint import checking
from jaxlint.checked import Checked
from jaxlint.finding import Applicability, Edit, Fix, Span
from jaxlint.rules import Report, jax101_jit_of_nested_function, jax102_jit_of_lambda
from tests.doors.conftest import LAMBDA, NESTED, Project

FIXED = "import jax\n\n\ndef scale(x):\n    return x * 2\n"
"""What the fix below makes of `LAMBDA`."""
DIFF = """\
--- a/a.py
+++ b/a.py
@@ -2,4 +2,4 @@
{blank}
{blank}
 def scale(x):
-    return jax.jit(lambda y: y * 2)(x)
+    return x * 2
""".format(blank=" ")


class Mending:
    """A fix for JAX102, as plain as can be: the whole of `jax.jit(lambda y: y * 2)(x)` becomes `x * 2`.

    JAX101 has none.
    """

    applicability = Applicability.SAFE


@pytest.fixture(autouse=True)
def mending(monkeypatch: pytest.MonkeyPatch) -> Mending:
    mending = Mending()
    check = jax102_jit_of_lambda.check

    def check_and_mend(facts) -> Iterator[Report]:  # type: ignore[no-untyped-def]
        for report in check(facts):
            start = facts.span(report.node).start
            end = facts.source.text.index("(x)", start) + 3
            fix = Fix(mending.applicability, "drop it", (Edit(Span(start, end), "x * 2"),))
            yield Report(report.node, report.message, report.evidence, fixes=lambda fix=fix: [fix])  # type: ignore[misc]

    nested = jax101_jit_of_nested_function.check

    def check_only(facts) -> Iterator[Report]:  # type: ignore[no-untyped-def]
        return (dataclasses.replace(report, fixes=tuple) for report in nested(facts))

    monkeypatch.setattr(jax102_jit_of_lambda, "check", check_and_mend)
    monkeypatch.setattr(jax101_jit_of_nested_function, "check", check_only)
    return mending


def test_fix_writes_and_reports_what_is_left(project: Project) -> None:
    mended, left = project.write("a.py"), project.write("b.py", NESTED)
    outcome = project.run("check", "--fix", "--output-format", "concise", "a.py", "b.py")
    assert outcome.code == 1
    assert mended.read_text() == FIXED
    assert left.read_text() == NESTED
    assert outcome.out.splitlines()[0].startswith("b.py:8:12: JAX101 ")
    assert outcome.out.splitlines()[-1].startswith("Found 1 finding (0 at high confidence) in 2 files; fixed 1.")
    assert outcome.err == ""


def test_all_fixed_ends_with_0(project: Project) -> None:
    project.write("a.py")
    outcome = project.run("check", "--fix")
    assert (outcome.code, outcome.out) == (0, "Found nothing in 1 file; fixed 1.\n")
    again = project.run("check", "--fix")
    assert (again.code, again.out) == (0, "Found nothing in 1 file.\n")


def test_exit_non_zero_on_fix(project: Project) -> None:
    project.write("a.py")
    assert project.run("check", "--fix", "--exit-non-zero-on-fix").code == 1
    assert project.run("check", "--fix", "--exit-non-zero-on-fix").code == 0


def test_unsafe_fixes_are_applied_on_demand(project: Project, mending: Mending) -> None:
    mending.applicability = Applicability.UNSAFE
    file = project.write("a.py")
    assert project.run("check", "--fix").code == 1
    assert file.read_text() == LAMBDA
    project.write("pyproject.toml", "[tool.jaxlint]\nunsafe-fixes = true\n")
    assert project.run("check", "--fix", "--no-unsafe-fixes").code == 1
    assert file.read_text() == LAMBDA
    assert project.run("check", "--fix").code == 0
    assert file.read_text() == FIXED


def test_suggestions_are_never_applied(project: Project, mending: Mending) -> None:
    mending.applicability = Applicability.DISPLAY
    file = project.write("a.py")
    assert project.run("check", "--fix", "--unsafe-fixes").code == 1
    assert file.read_text() == LAMBDA


@pytest.mark.parametrize(
    "arguments",
    [
        ["--unfixable", "JAX102"],
        ["--unfixable", "JAX1"],
        ["--fixable", "JAX2,JAX101"],
        ["--fixable", "JAX10", "--unfixable", "JAX10"],
        ["--config", "unfixable = ['JAX102']"],
    ],
)
def test_rules_that_must_not_be_fixed(project: Project, arguments: list[str]) -> None:
    file = project.write("a.py")
    outcome = project.json("--fix", *arguments)
    assert (outcome.codes, [finding["fixes"] for finding in outcome.findings]) == (["JAX102"], [[]])
    assert file.read_text() == LAMBDA


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fixable", "JAX102", "--unfixable", "JAX1"],
        ["--fixable", "JAX"],
        ["--unfixable", "JAX2"],
    ],
)
def test_rules_that_may_be_fixed(project: Project, arguments: list[str]) -> None:
    project.write("a.py")
    assert project.run("check", "--fix", *arguments).code == 0


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("a.py", LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102\n"), []),
        ("a.py", "# flake8: noqa\n" + LAMBDA, []),
        ("a.py", LAMBDA, ["--ignore", "JAX102"]),
        ("a.py", LAMBDA, ["--per-file-ignores", "a.py:JAX102"]),
        ("a.py", LAMBDA, ["--min-confidence", "high"]),
        ("test_a.py", LAMBDA, []),
    ],
)
def test_what_is_not_shown_is_not_fixed(project: Project, name: str, text: str, arguments: list[str]) -> None:
    file = project.write(name, text)
    assert project.run("check", "--fix", *arguments).code == 0
    assert file.read_text() == text


def test_diff_changes_nothing(project: Project) -> None:
    file = project.write("a.py")
    project.write("b.py", NESTED)
    outcome = project.run("check", "--diff")
    assert (outcome.code, outcome.out, outcome.err) == (1, DIFF, "Would fix 1 finding.\n")
    assert file.read_text() == LAMBDA
    outcome = project.run("check", "--diff", "b.py")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "Nothing to fix.\n")


TEXTS = {
    "a.py": LAMBDA.encode(),
    "with blank.py": LAMBDA.encode(),
    "ünï.py": LAMBDA.encode(),
    'quo"te.py': LAMBDA.encode(),
    "crlf.py": LAMBDA.replace("\n", "\r\n").encode(),
    "mixed.py": LAMBDA.replace("\n\ndef", "\r\n\rdef").encode(),
    "no_newline.py": LAMBDA.rstrip().encode(),
    "bom.py": b"\xef\xbb\xbf" + LAMBDA.encode(),
    "latin.py": b"# coding: latin-1\n# \xe9\n" + LAMBDA.encode(),
    "form_feed.py": b"\x0c\n" + LAMBDA.encode() + "# \u2028 \x85 x\n".encode(),
    "sub/deep.py": LAMBDA.encode(),
}


def test_git_applies_the_diff_to_the_same_bytes(project: Project) -> None:
    for name, data in TEXTS.items():
        project.write(name, data)
    diff = project.folder / "changes.diff"
    done = subprocess.run(["git", "init", "--quiet", "."], cwd=project.folder, check=True)
    with diff.open("wb") as out, contextlib.redirect_stdout(open(out.fileno(), "w", closefd=False)):
        assert project.run("check", "--diff", "--quiet").code == 1
    done = subprocess.run(["git", "apply", diff.name], cwd=project.folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    applied = {name: (project.folder / name).read_bytes() for name in TEXTS}
    for name, data in TEXTS.items():
        project.write(name, data)
    assert project.run("check", "--fix").code == 0
    assert applied == {name: (project.folder / name).read_bytes() for name in TEXTS}


@pytest.mark.parametrize("name", TEXTS)
def test_only_what_the_fix_says_changes(project: Project, name: str) -> None:
    file = project.write(name, TEXTS[name])
    file.chmod(0o640)
    assert project.run("check", "--fix").code == 0
    assert file.read_bytes() == TEXTS[name].replace(b"jax.jit(lambda y: y * 2)(x)", b"x * 2")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    names = {path.name for path in file.parent.iterdir()}
    assert names - {".jaxlint_cache"} == {file.name}


def test_links_stay_and_their_target_is_fixed_once(project: Project) -> None:
    target = project.write("real/a.py")
    for link in ("b.py", "c.py"):
        (project.folder / link).symlink_to(target)
    outcome = project.run("check", "--fix")
    assert (outcome.code, outcome.err) == (0, "")
    assert target.read_text() == FIXED
    assert (project.folder / "b.py").is_symlink()


def test_fix_only(project: Project) -> None:
    project.write("a.py", LAMBDA)
    project.write("b.py", NESTED)
    outcome = project.run("check", "--fix-only", "--show-fixes")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "a.py:\n    1 x JAX102 (jit-of-lambda)\nFixed 1 finding in 2 files.\n"


def test_show_fixes(project: Project) -> None:
    project.write("a.py", LAMBDA)
    outcome = project.run("check", "--fix", "--show-fixes", "--output-format", "concise")
    assert outcome.out == "a.py:\n    1 x JAX102 (jit-of-lambda)\nFound nothing in 1 file; fixed 1.\n"


def test_standard_input_comes_out_fixed(project: Project) -> None:
    text = LAMBDA.replace("\n", "\r\n").encode()
    outcome = project.run("check", "--fix", "-", stdin=text)
    assert outcome.code == 0
    assert outcome.out.encode() == FIXED.replace("\n", "\r\n").encode()
    assert outcome.err == "Found nothing in 1 file; fixed 1.\n"
    outcome = project.run("check", "--fix", "--output-format", "concise", "-", stdin=NESTED.encode())
    assert (outcome.code, outcome.out) == (1, NESTED)
    assert outcome.err.startswith("<stdin>:8:12: JAX101 ")
    outcome = project.run("check", "--diff", "--stdin-filename", "a.py", "-", stdin=LAMBDA.encode())
    assert (outcome.code, outcome.out) == (1, DIFF)


@pytest.mark.parametrize("text", ["def (:\n", ""])
def test_standard_input_that_cannot_be_fixed_comes_out_as_it_is(project: Project, text: str) -> None:
    assert project.run("check", "--fix", "-", stdin=text.encode()).out == text


def test_a_read_only_file_is_left_alone(project: Project) -> None:
    file = project.write("a.py")
    file.chmod(0o444)
    project.write("b.py")
    outcome = project.json("--fix")
    assert (outcome.code, outcome.codes) == (2, ["JAX102"])
    assert outcome.err == "jaxlint: error: a.py: not fixed: it is read-only\n"
    assert file.read_text() == LAMBDA
    assert (project.folder / "b.py").read_text() == FIXED


def test_a_file_that_cannot_be_replaced_is_left_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = project.write("a.py")
    monkeypatch.setattr(os, "replace", refuse)
    outcome = project.json("--fix")
    assert (outcome.code, outcome.codes) == (2, ["JAX102"])
    assert outcome.err == "jaxlint: error: a.py: not fixed: it cannot be written: No space left on device\n"
    assert file.read_text() == LAMBDA
    assert {path.name for path in project.folder.iterdir()} - {".jaxlint_cache"} == {"a.py"}


def test_a_file_that_was_changed_meanwhile_is_left_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project.write("a.py")
    edited = LAMBDA + "edited = True\n"

    def check_files(files: list[object], jobs: int, **options: bool) -> list[Checked]:
        results = original(files, jobs, **options)  # type: ignore[arg-type]
        file.write_text(edited)
        return results

    original = checking.check_files
    monkeypatch.setattr(checking, "check_files", check_files)
    outcome = project.json("--fix")
    assert (outcome.code, outcome.codes) == (2, ["JAX102"])
    assert outcome.err == "jaxlint: error: a.py: not fixed: it was changed meanwhile\n"
    assert file.read_text() == edited


def test_a_dropped_fix_is_no_silence(project: Project) -> None:
    file = project.write(
        "a.py", LAMBDA.replace("return jax", "return (  # why\n    jax").replace("(x)\n", "(x)\n    )\n")
    )
    before = file.read_text().replace("lambda y: y * 2", "lambda y: y * 2  # twice\n    ")
    file.write_text(before)
    outcome = project.json("--fix")
    assert (outcome.code, outcome.codes) == (1, ["JAX102"])
    assert outcome.err == (
        "jaxlint: warning: a.py:6: the fix of JAX102 was not applied: it would lose a comment: # twice\n"
    )
    assert file.read_text() == before


def test_a_diff_says_on_what_an_unsafe_fix_depends(project: Project, mending: Mending) -> None:
    mending.applicability = Applicability.UNSAFE
    project.write("a.py")
    done = project.run("check", "--diff", "--unsafe-fixes", "a.py")
    assert done.out == DIFF
    assert done.err.splitlines()[0] == "a.py:5: JAX102: drop it (unsafe: it may change what the code does)"
