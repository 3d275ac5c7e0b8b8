"""Static and donated arguments that the function has, or may have."""

import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp

NAMES = ("n", "flip")


@partial(jax.jit, static_argnames="n")  # ok: JAX206
def one_name(x, n):
    return x[:n]


@partial(jax.jit, static_argnums=1)  # ok: JAX206
def one_number(x, n):
    return x[:n]


@partial(jax.jit, static_argnums=(-1,))  # ok: JAX206
def from_the_end(x, n):
    return x[:n]


@partial(jax.jit, static_argnames=NAMES)  # ok: JAX206
def names_in_a_variable(x, n, flip):
    return -x[:n] if flip else x[:n]


@partial(jax.jit, static_argnames=("axis",))  # ok: JAX206
def keyword_only(x, *, axis):
    return x.sum(axis=axis)


@partial(jax.jit, static_argnames="n")  # ok: JAX206
def in_keywords(x, **options):
    return jnp.zeros(options["n"]) + x[0]


@functools.partial(jax.jit, static_argnums=(2, 3))  # ok: JAX206
def in_positions(x, *sizes):
    return x * len(sizes)


@partial(jax.jit, static_argnums=0, donate_argnums=1)  # ok: JAX206
def one_of_each(n, x):
    return x + n


@partial(jax.jit, static_argnames=("n",), static_argnums=(1,))  # ok: JAX206
def said_twice(x, n):
    return x[:n]


@partial(jax.jit, static_argnums=(), static_argnames=(), donate_argnums=())  # ok: JAX206
def said_nothing(x):
    return 2 * x


@partial(jax.jit, static_argnames=None, static_argnums=None)  # ok: JAX206
def said_none(x):
    return 2 * x


def window(x, size=2):
    return x[:size]  # ok: JAX201


half = partial(window, size=2)
compiled_half = jax.jit(half, static_argnames=("size",))  # ok: JAX206
compiled_lambda = jax.jit(lambda x, n: x[:n], static_argnums=(1,))  # ok: JAX206
compiled_numpy = jax.jit(jnp.sum, static_argnames=("axis", "keepdims"))  # ok: JAX206
compiled_gradient = jax.jit(jax.grad(lambda x, n: x[:n].sum()), static_argnums=1)  # ok: JAX206


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run, static_argnums=(1,), static_argnames=("n",))  # ok: JAX206

    def _run(self, x, n):
        return self.gain * x[:n]

    @partial(jax.jit, static_argnums=(0, 2))  # ok: JAX206
    def unbound(self, x, n):
        return self.gain * x[:n]

    @staticmethod
    @partial(jax.jit, static_argnums=1)  # ok: JAX206
    def alone(x, n):
        return x[:n]


def documented(function):
    """Keeps the signature of what it wraps."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@partial(jax.jit, static_argnames=("n",))  # ok: JAX206
@documented
def decorated_twice(x, n):
    return x[:n]


def any_function(function, names):
    """Neither is known here."""
    return jax.jit(function, static_argnames=names)  # ok: JAX206


@eqx.filter_jit(donate="all")  # ok: JAX206
def filtered(x):
    return 2 * x


@partial(jax.pmap, static_broadcasted_argnums=(1,))  # ok: JAX206
def per_device(x, n):
    return x[:n]


def jaxlint_examples():
    x = jnp.arange(6.0)
    smoother = Filter(2.0)
    return {
        "one_name": lambda: (one_name(x, 2), one_name(x, n=4)),
        "one_number": lambda: (one_number(x, 2), one_number(x, n=4)),
        "from_the_end": (x, 2),
        "names_in_a_variable": lambda: names_in_a_variable(x, n=2, flip=True),
        "keyword_only": lambda: keyword_only(x, axis=0),
        "in_keywords": lambda: in_keywords(x, n=3),
        "in_positions": (x, 1, 2, 3),
        "one_of_each": lambda: one_of_each(2, x + 1),
        "said_twice": (x, 2),
        "said_nothing": (x,),
        "said_none": (x,),
        "window": lambda: (
            compiled_half(x, size=3),
            compiled_lambda(x, 2),
            compiled_numpy(x, axis=0),
            compiled_gradient(x, 2),
        ),
        "Filter.__init__": lambda made=Filter(2.0): made.run(x, 2),
        "Filter.unbound": lambda: smoother.unbound(x, 2),
        "Filter.alone": lambda: Filter.alone(x, 2),
        "decorated_twice": (x, 2),
        "any_function": lambda: any_function(window, ("size",))(x),
        "filtered": lambda: filtered(x + 1),
        "per_device": lambda: per_device(x[None], 2),
    }
