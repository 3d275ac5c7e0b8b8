"""Notebooks and scripts with lines for IPython, as the core sees them."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.editing import EditError
from jaxlint.finding import Edit, Span
from jaxlint.fixes.engine.apply import mend
from jaxlint.ipython import hide, parses
from jaxlint.source import SourceError
from tests import marks
from tests.notebooks import cell, dumps, notebook, sources, split
from tests.test_testdata import by_name

LAMBDA = "def scale(x):\n    return jax.jit(lambda y: y * 2)(x)\nfor _ in range(100): scale(1.0)"

ESCAPES = {
    "line magic": ("%matplotlib inline\n", "0                 \n"),
    "shell": ("!pip install jax\n", "0               \n"),
    "shell over lines": ("!pip install \\\n  jax\nx = 1\n", "0             \n     \nx = 1\n"),
    "help": ("jax.jit?\n??jax\n", "0       \n0    \n"),
    "indented": ("if x:\n    !ls\n", "if x:\n    0  \n"),
    "assigned": ("files = !ls\n", "files = _  \n"),
    "assigned magic": ("a, b = %env X\n", "a, b = _     \n"),
    "timed": ("%timeit -n 10 f(x)\n", "0;            f(x)\n"),
    "timed, assigned": ("%time y = f(x)\n", "0;    y = f(x)\n"),
    "timed, no Python": ("%time f(x\n", "0        \n"),
    "command": ("pip install -q jax\n", "0                 \n"),
    "no line end": ("%x", "0 "),
}
UNTOUCHED = {
    "modulo": "x = (a\n % b)\n",
    "list": "x = [\n%b]\n".replace("%b", "1\n%b"),
    "string": 's = """\n!no\n%no\nno?\n"""\n',
    "comment": "# why?\nx = 1  # what?\n",
    "text": "x = 'y?'\n",
    "unequal": "a != b\n",
    "augmented": "a %= b\n",
    "joined": "x = a \\\n% b\n",
    "name": "cat in x\npip = 1\nls\n",
    "format": "print('%d'\n      % x)\n",
}


@pytest.mark.parametrize("kind", ESCAPES)
def test_what_is_for_ipython_is_hidden_by_python_of_the_same_length(kind: str) -> None:
    text, expected = ESCAPES[kind]
    masked, hidden = hide(text, commands=True)
    assert masked == expected
    assert len(masked) == len(text)
    assert parses(masked)
    source = Source(masked, hidden=hidden)
    assert source.written == text


@pytest.mark.parametrize("kind", UNTOUCHED)
def test_what_is_python_is_left(kind: str) -> None:
    assert hide(UNTOUCHED[kind], commands=True) == (UNTOUCHED[kind], ())


def read(*cells: str | dict[str, Any], **metadata: Any) -> Source:
    return Source.from_bytes(dumps(notebook(*cells, **metadata)).encode(), "a.ipynb")


def test_the_cells_of_python_are_one_module_in_their_order() -> None:
    source = read("import jax", cell("# Title\n", "markdown"), "%%bash\nls | x", "x = 1\n", "%%time\ny = x", "")
    assert source.text == "import jax\nx = 1\n0     \ny = x\n\n"
    assert [item.number for item in source.cells] == [1, 4, 5, 6]
    assert source.place(source.text.index("y =")) == (5, 2)
    ast.parse(source.text)


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile x.py", "%%cython -a", "\n%%js", "%% latex"])
def test_cells_that_are_not_python_are_left_out(magic: str) -> None:
    assert [item.number for item in read(f"{magic}\nx = 1", "y = 2").cells] == [2]


@pytest.mark.parametrize(
    "metadata", [{"kernelspec": {"language": "R"}}, {"language_info": {"name": "julia"}, "kernelspec": {}}]
)
def test_a_notebook_of_another_language_holds_nothing(metadata: dict[str, object]) -> None:
    assert read("import jax", **metadata).text == ""


def test_a_cell_that_an_editor_takes_for_another_language_is_left_out() -> None:
    other = cell("select jax", metadata={"vscode": {"languageId": "sql"}})
    assert read(other, "x = 1").text == "x = 1\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"cells": [', "its JSON is broken: Expecting value: line 1 column 12"),
        (b'{"cells": []} x', "its JSON is broken: Extra data: line 1 column 15"),
        (b'{"cells": [],}', "its JSON is broken: Illegal trailing comma"),
        (b'{"cells" []}', "its JSON is broken: Expecting ':' delimiter"),
        (b'{"cells": [] "x": 1}', "its JSON is broken: Expecting ',' delimiter"),
        (b"{cells: []}", "its JSON is broken: Expecting property name"),
        (b"[]", "its JSON is no object"),
        (b"{}", "it has no cells"),
        (b'{"nbformat": 3, "worksheets": []}', "a format before 4"),
        (b"\xff\xfe{", "can't decode byte"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_said_in_one_line(data: bytes, says: str) -> None:
    with pytest.raises(SourceError, match=says) as error:
        Source.from_bytes(data, "a.ipynb")
    assert "\n" not in str(error.value)


def test_an_empty_file_is_an_empty_notebook() -> None:
    assert Source.from_bytes(b"\n", "a.ipynb").cells == ()


def test_a_cell_that_does_not_parse_hides_no_finding_in_the_others() -> None:
    source = read("import jax", "def f(:\n    x", 's = """', LAMBDA)
    found = [(item.code, source.place(item.span.start)) for item in lint(source)]
    assert found == [("JAX001", (2, 1)), ("JAX001", (3, 1)), ("JAX102", (4, 2))]
    assert source.sources()[1] == (2, "def f(:\n    x")


def test_an_exported_script_is_linted_but_for_the_lines_for_ipython() -> None:
    text = f"import jax\n%matplotlib inline\n!pip install jax\nget_ipython().system('ls')\n{LAMBDA}\n%time x = 1\n"
    source = Source.from_bytes(text.encode(), "a.py")
    first, second = lint(source)
    assert (first.code, first.message) == (
        "JAX001",
        "not Python but IPython: lines 2-3 and 8; the rest of the file is linted",
    )
    assert source.position(first.span.start) == (2, 1)
    assert (second.code, source.position(second.span.start)) == ("JAX102", (6, 12))
    mended = mend(source, lint, lambda _, found: found)
    assert [item.code for item in mended.findings] == ["JAX001"]
    assert mended.source.written.count("%matplotlib inline\n!pip install jax\n") == 1
    assert mended.source.written.endswith("%time x = 1\n")


def test_a_script_that_is_broken_elsewhere_is_not_touched() -> None:
    (found,) = lint(Source.from_bytes(b"import jax\n%time f()\njax.jit(\n", "a.py"))
    assert found.code == "JAX001"
    assert "IPython" not in found.message


@pytest.mark.parametrize("path", marks.files(), ids=by_name)
def test_a_module_in_cells_has_the_findings_of_the_module(path: Path) -> None:
    plain = Source.from_bytes(path.read_bytes(), by_name(path))
    cells = Source.of_cells(list(enumerate(split(plain.text), 1)), plain.path)
    assert cells.text == plain.text

    def found(source: Source) -> list[tuple[object, ...]]:
        return [(f.code, f.message, f.span, f.confidence, f.fingerprint) for f in lint(source, marks.settings(path))]

    assert found(cells) == found(plain)


LAYOUTS: dict[str, dict[str, Any]] = {
    "jupyter": {"indent": 1, "ensure_ascii": False},
    "colab": {"indent": 2, "ensure_ascii": False},
    "one line": {"indent": None, "ensure_ascii": True},
    "tabs": {"indent": "\t", "ensure_ascii": True},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_fix_changes_the_sources_of_cells_and_nothing_else(layout: str, as_text: bool, end: str) -> None:
    before = notebook(
        cell("# é 😀\n", "markdown"),
        "import jax\n%load_ext x",
        cell(
            f"%%time\nπ = 'é'  # ünicode\n{LAMBDA}{end}",
            outputs=[{"data": {"text": ["\u2028é"]}}],
        ),
        "!ls",
        "last = 1",
        zeta=1e-7,
        alpha=None,
    )
    if as_text:
        for item in before["cells"]:
            item["source"] = "".join(item["source"])
    options = LAYOUTS[layout]
    text = json.dumps(before, **options)
    source = Source.from_bytes(b"\xef\xbb\xbf" + text.encode(), "a.ipynb")
    mended = mend(source, lint, lambda _, found: found)
    assert not mended.findings
    data = mended.source.data()
    after = json.loads(data.decode("utf-8-sig"))
    changed = "".join(after["cells"][2]["source"])
    assert changed == (
        "%%time\nπ = 'é'  # ünicode\n\n\n@jax.jit\ndef _scale(y):\n    return y * 2\n\n\n"
        f"def scale(x):\n    return _scale(x)\nfor _ in range(100): scale(1.0){end}"
    )
    after["cells"][2]["source"] = before["cells"][2]["source"]
    assert json.dumps(after) == json.dumps(before)
    # Not only the same to a reader of JSON, but byte for byte.
    after["cells"][2]["source"] = changed if as_text else changed.splitlines(keepends=True)
    expected = json.dumps(after, **options)
    assert data.decode("utf-8-sig") == expected
    assert data.startswith(b"\xef\xbb\xbf")


def test_lines_that_stay_keep_their_escapes() -> None:
    text = dumps(notebook("import jax", f"π = 1\n{LAMBDA}\nlast = 'é'"), ascii=False)
    text = text.replace("é", "\\u00e9").replace("last = ", "last =\\u0020")
    source = Source.from_bytes(text.encode(), "a.ipynb")
    after = mend(source, lint, lambda _, found: found).source.data().decode()
    assert "last =\\u0020'\\u00e9'" in after
    assert "π = 1" in after
    assert "_scale" in sources(after)[1]


def edited(source: Source, old: str, new: str) -> Source:
    start = source.text.index(old)
    return source.edited([Edit(Span(start, start + len(old)), new)])


def test_edits_stay_in_their_cells() -> None:
    source = read("a = 1", "%%time\nb = 2", "c = 3\n")
    assert edited(source, "a = 1", "a = 10\na = 1").sources() == [
        (1, "a = 10\na = 1"),
        (2, "%%time\nb = 2"),
        (3, "c = 3\n"),
    ]
    # A line that goes away with its end takes the end of the line above along.
    assert edited(source, "b = 2\n", "").sources()[1] == (2, "%%time")
    assert edited(source, "c = 3\n", "").sources()[2] == (3, "")
    # Nothing may come before the magic of a cell, so it ends the cell above.
    place = source.cells[1].start
    assert source.edited([Edit(Span(place, place), "n = 0\n")]).sources()[0] == (1, "a = 1\nn = 0")


@pytest.mark.parametrize(("old", "new"), [("1\n0", "1"), ("0     ", "0"), ("a = 1\n", "a = 1"), ("= 2\nc", "= 3\nc")])
def test_edits_that_a_file_cannot_take_are_refused(old: str, new: str) -> None:
    source = read("a = 1", "%%time\nb = 2", "c = 3\n")
    with pytest.raises(EditError):
        edited(source, old, new)


def test_an_edit_does_not_break_a_line_that_is_timed() -> None:
    source = read("%time f(x)")
    assert edited(source, "f(x)", "g(x)").written == "%time g(x)\n"
    with pytest.raises(EditError):
        edited(source, "f(x)", "f(\nx)")


def test_settings_hold_in_notebooks() -> None:
    source = read("import jax", LAMBDA)
    assert [item.code for item in lint(source, Settings(select=("JAX102",)))] == ["JAX102"]
    assert not lint(source, Settings(select=("JAX101",)))
