"""A number that decides a shape or a number of turns, left for jit to trace: no shape can be had from it."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax, random


@jax.jit
def padding(x, n):
    return jnp.concatenate([x, jnp.zeros(n)])  # want: JAX201


@jax.jit
def memory(x, slots):
    bank = jnp.zeros((slots, 2))  # want: JAX201
    return bank + x.mean()


@jax.jit
def patches(image, rows):
    return image.reshape(rows, -1)  # want: JAX201


@jax.jit
def patches_by_function(image, rows):
    return jnp.reshape(image, (rows, -1))  # want: JAX201


@jax.jit
def batch_of(x, number, shape):
    return x + jnp.zeros((number,) + shape)  # want: JAX201


@jax.jit
def split_heads(x, heads):
    return x.reshape(heads, x.shape[0] // heads, 4)  # want: JAX201


@jax.jit
def reshape_to(x, shape):
    return x.reshape(shape)  # want: JAX201


@jax.jit
def reshape_to_sizes(x, *sizes):
    return x.reshape(*sizes)  # want: JAX201


@jax.jit
def blank(x, shape):
    """A list of sizes becomes a list of traced numbers."""
    return jnp.zeros(shape) + x.sum()  # want: JAX201


@jax.jit
def positions(x, length):
    return x[0] + jnp.arange(length)  # want: JAX201


@jax.jit
def grid(low, high, points):
    return jnp.linspace(low, high, points)  # want: JAX201


@jax.jit
def constant(x, width):
    return jnp.full((width,), x.max())  # want: JAX201


@jax.jit
def ridge(x, size):
    return x.T @ x + 1e-3 * jnp.eye(size)  # want: JAX201


@jax.jit
def replicate(x, batch):
    return jnp.broadcast_to(x, (batch, 8))  # want: JAX201


@jax.jit
def upsample(x, factor):
    return jnp.repeat(x, factor)  # want: JAX201


@jax.jit
def tiled(x, copies):
    return jnp.tile(x, copies)  # want: JAX201


@jax.jit
def tiled_rows(x, copies):
    return jnp.tile(x, (copies, 1))  # want: JAX201


@jax.jit
def border(x, width):
    return jnp.pad(x, width)  # want: JAX201


@jax.jit
def chunks(x, count):
    return jnp.split(x, count)  # want: JAX201


@jax.jit
def one_hot(labels, classes):
    return jax.nn.one_hot(labels, classes)  # want: JAX201


@jax.jit
def one_hot_by_name(labels, classes):
    return jax.nn.one_hot(labels, num_classes=classes)  # want: JAX201


@jax.jit
def enlarged(x, side):
    return jax.image.resize(x, (side,), "nearest")  # want: JAX201


@jax.jit
def best(scores, k):
    return lax.top_k(scores, k)[1]  # want: JAX201


@jax.jit
def window(x, start, size):
    """The start may be traced, the size may not."""
    return lax.dynamic_slice(x, (start,), (size,))  # want: JAX201


@jax.jit
def worker_keys(key, workers):
    return random.split(key, workers)  # want: JAX201


@jax.jit
def noise(key, shape):
    return random.normal(key, shape)  # want: JAX201


@jax.jit
def jitter(key, count):
    return 0.1 * random.normal(key, (count,))  # want: JAX201


@jax.jit
def scatter(key, count):
    return random.uniform(key, shape=(count, 2))  # want: JAX201


@jax.jit
def relax(x, passes):
    for _ in range(passes):  # want: JAX201
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


@jax.jit
def rollout(x, steps):
    return lax.scan(lambda c, _: (0.9 * c, c), x, None, length=steps)[1]  # want: JAX201


@jax.jit
def smooth(x, config):
    """The numbers in a dict are traced like the others."""
    for _ in range(config["passes"]):  # want: JAX201
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


@jax.jit
def halves(x, count):
    """What is computed from a traced number is traced."""
    half = count // 2
    return jnp.zeros(half) + x.sum()  # want: JAX201


@partial(jax.jit, static_argnames=("rows",))
def partly_static(x, rows, columns):
    return jnp.broadcast_to(x.sum(), (rows, columns))  # want: JAX201


def histogram(x, bins):
    edges = jnp.linspace(0.0, 1.0, bins)  # want: JAX201
    return jnp.searchsorted(edges, x)


compiled_histogram = jax.jit(histogram)


class Buffer:
    def __init__(self, scale):
        self.scale = scale
        self.fill = jax.jit(self._fill)

    def _fill(self, x, size):
        return self.scale * jnp.ones(size) * x.mean()  # want: JAX201


def jaxlint_examples():
    x, matrix, key = jnp.arange(8.0), jnp.arange(12.0).reshape(3, 4), jax.random.key(0)
    labels = jnp.arange(3)
    return {
        "padding": (x, 3),
        "memory": (x, 3),
        "patches": (matrix, 3),
        "patches_by_function": (matrix, 3),
        "batch_of": (jnp.ones((2, 3)), 2, (3,)),
        "split_heads": (matrix, 3),
        "reshape_to": (matrix, (4, 3)),
        "reshape_to_sizes": (matrix, 4, 3),
        "blank": (x, (2, 3)),
        "positions": (x, 3),
        "grid": (0.0, 1.0, 3),
        "constant": (x, 3),
        "ridge": (matrix, 4),
        "replicate": (x, 3),
        "upsample": (x, 2),
        "tiled": (x, 2),
        "tiled_rows": (x, 2),
        "border": (x, 2),
        "chunks": (x, 2),
        "one_hot": (labels, 4),
        "one_hot_by_name": (labels, 4),
        "enlarged": (x, 4),
        "best": (x, 2),
        "window": (x, 1, 2),
        "worker_keys": (key, 3),
        "noise": (key, (3, 4)),
        "jitter": (key, 3),
        "scatter": (key, 3),
        "relax": (x, 3),
        "rollout": (x, 3),
        "smooth": (x, {"passes": 3}),
        "halves": (x, 6),
        "partly_static": (x, 2, 3),
        "histogram": lambda: compiled_histogram(x, 5),
        "Buffer._fill": lambda made=Buffer(2.0): made.fill(x, 3),
    }
