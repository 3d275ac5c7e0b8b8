"""What moves or clears elements of a mask gives a mask; what is computed from shapes alone gives none."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnums=1)
def triangle(x, n):
    """`jnp.tril` of booleans is a mask that is traced, though its values are known."""
    mask = jnp.tril(jnp.ones((n, n), dtype=bool))
    return x[mask].sum()  # want: JAX208


@jax.jit
def neighbours(x):
    """So is one that is rolled."""
    return x[jnp.roll(x > 0, 1)].sum()  # want: JAX208


@functools.partial(jax.jit, static_argnums=1)
def triangle_of_numpy(x, n):
    """NumPy computes while it is traced."""
    mask = np.tril(np.ones((n, n), dtype=bool))
    return x[mask].sum()  # ok: JAX208


@jax.jit
def by_indices(x):
    """A triangle of integers is no mask."""
    return x[jnp.tril(jnp.ones((2, 2), dtype=int))].sum()  # ok: JAX208


@jax.jit
def by_tables(x):
    """The indices of a triangle depend on its size alone."""
    return x[jnp.tril_indices(3)].sum()  # ok: JAX208


@jax.jit
def cleared(x):
    """`where` takes a mask."""
    return jnp.where(jnp.triu(x > 0), x, 0.0).sum()  # ok: JAX208


def jaxlint_examples():
    """What to call."""
    x = jnp.ones((3, 3))
    return {
        "triangle": lambda: triangle(x, 3),
        "neighbours": (x,),
        "triangle_of_numpy": lambda: triangle_of_numpy(x, 3),
        "by_indices": (x,),
        "by_tables": (x,),
        "cleared": (x,),
    }
