"""`jaxlint check --show-evidence`, and the places that findings rest on, in all formats and from a warm cache."""

from __future__ import annotations

import json
import textwrap

import pytest

from jaxlint.facts.evidence.confidence import Doubt
from tests.doors.conftest import Project

LIB = """
    import jax
    import jax.numpy as jnp


    def double(x):
        def body(y):
            return y * 2

        return jax.jit(body)(x)


    def smooth(x):
        total = 0.0
        for i in range(5000):
            total = total + jnp.sin(x[i]) * jnp.cos(x[i])
        return total


    def last(x):
        return jax.jit(lambda y: y[-1])(x)
"""
MAIN = """
    import jax

    from lib.ops import double, last, smooth


    @jax.jit
    def step(x):
        return smooth(x)


    if __name__ == "__main__":
        for i in range(100):
            double(jax.numpy.ones(3))
        step(jax.numpy.ones(5000))
        last(jax.numpy.ones(3))
"""
LOOPED = "main.py:13: `double` is called in a loop, perhaps by way of others"
COMPILED = "main.py:7: `smooth` runs in what is compiled here"


@pytest.fixture
def two_files(project: Project) -> Project:
    project.write("lib/__init__.py", "")
    project.write("lib/ops.py", textwrap.dedent(LIB).lstrip())
    project.write("main.py", textwrap.dedent(MAIN).lstrip())
    return project


def test_a_reason_in_another_file_is_one_line_of_the_text(two_files: Project) -> None:
    out = two_files.run("check", ".").out
    assert f"= {LOOPED}\n" in out
    assert f"= {COMPILED}\n" in out
    assert out.count("main.py:") == 2


def test_show_evidence_says_all_of_it(two_files: Project) -> None:
    out = two_files.run("check", "--show-evidence", "--min-confidence", "low", ".").out
    assert f"= for: {LOOPED}\n" in out
    assert "= for: main.py:13: the program reaches `double` from here, outside any trace\n" in out
    assert f"= for: {COMPILED}\n" in out
    assert f"= against: main.py:15: {Doubt.CALLED_ONCE.value}\n" in out
    concise = two_files.run("check", "--show-evidence", "--output-format", "concise", ".").out
    assert f"\n  for: {LOOPED}\n" in concise
    assert "  for:" not in two_files.run("check", "--output-format", "concise", ".").out


def test_names_lead_from_where_the_command_runs(two_files: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(two_files.folder / "lib")
    (related,) = {note["filename"] for f in two_files.json("..").findings for note in f["related"]} - {"../lib/ops.py"}
    assert related == "../main.py"


def test_the_places_are_in_all_formats(two_files: Project) -> None:
    def run(form: str, *more: str) -> str:
        return two_files.run("check", "--output-format", form, *more, ".").out

    first, second = json.loads(run("json"))
    assert {"message", "speaks", "filename", "location"} == set(first["reasons"][0])
    assert {note["filename"] for note in first["related"]} == {"lib/ops.py", "main.py"}
    assert [(r["speaks"], r["filename"], r["location"]["row"]) for r in second["reasons"]] == [("for", "main.py", 7)]
    (log,) = json.loads(run("sarif"))["runs"]
    related = log["results"][0]["relatedLocations"]
    uris = {item["physicalLocation"]["artifactLocation"]["uri"] for item in related}
    assert any(uri.endswith("main.py") for uri in uris)
    assert log["results"][0]["properties"]["for"][0].startswith("`double` is called in a loop")
    diagnostics = json.loads(run("rdjson"))["diagnostics"]
    assert any(item["location"]["path"].endswith("main.py") for item in diagnostics[0]["related_locations"])
    for form in ("github", "gitlab", "junit", "markdown"):
        out = run(form).replace("\\`", "`")
        assert "main.py:13: " in out, form
        assert "is called in a loop" in out, form
        assert "for: main.py:13: " in run(form, "--show-evidence"), form


def test_warm_and_cold_say_the_same_and_lines_that_move_are_followed(two_files: Project) -> None:
    options = ("--min-confidence", "low", ".")
    cold = two_files.json("--no-cache", *options)
    assert two_files.json(*options) == cold
    assert two_files.json(*options) == cold
    two_files.write("main.py", "# one more line\n" + textwrap.dedent(MAIN).lstrip())
    moved = two_files.json(*options)
    assert moved == two_files.json("--no-cache", *options)
    rows = [[r["location"]["row"] for r in f["reasons"] if r["filename"] == "main.py"] for f in cold.findings]
    assert [[r["location"]["row"] for r in f["reasons"] if r["filename"] == "main.py"] for f in moved.findings] == [
        [row + 1 for row in found] for found in rows
    ]


CASES = {
    "a loop around it": (
        "def f(x):\n    for i in range(9):\n        x = jax.jit(lambda y: y + i)(x)\n    return x\n",
        ("for", "it is in a loop", 4),
    ),
    "a call in a loop": (
        "def f(x):\n    return jax.jit(lambda y: y)(x)\n\n\nfor i in range(9):\n    f(i)\n",
        ("for", "`f` is called in a loop", 8),
    ),
    "the wrapper": (
        "def g(x):\n    if x > 0:\n        return x\n    return -x\n\n\nh = jax.jit(lambda x: g(x) + 1)\n",
        ("for", "`jax.jit` traces `g`, by way of `<lambda>`", 9),
    ),
    "a decorator": (
        "@jax.jit\ndef g(x):\n    if x > 0:\n        return x\n    return -x\n",
        ("for", "`jax.jit` traces `g`", 3),
    ),
    "the second use": (
        "def f(x):\n    g = jax.jit(lambda y: y)\n    for i in range(9):\n        x = g(x)\n    return x\n",
        ("against", Doubt.REUSED.value, 6),
    ),
    "the option": (
        "@jax.jit\ndef f(x):\n    if debug:\n        for i in range(5000):\n            x = jax.numpy.sin(x)\n",
        ("against", Doubt.OPTION.value, 5),
    ),
    "a function that runs once": (
        "def main(x):\n    return jax.jit(lambda y: y)(x)\n",
        ("against", "its function runs once per process", 3),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_speaks_for_and_against_has_its_line(project: Project, case: str) -> None:
    code, expected = CASES[case]
    project.write("a.py", f"import jax\n\n{code}")
    found = project.json("--preview", "--min-confidence", "low", ".").findings
    told = [(r["speaks"], r["message"], (r["location"] or {}).get("row")) for f in found for r in f["reasons"]]
    assert expected in told, told


def test_a_trace_of_a_notebook_is_not_told_as_a_library_s(project: Project) -> None:
    project.write(
        "base.py",
        "import jax.numpy as jnp\n\n\nclass Solver:\n"
        "    def step(self, x):\n        return x if jnp.any(x > 0) else -x\n",
    )
    project.write("euler.py", "from base import Solver\n\n\nclass Euler(Solver):\n    pass\n")
    cell = "import jax\nfrom euler import Euler\nsolver = Euler()\n@jax.jit\ndef f(x): return solver.step(x * 2)\n"
    cells: list[object] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
    ]
    project.write("main.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    out = project.run("check", "--show-evidence", "--min-confidence", "low", ".").out
    assert "= for: base.py:5:9: code in another file traces `step`\n" in out
