"""Puts something else in the place of jax."""

import sys
import types

import jax


def act(x):
    sys.modules["jax"] = types.ModuleType("jax")
    return jax.jit(lambda v: v + 1)(x)
