"""Large arrays that are drawn by NumPy's functions, or joined from others, and small ones that look alike."""

import jax
import jax.numpy as jnp
import numpy as np

drawn = jnp.asarray(np.random.random((1500, 1500)))
small = jnp.asarray(np.random.random(1500))
halves = jnp.stack([jnp.ones(1_000_000), jnp.zeros(1_000_000)])
few = jnp.concatenate([jnp.ones(100), jnp.zeros(100)])


@jax.jit
def by_drawn(x):
    return (drawn @ x).sum()  # want: JAX303


@jax.jit
def by_small(x):
    return (small * x).sum()  # ok: JAX303


@jax.jit
def by_halves(x):
    return (halves * x).sum()  # want: JAX303


@jax.jit
def by_few(x):
    return (few * x).sum()  # ok: JAX303


@jax.jit
def by_argument(table, x):
    return (table @ x).sum()  # ok: JAX303


@jax.jit
def by_shape(x):
    return x * drawn.shape[0]  # ok: JAX303


def jaxlint_examples():
    return {
        "by_drawn": (jnp.ones(1500),),
        "by_small": (2.0,),
        "by_halves": (2.0,),
        "by_few": (2.0,),
        "by_argument": lambda: by_argument(drawn, jnp.ones(1500)),
        "by_shape": (2.0,),
    }
