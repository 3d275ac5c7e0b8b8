"""Parameters that a compiled function hands on to another one, to which they are static or not."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="power")
def raised(x, power=2):
    return jnp.sin(x) ** power


@jax.jit
def scaled(x, factor):
    return x * factor


@jax.jit
def handed_on(x, power):
    return raised(x, power)  # want: JAX201


@jax.jit
def by_name(x, exponent: int):
    return scaled(raised(x, power=exponent), 2.0)  # want: JAX201


# These have a value.


@functools.partial(jax.jit, static_argnames="power")
def static_too(x, power):
    return raised(x, power)  # ok: JAX201


@jax.jit
def to_a_traced_one(x, factor):
    return scaled(x, factor)  # ok: JAX201


@jax.jit
def left_out(x):
    return raised(x)  # ok: JAX201


@jax.jit
def a_constant(x):
    power = 3
    return raised(x, power)  # ok: JAX201


@jax.jit
def by_rank(x):
    power = x.ndim
    return raised(x, power)  # ok: JAX201


def eager(x, power):
    return raised(x, power)  # ok: JAX201


@jax.jit
def without(x, power=None):
    return raised(x, power) if power is not None else x  # ok: JAX201


@jax.jit
def caught(x, power):
    try:
        return raised(x, power)  # ok: JAX201
    except ValueError:
        return x


def jaxlint_examples():
    x = jnp.arange(8.0)
    two = "handed_on by_name static_too to_a_traced_one eager caught"
    return {
        **{name: (x, 3) for name in two.split()},
        **{n: (x,) for n in ("left_out", "a_constant", "by_rank", "without")},
    }
