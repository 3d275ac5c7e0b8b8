"""Parts are collected, and joined once."""

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return x * 0.9


def collected(x, n):
    history = [x]
    for _ in range(n):
        x = step(x)
        history.append(x)
    return jnp.concatenate(history)


def jaxlint_examples():
    x = jnp.ones(3)
    return {"collected": (x, 3)}
