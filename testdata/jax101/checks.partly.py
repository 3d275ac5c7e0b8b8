"""Tests and benchmarks in ordinary modules: they run once, and compile on purpose."""

import time
import unittest

import jax
import jax.numpy as jnp


def test_square_is_even():
    def square(x):
        return x * x

    x = jnp.ones(3)
    assert jnp.allclose(jax.jit(square)(x), jax.jit(square)(-x))


def _test_decay():
    @jax.jit
    def decay(x):
        return 0.5 * x

    assert decay(jnp.ones(3)).sum() == 1.5


class NormTest(unittest.TestCase):
    def test_norm(self):
        @jax.jit
        def norm(x):
            return jnp.sqrt(jnp.sum(x * x))

        self.assertEqual(norm(jnp.ones(4)), 2.0)

    def check(self, x):
        def norm(v):
            return jnp.sqrt(jnp.sum(v * v))

        return jax.jit(norm)(x)


@jax.jit
def kernel(x):
    return jnp.exp(-x * x)


def timing(x):
    """A warm-up call, then the clock."""
    jax.block_until_ready(kernel(x))
    start = time.perf_counter()
    jax.block_until_ready(kernel(x))
    return time.perf_counter() - start


@jax.jit
def _step(v):
    return jnp.exp(-v * v)


def timing_of_a_step(x):
    """The same of a local function: one compile a call, before the clock starts."""

    jax.block_until_ready(_step(x))
    start = time.perf_counter()
    for _ in range(3):
        jax.block_until_ready(_step(x))
    return time.perf_counter() - start


def jaxlint_examples():
    x = jnp.ones(3)
    case = NormTest()
    return {
        "NormTest.test_norm": (case,),
        "NormTest.check": (case, jnp.ones(4)),
        "kernel": (x,),
        "timing": (x,),
        "timing_of_a_step": (x,),
    }
