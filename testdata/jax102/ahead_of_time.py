"""Lambdas compiled ahead of time: whoever does so keeps the executable."""

import jax
import jax.numpy as jnp


def compiled_ahead(x):
    return jax.jit(lambda v: jnp.stack([v, v])).lower(x).compile()  # once: JAX102


def jaxlint_examples():
    return {"compiled_ahead": (jnp.ones(3),)}
