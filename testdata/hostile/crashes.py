"""Crashes the interpreter."""

import os
import signal

import jax


def act(x):
    os.kill(os.getpid(), signal.SIGSEGV)
    return jax.jit(lambda v: v + 1)(x)
