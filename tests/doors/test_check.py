"""`jaxlint check`: what it lints, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint import pool, rules
from tests.doors.conftest import CLEAN, LAMBDA, NESTED, Outcome, Project

# --- how it ends ---


def test_findings_end_with_1(project: Project) -> None:
    project.write("a.py")
    outcome = project.run("check", "a.py")
    assert outcome.code == 1
    assert "a.py:5:12: JAX102 " in outcome.out
    assert outcome.out.endswith("\nFound 1 finding (0 at high confidence) in 1 file.\n[*] 1 fixable with --fix.\n")
    assert outcome.err == ""


def test_no_findings_end_with_0(project: Project) -> None:
    project.write("a.py", CLEAN)
    assert project.run("check", "a.py") == project.run("check")
    outcome = project.run("check", "a.py")
    assert (outcome.code, outcome.out, outcome.err) == (0, "Found nothing in 1 file.\n", "")


def test_exit_zero(project: Project) -> None:
    project.write("a.py")
    outcome = project.json("--exit-zero", "a.py")
    assert (outcome.code, outcome.codes) == (0, ["JAX102"])


def test_a_missing_path_ends_with_2_and_the_others_are_linted(project: Project) -> None:
    project.write("a.py")
    outcome = project.json("gone.py", "a.py", "gone/")
    assert (outcome.code, outcome.codes) == (2, ["JAX102"])
    assert outcome.err == (
        "jaxlint: error: gone.py: no such file or folder\njaxlint: error: gone/: no such file or folder\n"
    )


def test_a_file_that_cannot_be_read_ends_with_2_and_the_others_are_linted(project: Project) -> None:
    project.write("a.py")
    (project.folder / "dangling.py").symlink_to("nowhere.py")
    for paths in (["."], ["dangling.py", "a.py"]):
        outcome = project.json(*paths)
        assert (outcome.code, outcome.codes) == (2, ["JAX102"])
        assert outcome.err == "jaxlint: error: dangling.py: cannot be read: No such file or directory\n"


def test_a_folder_without_python_files_is_no_silence(project: Project) -> None:
    project.write("docs/a.txt")
    outcome = project.run("check", "docs")
    assert (outcome.code, outcome.out) == (0, "Found nothing in 0 files.\n")
    assert outcome.err == "jaxlint: warning: docs: no Python files or notebooks found in this folder\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--no-such-option"],
        ["--min-confidence", "certain"],
        ["--output-format", "yaml"],
        ["-j", "0"],
        ["-j", "two"],
        ["-", "a.py"],
        ["--isolated", "--config", "jaxlint.toml"],
        ["--per-file-ignores", "JAX101"],
    ],
)
def test_wrong_usage_ends_with_2(project: Project, arguments: list[str]) -> None:
    project.write("a.py")
    project.write("jaxlint.toml", "")
    outcome = project.run("check", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("jaxlint check: error: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--selct", "JAX101"], "unknown option --selct, did you mean --select?"),
        (["--outputformat=json"], "unknown option --outputformat, did you mean --output-format?"),
        (["--output-format", "serif"], "'serif' is unknown; did you mean 'sarif'?"),
        (["--min-confidence", "certain"], "'certain' is unknown; choose from low, medium, high"),
        (["-j", "0"], "-j/--jobs: must be a whole number above zero, not '0'"),
    ],
)
def test_wrong_usage_is_answered_with_what_may_have_been_meant(
    project: Project, arguments: list[str], hint: str
) -> None:
    assert hint in project.run("check", *arguments).err


def test_options_may_stand_between_paths(project: Project) -> None:
    project.write("a.py")
    project.write("b.py")
    assert project.json("a.py", "--isolated", "b.py").codes == ["JAX102", "JAX102"]


def test_what_is_behind_two_dashes_is_a_path(project: Project) -> None:
    project.write("-a.py")
    assert project.json("--isolated", "--", "-a.py").codes == ["JAX102"]
    assert project.run("check", "--", "--isolated").err == "jaxlint: error: ./--isolated: no such file or folder\n"


def test_an_unknown_code_ends_with_2_and_names_the_nearest(project: Project) -> None:
    project.write("a.py")
    outcome = project.run("check", "--select", "JAX012", "a.py")
    assert (outcome.code, outcome.out) == (2, "")
    assert re.search(r"--select: no rule's code starts with 'JAX012'; did you mean 'JAX\d+'\?", outcome.err)


def test_a_rule_s_name_in_place_of_its_code_is_met_with_the_code(project: Project) -> None:
    outcome = project.run("check", "--ignore", "jit-of-lambda")
    assert outcome.code == 2
    assert "did you mean 'JAX102'?" in outcome.err


def test_an_internal_failure_ends_with_2_and_spares_the_other_rules(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(rules.modules()["JAX101"], "check", fail)
    project.write("a.py", LAMBDA.replace("(x)\n", "(x)  # noqa\n"))
    project.write("b.py", NESTED + "\n\n" + LAMBDA)
    outcome = project.json("--exit-zero", "--per-file-ignores", "*.py:JAX0", ".")
    assert outcome.code == 2
    assert sorted(outcome.codes) == ["JAX000", "JAX000", "JAX102"]
    assert "JAX101" in outcome.findings[0]["message"]
    assert "no such luck" in outcome.findings[0]["message"]


def test_a_failure_around_the_core_is_an_internal_failure_of_that_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("bad\nnews")

    project.write("a.py")
    monkeypatch.setattr("jaxlint.linter.lint", fail)
    outcome = project.run("check", "--output-format", "concise", "-q")
    assert outcome.code == 2
    assert outcome.out == ("a.py:1:1: JAX000 jaxlint failed on this file: RuntimeError: bad news; please report this\n")


def test_an_interruption_is_quiet(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    project.write("a.py")
    monkeypatch.setattr("jaxlint.linter.lint", interrupt)
    outcome = project.run("check")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "")


def test_a_reader_that_has_seen_enough_is_no_error(project: Project) -> None:
    for number in range(200):
        project.write(f"a{number}.py")
    with subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "check", "-j1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 128 + signal.SIGPIPE


def in_shell(project: Project, arguments: str) -> Outcome:
    command = f"{shlex.quote(sys.executable)} -m jaxlint check {arguments}"
    return project.spawn("-c", f"import os; os.execl('/bin/sh', 'sh', '-c', {command!r})")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    ("redirections", "code"),
    [
        (">/dev/full", 2),
        (">/dev/full 2>/dev/full", 2),
        (">&-", 1),
        (">&- 2>&- <&-", 1),
        ("gone.py 2>&-", 2),
        ("gone.py 2>/dev/full", 2),
    ],
)
def test_streams_that_take_nothing(project: Project, redirections: str, code: int) -> None:
    project.write("a.py")
    outcome = in_shell(project, f"a.py {redirections}")
    assert "Traceback" not in outcome.err
    assert outcome.code == code


def test_standard_input_that_is_closed(project: Project) -> None:
    outcome = in_shell(project, "- <&-")
    assert outcome.code == 2
    assert "is closed" in outcome.err


def test_an_exception_of_the_command_does_not_look_like_findings(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("jaxlint.discovery.discover", fail)
    outcome = project.run("check")
    assert outcome.code == 2
    assert "ZeroDivisionError" in outcome.err


def test_a_name_with_a_line_end_takes_one_line(project: Project) -> None:
    project.write("a\nb\x1b.py")
    outcome = project.run("check", "--output-format", "concise", "-q")
    assert outcome.out.startswith("a\\nb\\x1b.py:5:12: ")
    assert outcome.out.count("\n") == 1
    assert project.run("check", "--show-files").out == "a\\nb\\x1b.py\n"
    assert project.json().findings[0]["filename"] == "a\nb\x1b.py"


# --- what is linted ---


def test_check_is_the_default_command_and_the_current_folder_the_default_path(project: Project) -> None:
    project.write("a.py")
    outcome = project.run("check", ".")
    assert outcome.code == 1
    for arguments in ([], ["check"], ["a.py"], ["--min-confidence", "low"], ["./a.py"]):
        assert project.run(*arguments) == outcome, arguments


def test_a_folder_named_like_a_file_is_entered(project: Project) -> None:
    project.write("x.py/a.py")
    outcome = project.json("x.py")
    assert [finding["filename"] for finding in outcome.findings] == ["x.py/a.py"]
    assert project.json(".") == outcome


def test_a_file_is_linted_once_however_often_it_is_named(project: Project) -> None:
    project.write("pkg/a.py")
    outcome = project.json("pkg/a.py", "pkg", ".", "./pkg/../pkg/a.py")
    assert outcome.codes == ["JAX102"]


def test_a_named_file_needs_no_suffix(project: Project) -> None:
    project.write("script")
    assert project.json("script").codes == ["JAX102"]
    assert project.json(".").codes == []


def test_findings_come_in_the_order_of_files_and_places(project: Project) -> None:
    for name in ("b.py", "a/z.py", "a.py", "a/b/c.py"):
        project.write(name, LAMBDA + "\n\n" + NESTED)
    found = project.json(".").findings
    assert [(f["filename"], f["location"]["row"]) for f in found] == [
        (name, row) for name in ("a/b/c.py", "a/z.py", "a.py", "b.py") for row in (5, 15)
    ]


def test_show_files(project: Project) -> None:
    for name in ("b.py", "a/z.py", "a/n.txt", ".venv/c.py"):
        project.write(name)
    outcome = project.run("check", "--show-files")
    assert (outcome.code, outcome.out) == (0, "a/z.py\nb.py\n")
    assert project.run("check", "--show-files", "gone", "b.py").code == 2


def test_force_exclude(project: Project) -> None:
    project.write("build/a.py")
    assert project.json("build/a.py").codes == ["JAX102"]
    assert project.json("build").codes == ["JAX102"]
    assert project.json("--force-exclude", "build/a.py").codes == []
    assert project.json("--force-exclude", "build").codes == []
    assert project.json("--force-exclude", "-", "--stdin-filename", "build/a.py", stdin=LAMBDA.encode()).codes == []


def test_exclude_replaces_and_extend_exclude_adds(project: Project) -> None:
    project.write("build/a.py")
    project.write("gen/a.py")
    project.write("src/a.py")

    def files(*arguments: str) -> list[str]:
        return project.run("check", "--show-files", *arguments).out.split()

    assert files() == ["gen/a.py", "src/a.py"]
    assert files("--exclude", "gen") == ["build/a.py", "src/a.py"]
    assert files("--extend-exclude", "gen/,nothing") == ["src/a.py"]
    assert files("--extend-exclude", "gen", "--extend-exclude", "/src") == []


# --- standard input ---


def test_standard_input(project: Project) -> None:
    outcome = project.json("-", stdin=LAMBDA.encode())
    assert (outcome.code, outcome.codes) == (1, ["JAX102"])
    assert outcome.findings[0]["filename"] == "<stdin>"


def test_standard_input_has_the_name_and_the_configuration_of_a_file(project: Project) -> None:
    project.write("pkg/jaxlint.toml", 'per-file-ignores = {"quiet.py" = ["JAX102"]}')
    outcome = project.json("-", "--stdin-filename", "pkg/loud.py", stdin=LAMBDA.encode())
    assert [finding["filename"] for finding in outcome.findings] == ["pkg/loud.py"]
    assert project.json("-", "--stdin-filename", "pkg/quiet.py", stdin=LAMBDA.encode()).codes == []


def test_standard_input_counts_as_a_test_by_its_name(project: Project) -> None:
    assert project.json("-", "--stdin-filename", "tests/test_a.py", stdin=LAMBDA.encode()).codes == []
    low = project.json("-", "--stdin-filename", "tests/test_a.py", "--min-confidence", "low", stdin=LAMBDA.encode())
    assert low.codes == ["JAX102"]


# --- what the bytes of a file may be ---


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(LAMBDA.replace("\n", "\r\n").encode(), id="crlf"),
        pytest.param(LAMBDA.replace("\n", "\r").encode(), id="cr"),
        pytest.param(b"\xef\xbb\xbf" + LAMBDA.encode(), id="byte order mark"),
        pytest.param(("# coding: latin-1\n" + LAMBDA[:-1] + "  # \xe9\n").encode("latin-1"), id="latin-1"),
        pytest.param(LAMBDA.replace("\n\n\n", "\n\x0c\n\n").encode(), id="form feed"),
        pytest.param(LAMBDA.replace("jax\n", "jax; SEP = '\u2028\x85'\n").encode(), id="odd separators"),
        pytest.param(LAMBDA.rstrip("\n").encode(), id="no newline at the end"),
    ],
)
def test_the_place_is_that_of_the_call(project: Project, data: bytes) -> None:
    project.write("a.py", data)
    outcome = project.json("a.py")
    assert outcome.codes == ["JAX102"]
    row = 6 if data.startswith(b"# coding") else 5
    assert outcome.findings[0]["location"] == {"row": row, "column": 12}
    assert outcome.findings[0]["noqa_row"] == row
    assert outcome.findings[0]["end_location"]["row"] == row


def test_columns_count_code_points(project: Project) -> None:
    call = "jax.jit(lambda y: y)"
    project.write("a.py", f"import jax\n\n\ndef f(x):\n    é = '😀'; return {call}(x), é\n")
    finding = project.json("a.py").findings[0]
    assert finding["location"] == {"row": 5, "column": 21}
    text = project.run("check", "-q", "a.py").out.splitlines()
    assert text[2].startswith("5 |     é = '😀'; return jax.jit")
    # The emoji is two columns wide on a terminal.
    assert text[3].startswith("  | " + " " * 21 + "^" * len(call))


@pytest.mark.parametrize("content", ["", "\n", "# jax.jit(lambda)\n", '"""jax.jit."""\n', "x = 1\n"])
def test_files_with_nothing_to_find(project: Project, content: str) -> None:
    project.write("a.py", content)
    outcome = project.json("a.py")
    assert (outcome.code, outcome.findings) == (0, [])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"import jax\njax.jit(\n", id="syntax"),
        pytest.param(b"import jax\n# \xe9\njax.jit(lambda x: x)\n", id="bytes that are no utf-8"),
        pytest.param(b"# coding: klingon\nimport jax\njax.jit(lambda x: x)\n", id="no such encoding"),
    ],
)
def test_a_file_that_is_no_python_is_one_finding(project: Project, data: bytes) -> None:
    project.write("a.py", data)
    project.write("b.py")
    outcome = project.json("--select", "JAX102", ".")
    assert (outcome.code, outcome.codes) == (1, ["JAX001", "JAX102"])
    assert outcome.findings[0]["impact"] is None
    assert outcome.findings[0]["severity"] == "error"
    assert re.fullmatch(r"[0-9a-f]{16}", outcome.findings[0]["fingerprint"])
    assert project.json("--ignore", "JAX001", ".").codes == ["JAX102"]
    assert project.json("--per-file-ignores", "a.py:JAX001", ".").codes == ["JAX102"]


# --- which findings are shown ---


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ([], ["JAX101", "JAX102"]),
        (["--select", "JAX102"], ["JAX102"]),
        (["--select", "JAX101,JAX102"], ["JAX101", "JAX102"]),
        (["--select", "JAX101", "--select", "JAX102"], ["JAX101", "JAX102"]),
        (["--select", "JAX4"], []),
        (["--ignore", "JAX1"], []),
        (["--ignore", "JAX101"], ["JAX102"]),
        (["--ignore", "JAX1", "--select", "JAX102"], ["JAX102"]),
        (["--ignore", "JAX1", "--extend-select", "JAX102"], ["JAX102"]),
        (["--select", "JAX4", "--extend-select", "JAX101"], ["JAX101"]),
        (["--select", "ALL", "--ignore", "JAX101"], ["JAX102"]),
        (["--select", "JAX1", "--ignore", "ALL"], []),
        (["--select", "jax101"], ["JAX101"]),
        (["--per-file-ignores", "a.py:ALL"], []),
        (["--extend-ignore", "JAX101"], ["JAX102"]),
        (["--per-file-ignores", "*.py:JAX101"], ["JAX102"]),
        (["--per-file-ignores", "a.py:JAX101,JAX102"], []),
        (["--per-file-ignores", "b.py:JAX1,a.py:JAX102"], ["JAX101"]),
        (["--per-file-ignores", "!a.py:JAX1"], ["JAX101", "JAX102"]),
        (["--per-file-ignores", "!b.py:JAX1"], []),
        (["--min-confidence", "high"], []),
        (["--min-confidence", "low"], ["JAX101", "JAX102"]),
    ],
)
def test_selection(project: Project, arguments: list[str], codes: list[str]) -> None:
    project.write("a.py", NESTED + "\n\n" + LAMBDA)
    outcome = project.json(*arguments, "a.py")
    assert outcome.codes == codes
    assert outcome.code == bool(codes)


def test_a_selection_of_nothing_is_not_silent(project: Project) -> None:
    project.write("a.py")
    for text in ("", ","):
        outcome = project.run("check", "--select", text, "a.py")
        assert (outcome.code, outcome.out) == (2, "")
        assert "--select names no rule" in outcome.err
    warning = "jaxlint: warning: no rule runs, so nothing can be found: `select` and `ignore` leave none\n"
    assert project.run("check", "--select", "JAX101", "--ignore", "JAX101", "a.py").err == warning
    project.write("jaxlint.toml", "select = []")
    assert project.run("check", "a.py").err == warning
    assert project.run("check", "--select", "JAX1", "a.py").err == ""


def test_a_selection_of_preview_rules_alone_is_not_silent(project: Project) -> None:
    project.write("a.py")
    code = next(rule.code for rule in rules.rules().values() if rule.preview)
    outcome = project.run("check", "--select", f"{code},JAX1", "a.py")
    assert outcome.err == f"jaxlint: warning: select: {code} is in preview, and does not run unless `preview` is set\n"
    assert project.run("check", "--select", code, "--preview", "a.py").err == ""
    assert project.run("check", "--select", "ALL", "a.py").err == ""


def test_all_names_the_rules_that_are_off_by_default_too(project: Project) -> None:
    off = {code for code, rule in rules.rules().items() if rule.off_by_default}
    shown = project.run("check", "--select", "ALL", "--show-settings", project.write("a.py").name).out
    assert off <= {line.split()[2] for line in shown.splitlines() if line.startswith("# runs")}


def test_noqa(project: Project) -> None:
    project.write("a.py", LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102\n"))
    assert project.run("check").code == 0


def test_ignore_noqa(project: Project) -> None:
    project.write("a.py", LAMBDA.replace("(x)\n", "(x)  # noqa: JAX102\n"))
    assert project.json("--ignore-noqa").codes == ["JAX102"]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# noqa: jax102", "it hides nothing; write `# noqa: JAX102`"),
        ("#noqa: JAX102, JAX104 why", "it hides nothing; write `# noqa: JAX102, JAX104`"),
        ("# nqoa: JAX102", "it hides nothing; write `# noqa: JAX102`"),
        ("# noqa JAX102", "without a colon it hides all findings of the line; write `# noqa: JAX102`"),
        ("# jaxlint: onec", "`# jaxlint: onec` does nothing; the comment that jaxlint knows is `# jaxlint: once`"),
        ("# jaxlint: noqa", "`# jaxlint: noqa` does nothing; `# noqa: JAX102` hides a finding of that rule"),
        ("# jaxlint once", "`# jaxlint once` does nothing; the comment that jaxlint knows is `# jaxlint: once`"),
        ("# noqa: JAX102", None),
        ("# noqa:JAX102", None),
        ("# NOQA: JAX102 as it runs once", None),
        ("# noqa: E501", None),
        ("# jaxlint: once", None),
        ("# jaxlint is wrong about this", None),
        ("# note: JAX102 is about this", None),
    ],
)
def test_a_comment_that_says_nothing_to_jaxlint_is_warned_of(project: Project, comment: str, said: str | None) -> None:
    project.write("a.py", f'TEXT = """\n    x = 1  # noqa JAX102\n"""\nx = 1  {comment}\n')
    expected = f"jaxlint: warning: a.py:4: {said}\n" if said else ""
    for more in ([], [], ["--no-cache"]):
        assert project.run("check", *more).err == expected
    assert project.run("check", "-", stdin=f"x = 1  {comment}".encode()).err.endswith(f"{said}\n" if said else "")


def test_once_comments_make_a_finding_low(project: Project) -> None:
    project.write("a.py", LAMBDA.replace("def scale(x):", "def scale(x):  # jaxlint: once"))
    assert project.json().codes == []
    assert [f["confidence"] for f in project.json("--min-confidence", "low").findings] == ["low"]


# --- configuration ---


def test_the_command_line_lies_over_the_file(project: Project) -> None:
    project.write("a.py", NESTED + "\n\n" + LAMBDA)
    project.write("pyproject.toml", '[tool.jaxlint]\nignore = ["JAX102"]\nmin-confidence = "high"\n')
    assert project.json().codes == []
    assert project.json("--min-confidence", "medium").codes == ["JAX101"]
    # A selection starts afresh.
    assert project.json("--min-confidence", "medium", "--select", "JAX102").codes == ["JAX102"]
    assert project.json("--min-confidence", "medium", "--extend-ignore", "JAX101").codes == []
    assert project.json("--isolated").codes == ["JAX101", "JAX102"]


def test_config_takes_a_file_or_a_key(project: Project) -> None:
    project.write("a.py")
    project.write("jaxlint.toml", 'min-confidence = "high"')
    project.write("other/low.toml", 'min-confidence = "low"\nper-file-ignores = {"a.py" = ["JAX102"]}')
    assert project.json().codes == []
    # Its patterns are relative to its own folder.
    assert project.json("--config", "other/low.toml").codes == ["JAX102"]
    assert project.json("--config", 'min-confidence = "low"').codes == ["JAX102"]
    assert project.json("--config", 'min-confidence = "low"', "--min-confidence", "high").codes == []
    assert project.json("--config", "run-once-functions = ['sc*']", "--min-confidence", "medium").codes == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("gone.toml", "gone.toml: cannot be read"),
        ("min-confidence = low", "neither a file nor TOML"),
        ("min-confidense = 'low'", "unknown key 'min-confidense'; did you mean 'min-confidence'?"),
        ("empty/pyproject.toml", "holds no [tool.jaxlint]"),
    ],
)
def test_config_that_cannot_be_used_ends_with_2(project: Project, value: str, message: str) -> None:
    project.write("a.py")
    project.write("empty/pyproject.toml", "[project]\n")
    outcome = project.run("check", "--config", value)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_broken_file_ends_with_2_before_anything_is_linted(project: Project) -> None:
    project.write("a.py")
    project.write("pkg/b.py")
    project.write("pkg/pyproject.toml", "[tool.jaxlint]\nselct = ['JAX1']\n")
    outcome = project.run("check")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"jaxlint: error: {Path('pkg', 'pyproject.toml')}: tool.jaxlint: unknown key 'selct'; did you mean 'select'?\n"
    )


def test_the_other_tool_of_the_name_gets_a_pointer(project: Project) -> None:
    project.write("a.py")
    project.write("pyproject.toml", '[tool.jaxlint]\nselect = ["JL", "JD001"]\ndocstring-style = "numpy"\n')
    outcome = project.json()
    assert (outcome.code, outcome.codes) == (1, ["JAX102"])
    assert outcome.err.startswith("jaxlint: warning: pyproject.toml: tool.jaxlint: ")
    assert "JL, JD001, docstring-style" in outcome.err
    assert outcome.err.count("\n") == 1


def test_show_settings(project: Project) -> None:
    project.write("pkg/a.py")
    project.write("pkg/jaxlint.toml", 'ignore = ["JAX1"]\nextend-exclude = ["gen/"]')
    outcome = project.run("check", "--show-settings", "--min-confidence", "low")
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[:2] == ["# for pkg/a.py", f"# from {project.folder / 'pkg' / 'jaxlint.toml'}"]
    assert 'ignore = ["JAX1"]' in lines
    assert 'min-confidence = "low"' in lines
    assert '"gen/"' in next(line for line in lines if line.startswith("exclude = "))
    assert "# runs JAX403 discarded-jit" in lines
    assert not any("JAX101" in line for line in lines)


@pytest.mark.parametrize("arguments", [["--no-cache"], ["--no-project"], ["--cache-dir", "x"], ["--preview"]])
def test_options_for_later_change_nothing(project: Project, arguments: list[str]) -> None:
    project.write("a.py")
    assert project.run("check", *arguments) == project.run("check")


# --- what is printed ---


def test_statistics(project: Project) -> None:
    project.write("a.py", LAMBDA + "\n\n" + NESTED)
    project.write("b.py")
    outcome = project.run("check", "--statistics")
    assert outcome.code == 1
    assert outcome.out == (
        "2  JAX102  jit-of-lambda\n1  JAX101  jit-of-nested-function\n"
        "Found 3 findings (0 at high confidence) in 2 files.\n"
    )
    assert project.json("--statistics").findings == [
        {"code": "JAX102", "name": "jit-of-lambda", "count": 2},
        {"code": "JAX101", "name": "jit-of-nested-function", "count": 1},
    ]


def test_output_file(project: Project) -> None:
    project.write("a.py", LAMBDA.replace("* 2", "* 'é'"))
    outcome = project.run("check", "--output-file", "out.txt")
    assert (outcome.code, outcome.out) == (1, "")
    assert (project.folder / "out.txt").read_text("utf-8") == project.run("check").out
    failed = project.run("check", "--output-file", "gone/out.txt")
    assert (failed.code, failed.out) == (2, "")
    assert "gone/out.txt" in failed.err


def test_short_options_are_those_of_ruff(project: Project) -> None:
    project.write("a.py")
    short = project.run("check", "-n", "-e", "-o", "short.txt")
    long = project.run("check", "--no-cache", "--exit-zero", "--output-file", "long.txt")
    assert short == long
    assert sorted(path.name for path in project.folder.iterdir()) == ["a.py", "long.txt", "short.txt"]


def test_review_formats_name_files_from_the_repository_on_and_show_no_statistics(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / ".git").mkdir()
    project.write("src/a.py")
    monkeypatch.chdir(project.folder / "src")
    outcome = project.run("check", "--output-format", "sarif", "--output-file", "out.sarif")
    assert (outcome.code, outcome.out) == (1, "")
    log = json.loads((project.folder / "src" / "out.sarif").read_text("utf-8"))
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/a.py"
    refused = project.run("check", "--output-format", "sarif", "--statistics")
    assert (refused.code, refused.out) == (2, "")
    assert "sarif shows findings only" in refused.err


def test_quiet_and_verbose(project: Project) -> None:
    project.write("a.py")
    full = project.run("check")
    quiet = project.run("check", "-q")
    assert full.out == quiet.out + "Found 1 finding (0 at high confidence) in 1 file.\n[*] 1 fixable with --fix.\n"
    verbose = project.run("check", "-v")
    assert verbose.out == full.out
    assert verbose.err == "jaxlint: configuration: none\njaxlint: 1 file, 1 process\n"


def test_color(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a.py")
    plain = project.run("check").out
    assert "\x1b" not in plain
    colored = project.run("check", "--color", "always").out
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert project.run("check").out == colored
    assert project.run("check", "--color", "never").out == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert project.run("check").out == plain


def test_names_and_lines_that_the_terminal_cannot_show_are_escaped(project: Project) -> None:
    project.write("é.py", LAMBDA.replace("* 2", "* '😀'"))
    outcome = project.spawn("-m", "jaxlint", "check", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (outcome.code, outcome.err) == (1, "")
    assert "\\xe9.py:5:12: JAX102" in outcome.out
    assert "\\U0001f600" in outcome.out


# --- processes ---


def test_the_number_of_processes_changes_nothing(project: Project) -> None:
    for number in range(40):
        project.write(f"p{number % 7}/a{number}.py", (LAMBDA, NESTED, CLEAN, "import jax\njax.jit(\n")[number % 4])
    project.write("p3/jaxlint.toml", 'ignore = ["JAX101"]')
    (project.folder / "p2" / "dangling.py").symlink_to("nowhere.py")
    for form in ("text", "json"):
        alone, two, many = (
            project.spawn("-m", "jaxlint", "check", "-j", jobs, "--output-format", form) for jobs in ("1", "2", "64")
        )
        assert alone.code == 2
        assert all(code in alone.out for code in ("JAX001", "JAX101", "JAX102"))
        assert alone == two == many


def test_few_files_need_one_process_and_more_are_never_used_than_there_are_files() -> None:
    assert pool.processes(0, None) == 1
    assert pool.processes(5, None) == 1
    assert pool.processes(5, 64) == 5
    assert pool.processes(5, 2) == 2
    assert pool.processes(10**6, 10**6) <= 60


def test_a_process_that_dies_costs_one_file(project: Project) -> None:
    for number in range(12):
        project.write(f"a{number:02}.py")
    project.write("a05.py", LAMBDA + "# poison\n")
    project.write("a08.py", LAMBDA + "# poison\n")
    # Patched when the module is loaded, so that it reaches the workers however they are started.
    wrapper = project.write(
        "../wrapper.py",
        "import os, sys\n"
        "import jaxlint.linter\n"
        "from jaxlint.doors.cli import main\n"
        "lint = jaxlint.linter.lint\n"
        "def deadly(source, *rest, **options):\n"
        "    if '# poison' in source.text:\n"
        "        os._exit(3)\n"
        "    return lint(source, *rest, **options)\n"
        "jaxlint.linter.lint = deadly\n"
        "if __name__ == '__main__':\n"
        "    sys.exit(main(sys.argv[1:]))\n",
    )
    outcome = project.spawn(str(wrapper), "check", "-j2", "--output-format", "json", ".")
    assert outcome.code == 2
    assert outcome.err == ""
    assert outcome.codes == ["JAX000" if number in (5, 8) else "JAX102" for number in range(12)]
    assert "the process that linted it died" in outcome.findings[5]["message"]
