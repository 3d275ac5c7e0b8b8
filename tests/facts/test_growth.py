"""Twice the code takes about twice the work, whatever its shape; work is counted in calls, so no clock is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint import lint
from jaxlint.settings import Settings
from jaxlint.source import Source

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"


def _many(count: int, text: str) -> str:
    """Return a text again and again, with a number for `#`."""
    return "".join(text.replace("#", str(number)) for number in range(count))


def _eager_loops(count: int) -> str:
    loop = "    for _ in range(1000):\n        x = jnp.sin(x) + jnp.cos(x) * 2\n    return x\n\n"
    return _many(count, f"def run_#(x: jax.Array):\n{loop}")


def _jits_in_one_function(count: int) -> str:
    return "def f(x):\n" + _many(count, "    y# = jax.jit(lambda v: v + #)(x)\n") + "    return x\n"


def _compiled_methods(count: int) -> str:
    made = _many(count, "        self.q# = jax.jit(self.m#)\n")
    methods = _many(count, "    def m#(self, x):\n        return x * self.scale + #\n\n")
    return f"class Model:\n    def __init__(self):\n        self.scale = 1.0\n{made}\n{methods}"


def _hidden_lambdas(count: int) -> str:
    return _many(count, "def f#(x):\n    return jax.jit(lambda y: y + #)(x)  @ noqa: JAX102\n\n").replace("@", "#")


def _tests_in_one_function(count: int) -> str:
    return "@jax.jit\ndef f(x, n):\n" + _many(count, "    if n > #:\n        x = x + #\n") + "    return x\n"


def _chain_of_classes(count: int) -> str:
    links = (
        f"class C{i + 1}(C{i}):\n    def m{i}(self, x):\n        return jax.jit(lambda y: y)(x)\n\n"
        for i in range(count)
    )
    return "class C0:\n    pass\n\n" + "".join(links)


def _open_string(count: int) -> str:
    return "jax.jit(f)\nx = '" + "\\'" * (count * 50) + "\n"


def _match_cases(count: int) -> str:
    cases = _many(count, "        case #:\n            return jax.jit(lambda v: v + #)(x)\n")
    return f"def f(x, n):\n    match n:\n{cases}"


def _on_one_line(count: int) -> str:
    return "def f(x):\n    return [" + ", ".join(f"jax.jit(g{i})(x)" for i in range(count)) + "]\n"


def _joined_statements(count: int) -> str:
    return "; ".join(f"x{i} = jnp.sin({i})" for i in range(count * 10)) + "\njax.jit(f)\n"


def _loop_that_reassigns(count: int) -> str:
    lines = _many(count, "        x = jnp.sin(x) + #\n")
    return f"def f(x):\n    for _ in range(1000):\n{lines}    return x\n"


def _names_that_branches_reassign(count: int) -> str:
    return (
        "@jax.jit\ndef f(x, n):\n"
        + _many(count, "    if n > #:\n        x = x + #\n    x = jnp.sin(x)\n")
        + "    return x\n"
    )


def _deep_subclasses(count: int) -> str:
    links = "".join(f"class C{i + 1}(C{i}):\n    pass\n\n" for i in range(count))
    return f"class C0:\n    pass\n\n{links}def f(x):\n    return jax.jit(C{count}().g)(x)\n"


SHAPES = [
    _loop_that_reassigns,
    _names_that_branches_reassign,
    _deep_subclasses,
    _eager_loops,
    _jits_in_one_function,
    _compiled_methods,
    _hidden_lambdas,
    _tests_in_one_function,
    _chain_of_classes,
    _open_string,
    _match_cases,
    _on_one_line,
    _joined_statements,
]


def work(text: str, settings: Settings) -> int:
    """Return how many calls of Python functions it takes to lint a text."""
    count = 0

    def seen(_: Any, event: str, __: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        lint(Source(text), settings)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__.strip("_"))
def test_work_grows_with_the_code(shape: Callable[[int], str]) -> None:
    settings = Settings()
    work(HEAD + shape(2), settings)  # what is loaded and kept once
    small, large = (work(HEAD + shape(count), settings) for count in (10, 40))
    assert large < 5 * small
