"""A loop becomes one of jax only where the source shows nothing that would change what goes from turn to turn."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.fixes.text.edits import applied

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX301", "JAX302"))
CODE = """\
import jax
import jax.numpy as jnp
import numpy as np


def smooth(x):
    y = x
    for _ in range(2):
        y = jnp.sin(y) + 0.1
    return y


def pair(x, v):
    v = v - 0.1 * jnp.cos(x)
    return x + v, v


def total(x):
    return jnp.sum(jnp.sin(x))


def is_large(x):
    return jnp.sin(x) > 0.5


@jax.jit
def f(tree, x, v):
{start}
    for i in range(1000):
{body}
        x = jnp.sin(x) + jnp.cos(x) * 0.5
    return x, v, tree
"""


def levels(start: str, body: str) -> list[str]:
    """Return how far the fixes of the loop may be trusted."""
    start, body = textwrap.indent(start or "pass", " " * 4), textwrap.indent(body, " " * 8)
    findings = lint(Source(CODE.format(start=start, body=body)), SETTINGS)
    assert findings
    return [fix.applicability.value for finding in findings for fix in finding.fixes]


KEPT = {
    "arithmetic": ("", "v = v * 0.9 + x"),
    "a helper": ("", "v = smooth(v)"),
    "a helper that gives several": ("", "x, v = pair(x, v)"),
    "a key": ("key = jax.random.key(0)", "key, sub = jax.random.split(key)\nv = v + jax.random.normal(sub, v.shape)"),
    "a map over leaves": ("", "tree = jax.tree.map(lambda p: p * 0.9, tree)"),
    "a map over two trees": ("", "tree = jax.tree.map(lambda p, q: p - 0.1 * q, tree, tree)"),
    "gradients": ("", "g = jax.grad(total)(v)\nv = v - 0.1 * g"),
    "a sum": ("s = 0.0", "s = s + total(x)\nv = v + s"),
    "whole numbers": ("n = jnp.zeros(3, dtype=jnp.int32)", "n = n + 2\nv = v + n"),
    "the type of another": ("s = jnp.zeros(3)", "s = (s + x).astype(v.dtype)\nv = v + s"),
    "booleans": ("done = jnp.zeros(3, dtype=bool)", "done = jnp.logical_or(done, x > 3)\nv = jnp.where(done, v, x)"),
}
CHANGING = {
    "leaves become their shapes": ("", "tree = jax.tree.map(np.shape, tree)"),
    "leaves become numbers": ("", "tree = jax.tree.map(total, tree)"),
    "leaves become pairs": ("", "tree = jax.tree.map(lambda p: (p, p), tree)"),
    "leaves become booleans": ("", "tree = jax.tree.map(is_large, tree)"),
    "leaves of which nothing is known": ("", "tree = jax.tree.map(lambda p: p.shape, tree)"),
    "an array becomes its length": ("", "v = len(tree)"),
    "an array becomes a number": ("", "v = total(v)"),
    "an axis goes": ("", "v = jnp.sum(v, axis=0)"),
    "an array becomes a pair": ("", "v = (x, x)"),
    "a helper gives several": ("", "v = pair(x, v)"),
    "a number becomes an array": ("s = jnp.asarray(0.0)", "s = s + x\nv = v + s"),
    "values become answers": ("", "v = x > v"),
    "a helper gives answers": ("", "v = is_large(v)"),
    "whole numbers become fractions": ("n = jnp.zeros(3, dtype=jnp.int32)", "n = n * 0.5\nv = v + n"),
    "values become complex": ("s = jnp.zeros(3)", "s = s + jnp.exp(1j * x)\nv = v + s.real"),
    "values become another type": ("s = jnp.zeros(3)", "s = (s + x).astype(jnp.float16)\nv = v + s"),
    "values become places": ("best = 0.0", "v = v + best\nbest = jnp.argmax(x)"),
    "places become values": ("best = jnp.zeros((), int)", "v = v + best\nbest = jnp.max(jnp.sin(x))"),
}


@pytest.mark.parametrize(("start", "body"), KEPT.values(), ids=KEPT)
def test_what_keeps_its_shape_goes_from_turn_to_turn(start: str, body: str) -> None:
    assert levels(start, body) == ["unsafe"]


def test_what_callers_give_is_what_a_loop_starts_with() -> None:
    code = CODE.format(start="    pass", body="        v = v * 0.9 + x")
    given = "TREE, X, V = None, jnp.ones(3), jnp.{}\nf(TREE, X, V)\n"
    for array, level in (("ones(3)", "unsafe"), ("arange(3)", "display")):
        findings = lint(Source(code + given.format(array)), SETTINGS)
        assert [fix.applicability.value for finding in findings for fix in finding.fixes] == [level]


@pytest.mark.parametrize(("start", "body"), CHANGING.values(), ids=CHANGING)
def test_what_changes_is_shown_at_most(start: str, body: str) -> None:
    assert "unsafe" not in levels(start, body)


def test_a_comment_beside_the_statement_that_counts_is_kept() -> None:
    code = """\
    import jax
    import jax.numpy as jnp

    @jax.jit
    def f(x):
        n = 0
        while n < 1000:
            x = jnp.sin(x) + 0.1
            n += 1  # one more
        return x
    """
    text = textwrap.dedent(code)
    (finding,) = lint(Source(text), SETTINGS)
    assert "x = jnp.sin(x) + 0.1\n        # one more\n        return x\n" in applied(text, finding.fixes[0])
