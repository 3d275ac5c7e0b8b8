"""Closes all files, those of the conversation too."""

import os

import jax


def act(x):
    os.closerange(0, 1024)
    return jax.jit(lambda v: v + 1)(x)
