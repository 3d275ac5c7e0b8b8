"""`jaxlint rule`, `jaxlint config` and what the command says of itself."""

from __future__ import annotations

import json
import sys

import pytest

import jaxlint
from jaxlint.config import OPTIONS
from jaxlint.rules import rules
from jaxlint.rules.page import page
from tests.doors.conftest import Project


@pytest.mark.parametrize("name", ["JAX102", "jax102", "jit-of-lambda", "JIT-of-Lambda"])
def test_a_rule_is_explained_by_code_or_name(project: Project, name: str) -> None:
    outcome = project.run("rule", name)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == page(rules()["JAX102"])
    assert outcome.out.startswith("# jit-of-lambda (JAX102)\n")
    assert "## What it does\n" in outcome.out


def test_a_rule_as_json(project: Project) -> None:
    rule = json.loads(project.run("rule", "JAX102", "--output-format", "json").out)
    assert rule["code"] == "JAX102"
    assert rule["name"] == "jit-of-lambda"
    assert rule["impact"] == "every-call"
    assert rule["severity"] == "warning"
    assert rule["status"] == "stable"
    assert rule["page"] == page(rules()["JAX102"])


def test_all_rules(project: Project) -> None:
    lines = project.run("rule", "--all").out.splitlines()
    assert [line[:6] for line in lines] == list(rules())
    assert any(line.startswith("JAX102  jit-of-lambda: ") for line in lines)
    objects = json.loads(project.run("rule", "--all", "--output-format", "json").out)
    assert [rule["code"] for rule in objects] == list(rules())


@pytest.mark.parametrize(
    ("name", "hint"), [("JAX1O2", "JAX102"), ("JAX110", "JAX10"), ("jit-of-lamda", "jit-of-lambda"), ("x", "--all")]
)
def test_an_unknown_rule_ends_with_2_and_a_hint(project: Project, name: str, hint: str) -> None:
    outcome = project.run("rule", name)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"there is no rule {name!r}" in outcome.err
    assert hint in outcome.err


@pytest.mark.parametrize("arguments", [[], ["JAX102", "--all"]])
def test_rule_wants_one_thing(project: Project, arguments: list[str]) -> None:
    outcome = project.run("rule", *arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("jaxlint rule: error: name one rule, or give --all")


def test_config_lists_and_explains_keys(project: Project) -> None:
    assert project.run("config").out.split() == list(OPTIONS)
    text = project.run("config", "min-confidence").out
    assert text.startswith("min-confidence\n")
    assert 'Default: "medium"' in text
    objects = json.loads(project.run("config", "--output-format", "json").out)
    assert list(objects) == list(OPTIONS)
    assert objects["min-confidence"]["default"] == '"medium"'


def test_an_unknown_key_ends_with_2_and_a_hint(project: Project) -> None:
    outcome = project.run("config", "min-confidense")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean 'min-confidence'?" in outcome.err


@pytest.mark.parametrize("flag", ["--version", "-V", "version"])
def test_version(project: Project, flag: str) -> None:
    outcome = project.run(flag)
    assert (outcome.code, outcome.out) == (0, f"jaxlint {jaxlint.__version__}\n")


@pytest.mark.parametrize(("typed", "meant"), [("verion", "version"), ("chekc", "check"), ("explian", "explain")])
def test_a_command_that_does_not_exist_is_met_with_the_nearest(project: Project, typed: str, meant: str) -> None:
    outcome = project.run(typed)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"did you mean {meant!r}?" in outcome.err


def test_on_a_terminal_a_page_is_shown_without_marks(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    piped = project.run("rule", "JAX102").out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = project.run("rule", "JAX102").out
    assert shown.startswith("\x1b[1mjit-of-lambda (JAX102)\x1b[0m\n")
    assert "```" not in shown
    assert project.run("rule", "JAX102", "--color", "never").out.startswith("jit-of-lambda (JAX102)\n")
    assert project.run("rule", "JAX102", "--output-format", "markdown").out == piped


def test_explain_is_another_name_of_rule(project: Project) -> None:
    assert project.run("explain", "jax102") == project.run("rule", "JAX102")


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help_names_the_commands(project: Project, flag: str) -> None:
    outcome = project.run(flag)
    assert outcome.code == 0
    for command in ("check", "rule", "config"):
        assert f"\n  {command} " in outcome.out
        assert project.run(command, "--help").out.startswith(f"usage: jaxlint {command} ")
        assert project.run("help", command) == project.run(command, "--help")
