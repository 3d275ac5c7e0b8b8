"""Loops of NumPy within what is compiled, whose values are constants."""

import jax.numpy as jnp
import numpy as np
from jax import jit


def nodes(count):
    """Arrays of NumPy, until a value ends it."""
    x = np.cos(np.arange(1.0, count + 1))
    for _ in range(200):
        step = np.cos(x) * 0.1 / (1.0 + x * x) + x.copy() * x / 7.0 - x * x / 7.0
        x = x - step
        if np.max(np.abs(step)) < 1e-15:
            break
    return x


@jit
def weighted(x):
    return x * nodes(4)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "nodes": (4,),
        "weighted": (x,),
    }
