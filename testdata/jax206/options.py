"""Options that a wrapper takes without a function."""

import jax
import jax.numpy as jnp


@jax.jit(static_argnames=("n",))  # ok: JAX206
def with_default(x, n=3):
    return jnp.zeros(n) + x[0]


def jaxlint_examples():
    x = jnp.arange(8.0)
    return {"with_default": lambda: (with_default(x), with_default(x, 2))}
