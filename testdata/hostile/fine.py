"""Does no harm."""

import jax


def act(x):
    return jax.jit(lambda v: v + 1)(x)
