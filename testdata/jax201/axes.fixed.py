"""The functions of axes.py with the axis static."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("axis",))
def total(x, axis):
    return x.sum(axis=axis)


@partial(jax.jit, static_argnames=("axis",))
def total_over_two(x, axis):
    return jnp.sum(x, axis=(0, axis))


@partial(jax.jit, static_argnums=1)
def permuted(x, order):
    return jnp.transpose(x, order)


@partial(jax.jit, static_argnums=(-1,))
def probabilities(x, axis):
    return jax.nn.softmax(x, axis=axis)


@jax.jit
def powered(x, n):
    return x**n


def normalised(x, axis):
    low = x.min(axis=axis, keepdims=True)
    high = x.max(axis=axis, keepdims=True)
    return (x - low) / (high - low)


fast_normalised = jax.jit(normalised, static_argnames="axis")


def jaxlint_examples():
    x = jnp.arange(12.0).reshape(3, 4)
    return {
        "total": (x, 0),
        "total_over_two": (x, 1),
        "permuted": (x, (1, 0)),
        "probabilities": (x, 0),
        "powered": (x, 2),
        "normalised": lambda: fast_normalised(x, 0),
    }
