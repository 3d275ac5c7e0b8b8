"""Each way in which the arguments of a compiled function can fail to match what it was compiled for."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(batch, weights):
    return jnp.tanh(batch @ weights).sum()


@functools.partial(jax.jit, static_argnames=("bins",))
def histogram(values, bins):
    return jnp.zeros(bins).at[values].add(1.0)


@jax.jit
def combine(terms, extra):
    return sum(terms) + extra


weights = np.ones(4, np.float32)
for rows in (6, 6, 5):
    score(np.ones((rows, 4), np.float32), weights)
score(np.ones((6, 4), np.float32), np.ones(4, np.int32))
values = np.arange(5, dtype=np.int32)
for bins in (8, 16, 16, 32):
    histogram(values, bins=bins)
histogram(np.arange(7, dtype=np.int32), bins=32)
combine([1.0, 2.0], 0.5)
combine([1.0, 2.0, 3.0], 0.5)
combine([1.0, 2.0], np.float32(0.5))
with jax.default_matmul_precision("float32"):
    score(np.ones((6, 4), np.float32), weights)
score(np.ones((9, 4), np.float32), weights)
