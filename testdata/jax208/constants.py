"""Arrays of JAX that were made outside: they have their values, but what is computed from them under trace has none."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

MODES = jnp.arange(5)
KNOWN = np.arange(5)
GRID, _ = jnp.meshgrid(jnp.linspace(-1, 1, 5), jnp.linspace(-1, 1, 5))
KEPT = jnp.array([True, False, True, True, False])


@jax.jit
def by_constant(x):
    return x[MODES > 2]  # want: JAX208


@jax.jit
def by_grid(x):
    inside = jnp.abs(GRID) < 0.6
    return x[inside]  # want: JAX208


@partial(jax.jit, static_argnums=1)
def by_option(x, n):
    mask = jnp.ones(n, dtype=bool).at[0].set(False)
    return x[mask]  # want: JAX208


@jax.jit
def by_segments(x, owner):
    return jax.ops.segment_sum(x, owner)  # want: JAX208


class Field:
    def __init__(self, n):
        self.modes = jnp.arange(n)
        self.known = np.arange(n)
        self.shape = jnp.array([n, 1])
        self.compute = jax.jit(self._compute)
        self.reshape = jax.jit(self._reshape)
        self.select = jax.jit(self._select)

    def _compute(self, x):
        return x[self.modes * 2 > 3]  # want: JAX208

    def _reshape(self, x):
        return x.reshape(self.shape[0], 1)  # want: JAX208

    def _select(self, x):
        return x[self.known * 2 > 3]  # ok: JAX208


@jax.jit
def by_known(x):
    return x[KNOWN > 2]  # ok: JAX208


@jax.jit
def by_concrete(x):
    """The mask itself has its values."""
    return x[KEPT]  # ok: JAX208


@jax.jit
def by_number(x):
    return x[MODES]  # ok: JAX208


@jax.jit
def by_shape(x):
    return x[: MODES.shape[0]].reshape(MODES.size, 1)  # ok: JAX208


@jax.jit
def at_compile_time(x):
    with jax.ensure_compile_time_eval():
        mask = MODES > 2
    return x[mask]  # ok: JAX208


@jax.jit
def chosen(x):
    return jnp.where(MODES > 2, x, 0.0)  # ok: JAX208


@jax.jit
def by_number_of_segments(x, owner):
    return jax.ops.segment_sum(x, owner, num_segments=3)  # ok: JAX208


@jax.jit
def by_known_segments(x):
    """The number of segments is computed under trace, whatever it is computed from."""
    return jax.ops.segment_sum(x, KNOWN)  # want: JAX208


@jax.jit
def of_known(x):
    return x[jnp.nonzero(KNOWN)[0]]  # want: JAX208


@jax.jit
def of_known_by_numpy(x):
    return x[np.nonzero(KNOWN)[0]]  # ok: JAX208


@jax.jit
def unique_at_compile_time(x):
    with jax.ensure_compile_time_eval():
        return x[jnp.unique(MODES)]  # ok: JAX208


def eager(x):
    return x[MODES > 2]  # ok: JAX208


def outer(n):
    limits = jnp.arange(n)
    mask = limits > 2

    @jax.jit
    def inner(x):
        return x[mask]  # ok: JAX208

    return inner


INNER = outer(5)


def jaxlint_examples():
    x = jnp.arange(5.0)
    return {
        "by_constant": (x,),
        "by_grid": (jnp.ones((5, 5)),),
        "by_option": (x, 5),
        "by_segments": (x, jnp.arange(5)),
        "Field._compute": lambda field=Field(5): field.compute(x),
        "Field._reshape": lambda field=Field(5): field.reshape(x),
        "Field._select": lambda field=Field(5): field.select(x),
        "by_known": (x,),
        "by_concrete": (x,),
        "by_number": (x,),
        "by_shape": (x,),
        "at_compile_time": (x,),
        "chosen": (x,),
        "by_number_of_segments": (x, jnp.arange(5)),
        "by_known_segments": (x,),
        "of_known": (x,),
        "of_known_by_numpy": (x,),
        "unique_at_compile_time": (x,),
        "eager": (x,),
        "outer": lambda: INNER(x),
    }
