"""Nodes and places are those of LibCST's own parser, and what is shown depends on nothing but what is asked for."""

from __future__ import annotations

import ast
import random
import sysconfig
import unicodedata
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint import Confidence, Finding, Settings, Source, lint, linter
from jaxlint.facts.syntax import parsing
from jaxlint.facts.syntax.parsing import Places
from jaxlint.facts.syntax.tree import children
from jaxlint.rules import rules
from jaxlint.source import SourceError

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "testdata").rglob("*.py"))
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
EVERYTHING = Settings(min_confidence=Confidence.LOW, preview=True, select=tuple(f"JAX{number}" for number in range(10)))


def library_sources() -> list[Source]:
    """Python's own library, and its tests where they are installed: a sample that is the same each time."""
    files = sorted(file for file in LIBRARY.rglob("*.py") if "site-packages" not in file.parts)
    found = []
    for file in random.Random(0).sample(files, min(len(files), 250)):
        try:
            found.append(Source.from_bytes(file.read_bytes(), file.name))
        except SourceError:
            continue
    return found


def by_libcst(source: Source) -> tuple[cst.Module, Places] | None:
    """What LibCST's own parser makes of a text; None where it refuses it."""
    try:
        module = cst.parse_module(source.text)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        return None
    return module, parsing._LibcstPlaces(source, module)


def difference(one: cst.CSTNode, other: cst.CSTNode) -> str:
    """Where two trees differ in what facts ask for; empty where they do not."""
    stack = [(one, other)]
    while stack:
        mine, theirs = stack.pop()
        if isinstance(mine, STRINGS) and isinstance(theirs, STRINGS):
            mine_parts, their_parts = expressions(mine), expressions(theirs)
        elif type(mine) is not type(theirs) and not isinstance(mine, cst.MatchList):
            return f"{type(mine).__name__} and {type(theirs).__name__}"
        elif isinstance(mine, (cst.Integer, cst.Float, cst.Imaginary)):
            assert isinstance(theirs, (cst.Integer, cst.Float, cst.Imaginary))
            if ast.literal_eval(mine.value) != ast.literal_eval(theirs.value):
                return f"{mine.value} and {theirs.value}"
            continue
        elif isinstance(mine, cst.Name):
            assert isinstance(theirs, cst.Name)
            if unicodedata.normalize("NFKC", theirs.value) != mine.value:
                return f"{mine.value} and {theirs.value}"
            continue
        else:
            mine_parts, their_parts = children(mine), children(theirs)
            for name in ("operator", "asynchronous", "star", "keyword"):
                if type(getattr(mine, name, None)) is not type(getattr(theirs, name, None)):
                    return f"{name} of {type(mine).__name__}"
        if len(mine_parts) != len(their_parts):
            return f"{len(mine_parts)} and {len(their_parts)} parts of {type(mine).__name__}"
        stack.extend(zip(mine_parts, their_parts, strict=True))
    return ""


STRINGS = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)


def expressions(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The expressions in a string; LibCST keeps strings that follow each other apart."""
    if isinstance(node, cst.ConcatenatedString):
        return [*expressions(node.left), *expressions(node.right)]
    if not isinstance(node, cst.FormattedString):
        return []
    return [part for part in node.parts if isinstance(part, cst.FormattedStringExpression)]


def places(module: cst.Module, where: Places) -> list[tuple[str, int, int]]:
    """The kinds and spans of the nodes that findings and fixes speak of, parentheses aside."""
    found = []
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        if isinstance(node, (*STRINGS, cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal)):
            continue
        if isinstance(node, (cst.Call, cst.Name, cst.Attribute, cst.FunctionDef, cst.For, cst.Assign, cst.Param)):
            span = where.span(node)
            found.append((type(node).__name__, span.start, span.end))
        stack.extend(children(node))
    return sorted(found)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_nodes_and_places_are_those_of_libcst(file: Path) -> None:
    source = Source.from_bytes(file.read_bytes(), file.name)
    module, where = parsing.parse(source)
    theirs = by_libcst(source)
    assert theirs is not None
    assert difference(module, theirs[0]) == ""
    texts = [sorted(strip(source, *place) for place in places(*each)) for each in ((module, where), theirs)]
    assert texts[0] == texts[1]


def strip(source: Source, kind: str, start: int, end: int) -> tuple[str, int, int]:
    """A span without the parentheses around it, which LibCST counts as the node's and `ast` does not."""
    text = source.text
    if kind == "Param":
        while text[start] in "* ":
            start += 1
    while text[start] == "(" and text[end - 1] == ")" and kind in ("Call", "Name", "Attribute"):
        start, end = start + 1, end - 1
        while text[start].isspace():
            start += 1
        while text[end - 1].isspace():
            end -= 1
    return kind, start, end


def test_nodes_are_those_of_libcst_on_pythons_library() -> None:
    for source in library_sources():
        theirs = by_libcst(source)
        try:
            module, _ = parsing.parse(source)
        except parsing.UnreadableError:
            continue
        if theirs is not None:
            assert difference(module, theirs[0]) == "", source.path


def check(source: Source) -> list[Finding]:
    """Lint, and check what holds for every text; return the findings."""
    found = lint(source, EVERYTHING)
    assert [finding.message for finding in found if finding.code == "JAX000"] == []
    for finding in found:
        for span in (finding.span, *(note.span for note in finding.related)):
            assert 0 <= span.start <= span.end <= len(source.text)
    # What is shown of them depends on nothing but what is asked for.
    usual = [f for f in found if f.confidence >= Confidence.MEDIUM and not is_off(f.code)]
    assert [f for f in lint(source, Settings(preview=True)) if not is_off(f.code)] == usual
    stable = [f for f in lint(source, Settings(min_confidence=Confidence.LOW)) if f.confidence >= Confidence.MEDIUM]
    assert lint(source, Settings()) == stable
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linter, "wanted", lambda *_: [*rules().values()])
        others = lint(source, EVERYTHING)
    if not linter.wanted(source, EVERYTHING):
        others = [finding for finding in others if finding.code != "JAX001"]
    assert found == others
    return found


def is_off(code: str) -> bool:
    """Whether a rule is off by default."""
    return code in rules() and rules()[code].off_by_default


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_default_run_shows_what_a_wide_one_does(file: Path) -> None:
    check(Source.from_bytes(file.read_bytes(), file.name))


LAMBDA = "def f(x):\n    return jax.jit(lambda y: y)(x)\n"

LAYOUTS = {
    "shared row": "import jax; y = jax.jit\nz = 3; \\\n  w = 4\n" + LAMBDA,
    "form feed": "import jax\n\f\n\f@g\n\f\n" + LAMBDA,
    "other line separators": "import jax\ns = '\u2028\x85\x0b\x1c'\n# \u2028 \x85\n" + LAMBDA,
    "carriage returns": ("import jax\n" + LAMBDA).replace("\n", "\r"),
    "mixed line ends": "import jax\r\ns = '''a\rb\r\nc\n'''\r" + LAMBDA,
    "decorators": "import jax\n@\\\nf(\n1)\n# c\n\n   # d\n@ \\\n  g\n\n# e\n" + LAMBDA,
    "backslash before a statement": "import jax\n\\\n\\\n" + LAMBDA,
    "backslash before a method": "import jax\nclass A:\n    x = 1\n    \\\n    def m(self, x):\n"
    "        return jax.jit(lambda y: y)(x)\n",
    "backslash that decides on the indentation": "import jax\ndef f(x):\n    y = 1\n    \\\n            \\\n"
    "          z = 2\n    return jax.jit(lambda y: y)(x)\n",
    "head of a class": "import jax\nclass A(\n   object,\n   # c\n): # d\n\n    # e\n    def l(self): pass\n"
    "    def m(self, x): return jax.jit(lambda y: y)(x)\n",
    "tabs": "import jax\nclass A:\n\tdef l(self): pass\n  # c\n\tdef m(self, x):\n"
    "\t        return jax.jit(lambda y: y)(x)\n",
    "type parameters": "import jax\ntype X[T] = list[T]\n" + LAMBDA,
    "template string": "import jax\nx = t'{1!r}'\n" + LAMBDA,
    "star import": "import jax as j\nfrom jax import *\ndef f(x):\n    return jit(lambda y: y)(x)\n",
    "no line end": "import jax\n" + LAMBDA.rstrip(),
    "byte order mark within": "\ufeffimport jax\n" + LAMBDA,
    "cookie after the top": "import jax\n# coding: ascii\ns = 'é'; f = lambda é: jax.jit(lambda y: y)(é)\n",
    "deep brackets": "import jax\n" + LAMBDA.replace("y: y", "y: " + "[" * 150 + "y" + "]" * 150),
    "long sum": "import jax\n" + LAMBDA.replace("y: y", "y: " + " + ".join("y" * 500)),
}


def _reads(text: str) -> bool:
    """Tell whether the syntax of a text is known here."""
    try:
        ast.parse(text)
    except SyntaxError:
        try:
            cst.parse_module(text)
        except cst.ParserSyntaxError:
            return False
    return True


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_finding_is_on_its_tokens(layout: str) -> None:
    if layout == "template string" and not _reads(LAYOUTS[layout]):
        pytest.skip("neither this Python nor this LibCST knows it")
    source = Source(LAYOUTS[layout], "a.py")
    (finding,) = check(source)
    assert finding.code == "JAX102"
    assert source.text[finding.span.start : finding.span.end].startswith(("jax.jit(lambda y: ", "jit(lambda y: "))


def test_a_lost_decorator_is_matched_with_the_function_below() -> None:
    text = "import jax\n\njax.jit\n\ndef advance(x):\n    return x\n\ndef other(x):\n    return x\n"
    (finding,) = check(Source(text, "a.py"))
    assert "`advance`" in finding.message


def test_an_assignment_expression_that_is_called() -> None:
    text = "import jax\ndef f(x):\n    return (g := jax.jit(lambda y: y))(x) + g(x)\n"
    assert [finding.code for finding in check(Source(text, "a.py"))] == ["JAX102"]


UNREADABLE = {
    "brackets": "x = " + "(" * 10_000 + ")" * 10_000,
    "brackets, never closed": "x = " + "[" * 10_000,
    "sum": "x = " + " + ".join("y" * 30_000),
    "dotted": "x = jax.jit" + ".a" * 30_000,
    "signs": "x = " + "-" * 30_000 + "1",
    "elif": "if x:\n    jax.jit\n" + "elif x:\n    pass\n" * 5_000,
    "surrogate": "x = '\ud800'",
    "null byte": "\0",
    "mixed literals": "x = 'a' b'b'",
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_no_parser_takes_is_one_finding(kind: str) -> None:
    found = lint(Source("import jax\n" + LAMBDA + UNREADABLE[kind] + "\n", "a.py"), EVERYTHING)
    assert [finding.code for finding in found] == ["JAX001"]


def test_many_operands_side_by_side_are_in_nobodys_way() -> None:
    text = "import jax\n" + LAMBDA + "table = " + " and ".join("z" * 5_000) + "\n"
    assert [finding.code for finding in lint(Source(text, "a.py"), EVERYTHING)] == ["JAX102"]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_broken_examples(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(EXAMPLES))
    rows = file.read_text("utf-8").splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        here, there = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["drop", "double", "swap", "rename"])):
            case "drop" if len(rows) > 1:
                del rows[here]
            case "double":
                rows.insert(there, rows[here])
            case "swap":
                rows[here], rows[there] = rows[there], rows[here]
            case _:
                names = [word for word in rows[here].replace("(", " ").split() if word.isidentifier()]
                if names:
                    rows[there] = rows[there].replace("jax", data.draw(st.sampled_from(names)))
    check(Source("".join(rows), "a.py"))
