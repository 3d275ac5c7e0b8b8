"""Quantities of loops by themselves: how often they run, and what they dispatch."""

from __future__ import annotations

import pytest

from jaxlint.facts.eager.quantities import Quantity
from tests.facts.test_contexts import facts_of


def dispatches(text: str) -> tuple[int, int | None]:
    """Return what the innermost loop of a text dispatches."""
    facts = facts_of(text)
    found = facts.quantities.dispatches(max(facts.tree.loops, key=lambda loop: len(list(loop.around))))
    return found.low, found.high


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for i in range(40):\n    x = jnp.sin(1.0) * 2", (80, 80)),
        ("for i in range(40):\n    print(i)", (0, 0)),
        ("for i in range(4):\n    for j in range(5):\n        x = jnp.exp(jnp.sin(1.0))", (40, 40)),
        ("def f(n=4):\n    for i in range(n): x = jnp.sin(1.0) + 1", (2, 8)),
        ("def f(n):\n    for i in range(n): x = jnp.sin(1.0) + 1", (2, None)),
        ("def f(n):\n    for i in range(n): x = jnp.sin(1.0) + 1\nf(3)\nf(6)", (2, 12)),
        ("import numpy as np\nfor i in range(9):\n    x = np.sin(1.0) * 2", (0, 0)),
        ("for i in range(9):\n    if FLAG: x = jnp.sin(1.0)", (0, 0)),
        ("d = lambda x: jnp.sin(x) * 2\nfor i in range(3):\n    d = jax.grad(d)\n    d(1.0)", (6, 6)),
        ("d = jax.grad(d)\nfor i in range(3):\n    d(1.0)", (0, 0)),
    ],
)
def test_operations_that_a_loop_dispatches(text: str, expected: tuple[int, int | None]) -> None:
    low, high = dispatches(text)
    assert high == expected[1]
    assert low <= (expected[0] if expected[1] is None else expected[1])


def test_products_keep_reasons() -> None:
    assert Quantity(2, 3, ("a",)).times(Quantity(4, 5, ("b",))) == Quantity(8, 15, ("a", "b"))
    assert Quantity(2, None).times(Quantity(4, 5)).high is None
    assert not Quantity(0, None).is_below(10)


@pytest.mark.parametrize(
    ("text", "high"),
    [
        ("for i in range(40): x = jnp.sin(1.0)", 40),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)", 40),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)\nf()\nf()", 80),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)\nfor j in range(10): f()", 400),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)\ndef g():\n    f()\nfor j in range(10): g()", 400),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)\nfor j in range(n): f()", None),
        ("def f():\n    for i in range(40): x = jnp.sin(1.0)\n    f()", None),
        ("def make():\n    def f():\n        for i in range(40): x = jnp.sin(1.0)\n    return f", None),
    ],
)
def test_operations_in_all_calls(text: str, high: int | None) -> None:
    facts = facts_of(text)
    innermost = max(facts.tree.loops, key=lambda loop: (facts.quantities.work(loop).low, len(list(loop.around))))
    assert facts.quantities.in_all(innermost).high == high


@pytest.mark.parametrize(
    ("text", "high"),
    [
        ("for j in range(10):\n    for i in range(40): y = jnp.cos(1.0)", 40),
        ("for j in range(10):\n    x = jnp.sin(1.0)\n    for i in range(40): y = jnp.cos(1.0)", 41),
        ("for j in range(10):\n    x = jnp.sin(1.0)\n    for i in range(n): y = jnp.cos(1.0)", None),
    ],
)
def test_work_counts_the_loops_within(text: str, high: int | None) -> None:
    facts = facts_of(text)
    outer = next(loop for loop in facts.tree.loops if loop.outer is None)
    assert facts.quantities.work(outer).high == high
