"""Waits for input."""

import jax


def act(x):
    input()
    return jax.jit(lambda v: v + 1)(x)
