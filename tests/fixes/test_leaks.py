"""State that a jitted function stores becomes an argument and a result."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.fixes.engine.apply import mend

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True)
HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\n\n\n"

CLASS = """\
class Average:
    def __init__(self, mean):
        self.mean = mean

    @functools.partial(jax.jit, static_argnums=0)
    def include(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x

    def included(self, x):
        self.include(x)
        return self.mean
"""


def mended(code: str) -> str:
    """Return code after all fixes."""
    return mend(Source(HEAD + code), lambda s: lint(s, SETTINGS), lambda _, found: found, unsafe=True).source.text


def test_an_attribute_is_passed_and_returned() -> None:
    after = """\
    class Average:
        def __init__(self, mean):
            self.mean = mean

        @functools.partial(jax.jit, static_argnums=0)
        def include(self, x, mean):
            return 0.9 * mean + 0.1 * x

        def included(self, x):
            self.mean = self.include(x, self.mean)
            return self.mean
    """
    assert mended(CLASS) == HEAD + textwrap.dedent(after)


def test_it_is_unsafe() -> None:
    (finding,) = lint(Source(HEAD + CLASS), SETTINGS)
    (fix,) = finding.fixes
    assert (fix.applicability.value, fix.condition) == ("unsafe", "all callers must be visible")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.include(x)\n", "        print(self.include(x))\n"),
        ("        self.include(x)\n", "        list(map(self.include, x))\n"),
        ("0.1 * x\n", "0.1 * x\n        return x\n"),
        ("0.1 * x\n", "0.1 * x\n        self.last = x\n"),
        ("def include(self, x)", "def include(self, x, *rest)"),
        ("0.1 * x\n", "0.1 * x * mean\n"),
    ],
)
def test_what_gives_or_stores_more_is_left_alone(old: str, new: str) -> None:
    code = CLASS.replace(old, new)
    assert code != CLASS
    assert mended(code) == HEAD + code
