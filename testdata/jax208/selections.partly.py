"""Results whose shape depends on the data, under trace: no program can be made for them."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def positives(x):
    return x[x > 0]


@jax.jit
def valid_mean(x, mask):
    valid = jnp.logical_and(mask, jnp.isfinite(x))
    return jnp.mean(x, where=valid)


@jax.jit
def outside(x):
    return x[~(x > 1)]


@jax.jit
def rows(matrix):
    return matrix[matrix[:, 0] > 0]


@jax.jit
def columns(matrix):
    return matrix[:, matrix.sum(axis=0) > 3]


@jax.jit
def both_conditions(x, y):
    return y[(x > 0) & (x < 3)]


@jax.jit
def finite_only(x):
    return jnp.sum(x, where=jnp.isfinite(x))


@jax.jit
def places(x):
    return jnp.nonzero(x)


@jax.jit
def places_by_method(x):
    return x.nonzero()[0]


@jax.jit
def flat_places(x):
    return jnp.flatnonzero(x > 1)


@jax.jit
def coordinates(image):
    return jnp.argwhere(image > 3)


@jax.jit
def places_of(x):
    return jnp.where(x > 0)


@jax.jit
def first_place(x):
    return jnp.where(x > 0)[0][0]


@jax.jit
def levels(x):
    return jnp.unique(x)


@jax.jit
def frequencies(labels):
    values, counts = jnp.unique(labels, return_counts=True)
    return values[jnp.argmax(counts)]


@jax.jit
def unseen(x, seen):
    return jnp.setdiff1d(x, seen)


@jax.jit
def together(x, y):
    return jnp.union1d(x, y)


@jax.jit
def shared(x, y):
    return jnp.intersect1d(x, y)


@jax.jit
def differing(x, y):
    return jnp.setxor1d(x, y)


@jax.jit
def counted(labels):
    return jnp.bincount(labels)


@jax.jit
def squeezed_out(x):
    return jnp.compress(x > 0, x)


@jax.jit
def extracted(x):
    return jnp.extract(x > 0, x)


def strongest(x):
    """A helper, traced by its caller."""
    peaks = x > x.mean()
    return x[peaks].max()


@jax.jit
def analysed(x):
    return strongest(jnp.abs(x))


def step(total, x):
    return total + jnp.sum(x, where=x > 0), None


def scanned(batches):
    return lax.scan(step, 0.0, batches)[0]


def per_row(row):
    return jnp.unique(row).sum()


batched = jax.vmap(per_row)


def jaxlint_examples():
    x, y = jnp.arange(6.0) - 2, jnp.arange(6.0)
    matrix, labels = jnp.arange(6.0).reshape(2, 3), jnp.arange(6)
    return {
        "positives": (x,),
        "valid_mean": (x, x > 0),
        "outside": (x,),
        "rows": (matrix,),
        "columns": (matrix,),
        "both_conditions": (x, y),
        "finite_only": (x,),
        "places": (x,),
        "places_by_method": (x,),
        "flat_places": (x,),
        "coordinates": (matrix,),
        "places_of": (x,),
        "first_place": (x,),
        "levels": (x,),
        "frequencies": (labels,),
        "unseen": (x, y),
        "together": (x, y),
        "shared": (x, y),
        "differing": (x, y),
        "counted": (labels,),
        "squeezed_out": (x,),
        "extracted": (x,),
        "strongest": lambda: analysed(x),
        "step": lambda: scanned(matrix),
        "per_row": lambda: batched(matrix),
    }
