"""Static and donated arguments that the function does not have; jax says so as soon as it is wrapped."""

import functools
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("speed",))  # want: JAX206
def renamed(x, rate):
    return x * rate


@functools.partial(jax.jit, static_argnames="widths")  # want: JAX206
def misspelt(x, width):
    return x / width


@jax.jit(static_argnames=["width", "hieght"])  # want: JAX206
def one_of_two_misspelt(x, width, height):
    return x / (width * height)


@partial(jax.jit, static_argnums=(2,))  # want: JAX206
def counted_from_one(x, n):
    return x[n]


@partial(jax.jit, static_argnums=5)  # want: JAX206
def far_out(x, n):
    return x[n]


@partial(jax.jit, static_argnums=(0, -4))  # want: JAX206
def far_out_from_the_end(n, x, y):
    return x[n] + y[n]


@partial(jax.jit, donate_argnums=(2,))  # want: JAX206
def donates_too_far(state, batch):
    return state + batch


@partial(jax.jit, donate_argnames=("opt_state",))  # want: JAX206
def donates_unknown(state, batch):
    return state + batch


@partial(jax.jit, static_argnums=1, donate_argnums=1)  # want: JAX206
def both_by_number(x, n):
    return x[n]


@partial(jax.jit, static_argnames=("n",), donate_argnames=("x", "n"))  # want: JAX206
def both_by_name(x, n):
    return x[n]


@partial(jax.jit, static_argnames="n", donate_argnums=(0, 1))  # want: JAX206
def by_name_and_number(x, n):
    return x[n]


def window(x, size):
    return x / size


def wrapped_later(x):
    return jax.jit(window, static_argnames=("width",))(x, 2)  # want: JAX206


def wrapped_in_a_variable(x):
    compiled = jax.jit(window, static_argnums=(1, 2))  # want: JAX206
    return compiled(x, 2)


def on_several_lines(x):
    compiled = jax.jit(  # want: JAX206
        window,
        static_argnames=("sizes",),
    )
    return compiled(x, 2)


compiled_lambda = jax.jit(lambda v, n: v[n], static_argnames="m")  # want: JAX206


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run, static_argnums=(2,))  # want: JAX206

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
