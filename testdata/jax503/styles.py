"""One value, passed in several ways."""

import jax
import jax.numpy as jnp


@jax.jit
def blackbody(w, temperature=5800.0):
    return 1.0 / jnp.expm1(1.44e4 / (w * temperature))


def by_keyword(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w, temperature=5800.0)  # want: JAX503


def by_default(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w)  # want: JAX503


def one_way(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w, 5800.0)  # ok: JAX503


def other_values(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w, 3000.0)  # ok: JAX503


def one_call(w):
    return blackbody(w)  # ok: JAX503


def jaxlint_examples():
    w = jnp.ones(3)
    return {name: (w,) for name in ("by_keyword", "by_default", "one_way", "other_values", "one_call")}
