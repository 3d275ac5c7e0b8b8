"""The flake8 plugin, run by flake8 itself, against the command on the same files."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from jaxlint import rules
from jaxlint.doors.flake8 import Plugin
from tests.doors.conftest import CLEAN, LAMBDA, NESTED, Outcome, Project

CHECK = ("check", "--no-project", "--no-cache", "-q", "--output-format", "concise", "--unfixable", "JAX")
"""flake8 has no mark for what can be fixed, so nothing can."""
PLACE = "%(path)s:%(row)d:%(col)d: %(code)s %(text)s"

SOURCES: dict[str, str | bytes] = {
    "clean.py": CLEAN,
    "empty.py": "",
    "no_jax.py": "x = 1\n",
    "lambda.py": LAMBDA,
    "both.py": NESTED + "\n\n" + LAMBDA,
    "crlf.py": LAMBDA.replace("\n", "\r\n"),
    "cr.py": LAMBDA.replace("\n", "\r"),
    "bom.py": b"\xef\xbb\xbf" + LAMBDA.encode(),
    "latin1.py": ("# coding: latin-1\n" + LAMBDA.replace("return", "é = 'é'; return")).encode("latin-1"),
    "form_feed.py": LAMBDA.replace("\n\n\n", "\n\x0c\n\n"),
    "separators.py": LAMBDA.replace("import jax\n", "import jax\nSEPARATORS = '\u2028\x85\x0b'\n"),
    "no_newline.py": LAMBDA.rstrip("\n"),
    "emoji.py": LAMBDA.replace("return ", "é = '😀'; return "),
    "tabs.py": LAMBDA.replace("    ", "\t"),
    "same_row.py": "import jax; f = lambda x: (jax.jit(lambda y: y)(x), jax.jit(lambda y: y + 1)(x))\n",
    "noqa.py": LAMBDA.replace("(x)\n", "(x)  # noqa\n"),
    "noqa_code.py": LAMBDA.replace("(x)\n", "(x)  # noqa: E501,JAX1\n"),
    "noqa_other.py": LAMBDA.replace("(x)\n", "(x)  # noqa: E501\n"),
    "noqa_file.py": "# flake8: noqa: E501\n" + LAMBDA,
    "once.py": LAMBDA.replace("scale(x):", "scale(x):  # jaxlint: once"),
    "train.py": LAMBDA.replace("scale", "train"),
    "tests/test_it.py": LAMBDA,
}


def flake8(project: Project, *arguments: str, stdin: bytes = b"") -> Outcome:
    return project.spawn("-m", "flake8", "--isolated", "--select", "JAX", "--format", PLACE, *arguments, stdin=stdin)


def both(project: Project, *paths: str) -> tuple[list[str], list[str]]:
    """Return what flake8 and the command print for the same paths."""
    theirs = flake8(project, *paths)
    ours = project.run(*CHECK, *paths)
    assert theirs.err == ours.err == ""
    return sorted(line.removeprefix("./") for line in theirs.out.splitlines()), sorted(ours.out.splitlines())


def test_the_plugin_says_what_the_command_says(project: Project) -> None:
    for name, content in SOURCES.items():
        project.write(name, content)
    theirs, ours = both(project, ".")
    assert theirs == ours
    reported = {line.partition(":")[0] for line in ours}
    silent = {"clean.py", "empty.py", "no_jax.py", "noqa.py", "noqa_code.py", "noqa_file.py", "once.py", "train.py"}
    assert reported == set(SOURCES) - silent - {"tests/test_it.py"}
    # In one process, and by their absolute paths.
    for name in ("emoji.py", "both.py"):
        theirs, ours = both(project, str(project.folder / name))
        assert theirs == ours != []


@pytest.mark.parametrize(
    "name", ["lambda.py", "crlf.py", "bom.py", "latin1.py", "emoji.py", "noqa_code.py", "empty.py"]
)
def test_the_same_through_standard_input(project: Project, name: str) -> None:
    content = SOURCES[name]
    data = content if isinstance(content, bytes) else content.encode()
    theirs = flake8(project, "--stdin-display-name", "pkg/a.py", "-", stdin=data)
    ours = project.run(*CHECK, "--stdin-filename", "pkg/a.py", "-", stdin=data)
    assert theirs == ours
    assert bool(ours.out) == (name not in ("noqa_code.py", "empty.py"))


def test_the_same_on_all_of_testdata(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parent.parent.parent
    monkeypatch.chdir(root)
    theirs, ours = both(Project(root, monkeypatch, capsys), "testdata")
    assert theirs == ours != []


def test_how_rules_judge_is_read_from_the_configuration(project: Project) -> None:
    project.write("a.py")
    project.write("pkg/a.py", LAMBDA.replace("scale", "prepare"))
    project.write("pkg/sanity/a.py", LAMBDA.replace("scale", "train"))
    project.write("pyproject.toml", '[tool.jaxlint]\nmin-confidence = "high"\n')
    project.write("pkg/jaxlint.toml", 'run-once-functions = ["prepare"]\nmin-confidence = "low"')
    theirs, ours = both(project, ".")
    assert theirs == ours
    assert [line.partition(":")[0] for line in ours] == ["pkg/a.py", "pkg/sanity/a.py"]


def test_wrappers_of_the_configuration(project: Project) -> None:
    project.write("a.py", "import mine\n\n\ndef scale(x):\n    return mine.compiled(lambda y: y * 2)(x)\n")
    project.write("jaxlint.toml", '[wrappers."mine.compiled"]\nlike = "jax.jit"')
    theirs, ours = both(project, "a.py")
    assert theirs == ours
    assert [line[:17] for line in ours] == ["a.py:5:12: JAX102"]


def shown(project: Project, *arguments: str) -> list[str]:
    """Return the places and codes that flake8 prints."""
    out = project.spawn("-m", "flake8", "--isolated", *arguments).out
    return [" ".join(line.split()[:2]) for line in out.splitlines() if " JAX" in line]


def test_flake8_picks_from_what_the_configuration_selects(project: Project) -> None:
    project.write("a.py", NESTED + "\n\n" + LAMBDA)
    nested, lambda_ = "a.py:8:12: JAX101", "a.py:15:12: JAX102"
    assert shown(project, "a.py") == [nested, lambda_]
    assert shown(project, "--select", "JAX101", "a.py") == [nested]
    assert shown(project, "--ignore", "JAX101", "a.py") == [lambda_]
    project.write("jaxlint.toml", 'ignore = ["JAX101"]')
    for general in ((), ("--select", "JAX"), ("--extend-select", "JAX"), ("--ignore", "JAX4")):
        assert shown(project, *general, "a.py") == [lambda_]
    # Unless flake8's own options say otherwise.
    assert shown(project, "--extend-select", "JAX101", "a.py") == [nested, lambda_]
    assert shown(project, "--select", "JAX1,JAX101", "a.py") == [nested, lambda_]
    # The longer code wins, as ever.
    assert shown(project, "--select", "JAX1", "a.py") == [lambda_]
    project.write("jaxlint.toml", 'select = ["JAX4"]')
    assert shown(project, "a.py") == []
    assert shown(project, "--extend-select", "JAX102", "a.py") == [lambda_]
    project.write("jaxlint.toml", 'per-file-ignores = {"a.py" = ["JAX101"]}')
    assert shown(project, "a.py") == [lambda_]
    project.write("jaxlint.toml", 'force-exclude = true\nextend-exclude = ["a.py"]')
    assert shown(project, "a.py") == []


def test_the_baseline_holds_in_flake8(project: Project) -> None:
    project.write("jaxlint.toml", 'baseline = "known.json"')
    file = project.write("a.py")
    outcome = flake8(project, "a.py")
    assert "JAX000 baseline: " in outcome.out
    assert "cannot be read" in outcome.out
    assert project.run("check", "--write-baseline", "a.py").code == 0
    assert flake8(project, "a.py") == Outcome(0, "", "")
    file.write_text(NESTED + "\n\n" + LAMBDA)
    theirs, ours = both(project, "a.py")
    assert theirs == ours
    assert [line[:17] for line in ours] == ["a.py:8:12: JAX101"]


def test_rules_that_the_configuration_names_run(project: Project) -> None:
    project.write("a.py", "import jax\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    return jax.jit(f)(x)\n")
    project.write("jaxlint.toml", 'extend-select = ["JAX902"]\nmin-confidence = "low"')
    theirs, ours = both(project, "a.py")
    assert theirs == ours
    assert [line.split()[1] for line in ours] == ["JAX902"]


def test_the_plugin_runs_without_being_selected(project: Project) -> None:
    project.write("a.py")
    outcome = project.spawn("-m", "flake8", "--isolated", "a.py")
    assert (outcome.code, outcome.err) == (1, "")
    assert "JAX102" in outcome.out


def test_the_same_with_several_processes(project: Project) -> None:
    for number in range(6):
        project.write(f"a{number}.py")
    outcome = flake8(project, "--jobs", "2", ".")
    assert outcome == flake8(project, "--jobs", "1", ".")
    assert outcome.out.count("JAX102") == 6


def test_rules_that_are_off_by_default_are_hidden_until_asked_for(project: Project) -> None:
    project.write("a.py")
    wrapper = project.write(
        "wrapper.py",
        "import sys\n"
        "import flake8.main.cli\n"
        "import jaxlint.linter\n"
        "from jaxlint import Confidence, Finding\n"
        "from jaxlint.finding import Span\n"
        "finding = Finding('JAX901', 'eager-transform', 'said', Span(0, 0), Confidence.HIGH, None)\n"
        "jaxlint.linter.lint = lambda *_, **__: [finding]\n"
        "sys.exit(flake8.main.cli.main(sys.argv[1:]))\n",
    )
    assert project.spawn(str(wrapper), "--isolated", "a.py") == Outcome(0, "", "")
    shown = project.spawn(str(wrapper), "--isolated", "--extend-select", "JAX9", "a.py")
    assert shown == Outcome(1, "a.py:1:1: JAX901 said\n", "")


def test_a_syntax_error_is_reported_by_flake8_alone(project: Project) -> None:
    project.write("a.py", "import jax\njax.jit(\n")
    outcome = project.spawn("-m", "flake8", "--isolated", "a.py")
    assert "E999" in outcome.out
    assert "JAX" not in outcome.out
    assert "JAX001" in project.run("check", "a.py").out


def test_a_broken_configuration_is_one_line_where_something_would_be_linted(project: Project) -> None:
    project.write("a.py", NESTED + "\n\n" + LAMBDA)
    project.write("no_jax.py", "x = 1\n")
    project.write("pyproject.toml", "[tool.jaxlint]\nmin-confidence = 'certain'\n")
    outcome = flake8(project, "a.py", "no_jax.py")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out == (
        "a.py:1:1: JAX000 pyproject.toml: tool.jaxlint.min-confidence: 'certain' is none of 'low', 'medium', 'high'\n"
    )


def test_a_failure_inside_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RecursionError("too\ndeep")

    lines = LAMBDA.splitlines(keepends=True)
    monkeypatch.setattr(rules.modules()["JAX102"], "check", fail)
    Plugin.parse_options(SimpleNamespace())
    inside = list(Plugin(None, "a.py", lines).run())  # type: ignore[arg-type]
    assert [(row, column, text[:6]) for row, column, text, _ in inside] == [(1, 0, "JAX000")]
    assert "\n" not in inside[0][2]
    monkeypatch.setattr("jaxlint.linter.lint", fail)
    around = list(Plugin(None, "a.py", lines).run())  # type: ignore[arg-type]
    assert around == [
        (1, 0, "JAX000 jaxlint failed on this file: RecursionError: too deep; please report this", Plugin)
    ]


def test_a_new_run_reads_the_configuration_anew(project: Project) -> None:
    lines = LAMBDA.splitlines(keepends=True)

    def found() -> int:
        Plugin.parse_options(SimpleNamespace())
        return len(list(Plugin(None, "a.py", lines).run()))  # type: ignore[arg-type]

    assert found() == 1
    project.write("jaxlint.toml", 'min-confidence = "high"')
    assert found() == 0


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("statement", ["(y): int = 1", "if x:\n        \ty = 1"])
def test_what_python_takes_is_linted_though_libcsts_parser_refuses_it(statement: str) -> None:
    text = f"import jax\ndef f(x):\n    {statement}\n    return jax.jit(lambda y: y)(x)\n"
    found = Plugin(ast.parse(text), "a.py", text.splitlines(keepends=True)).run()
    assert [said.partition(" ")[0] for _, _, said, _ in found] == ["JAX102"]


@pytest.mark.usefixtures("project")
def test_what_is_nested_too_deeply_takes_one_line() -> None:
    text = LAMBDA + "if x:\n    jax.jit\n" + "elif x:\n    pass\n" * 1_500
    ((row, column, said, _),) = Plugin(ast.parse(text), "a.py", text.splitlines(keepends=True)).run()
    assert (row, column, said.partition(" ")[0]) == (1, 0, "JAX000")
