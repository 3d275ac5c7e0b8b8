"""Whether the shapes of arrays change from iteration to iteration, and whether an array grows."""

from __future__ import annotations

import pytest

from tests.facts.test_contexts import facts_of

HEAD = "x = jnp.ones((100, 4))\nwidth = read()\nstarts = read()\n"


def loop_of(body: str, head: str = "for i in range(9):") -> str:
    """Return a loop with this body, after what its names hold."""
    return HEAD + head + "\n    " + body.replace("\n", "\n    ")


@pytest.mark.parametrize(
    "body",
    [
        "y = jnp.sin(x[:i])",
        "y = jnp.sin(x[i:])",
        "y = jnp.sin(x[..., : -i - 1])",
        "y = jnp.sin(x[i : 2 * i])",
        "y = jnp.sin(x[starts[i] : starts[i + 1]])",
        "n = 10 * 2**i\ny = jnp.zeros(n)",
        "n = 10 * (i + 1)\ny = jnp.zeros((n, 3))",
        "y = jnp.ones(shape=(i, 3))",
        "y = jnp.arange(i)",
        "y = jnp.arange(-i, i + 1)",
        "y = jnp.linspace(0.0, 1.0, i)",
        "y = x[jnp.where(x[:, 0] > i)[0]]",
        "y = jnp.unique(x)",
        "y = jnp.sin(x[x > 0.5])",
        "ids = tokens[:i]\ny = jnp.array(ids)",
    ],
)
def test_shapes_that_differ(body: str) -> None:
    facts = facts_of(loop_of(body))
    assert facts.varying.shapes_differ(facts.tree.loops[0])


@pytest.mark.parametrize(
    "body",
    [
        "y = jnp.sin(x[i])",
        "y = jnp.sin(x[i : i + 3])",
        "y = jnp.sin(x[i - 1 : i + 2])",
        "y = jnp.sin(x[i * width : (i + 1) * width])",
        "start = i * width\ny = jnp.sin(x[start : start + width])",
        "start = i * width\nend = min(start + width, 100)\ny = jnp.zeros(end - start) + jnp.sum(x[start:end])",
        "y = jnp.sin(x[starts[i] : starts[i] + width])",
        "row = x[i]\ny = jnp.zeros(row.shape) + row",
        "n = x.shape[0]\ny = jnp.zeros(n)",
        "n, m = x.shape\ny = jnp.zeros((n, m))",
        "y = jnp.zeros(len(starts))",
        "y = jnp.arange(i, i + 4)",
        "y = jnp.linspace(0.0, i, 20)",
        "y = jnp.where(x > i, x, 0.0)",
        "y = jnp.unique(x, size=4)",
        "y = x[:-1] + x[1:]",
        "part = tokens[:i]\nprint(part)",
    ],
)
def test_shapes_that_stay(body: str) -> None:
    facts = facts_of(loop_of(body))
    assert not facts.varying.shapes_differ(facts.tree.loops[0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = jnp.append(x, i)", True),
        ("x = jnp.concatenate([x, y], axis=1)", True),
        ("x = jnp.concatenate([x[1:], y])", False),
        ("z = jnp.concatenate([x, y])", False),
        ("x = np.append(x, i)", False),
        ("found = jnp.append(y, i)", False),
    ],
)
def test_arrays_that_grow(body: str, expected: bool) -> None:
    facts = facts_of("import numpy as np\n" + loop_of(body))
    assert facts.varying.grows(facts.tree.loops[0]) is expected
