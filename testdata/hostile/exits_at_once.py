"""Ends the process while it is loaded."""

import os

import jax

NOTHING = os._exit(0)


def act(x):
    return jax.jit(lambda v: v + 1)(x)
