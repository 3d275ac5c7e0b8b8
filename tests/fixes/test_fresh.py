"""A static argument is made once only where that one is equal to those that were made on each call."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX203",))
HEAD = """
import functools, random
import jax
import jax.numpy as jnp
import optax

SCALE = 1.0
TABLE = {}

@functools.partial(jax.jit, static_argnames="s")
def f(x, s):
    return x

def helper(y, n=1):
    return y * n

class Plain:
    order = 2

class Counting:
    def count(self):
        self.n = 1
"""


def levels(code: str) -> list[str]:
    """Return how far the fixes of the one finding in code may be trusted."""
    found = lint(Source(HEAD + textwrap.dedent(code)), SETTINGS)
    assert [finding.code for finding in found] == ["JAX203"]
    return [fix.applicability.value for fix in found[0].fixes]


@pytest.mark.parametrize(
    "made", ["lambda y: y + 1", "functools.partial(helper, n=2)", "optax.adam(1e-3)", "optax.chain(optax.sgd(0.1))"]
)
def test_what_depends_on_nothing_is_made_once(made: str) -> None:
    assert levels(f"def g(x, n):\n    return f(x, {made})") == ["safe"]
    assert levels(f"def g(x, n):\n    s = {made}\n    return f(x, s)") == ["safe"]


@pytest.mark.parametrize("made", ["Plain()", "functools.partial(helper, n=[2])", "lambda y: y if TABLE else -y"])
def test_what_may_be_changed_is_for_judgement(made: str) -> None:
    assert levels(f"def g(x):\n    return f(x, {made})") == ["unsafe"]


@pytest.mark.parametrize(
    "made",
    [
        "lambda y: y + n",
        "functools.partial(helper, n=n)",
        "optax.adam(n)",
        "Counting()",
        "lambda y: y + random.random()",
        "functools.partial(helper, n=random.random())",
    ],
)
def test_what_differs_from_call_to_call_is_left(made: str) -> None:
    assert not levels(f"def g(x, n):\n    return f(x, {made})")


def test_a_name_that_a_function_binds_again_is_read_each_time() -> None:
    code = """
        def double():
            global SCALE
            SCALE *= 2
        def g(x):
            return f(x, lambda y: y * SCALE)
        """
    assert not levels(code)
