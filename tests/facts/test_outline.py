"""The cost ladder loses nothing: blocks joined are the text, and findings are the same with it and without."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint import Confidence, Finding, Settings, Source, lint
from jaxlint.facts import outline
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


def without_ladder(source: Source) -> list[Finding]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "outline", lambda source, *_: [outline.whole(source)])
        patch.setattr(outline, "may_matter", lambda *_: True)
        return lint(source, EVERYTHING)


def check(source: Source) -> list[Finding]:
    """Lint, and check what holds for every text; return the findings."""
    found = lint(source, EVERYTHING)
    assert [finding.message for finding in found if finding.code == "JAX000"] == []
    for finding in found:
        for span in (finding.span, *(note.span for note in finding.related)):
            assert 0 <= span.start <= span.end <= len(source.text)
    others = without_ladder(source)
    if not outline.may_matter(source, EVERYTHING):
        others = [finding for finding in others if finding.code != "JAX001"]
    assert found == others
    return found


def test_blocks_joined_are_the_text_of_pythons_library() -> None:
    for source in library_sources():
        pieces = [piece for block in outline.blocks(source) for piece in block.pieces]
        assert "".join(block.text for block in outline.blocks(source)) == source.text, source.path
        assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces)][: len(pieces)], source.path


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_ladder_loses_no_finding_of_testdata(file: Path) -> None:
    source = Source.from_bytes(file.read_bytes(), file.name)
    assert "".join(block.text for block in outline.blocks(source)) == source.text
    check(source)


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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_finding_is_on_its_tokens(layout: str) -> None:
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
    "flat for ast": "x = jax.jit and " + " and ".join("y" * 30_000),
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


def test_deep_code_that_does_not_matter_is_in_nobodys_way() -> None:
    text = "import jax\n" + LAMBDA + "table = " + " and ".join("z" * 5_000) + "\n"
    assert [finding.code for finding in lint(Source(text, "a.py"), EVERYTHING)] == ["JAX102"]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_ladder_loses_nothing_of_broken_examples(data: st.DataObject) -> None:
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
