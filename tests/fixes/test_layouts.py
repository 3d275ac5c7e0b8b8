"""Fixes heed how a file is written: the same edit, whatever its line ends, indentation, names and comments are."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint.fixes.engine.apply import Mended, comments
from jaxlint.settings import Settings
from tests import goldens, marks

# Those with goldens, but for the longest: each is fixed many times.
SHORT = [
    path
    for path in marks.files()
    if list(path.parent.glob(f"{path.stem}.*.py")) and path.read_bytes().count(b"\n") < 180
]


def fixed(text: str, path: Path) -> Mended:
    return goldens.fixed(text, path)


def by_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def chosen(path: Path) -> str:
    return marks.stripped(path)


# --- what a fix makes of a rewritten file is what rewriting makes of the fixed file ---


def with_tabs(text: str) -> str:
    """Indent by tabs, but for what is in texts of several rows, or is not indented by fours."""
    inside = inner_rows(text)
    rows = text.split("\n")
    for number, row in enumerate(rows, 1):
        blanks = len(row) - len(row.lstrip(" "))
        if number not in inside:
            rows[number - 1] = "\t" * (blanks // 4) + " " * (blanks % 4) + row[blanks:]
    return "\n".join(rows)


def with_crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def inner_rows(text: str) -> set[int]:
    """Return the rows, but for the first, of the texts that take several."""
    return {
        row
        for token in tokens(text)
        if token.type == tokenize.STRING
        for row in range(token.start[0] + 1, token.end[0] + 1)
    }


def tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


REWRITES: dict[str, Callable[[str], str]] = {"tabs": with_tabs, "crlf": with_crlf}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES)
@pytest.mark.parametrize("path", SHORT, ids=by_name)
def test_fixing_and_rewriting_commute(path: Path, rewrite: Callable[[str], str]) -> None:
    text = chosen(path)
    assert fixed(rewrite(text), path).source.text == rewrite(goldens.fixed_file(path).source.text)


# --- what must not get in the way ---


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Path, str]:
    """Draw a file, and the same with comments, blank rows, other names, and more around it."""
    path = draw(st.sampled_from(SHORT))
    text = chosen(path)
    other = commented(text, draw(st.randoms(use_true_random=False)).random)
    if draw(st.booleans()):
        other = renamed(other)
    if draw(st.booleans()):
        other = nested(other, draw(st.sampled_from(["    ", "\t", "  "])))
    if draw(st.booleans()):
        other = with_crlf(other)
    return path, other


def commented(text: str, random: Callable[[], float]) -> str:
    """Add comments at the ends of rows, and on rows of their own."""
    rows = text.split("\n")
    ends = {token.start[0] for token in tokens(text) if token.type in (tokenize.NEWLINE, tokenize.NL)}
    has = {token.start[0] for token in tokens(text) if token.type == tokenize.COMMENT}
    starts = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)} - inner_rows(text)
    out = []
    for number, row in enumerate(rows, 1):
        blanks = row[: len(row) - len(row.lstrip())]
        decorated = number > 1 and rows[number - 2].lstrip().startswith("@")
        if number in starts and not decorated and random() < 0.15:
            out.append(f"{blanks}# above {number} ü")
        if number in ends and number not in has and row.strip() and random() < 0.3:
            out.append(f"{row}  # beside {number}")
        else:
            out.append(row)
    return "\n".join(out)


def renamed(text: str) -> str:
    """Give each function whose name is one of a few a name that is not ASCII; the examples know it by the same."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    # What is imported, an attribute of something, or passed by keyword, has its name from elsewhere; some names matter.
    others = {
        getattr(node, "attr", getattr(node, "arg", getattr(node, "name", None)))
        for node in nodes
        if not isinstance(node, ast.FunctionDef)
    }
    for name in sorted(names - others - {"jaxlint_examples"}):
        if len(name) % 2 and not name.startswith("_") and not Settings().is_run_once(name):
            text = re.sub(rf"\b{name}\b", f"é{name}", text)
    return text


def nested(text: str, indent: str) -> str:
    """Put all but docstring and imports into an `if`."""
    tree = ast.parse(text)
    first = next(node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign))
    start = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))])
    inside = inner_rows(text)
    rows = text.split("\n")
    while start > 1 and rows[start - 2].startswith("#"):
        start -= 1
    body = [
        row if number in inside or not row.strip() else indent + row
        for number, row in enumerate(rows[start - 1 :], start)
    ]
    return "\n".join([*rows[: start - 1], "if True:", *body])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(layouts())
def test_layout_does_not_get_in_the_way(layout: tuple[Path, str]) -> None:
    path, other = layout
    result = fixed(other, path)
    assert not result.dropped
    wanted, got = (Counter(applied.code for applied in r.applied) for r in (goldens.fixed_file(path), result))
    # In an `if`, less is certain.
    assert got <= wanted if "\nif True:" in other else got == wanted
    ast.parse(result.source.text)
    assert not comments(other) - comments(result.source.text)
    if "\r" in other:
        assert result.source.text.count("\n") == result.source.text.count("\r\n")
