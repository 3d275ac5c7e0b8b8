"""Fixes keep the style in which a wrapper is written, and leave alone what they cannot mend for certain."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Source, lint
from jaxlint.finding import Applicability
from jaxlint.fixes.text.edits import applied
from tests import goldens

HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\n\n\n"


def fixed(code: str, codes: tuple[str, ...]) -> tuple[str, list[Applicability]]:
    """Apply the first fix of each finding that has one, and return what came of the code below the imports."""
    text = HEAD + textwrap.dedent(code).lstrip("\n")
    levels: list[Applicability] = []
    while True:
        findings = [finding for finding in lint(Source(text), goldens.SETTINGS) if finding.code in codes]
        found = next((finding.fixes[0] for finding in findings if finding.fixes), None)
        if found is None or found.applicability is Applicability.DISPLAY:
            return text.removeprefix(HEAD), levels + ([found.applicability] if found else [])
        text = applied(text, found)
        levels.append(found.applicability)


BODY = "def f(x, k, n):\n    return x[:n] * k\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@jax.jit", '@functools.partial(jax.jit, static_argnames="n")'),
        ("@jax.jit()", '@jax.jit(static_argnames="n")'),
        ('@jax.jit(static_argnames="k")', '@jax.jit(static_argnames=("k", "n"))'),
        ("@jax.jit(static_argnames=['k'])", "@jax.jit(static_argnames=['k', 'n'])"),
        ('@jax.jit(static_argnames=("k",))', '@jax.jit(static_argnames=("k", "n"))'),
        ("@jax.jit(static_argnames=())", '@jax.jit(static_argnames=("n",))'),
        ("@jax.jit(static_argnames=None)", '@jax.jit(static_argnames="n")'),
        ("@jax.jit(static_argnums=1)", "@jax.jit(static_argnums=(1, 2))"),
        ("@jax.jit(static_argnums=(-2,))", "@jax.jit(static_argnums=(-2, 2))"),
        (
            '@functools.partial(jax.jit, static_argnums=1, static_argnames="k")',
            '@functools.partial(jax.jit, static_argnums=(1, 2), static_argnames=("k", "n"))',
        ),
        (
            "@functools.partial(\n    jax.jit,\n    inline=True,  # small\n)",
            '@functools.partial(\n    jax.jit,\n    inline=True,\n    static_argnames="n",  # small\n)',
        ),
        # Left alone:
        ("@jax.jit(donate_argnums=2)", None),
        ("@jax.jit(in_shardings=(None, None, None))", None),
        ("@jax.jit\n@jax.vmap", None),
        ("@jax.jit\n@functools.lru_cache", None),
    ],
)
def test_a_missing_static_is_named_in_the_style_of_the_wrapper(before: str, after: str | None) -> None:
    text, _ = fixed(f"{before}\n{BODY}", ("JAX201",))
    assert text == f"{after or before}\n{BODY}"


@pytest.mark.parametrize(
    "call", ["fast(x, [1, 2])", "fast(x, jnp.arange(2))"], ids=["a list cannot be hashed", "an array cannot be hashed"]
)
def test_no_static_where_a_caller_passes_what_cannot_be_one(call: str) -> None:
    code = f"""
    @jax.jit
    def fast(x, shape):
        return x.reshape(shape)


    def use(x):
        return {call}
    """
    assert fixed(code, ("JAX201",)) == (textwrap.dedent(code).lstrip("\n"), [])


def test_a_helper_s_option_is_static_in_all_that_compile_its_callers() -> None:
    text, levels = fixed(
        """
        def head(x, n):
            return x[:n]


        @jax.jit
        def one(x, count):
            return head(x, 2 * count)


        def two(x, k, size):
            return head(x, size) * k


        fast_two = jax.jit(two, static_argnums=1)
        """,
        ("JAX201",),
    )
    assert '@functools.partial(jax.jit, static_argnames="count")' in text
    assert "fast_two = jax.jit(two, static_argnums=(1, 2))" in text
    assert levels == [Applicability.SAFE]


LOOP = """
@jax.jit
def f(x, xs):
    {before}
    for i in range(1000):
        {body}
    return x{after}
"""


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("y = 0", "x = jnp.sin(x) * 2 ** i", ""),
        ("y = 0", "x = jnp.sin(x) + [1.0, 2.0][i]", ""),
        ("y = 0", "x = x + xs[i : i + 2].sum()", ""),
        ("y = 0", "x = jnp.sin(x) if i % 2 else x", ""),
        ("y = 0", "x = jnp.concatenate([x, x])", ""),
        ("y = 0", "x = x[1:] * 2", ""),
        ("y = []", "x = jnp.sin(x); y.append(x)", ", y"),
        ("y = None", "x = jnp.sin(x) + 1; y = x", ", y"),
        ("y = 1", "x = jnp.sin(x) + y; y = y * 2", ""),
        ("y = 0", "x = jnp.sin(x) + 1; z = x", ", z"),
        ("y = 0", "x = jnp.sin(x) + 1", ", i"),
        ("y = 0", "x = unknown(jnp.sin(x) + 1)", ""),
        ("y = 0", "x = jnp.sin(x) + 1; print(x)", ""),
    ],
)
def test_loops_that_hand_on_more_than_plain_values_are_left_alone(before: str, body: str, after: str) -> None:
    code = LOOP.format(before=before, body=body.replace("; ", "\n        "), after=after)
    assert fixed(code, ("JAX301",)) == (code.lstrip("\n"), [])


@pytest.mark.parametrize(
    "function",
    [
        "lambda x: float(jnp.sum(x))",
        "lambda x: x if jnp.any(x > 0) else -x",
        "lambda x: jnp.asarray(x).sum(rate)",
        "lambda x: jnp.isclose(x, 0.0, equal_nan=rate)",
        "lambda x: jnp.sin(x).block_until_ready()",
        "jnp.ones",
    ],
)
def test_maps_that_cannot_be_traced_are_left_alone(function: str) -> None:
    code = f"def main(tree, rate):\n    print(jax.tree.map({function}, tree))\n"
    assert fixed(code, ("JAX401",)) == (code, [])


@pytest.mark.parametrize("around", ["", "for number in range(3):\n    "])
def test_a_map_at_module_level_is_no_safe_fix_unless_in_a_loop(around: str) -> None:
    code = f"tree = {{'a': jnp.ones(3)}}\n{around}stacked = jax.tree.map(lambda a: jnp.stack([a, -a]), tree)\n"
    assert fixed(code, ("JAX401",))[1] == [Applicability.SAFE if around else Applicability.UNSAFE]


def test_nothing_is_added_to_a_test_for_its_loops() -> None:
    code = "def test_it():\n    for n in range(9):\n        f = jax.jit(lambda x: x + 1)\n        print(f(n))\n"
    findings = lint(Source(HEAD + code, "test_it.py"), goldens.SETTINGS)
    levels = [finding.fixes[0].applicability for finding in findings]
    assert levels
    assert Applicability.SAFE not in levels


def test_a_caller_that_is_given_an_object_is_not_compiled() -> None:
    code = "def main(tree, cfg):\n    return jax.tree.map(lambda x: x - cfg.rate * jnp.sin(x), tree)\n"
    text, _ = fixed(code, ("JAX401",))
    assert "return _main_tree(tree, cfg.rate)" in text


@pytest.mark.parametrize(
    "function",
    [
        "lambda n: (n + 2) * n - n",
        "lambda s: (jnp.zeros(s.shape) + 1) * 2",
        "jnp.zeros_like",
        "lambda x: None if x is None else jnp.sin(x)",
    ],
)
def test_maps_over_what_may_be_no_arrays_are_only_shown(function: str) -> None:
    code = f"def main(tree):\n    print(jax.tree.map({function}, tree))\n"
    assert fixed(code, ("JAX401",)) == (code, [Applicability.DISPLAY])


def test_what_a_map_captures_becomes_arguments() -> None:
    text, levels = fixed(
        """
        class Trainer:
          def step(self, params, grads):
            def update(p, g):
              return p - self.rate * g

            return jax.tree.map(update, params, grads)


        def main(trainer, params):
          for _ in range(100):
            params = trainer.step(params, params)
        """,
        ("JAX401",),
    )
    assert levels == [Applicability.UNSAFE]
    assert text.startswith(
        textwrap.dedent(
            """
            @jax.jit
            def _update(params, grads, rate):
              def update(p, g):
                return p - rate * g

              return jax.tree.map(update, params, grads)


            class Trainer:
              def step(self, params, grads):
                return _update(params, grads, self.rate)
            """
        ).lstrip("\n")
    )


@pytest.mark.parametrize(
    ("mask", "fixable"),
    [
        ("jnp.arange(x.shape[1])[None, :] < n[:, None]", True),
        ("n[:, jnp.newaxis] > jnp.arange(x.shape[1])[jnp.newaxis]", False),
        ("jnp.arange(x.shape[0])[None, :] < n[:, None]", False),
        ("jnp.arange(x.shape[1])[:, None] < n[None, :]", False),
        ("jnp.arange(x.shape[0]) < n", False),
        ("jnp.arange(x.shape[1])[None, :] < n[:, None] + x[0, 0, 0]", False),
    ],
)
def test_an_update_at_a_mask_becomes_a_choice_where_the_mask_spans_the_array(mask: str, fixable: bool) -> None:
    code = f"@jax.jit\ndef f(x, n):\n    return x.at[{mask}].set(0.0)\n"
    text, _ = fixed(code, ("JAX208",))
    assert text == (code.replace(f"x.at[{mask}].set(0.0)", f"jnp.where({mask}, 0.0, x)") if fixable else code)


def test_no_choice_by_a_mask_where_the_array_has_more_axes() -> None:
    code = """
    @jax.jit
    def f(x, n):
        masked = x.at[jnp.arange(x.shape[1])[None, :] < n[:, None]].set(0.0)
        return masked + x.shape[2]
    """
    assert "jnp.where" not in fixed(code, ("JAX208",))[0]


USED = {
    "calls in functions that are not traced": (
        """
        def step(x, n):
            return x * n
        _step = jax.jit(step, static_argnums=1)
        def outer(x):
            for _ in range(9):
                x = step(x, 2) + step(x, n=3)
            return x
        @jax.jit
        def traced(x):
            return step(x, 4)
        """,
        ("step(x, 2) + step(x, n=3)", "_step(x, 2) + _step(x, n=3)"),
    ),
    "calls behind a local name": (
        """
        def step(x):
            return x * 2
        def outer(x):
            y = step(x)
            fast = jax.jit(step)
            return step(x) + y
        """,
        ("return step(x) + y", "return fast(x) + y"),
    ),
    "it may run before it is bound": (
        """
        def step(x):
            return x * 2
        def outer(x):
            for _ in range(9):
                x = step(x)
            return x
        START = outer(1.0)
        _step = jax.jit(step)
        """,
        None,
    ),
    "it may be bound or not": (
        """
        def step(x):
            return x * 2
        if jax.device_count() > 1:
            _step = jax.jit(step)
        def outer(x):
            for _ in range(9):
                x = step(x)
            return x
        """,
        None,
    ),
    "it reads what changes": (
        """
        RATE = 2.0
        def set_rate(rate):
            global RATE
            RATE = rate
        def step(x):
            return x * RATE
        _step = jax.jit(step)
        def outer(x):
            for _ in range(9):
                x = step(x)
            return x
        """,
        None,
    ),
    "it would fail": (
        """
        def step(x):
            return x * float(x[0])
        _step = jax.jit(step)
        def outer(x):
            for _ in range(9):
                x = step(x)
            return x
        """,
        None,
    ),
    "another name hides it": (
        """
        def step(x):
            return x * 2
        _step = jax.jit(step)
        def outer(x, _step):
            for _ in range(9):
                x = step(x)
            return x
        """,
        None,
    ),
}


@pytest.mark.parametrize(("code", "change"), USED.values(), ids=USED)
def test_a_compiled_function_that_nothing_uses_is_called(code: str, change: tuple[str, str] | None) -> None:
    code = textwrap.dedent(code).lstrip("\n")
    code += "print(jax.jit(jnp.sin)(outer(1.0)))\n"
    assert "JAX403" in [finding.code for finding in lint(Source(HEAD + code), goldens.SETTINGS)]
    text, levels = fixed(code, ("JAX403",))
    assert text == (code.replace(*change) if change else code)
    assert levels == ([Applicability.UNSAFE] if change else [])


def test_several_attributes_become_arguments_of_one_compiled_method() -> None:
    code = """
    class Switch:
        def __init__(self, mode):
            self.mode = mode
            self.gain = 1.0

        @functools.partial(jax.jit, static_argnums=0)
        def step(self, x):
            if self.mode == "up":
                return x + self.gain
            return x - self.gain

        def turn(self):
            self.mode = "down"
            self.gain = 2.0

    def run(x):
        switch = Switch("up")
        x = switch.step(x)
        switch.turn()
        return switch.step(x)
    """
    text, levels = fixed(code, ("JAX207",))
    assert levels == [Applicability.UNSAFE] * 2
    expected = """
    def step(self, x):
        return self._step(x, self.mode, gain=self.gain)

    @functools.partial(jax.jit, static_argnums=(0, 2))
    def _step(self, x, mode, gain):
        if mode == "up":
            return x + gain
        return x - gain
    """
    assert expected.rstrip() in text


@pytest.mark.parametrize("other", ["a * 2.0 + len(other)", "a * 2.0"])
def test_a_map_over_a_tree_of_which_nothing_is_computed_is_only_shown(other: str) -> None:
    code = f"""
    def run(tree, names):
        print(tree)
        return jax.tree.map(lambda a, other: {other}, tree, names)
    """
    assert fixed(code, ("JAX401",))[1] == [Applicability.DISPLAY]


KNOWN = """
    @jax.jit
    def _doubled(y):
        return jnp.sin(y) * 2

    def {head}:
        return {made}
    """


@pytest.mark.parametrize(
    ("head", "made", "calls"),
    [
        ("first(x)", "jax.jit(lambda y: jnp.sin(y) * 2)(x)", "_doubled(x)"),
        ("first(x)", "jax.jit(lambda y: jnp.sin(y) * 3)(x)", "_first(x)"),
        ("first(x, _doubled)", "jax.jit(lambda y: jnp.sin(y) * 2)(x)", "_first(x)"),
    ],
)
def test_a_definition_that_is_there_and_visible_is_used_again(head: str, made: str, calls: str) -> None:
    text, _ = fixed(KNOWN.format(head=head, made=made), ("JAX102",))
    assert f"return {calls}" in text


def test_a_map_uses_again_what_differs_in_the_names_of_parameters_alone() -> None:
    code = """
    def first(name, tree):
        print(name)
        return jax.tree.map(lambda x: jnp.sin(x) * 2, tree)

    def second(name, params):
        print(name)
        return jax.tree.map(lambda x: jnp.sin(x) * 2, params)
    """
    text, _ = fixed(code, ("JAX401",))
    assert text.count("@jax.jit") == 1
