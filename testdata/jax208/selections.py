"""Results whose shape depends on the data, under trace: no program can be made for them."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def positives(x):
    return x[x > 0]  # want: JAX208


@jax.jit
def valid_mean(x, mask):
    valid = jnp.logical_and(mask, jnp.isfinite(x))
    return x[valid].mean()  # want: JAX208


@jax.jit
def outside(x):
    return x[~(x > 1)]  # want: JAX208


@jax.jit
def rows(matrix):
    return matrix[matrix[:, 0] > 0]  # want: JAX208


@jax.jit
def columns(matrix):
    return matrix[:, matrix.sum(axis=0) > 3]  # want: JAX208


@jax.jit
def both_conditions(x, y):
    return y[(x > 0) & (x < 3)]  # want: JAX208


@jax.jit
def finite_only(x):
    return jnp.sum(x[jnp.isfinite(x)])  # want: JAX208


@jax.jit
def places(x):
    return jnp.nonzero(x)  # want: JAX208


@jax.jit
def places_by_method(x):
    return x.nonzero()[0]  # want: JAX208


@jax.jit
def flat_places(x):
    return jnp.flatnonzero(x > 1)  # want: JAX208


@jax.jit
def coordinates(image):
    return jnp.argwhere(image > 3)  # want: JAX208


@jax.jit
def places_of(x):
    return jnp.where(x > 0)  # want: JAX208


@jax.jit
def first_place(x):
    return jnp.where(x > 0)[0][0]  # want: JAX208


@jax.jit
def levels(x):
    return jnp.unique(x)  # want: JAX208


@jax.jit
def frequencies(labels):
    values, counts = jnp.unique(labels, return_counts=True)  # want: JAX208
    return values[jnp.argmax(counts)]


@jax.jit
def unseen(x, seen):
    return jnp.setdiff1d(x, seen)  # want: JAX208


@jax.jit
def together(x, y):
    return jnp.union1d(x, y)  # want: JAX208


@jax.jit
def shared(x, y):
    return jnp.intersect1d(x, y)  # want: JAX208


@jax.jit
def differing(x, y):
    return jnp.setxor1d(x, y)  # want: JAX208


@jax.jit
def counted(labels):
    return jnp.bincount(labels)  # want: JAX208


@jax.jit
def squeezed_out(x):
    return jnp.compress(x > 0, x)  # want: JAX208


@jax.jit
def extracted(x):
    return jnp.extract(x > 0, x)  # want: JAX208


def strongest(x):
    """A helper, traced by its caller."""
    peaks = x > x.mean()
    return x[peaks].max()  # want: JAX208


@jax.jit
def analysed(x):
    return strongest(jnp.abs(x))


def step(total, x):
    return total + x[x > 0].sum(), None  # want: JAX208


def scanned(batches):
    return lax.scan(step, 0.0, batches)[0]


def per_row(row):
    return jnp.unique(row).sum()  # want: JAX208


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
