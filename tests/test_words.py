"""Messages, help texts, pages and docstrings use the words of JAX's users: see `docs/style.md`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.finding import Confidence
from tests import words
from tests.marks import TESTDATA

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "jaxlint").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "style.md"),
    *sorted((ROOT / "lintcheck").glob("README.md")),
]
_CLAUSES = 2
_LONGEST = 260
"""Characters of the longest message, with names as testdata has them."""


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings that are statements of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def plain(text: str) -> str:
    """Return a text without code."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"``.*?``|`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>", "", text)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_pages_use_our_words(file: Path) -> None:
    assert words.found(plain(file.read_text("utf-8")), words.EVERYWHERE, words.IN_PROSE) == []


def test_contributing_uses_our_words() -> None:
    assert words.found(plain((ROOT / "CONTRIBUTING.md").read_text("utf-8")), words.EVERYWHERE) == []


def test_docstrings_and_messages_use_our_words() -> None:
    problems = []
    for file in MODULES:
        tree = ast.parse(file.read_text("utf-8"))
        said = {id(node): node for node in docstrings(tree)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or " " not in node.value.strip():
                continue
            lists = [words.EVERYWHERE] if id(node) in said else [words.EVERYWHERE, words.IN_PROSE]
            where = f"{file.relative_to(ROOT)}:{node.lineno}"
            problems += [f"{where}: {problem}" for problem in words.found(plain(node.value), *lists)]
    assert problems == []


@pytest.mark.parametrize("folder", sorted(TESTDATA.glob("jax*")), ids=lambda folder: folder.name)
def test_messages_say_what_happens_and_one_thing_to_do(folder: Path) -> None:
    settings = Settings(min_confidence=Confidence.LOW, preview=True, extend_select=(folder.name.upper(),))
    seen = set()
    for file in sorted(folder.glob("*.py"))[:3]:
        for finding in lint(Source.from_bytes(file.read_bytes(), str(file)), settings):
            message = re.sub(r"`[^`]*`", "`x`", finding.message)
            if message in seen:
                continue
            seen.add(message)
            assert "\n" not in message
            assert len(message.split("; ")) == _CLAUSES, finding.message
            assert len(message) <= _LONGEST, finding.message
            assert not message.endswith("."), finding.message
            assert words.found(message, words.EVERYWHERE, words.IN_PROSE) == []
    assert seen or folder.name == "jax000"


@pytest.mark.parametrize(
    ("code", "body", "what", "advice"),
    [
        (
            "JAX104",
            "def f(x):\n    return jax.jit(jax.grad(abs))(x)\n",
            "`jax.grad(abs)` is a new function",
            "build and jit it once, at module level",
        ),
        (
            "JAX104",
            "class A:\n    def f(self, x):\n        return jax.jit(jax.grad(abs))(x)\n",
            "`jax.grad(abs)` is a new function",
            "build and jit it once, at module level or in `__init__`",
        ),
        (
            "JAX104",
            "class A:\n    def __call__(self, x):\n        return x\n\n\ndef f(x):\n    return jax.jit(A())(x)\n",
            "`A()` is a new object",
            "build and jit it once, at module level",
        ),
        (
            "JAX107",
            "def f(x, k):\n    return jax.pure_callback(lambda v: v * k, x, x)\n",
            "eager `jax.pure_callback` with a new function recompiles",
            "define the function at module level and pass what it closes over as arguments",
        ),
    ],
)
def test_advice_can_be_followed_where_it_is_given(code: str, body: str, what: str, advice: str) -> None:
    settings = Settings(min_confidence=Confidence.LOW, select=(code,))
    (finding,) = lint(Source("import jax\n\n\n" + body), settings)
    assert finding.message.startswith(f"{what} on each call of `f`")
    assert finding.message.endswith(f"; {advice}")


def test_a_carry_is_shown_where_it_is_passed() -> None:
    file = TESTDATA / "jax502" / "inits.py"
    findings = lint(Source.from_bytes(file.read_bytes(), str(file)), Settings(preview=True, select=("JAX502",)))
    assert {related.message for finding in findings for related in finding.related} >= {
        "`data` is passed to `advanced` here"
    }


def test_an_option_that_cannot_be_static_gets_other_advice() -> None:
    file = TESTDATA / "jax201" / "mapped.py"
    finding = lint(Source.from_bytes(file.read_bytes(), str(file)), Settings(select=("JAX201",)))[0]
    assert finding.message == (
        "`n` is mapped over, carried or computed by JAX, but a shape needs a concrete value, so JAX raises TypeError; "
        "use a fixed size and a mask"
    )
