"""A fix is proven only if it runs, gives the same, and the effect is gone."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify.prove import FixProof, prove
from jaxlint.verify.prover import Prover

BEFORE = """
    import jax
    import jax.numpy as jnp

    def scaled(x):
        return jax.jit(lambda y: 2.0 * y + 1)(x)
"""

Prove = Callable[[str], FixProof]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


@pytest.fixture
def fixed_by(prover: Prover, tmp_path: Path) -> Prove:
    def fixed_by(body: str) -> FixProof:
        path = tmp_path / "subject.py"
        path.write_text(textwrap.dedent(BEFORE))
        text = "import jax\nimport jax.numpy as jnp\n\n" + textwrap.dedent(body)
        return prove(prover, path, text, "JAX102", ["scaled"])

    return fixed_by


def test_right_fix_holds(fixed_by: Prove) -> None:
    proof = fixed_by("@jax.jit\ndef _double(y):\n    return 2.0 * y + 1\n\ndef scaled(x):\n    return _double(x)\n")
    assert (proof.holds, proof.same_output) == (True, True)
    assert proof.evidence.compiles == (1, 0, 0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("@jax.jit\ndef scaled(x):\n    return 2.0 * x + 1.5\n", "value 0 is not the same"),
        ("@jax.jit\ndef scaled(x):\n    return (2.0 * x + 1,)\n", "instead of"),
        ("@jax.jit\ndef scaled(x):\n    return (2.0 * x + 1).astype(jnp.bfloat16)\n", "has type bfloat16"),
        ("@jax.jit\ndef scaled(x):\n    return (2.0 * x + 1).sum()\n", "has shape ()"),
        ("def scaled(x):\n    return jax.jit(lambda y: y * 2.0 + 1)(x)\n", "the effect is still there"),
        (
            "def scaled(x):\n    def f(y):\n        return 2.0 * y + 1\n    return jax.jit(f)(x)\n",
            "new finding: JAX101",
        ),
        ("def scaled(x):\n    return x.no_such_thing\n", "does not take the same arguments"),
    ],
)
def test_wrong_fix_does_not(fixed_by: Prove, body: str, reason: str) -> None:
    proof = fixed_by(body)
    assert not proof.holds
    assert reason in proof.reason


CLOCKED = """
    import random
    import time
    from time import perf_counter

    import jax
    import numpy as np

    def timed(x):
        start, before = perf_counter(), time.time_ns()
        y = jax.jit(lambda y, by: y * by)(x, random.random() + np.random.normal())
        return y, perf_counter() - start, time.time_ns() - before
"""


def test_what_clocks_and_random_numbers_bring_in_is_the_same_for_both(prover: Prover, tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    text = textwrap.dedent(CLOCKED)
    path.write_text(text)
    cured = text.replace("jax.jit(lambda y, by: y * by)(x", "_by(x") + "\n\n_by = jax.jit(lambda y, by: y * by)\n"
    proof = prove(prover, path, cured, "JAX102", ["timed"])
    assert (proof.holds, proof.same_output) == (True, True), proof.reason
    for call in ("random.random()", "perf_counter()"):
        proof = prove(prover, path, cured.replace("    start,", f"    {call}\n    start,"), "JAX102", ["timed"])
        # When a clock was read makes no difference to how long something takes; another number drawn does.
        assert proof.same_output is (call == "perf_counter()"), proof.reason
