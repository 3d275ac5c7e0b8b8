"""Calls are taken from where they are written: tests, docstrings, examples, and the main block of the module."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint.config import Finder
from jaxlint.discovery import discover
from jaxlint.driver import check_file
from jaxlint.verify.proof import Budget
from jaxlint.verify.prover import Prover
from jaxlint.verify.sources import kind_of, project_of, sources
from jaxlint.verify.verifier import Job, verify_file

MODULE = """
    import jax
    import jax.numpy as jnp

    class Grid:
        def __init__(self, n):
            assert n % 7 == 0
            self.n = n

        def smooth(self, field, kernel):
            rows, by = field.reshape(self.n, 21), kernel["alpha"]
            return jax.jit(lambda v: v * by)(rows)

    def strange(spec, data):
        size = spec.parse()[3]
        return jax.jit(lambda v: v[:size])(data)

    def documented(x, text):
        '''Do it.

        >>> documented(jnp.ones(3), "a=7")
        '''
        by = int(text.split("=")[1])
        return jax.jit(lambda v: v * by)(x)

    def by_main(x, text):
        assert text == "from main" and x.shape == (3, 5)
        return jax.jit(lambda v: v + 1)(x)

    def by_script(x, options):
        assert options["name"].endswith("script") and x.shape == (2, 5)
        return jax.jit(lambda v: v + 1)(x)

    if __name__ == "__main__":
        for _ in range(10):
            by_main(jnp.ones((3, 5)), "from main")
        raise SystemExit(3)
"""
TESTS = """
    import jax.numpy as jnp
    import pytest
    from pkg.core import Grid, strange

    @pytest.fixture
    def grid():
        return Grid(14)

    class Spec:
        def parse(self):
            return "abc", 1, 2, 3

    def test_grid(grid):
        grid.smooth(jnp.ones(14 * 21), {"alpha": 3.0})

    @pytest.mark.parametrize("size", [5])
    def test_strange(size):
        strange(Spec(), jnp.ones(size))
"""
SCRIPT = """
    import jax.numpy as jnp
    from pkg import core

    core.by_script(jnp.ones((2, 5)), {"name": "a script"})
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").touch()
    for name, text in (
        ("pkg/__init__.py", ""),
        ("pkg/core.py", MODULE),
        ("tests/test_core.py", TESTS),
        ("examples/script.py", SCRIPT),
        ("pkg/other.py", "def strange(): ..."),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    return folder


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


def test_arguments_are_those_of_the_first_call(project: Path, prover: Prover) -> None:
    path = project / "pkg" / "core.py"
    (file,) = discover([str(path)], Finder(isolated=True)).files
    results = verify_file(prover, Job(path, check_file(file).diagnostics), Budget(recording=20.0))
    called = {result.evidence.target: (result.verdict, result.evidence.inputs) for result in results}
    assert called == {
        "Grid.smooth": ("confirmed", "self=Grid, field=float32[294], kernel=dict (from test_grid in test_core.py)"),
        "strange": ("confirmed", "spec=Spec, data=float32[5] (from test_strange[5] in test_core.py)"),
        "documented": ("confirmed", "x=float32[3], text='a=7' (from a docstring)"),
        "by_main": ("confirmed", "x=float32[3,5], text='from main' (from core.py)"),
        "by_script": ("confirmed", "x=float32[2,5], options=dict (from script.py)"),
    }


def test_files_that_call_a_function_are_found(project: Path) -> None:
    path = project / "pkg" / "core.py"
    assert project_of(path) == project
    found = [(Path(source.path).name, source.test) for source in sources(path, {"strange", "by_script"})]
    assert found == [("test_core.py", True), ("script.py", False)]
    assert [Path(source.path).name for source in sources(path, {"Nothing.main"})] == ["test_core.py", "script.py"]
    assert sources(project / "pkg" / "other.py", {"Nothing.main"}) == []


def test_code_that_is_only_a_test_or_a_benchmark_is_told() -> None:
    assert kind_of(Path("src/tests/helpers.py")) == "test"
    assert kind_of(Path("model.py"), "TestModel.test_step") == "test"
    assert kind_of(Path("benchmarks/speed.py")) == "benchmark"
    assert kind_of(Path("contest/latest.py"), "attest") == ""


def test_notebooks_run_as_the_script_that_they_are_linted_as(prover: Prover, tmp_path: Path) -> None:
    cells = ["import jax\nimport jax.numpy as jnp\n", "def f(x, by):\n    return jax.jit(lambda v: v * by[7])(x)\n"]
    cells.append("%matplotlib inline\nfor _ in range(10):\n    f(jnp.ones(5), {7: 2})")
    path = tmp_path / "notes.ipynb"
    kept = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []} for cell in cells]
    path.write_text(json.dumps({"cells": kept, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    (file,) = discover([str(path)], Finder(isolated=True)).files
    (result,) = verify_file(prover, Job(path, check_file(file).diagnostics), Budget(recording=20.0))
    assert result.verdict == "confirmed", result.reason
    assert result.evidence.inputs == "x=float32[5], by=dict (from notes.ipynb)"
