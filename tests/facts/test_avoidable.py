"""What hinders eager loops and functions from being compiled, and what is there to be timed."""

from __future__ import annotations

import pytest

from jaxlint.facts.eager.avoidable import Hindrance
from jaxlint.facts.module import ModuleFacts
from tests.facts.test_contexts import facts_of

SHAPES, LENGTHS, VALUES, OUTSIDE = Hindrance.SHAPES, Hindrance.LENGTHS, Hindrance.VALUES, Hindrance.OUTSIDE
STEP = "x = jnp.sin(x) * 0.5 + jnp.cos(x)"


def facts_of_body(body: str) -> ModuleFacts:
    """Return the facts of a loop with this body."""
    head = "import time\nimport numpy as np\nx = jnp.ones(9)\nmembers = []\nfor i in range(99):\n    "
    return facts_of(head + body.replace("\n", "\n    "))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (STEP, set()),
        (f"{STEP}\nprint(float(x.sum()))", set()),
        (f"{STEP}\nif jnp.any(jnp.isnan(x)): break", set()),
        (f"{STEP}\nif i % 10 == 0: np.save('x', x)", set()),
        (f"{STEP}\nif i % 10 == 0: plt.plot(x)", set()),
        (f"{STEP}\ny = jnp.zeros(3).at[axis].set(x[0])", set()),
        (f"{STEP}\nnp.save('x', x)", {OUTSIDE}),
        (f"{STEP}\nplt.plot(x)", {OUTSIDE}),
        (f"{STEP}\nwith open('x') as f: print(f.read())", {OUTSIDE}),
        ("x = jnp.sin(jnp.asarray(np.linalg.solve(np.eye(9), jnp.sin(x) * jnp.cos(x) + x)))", {VALUES}),
        (f"members.append(i)\n{STEP} + jnp.sum(x[members])", {LENGTHS}),
        ("x = jnp.sin(jnp.ones(i)) * 0.5 + jnp.cos(jnp.ones(i))", {SHAPES}),
    ],
)
def test_hindrances(body: str, expected: set[Hindrance]) -> None:
    facts = facts_of_body(body)
    assert facts.avoidable.hindrances(facts.tree.loops[0]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "for i in range(99):\n    a = time.time()\n    f(x)\n    b = time.time()\n    g(x)\n    c = time.time()",
            True,
        ),
        ("for i in range(99):\n    a = time.time()\n    x = f(x)\n    b = time.time()", False),
        ("for i in range(99):\n    a = time.time()\n    f(x)\n    b = time.time()", True),
        ("a = time.time()\nfor i in range(99): y = f(x)\nb = time.time()", True),
        ("a = time.time()\nfor i in range(99): y = f(x, i)\nb = time.time()", False),
        ("a = time.time()\nfor i in range(99): x = f(x)\nb = time.time()", False),
        ("a = time.time()\nfor i in range(99): x = f(x)\nb = time.time()\nh = jax.jit(f)", True),
        ("for i in range(99): x = f(x)\nh = jax.jit(f)", False),
        ("a = time.time()\nfor i in range(99): obj.move()\nb = time.time()", False),
        ("def benchmark(x):\n    for i in range(99): x = f(x)", True),
        ("def fit(x):\n    for i in range(99): x = f(x)", False),
        ("def slow(x):\n    for i in range(99): x = f(x)\na = time.time()\nslow(x)\nb = time.time()", True),
        ("def slow(x):\n    for i in range(99): x = f(x)\na = time.time()\ny = slow(x)\nb = time.time()", False),
    ],
)
def test_what_is_measured(text: str, expected: bool) -> None:
    facts = facts_of("import time\nx = jnp.ones(9)\n" + text)
    loop = facts.tree.loops[0]
    assert facts.measured.is_measured(loop, facts.loops.parts_of_turn(loop)) is expected


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("naive_sum", "fast = jax.vmap(f)", True),
        ("naive_sum", "", False),
        ("manual_batched_norm", "fast = jax.jit(f)", True),
        ("run_eager", "fast = jax.jit(f)", True),
        ("training_loop", "fast = jax.jit(f)", False),
        ("semanual", "fast = jax.jit(f)", False),
    ],
)
def test_slow_forms_beside_fast_ones(name: str, more: str, expected: bool) -> None:
    facts = facts_of(f"def {name}(x):\n    return x\n{more}")
    assert facts.measured.is_baseline(facts.tree.functions[0]) is expected


SCAN = "return jax.lax.scan(lambda c, t: (c + t, c), 0.0, x)"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (f"def f(x):\n    {SCAN}", "f"),
        (f"def f(x):\n    def g(x):\n        {SCAN}\n    return g(x)", "f"),
        (f"class C:\n    def f(self, x):\n        {SCAN}", None),
        (f"def f(xs):\n    for x in xs:\n        {SCAN}", None),
        (f"def f(x, t):\n    x = x[x > t]\n    {SCAN}", None),
        (f"def f(x):\n    x = x[jnp.where(x)]\n    {SCAN}", None),
        (f"def f(x):\n    x = jnp.arange(int(jnp.sum(x)))\n    {SCAN}", None),
    ],
)
def test_which_function_could_be_jitted(body: str, name: str | None) -> None:
    facts = facts_of(body)
    call = next(call for call in facts.tree.calls if facts.code(call).startswith("jax.lax.scan"))
    found = facts.avoidable.jittable(call)
    assert (found.name if found is not None else None) == name
