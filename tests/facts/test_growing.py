"""What can be done about an array that grows: a list joined once, unless others read the array before."""

from __future__ import annotations

import pytest

from tests.facts.test_contexts import facts_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for i in range(n):\n    y = jnp.append(y, g(i))\nprint(y)", False),
        ("for i in range(n):\n    y = jnp.append(y, g(y))", True),
        ("for i in range(n):\n    z = g(y)\n    y = jnp.append(y, z)", True),
        ("for i in range(n):\n    y = jnp.concatenate([y, g(i)])\n    if len(y) > 9: break", True),
        ("for i in range(n):\n    y = jnp.append(y, g(i))\n    def h(y): return y", False),
    ],
)
def test_an_iteration_reads_what_grows(text: str, *, expected: bool) -> None:
    body = text.replace("\n", "\n    ")
    (growing,) = facts_of(f"def f(y, n):\n    {body}\n").growing
    assert growing.is_read is expected


def test_what_a_method_makes_longer_is_read_between_its_calls() -> None:
    text = "class C:\n    def add(self, x):\n        self.y = jnp.append(self.y, x)\n"
    (growing,) = facts_of(text).growing
    assert growing.is_read
