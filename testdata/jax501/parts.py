"""Parts of an array are of two lengths at most; lists may hold anything."""

import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, weights):
    return jnp.tanh(x) * weights


def by_parts(x, count):
    found = []
    for part in jnp.array_split(x, count):
        weights = jnp.ones(len(part))
        found.append(scaled(part, weights))  # ok: JAX501
    return found


def by_lists(lists):
    found = []
    for values in lists:
        weights = jnp.ones(len(values))
        found.append(scaled(weights, weights))  # want: JAX501 (low)
    return found


@jax.jit
def fitted(x):
    return jnp.tanh(x).sum()


def by_shots(indices, shots):
    """It is made anew before it is joined."""
    found = []
    for shot in shots:
        chosen = [jnp.asarray(index) * shot for index in indices]
        chosen = jnp.concatenate(chosen)
        found.append(fitted(chosen))  # ok: JAX501
    return found


def jaxlint_examples():
    x = jnp.arange(12.0)
    return {
        "scaled": (x, x),
        "by_parts": (x, 4),
        "by_lists": ([[1.0], [1.0, 2.0], [1.0, 2.0, 3.0], [1.0] * 4],),
        "fitted": (x,),
        "by_shots": ([x, x], [1, 2, 3]),
    }
