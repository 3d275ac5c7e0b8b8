"""A static parameter whose value Python needs, or that is given what cannot be traced, stays static."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX204",))

STAYS = {
    "a range": "y = x\nfor _ in range(n):\n    y = y * 0.5\nreturn y",
    "a test": "return x if n > 2 else -x",
    "a shape": "return jnp.zeros(n) + x.sum()",
    "a shape that is computed": "size = 2 * n\nreturn jnp.zeros((size,)) + x.sum()",
    "a slice": "return x[:n]",
    "an element of a list": "return x * [1.0, 2.0, 3.0][n]",
    "a sequence that is repeated": "return x * sum([0.5] * n)",
    "a helper that needs it": "return helper(x, n)",
    "a text": "return {f'x{n}': x}",
    "a function out of sight": "return other.scaled(x, n)",
    "a method": "return x * n.bit_length()",
    "handed on by position": "return helper(*[x, n])",
}


def fixes(body: str, calls: str = "") -> list[str]:
    head = """
    import functools, other
    import jax
    import jax.numpy as jnp

    def helper(x, n):
        return x.reshape(n, -1)

    @functools.partial(jax.jit, static_argnames="n")
    def f(x, n):
    """
    tail = "def g(x, count):\n    return [f(x, n) for n in range(1, count)]\n"
    text = f"{textwrap.dedent(head).rstrip()}\n{textwrap.indent(body, '    ')}\n\n{tail}{calls}"
    found = lint(Source(text), SETTINGS)
    assert [finding.code for finding in found] == ["JAX204"]
    return [fix.message for fix in found[0].fixes]


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_what_python_needs_stays_static(body: str) -> None:
    assert not fixes(body)


@pytest.mark.parametrize("given", ["'all'", "None", "jnp.sin", "True", "(1, 2)"])
def test_what_another_call_gives_may_be_no_number(given: str) -> None:
    assert fixes("return x * n", "def h(x):\n    return f(x, 3)\n") == ["Make `n` a traced argument"]
    assert not fixes("return x * n", f"def h(x):\n    return f(x, {given})\n")
