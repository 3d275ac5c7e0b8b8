"""Ends the process at once."""

import os

import jax


def act(x):
    os._exit(0)
    return jax.jit(lambda v: v + 1)(x)
