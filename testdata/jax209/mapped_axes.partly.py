"""What `vmap` maps over, as its axes say, and what it hands on as it is."""

from functools import partial

import jax
import jax.numpy as jnp


def escape(c, most):
    z = jnp.zeros((), complex)
    for turn in range(most):  # most is mapped over by none
        z = z * z + c
        if jnp.abs(z) > 2.0:
            return jnp.array(turn)
    return jnp.array(most)


escape_all = jax.vmap(escape, in_axes=(0, None))


@partial(jax.vmap, in_axes=(None, 0))
def scaled(factor, x):
    if factor > 1:
        return factor * x
    return x


@partial(jax.vmap, in_axes=[0, None])
def clipped(x, most):
    return jnp.minimum(x, most)


@partial(jax.vmap, in_axes=1)
def positive(x):
    return jnp.where(x.sum() > 0, x, -x)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "escape_all": lambda: escape_all(jnp.array([0.1j, 0.2]), 3),
        "scaled": (2, x),
        "clipped": (x, 2.0),
        "positive": (jnp.ones((2, 3)),),
    }
