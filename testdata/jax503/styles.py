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


def keywords_first(w):
    first = blackbody(w, temperature=5800.0)
    return first + blackbody(w, 5800.0) + blackbody(w=w, temperature=5800.0)  # want: JAX503


def computed(w):
    first = blackbody(w * 2.0, 5800.0)
    return first + blackbody(w * 2.0, temperature=5800.0)  # want: JAX503


def one_way(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w, 5800.0)  # ok: JAX503


def other_values(w):
    first = blackbody(w, 5800.0)
    return first + blackbody(w, 3000.0)  # ok: JAX503


def in_another_order(w):
    first = blackbody(w=w, temperature=5800.0)
    return first + blackbody(temperature=5800.0, w=w)  # ok: JAX503


@jax.jit
def traced(w):
    return blackbody(w, 5800.0) + blackbody(w, temperature=5800.0)  # ok: JAX503


def plain(w, scale=2.0):
    return w * scale


def not_compiled(w):
    return plain(w) + plain(w, 2.0) + plain(w, scale=2.0)  # ok: JAX503


def one_call(w):
    return blackbody(w)  # ok: JAX503


NAMES = (
    *("by_keyword", "by_default", "keywords_first", "computed", "one_way", "other_values", "in_another_order"),
    *("traced", "not_compiled", "one_call"),
)


def jaxlint_examples():
    w = jnp.ones(3)
    return {name: (w,) for name in NAMES}
