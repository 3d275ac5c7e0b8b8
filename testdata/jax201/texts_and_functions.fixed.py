"""Texts, types and functions given to a function that traces all it is given: no array can be made of them.

jax refuses them before the body runs; the place that needs them is where the parameter is used.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, static_argnames="reduction")
def reduced(losses, reduction: str):
    return losses.mean() if reduction == "mean" else losses.sum()


@partial(jax.jit, static_argnames="name")
def activated(x, name: str):
    return getattr(jnp, name)(x)


@partial(jax.jit, static_argnames="dtype")
def lowered(x, dtype):
    return x.astype(dtype)


@partial(jax.jit, static_argnames="dtype")
def lowered_by_name(x, dtype: str):
    return x.astype(dtype)


@partial(jax.jit, static_argnames="dtype")
def lowered_by_numpy(x, dtype):
    return jnp.asarray(x, dtype=dtype)


@partial(jax.jit, static_argnames="function")
def applied(x, function: Callable[[jax.Array], jax.Array]):
    return function(x)


@partial(jax.jit, static_argnames="function")
def applied_without_annotation(x, function):
    return x + function(x)


@partial(jax.jit, static_argnames="spec")
def contracted(spec, x):
    return jnp.einsum(spec, x)


@partial(jax.jit, static_argnames="mode")
def padded(x, mode="edge"):
    return jnp.pad(x, 1, mode=mode)


def reflected(x):
    return padded(x, mode="reflect")


@partial(jax.jit, static_argnames=("reduction",))
def static_reduced(losses, reduction: str):
    return losses.mean() if reduction == "mean" else losses.sum()


@partial(jax.jit, static_argnums=1)
def static_activated(x, name: str):
    return getattr(jnp, name)(x)


@partial(jax.jit, static_argnames="dtype")
def static_lowered(x, dtype):
    return x.astype(dtype)


@partial(jax.jit, static_argnames="function")
def static_applied(x, function: Callable[[jax.Array], jax.Array]):
    return function(x)


@partial(jax.jit, static_argnums=0)
def static_contracted(spec, x):
    return jnp.einsum(spec, x)


@jax.jit
def dtype_of_another(x, like):
    return x.astype(like.dtype)


@jax.jit
def given_as_data(x, function):
    """A tree_util.Partial is a tree, whose leaves are traced."""
    return function(x)


def with_data(x):
    return given_as_data(x, jax.tree_util.Partial(jnp.multiply, 2.0))


@jax.jit
def by_key(x, options):
    """The keys of a dict are part of its structure, its values are data."""
    for name, value in sorted(options.items()):
        if name == "scale":
            x = x * value
    return x + options["offset"]


def jaxlint_examples():
    x = jnp.arange(6.0)
    matrix = x.reshape(2, 3)
    return {
        "reduced": (x, "mean"),
        "activated": (x, "sin"),
        "lowered": (x, jnp.float16),
        "lowered_by_name": (x, "float16"),
        "lowered_by_numpy": (x, np.dtype("float16")),
        "applied": (x, jnp.sin),
        "applied_without_annotation": (x, jnp.sin),
        "contracted": ("ij->ji", matrix),
        "padded": lambda: reflected(x),
        "static_reduced": (x, "mean"),
        "static_activated": (x, "sin"),
        "static_lowered": (x, jnp.float16),
        "static_applied": (x, jnp.sin),
        "static_contracted": ("ij->ji", matrix),
        "dtype_of_another": (x, jnp.arange(3)),
        "given_as_data": lambda: with_data(x),
        "by_key": (x, {"scale": 2.0, "offset": 1.0}),
    }
