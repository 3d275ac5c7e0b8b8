"""Options that a wrapper takes without a function."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames=("n",))
def decorator_with_options(x, n):
    return x[:n]  # ok: JAX201


def jaxlint_examples():
    return {"decorator_with_options": (jnp.arange(8.0), 2)}
