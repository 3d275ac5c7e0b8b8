"""Starts a thread that never ends."""

import threading
import time

import jax


def act(x):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return jax.jit(lambda v: v + 1)(x)
