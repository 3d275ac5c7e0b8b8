"""A parameter is made static wherever it is traced, and safely only where every visible caller has its value."""

from __future__ import annotations

import textwrap

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.finding import Fix
from jaxlint.fixes.text.edits import applied

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX201", "JAX206"))


def fix_of(text: str) -> Fix:
    (finding,) = lint(Source(text), SETTINGS)
    return finding.fixes[0]


def test_a_caller_that_unpacks_other_arguments_is_followed() -> None:
    text = textwrap.dedent("""
        import functools
        import jax
        import jax.numpy as jnp

        @jax.jit
        def split(x, weight, n: int):
            return jnp.stack(jnp.split(x * weight, n))

        @jax.jit
        def layer(x, params, n: int):
            return split(x, **params, n=n)

        layer(jnp.ones(4), {"weight": 2.0}, 2)
        """)
    fix = fix_of(text)
    assert fix.applicability.value == "safe"
    assert applied(text, fix).count('@functools.partial(jax.jit, static_argnames="n")') == 2


def test_what_a_mapped_function_passes_may_be_traced() -> None:
    fix = fix_of(
        textwrap.dedent("""
        import jax
        import jax.numpy as jnp

        class Noise:
            def __init__(self):
                self._one = jax.jit(self._single)

            def _single(self, l: int, c):
                return jnp.inf if l < 2 else c * l

            def all(self, ls, cs):
                return jax.vmap(lambda i: self._one(ls[i], cs[i]))(jnp.arange(len(ls)))
        """)
    )
    assert (fix.applicability.value, fix.condition) == ("unsafe", "`l` is not traced where traced code passes it")


def test_an_array_is_not_what_a_number_beyond_the_parameters_meant() -> None:
    text = textwrap.dedent("""
        import functools
        import jax
        import jax.numpy as jnp

        @functools.partial(jax.jit, static_argnums=(2,))
        def head(x, weight):
            return jnp.dot(x, weight)
        """)
    (finding,) = lint(Source(text), SETTINGS)
    assert finding.code == "JAX206"
    assert not finding.fixes
