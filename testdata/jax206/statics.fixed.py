"""The functions of statics.py with the arguments that they have."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("rate",))
def renamed(x, rate):
    return x * rate


@jax.jit(static_argnames=["width", "height"])
def one_of_two_misspelt(x, width, height):
    return x / (width * height)


@partial(jax.jit, static_argnums=(1,))
def counted_from_one(x, n):
    return x[n]


@partial(jax.jit, donate_argnames=("state",))
def donates_unknown(state, batch):
    return state + batch


@partial(jax.jit, static_argnames=("n",), donate_argnames=("x",))
def both_by_name(x, n):
    return 2 * x + n


def window(x, size):
    return x / size


compiled_window = jax.jit(window, static_argnames=("size",))


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run, static_argnums=(1,))

    def _run(self, x, n):
        return self.gain * x[n]


def jaxlint_examples():
    x = jnp.arange(6.0)
    smoother = Filter(2.0)
    return {
        "renamed": (x, 2.0),
        "one_of_two_misspelt": lambda: one_of_two_misspelt(x, width=2, height=3),
        "counted_from_one": (x, 2),
        "donates_unknown": lambda: donates_unknown(x + 1, x),
        "both_by_name": lambda: both_by_name(x + 1, 2),
        "window": lambda: compiled_window(x, 2),
        "Filter.run": lambda: smoother.run(x, 2),
    }
