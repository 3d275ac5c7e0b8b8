"""Selections with a size, masks that are known, indices that are numbers, and eager code."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

EVEN = np.arange(6) % 2 == 0
CORNERS = np.array([[True, False, True], [False, True, False]])


@jax.jit
def with_size(x):
    found = jnp.nonzero(x, size=3)[0]  # ok: JAX208
    places = jnp.where(x > 0, size=3, fill_value=0)[0]  # ok: JAX208
    return jnp.unique(x, size=4), found, places  # ok: JAX208


@jax.jit
def with_size_of_shape(x):
    found = jnp.flatnonzero(x > 1, size=x.shape[0])  # ok: JAX208
    return jnp.argwhere(x > 1, size=x.size), found  # ok: JAX208


@jax.jit
def sets_with_size(x, y):
    a = jnp.setdiff1d(x, y, size=6)  # ok: JAX208
    b = jnp.union1d(x, y, size=6)  # ok: JAX208
    c = jnp.intersect1d(x, y, size=6)  # ok: JAX208
    return a + b + c


@partial(jax.jit, static_argnames=("size",))
def with_static_size(x, size):
    return jnp.nonzero(x, size=size)[0]  # ok: JAX208


@jax.jit
def where_with_values(x):
    return jnp.where(x > 0, x, 0.0)  # ok: JAX208


@jax.jit
def reduced_where(x):
    return jnp.sum(x, where=x > 0) / jnp.sum(x > 0)  # ok: JAX208


@jax.jit
def known_mask(x):
    return x[EVEN]  # ok: JAX208


@jax.jit
def known_mask_of_rank_two(image):
    return image[CORNERS]  # ok: JAX208


@jax.jit
def known_mask_made_here(x):
    mask = np.arange(x.shape[0]) > 2
    return x[mask] + x[~mask]  # ok: JAX208


@jax.jit
def indexed(x, indices):
    return x[indices] + x[jnp.argsort(x)][: indices.shape[0]]  # ok: JAX208


@jax.jit
def updated_at_indices(x, indices):
    x = x.at[indices].set(0.0)  # ok: JAX208
    return x.at[jnp.argsort(x)[:2]].add(1.0)  # ok: JAX208


@jax.jit
def updated_at_a_known_mask(x):
    return x.at[EVEN].set(0.0).at[~EVEN].multiply(2.0)  # ok: JAX208


@jax.jit
def replaced(x):
    mask = x < 0
    return jnp.where(mask, 0.0, x) + mask * x  # ok: JAX208


@jax.jit
def counted_mask(x):
    mask = (x > 0) & (x < 3)
    found = mask.sum() + jnp.count_nonzero(mask)  # ok: JAX208
    return jnp.cumsum(mask)[0] + found  # ok: JAX208


@jax.jit
def sorted_to_the_front(x):
    order = jnp.argsort(x <= 0, stable=True)
    return x[order][:3]  # ok: JAX208


@jax.jit
def compared_index(x, n):
    """A place, computed from a mask."""
    return x[jnp.argmax(x > n)]  # ok: JAX208


@jax.jit
def flags_as_numbers(x):
    return x[(x > 0).astype(int)]  # ok: JAX208


@jax.jit
def filtered_dict(batch):
    """The keys of a dict are known."""
    names = [name for name in batch if name != "y"]
    return {name: batch[name] for name in names}  # ok: JAX208


@jax.jit
def new_axis(x):
    return x[None, ...][:, None]  # ok: JAX208


@jax.jit
def counted(labels):
    return jnp.bincount(labels, length=6)  # ok: JAX208


@jax.jit
def sets_of_numpy(x):
    return x[: np.unique(EVEN).size] + np.nonzero(EVEN)[0][:2]  # ok: JAX208


@jax.jit
def membership(x, y):
    return jnp.isin(x, y) & (x > 0)  # ok: JAX208


@jax.jit
def three_way(x):
    return jnp.select([x > 1, x < 0], [x, -x], 0.0)  # ok: JAX208


def _host(x):
    """Outside any trace a selection is as good as in numpy."""
    kept = x[x > 0]  # ok: JAX208
    return jnp.unique(kept), jnp.nonzero(x), jnp.where(x > 1)  # ok: JAX208


def summary(x):
    print(_host(where_with_values(x)))


def jaxlint_examples():
    x, y = jnp.arange(6.0) - 2, jnp.arange(6.0)
    return {
        "with_size": (x,),
        "with_size_of_shape": (x,),
        "sets_with_size": (x, y),
        "with_static_size": lambda: with_static_size(x, size=3),
        "where_with_values": (x,),
        "reduced_where": (x,),
        "known_mask": (x,),
        "known_mask_of_rank_two": (x.reshape(2, 3),),
        "known_mask_made_here": (x,),
        "indexed": (x, jnp.arange(3)),
        "updated_at_indices": (x, jnp.arange(2)),
        "updated_at_a_known_mask": (x,),
        "replaced": (x,),
        "counted_mask": (x,),
        "sorted_to_the_front": (x,),
        "compared_index": (x, 1.0),
        "flags_as_numbers": (x,),
        "filtered_dict": ({"x": x, "y": y},),
        "new_axis": (x,),
        "counted": (jnp.arange(6),),
        "sets_of_numpy": (x,),
        "membership": (x, y),
        "three_way": (x,),
        "_host": lambda: summary(x),
    }
