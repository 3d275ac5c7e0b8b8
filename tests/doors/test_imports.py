"""What the doors import: starting fast is a promise that one careless import breaks."""

from __future__ import annotations

import json

import pytest

from tests.doors.conftest import LAMBDA, Project

NEVER = ("flake8", "jax", "libcst.codemod", "libcst.matchers", "pygls", "rich")


def imported(project: Project, *arguments: str) -> set[str]:
    """Return the modules that a run of the command leaves loaded."""
    code = (
        "import json, sys\n"
        "from jaxlint.doors.cli import main\n"
        "main(sys.argv[1:])\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    outcome = project.spawn("-c", code, *arguments)
    assert outcome.err == ""
    modules: list[str] = json.loads(outcome.out.splitlines()[-1])
    return set(modules)


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_linting_imports_nothing_that_it_does_not_need(project: Project, form: str) -> None:
    project.write("a.py")
    project.write("pyproject.toml", "[tool.jaxlint]\nper-file-ignores = {'b.py' = ['JAX1']}\n")
    modules = imported(project, "check", "--output-format", form)
    assert "libcst" in modules
    assert modules.isdisjoint(NEVER)


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["rule", "JAX102"], ["rule", "--all"], ["config"], ["check", "a.py"], ["check", "."]],
)
def test_libcst_is_not_imported_where_nothing_can_be_found(project: Project, arguments: list[str]) -> None:
    project.write("a.py", "def jit(x):\n    return x\n\n\njit(lambda: 1)\n")
    modules = imported(project, *arguments)
    assert "libcst" not in modules
    assert modules.isdisjoint(NEVER)


def test_a_run_without_a_cache_loads_no_database_and_unpacks_nothing(project: Project) -> None:
    project.write("a.py")
    modules = imported(project, "check", "--no-cache", "a.py")
    assert modules.isdisjoint({"importlib.resources", "sqlite3", "zipfile"})


def test_a_named_file_needs_no_patterns(project: Project) -> None:
    project.write("a.py")
    project.write("jaxlint.toml", "preview = true")
    assert "pathspec" not in imported(project, "check", "a.py")


def test_version_imports_nothing_of_the_linter(project: Project) -> None:
    ours = {name for name in imported(project, "--version") if name.startswith("jaxlint")}
    assert ours == {"jaxlint", "jaxlint.doors", "jaxlint.doors.cli"}


def plugin_imports(project: Project, text: str) -> set[str]:
    """Return the modules that the plugin loads besides what flake8 had."""
    project.write("a.py", text)
    code = (
        "import json, sys\n"
        "import flake8.main.cli\n"
        "flake8.main.cli.main(['--isolated', '--select', 'E999', 'empty.py'])\n"
        "before = set(sys.modules)\n"
        "flake8.main.cli.main(['--isolated', '--select', 'E999', 'a.py'])\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    project.write("empty.py", "")
    outcome = project.spawn("-c", code)
    assert outcome.err == ""
    modules: list[str] = json.loads(outcome.out.splitlines()[-1])
    return set(modules)


def test_the_plugin_imports_libcst_only_where_something_can_be_found(project: Project) -> None:
    assert plugin_imports(project, "def jit(x):\n    return x\n\n\njit(lambda: 1)\n") == set()
    assert "libcst" not in plugin_imports(project, "import jax\n\nprint(jax.devices())\n")
    assert "libcst" in plugin_imports(project, LAMBDA)
    assert plugin_imports(project, LAMBDA).isdisjoint(NEVER)


def test_loading_the_plugin_imports_nothing_else_of_jaxlint(project: Project) -> None:
    outcome = project.spawn(
        "-c", "import sys, jaxlint.doors.flake8; print(sorted(m for m in sys.modules if m.startswith('jaxlint')))"
    )
    assert outcome.out == "['jaxlint', 'jaxlint.doors', 'jaxlint.doors.flake8']\n"


def test_importing_jaxlint_imports_no_libcst(project: Project) -> None:
    code = "import sys; from jaxlint import Source, lint; lint(Source('x = 1\\n')); print('libcst' in sys.modules)"
    assert project.spawn("-c", code).out == "False\n"
