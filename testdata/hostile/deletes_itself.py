"""Deletes its own file."""

import os

import jax


def act(x):
    os.remove(__file__)
    return jax.jit(lambda v: v + 1)(x)
