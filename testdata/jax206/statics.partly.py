"""Static and donated arguments that the function does not have; jax says so as soon as it is wrapped."""

import functools
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("speed",))
def renamed(x, rate):
    return x * rate


@functools.partial(jax.jit, static_argnames="width")
def misspelt(x, width):
    return x / width


@jax.jit(static_argnames=["width", "height"])
def one_of_two_misspelt(x, width, height):
    return x / (width * height)


@partial(jax.jit, static_argnums=(1,))
def counted_from_one(x, n):
    return x[n]


@partial(jax.jit, static_argnums=5)
def far_out(x, n):
    return x[n]


@partial(jax.jit, static_argnums=(0, -4))
def far_out_from_the_end(n, x, y):
    return x[n] + y[n]


@partial(jax.jit, donate_argnums=(2,))
def donates_too_far(state, batch):
    return state + batch


@partial(jax.jit, donate_argnames=("opt_state",))
def donates_unknown(state, batch):
    return state + batch


@partial(jax.jit, static_argnums=1)
def both_by_number(x, n):
    return x[n]


@partial(jax.jit, static_argnames=("n",), donate_argnames=("x",))
def both_by_name(x, n):
    return x[n]


@partial(jax.jit, static_argnames="n", donate_argnums=(0,))
def by_name_and_number(x, n):
    return x[n]


def window(x, size):
    return x / size


def wrapped_later(x):
    return jax.jit(window, static_argnames=("width",))(x, 2)


def wrapped_in_a_variable(x):
    compiled = jax.jit(window, static_argnums=(1, 2))
    return compiled(x, 2)


def on_several_lines(x):
    compiled = jax.jit(
        window,
        static_argnames=("size",),
    )
    return compiled(x, 2)


compiled_lambda = jax.jit(lambda v, n: v[n], static_argnames="m")


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run, static_argnums=(1,))

    def _run(self, x, n):
        """Bound, it takes two arguments."""
        return self.gain * x[n]


def jaxlint_examples():
    x = jnp.arange(6.0)
    return {
        "wrapped_later": (x,),
        "wrapped_in_a_variable": (x,),
        "on_several_lines": (x,),
        "Filter.__init__": lambda: Filter(2.0),
    }
