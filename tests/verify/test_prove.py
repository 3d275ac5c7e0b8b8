"""A fix is proven only if it runs, gives the same, and the effect is gone."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify.prove import FixProof, prove
from jaxlint.verify.prover import Prover
from tests import marks

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


# Those mended by hand whose originals give the same examples; a fix of other code says nothing if it is given something
# else.
GOLDENS = [
    path
    for path in marks.goldens()
    if path.parent.name in ("jax102", "jax103", "jax108") and marks.original(path).with_suffix(".partly.py").exists()
]


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_goldens_mend_their_originals(prover: Prover, path: Path) -> None:
    original = marks.original(path)
    proof = prove(prover, original, path.read_bytes(), path.parent.name.upper())
    assert proof.holds, proof.reason
