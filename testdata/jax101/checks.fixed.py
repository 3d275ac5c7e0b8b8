"""Tests and benchmarks in ordinary modules: they run once, and compile on purpose."""

import time
import unittest

import jax
import jax.numpy as jnp


def _square(x):
    return x * x


def test_square_is_even():
    x = jnp.ones(3)
    assert jnp.allclose(jax.jit(_square)(x), jax.jit(_square)(-x))


@jax.jit
def _decay(x):
    return 0.5 * x


def _test_decay():
    assert _decay(jnp.ones(3)).sum() == 1.5


@jax.jit
def _norm(x):
    return jnp.sqrt(jnp.sum(x * x))


@jax.jit
def _check_norm(v):
    return jnp.sqrt(jnp.sum(v * v))


class NormTest(unittest.TestCase):
    def test_norm(self):
        self.assertEqual(_norm(jnp.ones(4)), 2.0)

    def check(self, x):
        return _check_norm(x)


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
