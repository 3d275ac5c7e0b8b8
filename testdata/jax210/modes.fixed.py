"""Code for NumPy that a mode would hand to JAX: the mode is off."""

import jax
import jax.numpy as jnp
import numpy as np

WITH_JAX = False
MAPPED = True


def diagonal(x):
    return np.diag(x)


def diagonals(x):
    if WITH_JAX:
        return jax.vmap(diagonal)(x)
    return np.array([diagonal(row) for row in x])


def shifted(x):
    return jnp.roll(x, 1) + jnp.cross(x, x)


def all_shifted(x):
    if MAPPED:
        return jax.vmap(shifted)(x)
    return x


def jaxlint_examples():
    x = np.ones((2, 3, 3))
    return {
        "diagonal": (x[0],),
        "diagonals": (x,),
        "all_shifted": (jnp.ones((2, 3)),),
        "shifted": lambda: all_shifted(jnp.ones((2, 3))),
    }
