"""The functions of shapes.py with the sizes static, or not asked for at all."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax, random


@partial(jax.jit, static_argnames=("n",))
def padding(x, n):
    return jnp.concatenate([x, jnp.zeros(n)])


@partial(jax.jit, static_argnames=("rows",))
def patches(image, rows):
    return image.reshape(rows, -1)


@partial(jax.jit, static_argnums=(1,))
def reshape_to(x, shape):
    """The caller hands over a tuple, which can be hashed."""
    return x.reshape(shape)


@partial(jax.jit, static_argnames=("points",))
def grid(low, high, points):
    return jnp.linspace(low, high, points)


@partial(jax.jit, static_argnames=("factor",))
def upsample(x, factor):
    return jnp.repeat(x, factor)


@partial(jax.jit, static_argnames=("k",))
def best(scores, k):
    return lax.top_k(scores, k)[1]


@partial(jax.jit, static_argnames=("size",))
def window(x, start, size):
    return lax.dynamic_slice(x, (start,), (size,))


@partial(jax.jit, static_argnames=("count",))
def jitter(key, count):
    return 0.1 * random.normal(key, (count,))


@jax.jit
def relax(x, rounds):
    """A loop of jax takes a traced number of turns."""
    return lax.fori_loop(0, rounds, lambda _, v: 0.5 * (v + jnp.roll(v, 1)), x)


def histogram(x, bins):
    edges = jnp.linspace(0.0, 1.0, bins)
    return jnp.searchsorted(edges, x)


compiled_histogram = jax.jit(histogram, static_argnames=("bins",))


def jaxlint_examples():
    x, matrix, key = jnp.arange(8.0), jnp.arange(12.0).reshape(3, 4), jax.random.key(0)
    return {
        "padding": (x, 3),
        "patches": (matrix, 3),
        "reshape_to": (matrix, (4, 3)),
        "grid": (0.0, 1.0, 3),
        "upsample": (x, 2),
        "best": (x, 2),
        "window": (x, 1, 2),
        "jitter": (key, 3),
        "relax": (x, 3),
        "histogram": lambda: compiled_histogram(x, 5),
    }
