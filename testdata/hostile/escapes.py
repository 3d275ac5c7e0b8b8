"""Leaves a process behind in a session of its own."""

import os
import time

import jax


def act(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return jax.jit(lambda v: v + 1)(x)
