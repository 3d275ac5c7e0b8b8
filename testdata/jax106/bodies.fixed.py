"""The functions around the loops are compiled, or the bodies stand in the module."""

import functools

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def filtered(theta, observed):
    def step(state, y):
        return 0.9 * state + theta * y, -0.5 * (y - state) ** 2

    _, terms = lax.scan(step, 0.0, observed)
    return terms.sum()


def grid(thetas, observed):
    return [float(filtered(theta, observed)) for theta in thetas]


def settling(_, carry):
    y, scale = carry
    return y - scale * jnp.sin(y), scale


def settle(x, rounds):
    for scale in rounds:
        x, _ = lax.fori_loop(0, 5, settling, (x, jnp.float32(scale)))
    return x


@functools.partial(jax.jit, static_argnames="rate")
def with_partial(rate, xs):
    return lax.scan(functools.partial(decay, rate), 0.0, xs)[0]


def decay(rate, state, y):
    return state * rate + y, state


def jaxlint_examples():
    xs = jnp.ones(4)
    return {
        "filtered": (0.5, xs),
        "grid": ([0.1, 0.2], xs),
        "settle": (xs, [0.1, 0.2]),
        "with_partial": (0.5, xs),
    }
