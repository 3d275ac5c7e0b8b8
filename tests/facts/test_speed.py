"""What keeps a run quick: which files are parsed, and that what is known of one is freed with it.  Work, not time."""

from __future__ import annotations

import gc

import libcst as cst

from jaxlint import lint
from jaxlint.linter import uncollected, wanted
from jaxlint.settings import Settings
from jaxlint.source import Source

STEP = """
import jax

class Model:
    def step(self, x):
        def inner(y):
            return y + x
        return jax.jit(inner)(x)
"""


def test_words_in_strings_and_comments_are_no_code() -> None:
    text = 'import jax\nx = "jax.jit"  # and lax.scan\n"""It\'s for `vmap`, while_loop\n"""\ny = r\'grad\\\'s\'\n'
    assert not wanted(Source(text), Settings())


def test_words_in_formatted_strings_are_code() -> None:
    assert wanted(Source('import jax\nprint(f"{jax.jit(f)(x)!r:>{width}}")\n'), Settings())
    assert wanted(Source("import jax\nprint(rf'''\n{jax.jit(f)(x)}''')\n"), Settings())


def test_code_after_quotes_of_all_kinds_counts() -> None:
    for quoted in ("'\"'", '"it\'s"', "'\\''", "''", '""""""', "'''a\\''''", "b'\\\\'", "x  # it's"):
        assert wanted(Source(f"import jax\nx = {quoted}\njax.jit(x)\n"), Settings()), quoted


def test_nodes_are_freed_without_the_garbage_collector() -> None:
    before = {id(node) for node in _nodes()}  # other tests keep some
    with uncollected():
        assert not gc.isenabled()
        assert lint(Source(STEP), fixes=False)  # fixes keep a few files parsed
        assert not [node for node in _nodes() if id(node) not in before]
    assert gc.isenabled()


def _nodes() -> list[object]:
    return [thing for thing in gc.get_objects() if type(thing) in (cst.Module, cst.FunctionDef, cst.ClassDef)]
