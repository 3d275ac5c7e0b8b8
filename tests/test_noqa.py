"""`# noqa`: the same verdicts as flake8's own code, on comments of every shape."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from flake8.processor import FileProcessor
from flake8.violation import Violation
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jaxlint.noqa import Noqa
from jaxlint.source import Source

OPTIONS = SimpleNamespace(hang_closing=False, indent_size=4, max_line_length=79, max_doc_length=79, verbose=0)
OPTIONS.disable_noqa = False


def flake8_hides(lines: list[str], code: str, row: int) -> bool:
    """Return what flake8 does with a violation on a row of a file."""
    processor = FileProcessor("no such file", OPTIONS, list(lines))
    if processor.should_ignore_file():
        return True
    # Where flake8 has no line, it asks linecache for that of the file.
    line = processor.noqa_line_for(row) or lines[row - 1]
    return bool(Violation(code, "no such file", row, 1, "text", line).is_inline_ignored(disable_noqa=False))


PIECES = (
    *("\n", "\\\n", "x = 1", "  ", "    ", "\t", "(", ")", "[", "]", "'", '"""', "'''", "f'''", "{", "}", "#", "\x0c"),
    *("# noqa", "#noqa", "# NoQA", "# noqa:", "# noqa :", "# noqa: ", "# noqa:  ", "# flake8: noqa", "# flake8=noqa"),
    *("# flake8:", "noqa", ":", "JAX", "JAX1", "JAX101", "jax101", "E501", ",", ", ", " ", "x", "é"),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("x = 1  # noqa: JAX101")
@example('f("""\n# noqa\n""")\n')
@example("x = \\\n    1  # noqa: JAX1\n")
@example("f(\n    1,  # noqa\n)\n")
@example("(  # noqa\n")
@example("x = 1\n  # flake8: noqa: E501\n")
@example("# flake8:\nnoqa\n")
@example("# noqa:\nJAX1\n")
def test_every_row_is_hidden_as_by_flake8(text: str) -> None:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    noqa = Noqa(Source(text))
    for row in range(1, len(lines) + 1):
        for code in ("JAX101", "JAX001", "E501"):
            assert noqa.hides(code, row) == flake8_hides(lines, code, row), (row, code)


@pytest.mark.parametrize(
    ("comment", "hidden"),
    [
        ("# noqa", True),
        ("# NOQA", True),
        ("# noqa because", True),
        ("# noqa JAX999", True),
        ("# noqa : JAX999", True),
        ("# noqa: JAX", True),
        ("# noqa: JAX101", True),
        ("# noqa:JAX101", True),
        ("# noqa: E501,JAX101", True),
        ("# noqa: E501, JAX101 because", True),
        ("# noqa: E501 JAX101", True),
        ("# noqa: JAX1", True),
        ("# a remark  # noqa: JAX101", True),
        ("# noqa: JAX102", False),
        ("# noqa: E501", False),
        ("# noqa: jax101", False),
        ("#noqa", False),
        ("# no qa", False),
        ("# jaxlint", False),
    ],
)
def test_comments(comment: str, hidden: bool) -> None:
    assert Noqa(Source(f"x = 1  {comment}\n")).hides("JAX101", 1) is hidden


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_that_are_one_to_a_comment(newline: str) -> None:
    lines = [
        "a = '''",
        "'''  # noqa",
        "b = \\",
        "    1  # noqa",
        "c = (",
        "    1,  # noqa",
        ")",
    ]
    noqa = Noqa(Source(newline.join(lines)))
    assert [row for row in range(1, 8) if noqa.hides("JAX101", row)] == [1, 2, 3, 4, 6]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("# flake8: noqa", True),
        ("    # FLAKE8:NOQA: E501", True),
        ("# flake8=noqa", True),
        ("x = 1  # flake8: noqa", False),
        ("# flake8: no", False),
        ("# flake8:", False),
    ],
)
def test_whole_files(newline: str, line: str, whole: bool) -> None:
    text = newline.join(["import jax", line, "noqa = 1", ""])
    assert Noqa(Source(text)).whole_file is whole
