"""Shapes that an object keeps as an array of JAX, under the name of the attribute of an array, and segments by name."""

from functools import partial

import jax
import jax.numpy as jnp


class Flattener:
    def __init__(self, shape):
        self.shape = jnp.array(shape)

    @partial(jax.jit, static_argnums=0)
    def flat(self, x):
        return x.reshape(self.shape[0] * self.shape[1])  # want: JAX208


class PlainFlattener:
    def __init__(self, shape):
        self.shape = tuple(shape)

    @partial(jax.jit, static_argnums=0)
    def flat(self, x):
        return x.reshape(self.shape[0] * self.shape[1])  # ok: JAX208


@jax.jit
def worst(x, owner):
    return jax.ops.segment_max(x, segment_ids=owner)  # want: JAX208


@jax.jit
def worst_of_two(x, owner):
    return jax.ops.segment_max(x, segment_ids=owner, num_segments=2)  # ok: JAX208


@jax.jit
def worst_of_rows(data, owner):
    return jax.ops.segment_max(data=data, segment_ids=owner, num_segments=data.shape[0])  # ok: JAX208


def jaxlint_examples():
    x, owner = jnp.ones((2, 3)), jnp.array([0, 1])
    return {
        "Flattener.flat": (Flattener((2, 3)), x),
        "PlainFlattener.flat": (PlainFlattener((2, 3)), x),
        "worst": (x, owner),
        "worst_of_two": (x, owner),
        "worst_of_rows": (x, owner),
    }
