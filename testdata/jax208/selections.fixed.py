"""The functions of selections.py with a size given, or with a mask kept beside the data."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def rectified(x):
    return jnp.where(x > 0, x, 0.0)


@jax.jit
def valid_mean(x, mask):
    valid = jnp.logical_and(mask, jnp.isfinite(x))
    return jnp.mean(x, where=valid)


@jax.jit
def places(x):
    return jnp.nonzero(x, size=x.size, fill_value=-1)


@jax.jit
def coordinates(image):
    return jnp.argwhere(image > 3, size=4)


@jax.jit
def first_place(x):
    return jnp.argmax(x > 0)


@jax.jit
def levels(x):
    return jnp.unique(x, size=x.size)


@jax.jit
def unseen(x, seen):
    return jnp.setdiff1d(x, seen, size=x.size)


@jax.jit
def counted(labels):
    return jnp.bincount(labels, length=6)


def strongest(x):
    return jnp.max(x, where=x > x.mean(), initial=-jnp.inf)


@jax.jit
def analysed(x):
    return strongest(jnp.abs(x))


def step(total, x):
    return total + jnp.maximum(x, 0.0).sum(), None


@jax.jit
def scanned(batches):
    return lax.scan(step, 0.0, batches)[0]


def jaxlint_examples():
    x, y = jnp.arange(6.0) - 2, jnp.arange(6.0)
    matrix, labels = jnp.arange(6.0).reshape(2, 3), jnp.arange(6)
    return {
        "rectified": (x,),
        "valid_mean": (x, x > 0),
        "places": (x,),
        "coordinates": (matrix,),
        "first_place": (x,),
        "levels": (x,),
        "unseen": (x, y),
        "counted": (labels,),
        "strongest": lambda: analysed(x),
        "scanned": (matrix,),
    }
