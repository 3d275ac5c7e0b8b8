"""Loops of jax outside any trace whose bodies live on, and bodies made anew where something traces them."""

import functools

import jax
import jax.numpy as jnp


def added(total, value):
    return total + value, total


def summed(xs):
    return jax.lax.scan(added, 0.0, xs)[1]  # ok: JAX106


def halved(_, x):
    return 0.5 * x


def halved_often(x, n_steps):
    return jax.lax.fori_loop(0, n_steps, halved, x)  # ok: JAX106


@functools.lru_cache
def decay(rate):
    def step(state, value):
        return rate * state + value, state

    return step


def decayed(xs, rate):
    """The factory gives the same body for the same rate."""
    return jax.lax.scan(decay(rate), 0.0, xs)[1]  # ok: JAX106


def each(row, gain):
    def step(total, value):
        return total + gain * value, total

    return jax.lax.scan(step, 0.0, row)[1]  # ok: JAX106


all_of = jax.jit(jax.vmap(each, in_axes=(0, None)))
"""`each` runs under this trace alone."""


def jaxlint_examples():
    xs = jnp.linspace(0.0, 1.0, 5)
    return {
        "summed": (xs,),
        "halved_often": (xs, 3),
        "decayed": (xs, 0.5),
        "each": lambda: all_of(jnp.ones((2, 5)), 0.5),
    }
