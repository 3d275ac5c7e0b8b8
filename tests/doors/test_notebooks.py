"""Notebooks through the command."""

from __future__ import annotations

import json

import pytest

from jaxlint import report
from tests.doors.conftest import LAMBDA, Project
from tests.notebooks import cell, dumps, notebook, sources

BODY = LAMBDA.partition("\n\n\n")[2] + "\n\nfor _ in range(100):\n    scale(1.0)\n"
CELLS = ("import jax", cell("# Title\n", "markdown"), "!ls\n", BODY)
PLACE = "a.ipynb:cell 4:2:12:"


@pytest.fixture
def text(project: Project) -> str:
    """The text of a notebook with one finding, JAX102 in the second line of its fourth cell."""
    text = dumps(notebook(*CELLS))
    project.write("a.ipynb", text)
    return text


@pytest.mark.usefixtures("text")
def test_a_finding_is_in_a_cell(project: Project) -> None:
    outcome = project.run("check", "--output-format", "concise", "-q")
    assert outcome.code == 1
    assert outcome.out.startswith(f"{PLACE} JAX102 [*] ")
    (finding,) = project.json("a.ipynb").findings
    assert (finding["cell"], finding["location"], finding["noqa_row"]) == (4, {"row": 2, "column": 12}, 2)
    assert {edit["location"]["cell"] for edit in finding["fixes"][0]["edits"]} == {4}


def test_the_same_through_standard_input(project: Project, text: str) -> None:
    outcome = project.run(
        "check", "--output-format", "concise", "-q", "--stdin-filename", "a.ipynb", "-", stdin=text.encode()
    )
    assert (outcome.code, outcome.out.partition(" JAX102")[0]) == (1, PLACE)
    fixed = project.run("check", "--fix", "--stdin-filename", "a.ipynb", "-", stdin=text.encode())
    assert sources(fixed.out)[3].startswith("@jax.jit\ndef _scale(y):\n    return y * 2\n\n\ndef scale(x):\n")


@pytest.mark.parametrize("name", report.names())
def test_every_format_says_which_cell_and_which_line_of_the_file(project: Project, text: str, name: str) -> None:
    cold = project.run("check", "--output-format", name)
    assert cold.code == 1
    line = next(number for number, line in enumerate(text.split("\n"), 1) if "jax.jit(lambda" in line)
    says = {
        "text": PLACE,
        "concise": PLACE,
        "full": PLACE,
        "grouped": "a.ipynb:\n  cell 4:2:12  JAX102",
        "pylint": f"a.ipynb:{line}: [JAX102] cell 4:2:12: ",
        "azure": f"linenumber={line};code=JAX102;]cell 4:2:12: ",
        "json": '"cell": 4, "location": {"row": 2, "column": 12}',
        "json-lines": '"cell": 4, "location": {"row": 2, "column": 12}',
        "github": f"file=a.ipynb,line={line},endLine={line},title=JAX102 jit-of-lambda::cell 4:2:12: ",
        "gitlab": f'"lines": {{"begin": {line}, "end": {line}}}',
        "junit": "JAX102 jit-of-lambda (cell 4:2:12)",
        "markdown": "`a.ipynb:cell 4:2`",
        "rdjson": f'{{"start": {{"line": {line}}}, "end": {{"line": {line}}}}}',
        "rdjsonl": f'{{"start": {{"line": {line}}}, "end": {{"line": {line}}}}}',
        "sarif": f'"region": {{"startLine": {line}, "endLine": {line}}}',
    }
    assert says[name] in cold.out
    # What the cache knows is all that there is to say.
    assert project.run("check", "--output-format", name).out == cold.out


@pytest.mark.usefixtures("text")
def test_the_formats_for_reviews_have_no_suggestion_for_lines_of_json(project: Project) -> None:
    for name in ("rdjson", "sarif"):
        out = project.run("check", "--output-format", name).out
        assert '"suggestions"' not in out
        assert '"fixes"' not in out


def test_a_fix_is_written_and_shown(project: Project, text: str) -> None:
    diff = project.run("check", "--diff", "a.ipynb").out
    assert '+    "@jax.jit\\n",' in diff
    assert '-    "    return jax.jit(lambda y: y * 2)(x)\\n"' in diff
    assert project.run("check", "--fix", "a.ipynb").code == 0
    after = (project.folder / "a.ipynb").read_text()
    before = json.loads(text)
    before["cells"][3]["source"] = json.loads(after)["cells"][3]["source"]
    assert dumps(before) == after


@pytest.mark.usefixtures("text")
def test_comments_and_the_baseline_hide_findings(project: Project) -> None:
    project.run("check", "--add-noqa=known", "a.ipynb")
    after = (project.folder / "a.ipynb").read_text()
    assert "(x)  # noqa: JAX102 known\n" in sources(after)[3]
    assert project.run("check", "a.ipynb").code == 0
    unused = project.run("check", "--warn-unused-noqa", "--select", "JAX1", "a.ipynb")
    assert (unused.code, unused.err) == (0, "")
    project.write("a.ipynb", dumps(notebook(*CELLS[:3], BODY, "x = 1  # noqa: JAX102")))
    unused = project.run("check", "--warn-unused-noqa", "a.ipynb")
    assert "a.ipynb:cell 5:1: unused noqa: JAX102 hides nothing" in unused.err
    project.run("check", "--baseline", "known.json", "--write-baseline")
    assert project.run("check", "--baseline", "known.json").code == 0
    # Where the cell is does not matter.
    project.write("a.ipynb", dumps(notebook("import jax", "x = 1", "y = 2", BODY)))
    assert project.run("check", "--baseline", "known.json").code == 0


def test_what_is_no_notebook_is_said(project: Project) -> None:
    project.write("a.ipynb", '{"cells": [')
    outcome = project.run("check", "--output-format", "concise", "-q")
    assert outcome.code == 1
    assert outcome.out.startswith("a.ipynb:1:1: JAX001 not a notebook: its JSON is broken: ")


def test_a_notebook_hides_no_module_of_its_name_and_says_who_calls_what(project: Project) -> None:
    project.write("steps.py", LAMBDA)
    project.write("steps.ipynb", dumps(notebook("import steps", "for _ in range(100):\n    steps.scale(1.0)\n")))
    alone = project.json("--no-project", "steps.py").findings
    together = project.json(".").findings
    assert [item["filename"] for item in together] == ["steps.py"]
    assert len(alone) == 1


def test_a_fix_that_cannot_be_applied_is_said_with_its_cell(project: Project) -> None:
    project.write("a.ipynb", dumps(notebook("import jax", "%%time\n" + BODY.replace("(x)\n", "(x)", 1))))
    outcome = project.run("check", "--fix", "a.ipynb")
    assert outcome.code in (0, 1)
    assert sources((project.folder / "a.ipynb").read_text())[1].startswith("%%time\n")
