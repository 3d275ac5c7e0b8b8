"""Partials compiled ahead of time: whoever does so keeps the executable."""

from functools import partial

import jax
import jax.numpy as jnp


def hill(x, k=0.5, n=2):
    return x**n / (k**n + x**n)


def executable(x):
    return jax.jit(partial(hill, n=3)).lower(x).compile()  # once: JAX103


def jaxlint_examples():
    return {"executable": (jnp.ones(3),)}
