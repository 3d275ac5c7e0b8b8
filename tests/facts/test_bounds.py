"""What bounds loops, by themselves: the kind of each bound, and how many iterations the text shows."""

from __future__ import annotations

import pytest

from jaxlint.facts.values.bounds import BoundKind
from tests.facts.test_contexts import facts_of

CONSTANT, DATA_AXIS, COMPONENTS = BoundKind.CONSTANT, BoundKind.DATA_AXIS, BoundKind.COMPONENTS
SETTING, CONTAINER = BoundKind.SETTING, BoundKind.CONTAINER


def bound_of(loop: str, *, static: str = "", more: str = "") -> tuple[BoundKind, int | None]:
    """Return what bounds the one loop of a compiled function of `x`."""
    body = "\n        ".join(loop.splitlines())
    wrapper = f"functools.partial(jax.jit, static_argnames={static!r})" if static else "jax.jit"
    head = f"def f(x, {static}):" if static else "def f(x):"
    text = f"import functools\n@{wrapper}\n{head}\n    if x is not None:\n        {body}\n{more}"
    facts = facts_of(text)
    found = facts.loops.bounds.of(facts.tree.loops[0])
    return found.kind, found.high


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for i in range(40): x = x + i", (CONSTANT, 40)),
        ("for i in range(x.shape[0]): x = x + x[i]", (DATA_AXIS, None)),
        ("for i in range(len(x)): x = x + x[i]", (DATA_AXIS, None)),
        ("for i in range(x.shape[0] // 2): x = x + x[i]", (DATA_AXIS, None)),
        ("n = x.shape[0]\nfor i in range(n): x = x + x[i]", (DATA_AXIS, None)),
        ("for row in x: print(row)", (DATA_AXIS, None)),
        ("for row in x: print(row.mean())", (DATA_AXIS, None)),
        ("for i in range(x.dtype.itemsize): x = x >> i", (BoundKind.UNKNOWN, None)),
        ("for i in range(x.ndim): x = x.sum(0)", (BoundKind.UNKNOWN, None)),
        ("for layer in x: y = y @ layer['w']", (CONTAINER, None)),
        ("for i in range(len(x)): y = y @ x[i].weight", (CONTAINER, None)),
        ("for i in range(len(x)):\n            layer = x[i]\n            y = y @ layer.get('w')", (CONTAINER, None)),
        ("for i in range(len(x)):\n            layer = y[i]\n            z = x[i] @ layer.get('w')", (DATA_AXIS, None)),
        ("for i in range(x.shape[-1]): x = x + x[..., i]", (COMPONENTS, None)),
        ("for t in range(1, x.shape[-1]): x = x + x[..., t - 1]", (DATA_AXIS, None)),
        ("for k in range(w.shape[-1]): y = y + x[..., k : k + n] * w[..., k]", (COMPONENTS, None)),
        ("for k in range(w.shape[-1]): y = y + x[..., : k + n] * w[..., k]", (DATA_AXIS, None)),
        ("n, seq_len = x.shape\nfor t in range(seq_len): x = x + x[:, t]", (DATA_AXIS, None)),
        ("n, k = x.shape\nfor i in range(k): x = x + x[:, i]", (COMPONENTS, None)),
        ("for d in range(x.shape[1]): x = x + x[:, d]", (COMPONENTS, None)),
        ("for channel in range(x.shape[2]): x = x + x[:, :, channel]", (COMPONENTS, None)),
        ("y = f(*(x[:, i] for i in range(x.shape[1])))", (COMPONENTS, None)),
        ("y = [x[i] for i in range(x.shape[0])]", (DATA_AXIS, None)),
        ("y = [jnp.sin(x[:, i]).sum() for i in range(x.shape[1])]", (DATA_AXIS, None)),
        ("y = (jnp.arange(5) ** 2).astype(float)\ny /= y.sum()\nfor row in y[::-1]: print(row)", (CONSTANT, 5)),
        ("y = jnp.arange(5) + x\nfor row in y: print(row)", (DATA_AXIS, None)),
        ("for part in jnp.split(x, 4): print(part)", (CONSTANT, 4)),
        ("for part in jnp.split(x, indices_or_sections=4): print(part)", (CONSTANT, 4)),
        ("for part in jnp.split(x, [3, 7]): print(part)", (CONSTANT, 3)),
        ("parts = jnp.split(x, 4)\nfor i in range(len(parts)): print(parts[i])", (CONSTANT, 4)),
        ("parts = jnp.split(x, cfg.parts)\nfor i in range(len(parts)): print(parts[i])", (SETTING, None)),
        ("for part in jnp.meshgrid(x, x): print(part)", (CONTAINER, None)),
        ("for leaf in jax.tree.leaves(x): print(leaf)", (CONTAINER, None)),
        ("for a, r in zip(x, (1, 2)): print(a, r)", (CONSTANT, 2)),
        ("for i in range(cfg.rounds): x = jnp.sin(x)", (SETTING, None)),
        ("for i in range(min(len(x), 10)): x = x + x[i]", (CONSTANT, 10)),
        ("for i in range(min(cfg.rounds, 10)): x = x + x[i]", (CONSTANT, 10)),
        ("for i in range(len(x), 10): x = x + i", (CONSTANT, 10)),
        ("for i in range(10 - len(x)): x = x + i", (BoundKind.UNKNOWN, None)),
        ("for i in range(x.shape[2]): x = x + x[:, :, i]", (COMPONENTS, None)),
        ("for i in range(x.shape[2]): x = x + x[i]", (DATA_AXIS, None)),
    ],
)
def test_kind_of_a_bound(loop: str, expected: tuple[BoundKind, int | None]) -> None:
    assert bound_of(loop) == expected


@pytest.mark.parametrize(
    ("more", "high"),
    [
        ("", None),
        ("f(1.0, 10)", 10),
        ("f(1.0, n=10)\nf(1.0, 30)", 30),
        ("f(1.0, n=10)\nf(1.0, unknown())", None),
        ("def g(k=12): return f(1.0, k)", 12),
        ("class C:\n    rounds = 7\n    def g(self): return f(1.0, self.rounds)", 7),
    ],
)
def test_a_setting_is_worth_what_visible_callers_give(more: str, high: int | None) -> None:
    assert bound_of("for i in range(n): x = jnp.sin(x)", static="n", more=more) == (SETTING, high)


def test_a_default_tells_what_is_meant() -> None:
    facts = facts_of("@jax.jit\ndef f(x, radii=(1.0, 2.0)):\n    for r in radii: x = x * r\n    return x")
    found = facts.loops.bounds.of(facts.tree.loops[0])
    assert (found.kind, found.high) == (CONTAINER, 2)


def test_an_array_that_callers_write_out_is_as_long_as_it_is_written() -> None:
    text = """
    def path(corners):
        for i in range(corners.shape[0]): print(corners[i])

    def main():
        corners = jnp.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
        path(corners)
    """
    facts = facts_of(text)
    found = facts.loops.bounds.of(facts.tree.loops[0])
    assert (found.kind, found.high) == (CONSTANT, 3)


def test_a_range_from_a_number_ends_where_the_array_that_callers_make_ends() -> None:
    more = "def main(): f(jnp.ones(400))"
    assert bound_of("for i in range(1, len(x)): x = x + x[i]", more=more) == (CONSTANT, 400)


def test_what_only_makes_an_array_of_an_argument_is_as_long_as_it() -> None:
    text = """
    def images(shifts):
        shifts = jnp.atleast_1d(shifts)
        for i in range(1, shifts.size): print(shifts[i])

    def main(period):
        images(jnp.array([-period, 0.0, period]))
        images(0.0)
    """
    facts = facts_of(text)
    found = facts.loops.bounds.of(facts.tree.loops[0])
    assert (found.kind, found.shown) == (DATA_AXIS, 3)


def test_an_annotation_says_that_a_parameter_is_an_array() -> None:
    """So it is in a function that is staged but not known to be given traced values."""
    text = """
    def f(places: jax.Array):
        for i in places: print(i)

    def g(places: list[jax.Array]):
        for i in places: print(i)
    """
    facts = facts_of(text)
    assert [facts.loops.bounds.of(loop).kind for loop in facts.tree.loops] == [DATA_AXIS, CONTAINER]


def test_objects_that_are_taken_by_number_are_a_container() -> None:
    text = """
    class Sum:
        def __init__(self, models):
            self.models = models
            self.size = len(models)

        def all(self):
            for i in range(self.size): print(self.models[i].parameters())
    """
    facts = facts_of(text)
    assert facts.loops.bounds.of(facts.tree.loops[0]).kind is CONTAINER


def test_an_attribute_that_counts_itself_ends() -> None:
    text = """
    class Loop:
        def __init__(self, n):
            self.n = n

        def grow(self):
            self.n = self.n + 1

        def run(self):
            for i in range(self.n): print(i)
    """
    facts = facts_of(text)
    assert facts.loops.bounds.of(facts.tree.loops[0]).kind is SETTING


def test_a_comprehension_over_objects_is_over_a_container() -> None:
    text = """
    class Rules:
        def start(self, keys):
            return tuple(self.rules[i].start(keys[i]) for i in range(self.count))
    """
    facts = facts_of(text)
    assert facts.loops.bounds.of(facts.tree.loops[0]).kind is CONTAINER


@pytest.mark.parametrize(
    ("body", "array"),
    [
        ("x = x + x[i]", "x"),
        ("x = x.at[i].set(0.0)", "x"),
        ("print(keys[i])", ""),
        ("out = out.at[i * 7].set(-1)", ""),
        ("out = out.at[i].set(-1)", "out"),
    ],
)
def test_an_array_that_a_setting_makes_does_not_make_the_setting_large(body: str, array: str) -> None:
    text = f"""
    import functools

    @functools.partial(jax.jit, static_argnames="n")
    def f(x, key, n):
        keys, out = None, None
        keys = jax.random.split(key, n)
        out = jnp.zeros(n)
        for i in range(n): {body}
        return x, out
    """
    facts = facts_of(text)
    loop = facts.tree.loops[0]
    assert facts.loops.bounds.indexes_leading(loop, facts.loops.nodes_of_turn) == array


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("f(jnp.arange(5))", (CONSTANT, 5)),
        ("f(jnp.ones((5, 2)))\nf(jnp.array([1.0, 2.0]))", (CONSTANT, 5)),
        ("xs = [jnp.array([0.1, 0.2]), jnp.array([0.1, 0.2, 0.3])]\nfor y in xs: f(y)", (CONSTANT, 3)),
        ("f(unknown())", (DATA_AXIS, None)),
    ],
)
def test_lengths_that_callers_give(more: str, expected: tuple[BoundKind, int | None]) -> None:
    assert bound_of("for i in range(x.shape[0]): x = x + x[i]", more=more) == expected


@pytest.mark.parametrize(
    ("loop", "more", "shown", "chunked"),
    [
        ("for i in range(len(x)): x = x + x[i]", "f(jnp.ones(5))\nf(unknown())", 5, False),
        ("for i in range(len(x)): x = x + x[i]", "f(unknown())", None, False),
        ("for i in range(0, len(x), cfg.width): x = x + x[i]", "", None, True),
        ("for i in range(0, len(x), 1024): x = x + x[i]", "", None, True),
        ("for i in range(len(x) // 1024 + 1): x = x + x[i]", "", None, True),
        ("for i in range(int(len(x) / cfg.width)): x = x + x[i]", "", None, True),
        ("for i in range(len(x) // 2): x = x + x[i]", "", None, False),
        ("for i in range(0, len(x), 2): x = x + x[i]", "", None, False),
        ("for i in range(len(x), 0, -1): x = x + x[i]", "", None, False),
    ],
)
def test_what_is_known_of_an_axis(loop: str, more: str, shown: int | None, chunked: bool) -> None:
    facts = facts_of(f"@jax.jit\ndef f(x):\n    {loop}\n{more}")
    found = facts.loops.bounds.of(facts.tree.loops[0])
    assert (found.kind, found.shown, found.chunked) == (DATA_AXIS, shown, chunked)


@pytest.mark.parametrize(
    ("body", "chunked"),
    [
        ("x = x + jnp.sum(y[i : i + size])", True),
        ("stop = min(i + size, n_steps); x = x + jnp.sum(y[:stop])", True),
        ("x = x + 0.1 * jnp.sin(x) if i > 100 else x", False),
    ],
)
def test_a_range_by_a_setting_goes_through_chunks_that_it_cuts(body: str, chunked: bool) -> None:
    facts = facts_of(f"def f(x, y, n_steps, size):\n    for i in range(0, n_steps, size):\n        {body}")
    assert facts.loops.bounds.of(facts.tree.loops[0]).chunked is chunked


def test_a_list_holds_objects() -> None:
    text = "@jax.jit\ndef f(xs: list[jax.Array]):\n    for i in range(len(xs)): y = xs[i]\n    for x in xs: y = x"
    facts = facts_of(text)
    assert [facts.loops.bounds.of(loop).kind for loop in facts.tree.loops] == [CONTAINER, CONTAINER]


@pytest.mark.parametrize(
    ("given", "expected"),
    [("[a, b]", CONTAINER), ("[a[i : i + 8] for i in range(9)]", CONTAINER), ("jnp.sin(a)", DATA_AXIS)],
)
def test_what_a_call_gives_outweighs_an_annotation(given: str, expected: BoundKind) -> None:
    facts = facts_of(f"""
    @jax.jit
    def f(x: jax.Array):
        for row in x: print(row)

    def g(a, b):
        parts = {given}
        return f(parts)
    """)
    assert facts.loops.bounds.of(facts.tree.loops[0]).kind is expected
