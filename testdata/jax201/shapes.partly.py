"""A number that decides a shape or a number of turns, left for jit to trace: no shape can be had from it."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax, random


@partial(jax.jit, static_argnames="n")
def padding(x, n):
    return jnp.concatenate([x, jnp.zeros(n)])


@partial(jax.jit, static_argnames="slots")
def memory(x, slots):
    bank = jnp.zeros((slots, 2))
    return bank + x.mean()


@partial(jax.jit, static_argnames="rows")
def patches(image, rows):
    return image.reshape(rows, -1)


@partial(jax.jit, static_argnames="rows")
def patches_by_function(image, rows):
    return jnp.reshape(image, (rows, -1))


@partial(jax.jit, static_argnames=("number", "shape"))
def batch_of(x, number, shape):
    return x + jnp.zeros((number,) + shape)


@partial(jax.jit, static_argnames="heads")
def split_heads(x, heads):
    return x.reshape(heads, x.shape[0] // heads, 4)


@partial(jax.jit, static_argnames="shape")
def reshape_to(x, shape):
    return x.reshape(shape)


@jax.jit
def reshape_to_sizes(x, *sizes):
    return x.reshape(*sizes)


@partial(jax.jit, static_argnames="shape")
def blank(x, shape):
    """A list of sizes becomes a list of traced numbers."""
    return jnp.zeros(shape) + x.sum()


@partial(jax.jit, static_argnames="length")
def positions(x, length):
    return x[0] + jnp.arange(length)


@partial(jax.jit, static_argnames="points")
def grid(low, high, points):
    return jnp.linspace(low, high, points)


@partial(jax.jit, static_argnames="width")
def constant(x, width):
    return jnp.full((width,), x.max())


@partial(jax.jit, static_argnames="size")
def ridge(x, size):
    return x.T @ x + 1e-3 * jnp.eye(size)


@partial(jax.jit, static_argnames="batch")
def replicate(x, batch):
    return jnp.broadcast_to(x, (batch, 8))


@partial(jax.jit, static_argnames="factor")
def upsample(x, factor):
    return jnp.repeat(x, factor)


@partial(jax.jit, static_argnames="copies")
def tiled(x, copies):
    return jnp.tile(x, copies)


@partial(jax.jit, static_argnames="copies")
def tiled_rows(x, copies):
    return jnp.tile(x, (copies, 1))


@partial(jax.jit, static_argnames="width")
def border(x, width):
    return jnp.pad(x, width)


@partial(jax.jit, static_argnames="count")
def chunks(x, count):
    return jnp.split(x, count)


@partial(jax.jit, static_argnames="classes")
def one_hot(labels, classes):
    return jax.nn.one_hot(labels, classes)


@partial(jax.jit, static_argnames="classes")
def one_hot_by_name(labels, classes):
    return jax.nn.one_hot(labels, num_classes=classes)


@partial(jax.jit, static_argnames="side")
def enlarged(x, side):
    return jax.image.resize(x, (side,), "nearest")


@partial(jax.jit, static_argnames="k")
def best(scores, k):
    return lax.top_k(scores, k)[1]


@partial(jax.jit, static_argnames="size")
def window(x, start, size):
    """The start may be traced, the size may not."""
    return lax.dynamic_slice(x, (start,), (size,))


@partial(jax.jit, static_argnames="workers")
def worker_keys(key, workers):
    return random.split(key, workers)


@partial(jax.jit, static_argnames="shape")
def noise(key, shape):
    return random.normal(key, shape)


@partial(jax.jit, static_argnames="count")
def jitter(key, count):
    return 0.1 * random.normal(key, (count,))


@partial(jax.jit, static_argnames="count")
def scatter(key, count):
    return random.uniform(key, shape=(count, 2))


@partial(jax.jit, static_argnames="passes")
def relax(x, passes):
    for _ in range(passes):
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


@partial(jax.jit, static_argnames="steps")
def rollout(x, steps):
    return lax.scan(lambda c, _: (0.9 * c, c), x, None, length=steps)[1]


@jax.jit
def smooth(x, config):
    """The numbers in a dict are traced like the others."""
    for _ in range(config["passes"]):
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


@partial(jax.jit, static_argnames="count")
def halves(x, count):
    """What is computed from a traced number is traced."""
    half = count // 2
    return jnp.zeros(half) + x.sum()


@partial(jax.jit, static_argnames=("rows", "columns"))
def partly_static(x, rows, columns):
    return jnp.broadcast_to(x.sum(), (rows, columns))


def histogram(x, bins):
    edges = jnp.linspace(0.0, 1.0, bins)
    return jnp.searchsorted(edges, x)


compiled_histogram = jax.jit(histogram, static_argnames="bins")


class Buffer:
    def __init__(self, scale):
        self.scale = scale
        self.fill = jax.jit(self._fill, static_argnames="size")

    def _fill(self, x, size):
        return self.scale * jnp.ones(size) * x.mean()


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
