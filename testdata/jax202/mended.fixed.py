"""Static arguments without a hash that have an easy cure."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnames=("sizes", "power"))
def pooled(x, sizes, power=1):
    return x.reshape(sizes).mean(axis=1) ** power


@jax.jit
def weighted(x, weights):
    total = jnp.sum(weights)
    return x @ weights / total + weights.shape[0]


@functools.partial(jax.jit, static_argnames="axes")
def summed(x, axes):
    for axis in sorted(axes, reverse=True):
        x = x.sum(axis)
    return x


@functools.partial(jax.jit, static_argnums=1)
def padded(x, widths):
    return jnp.pad(x, widths)


@dataclasses.dataclass(order=True, frozen=True)
class _Window:
    start: int
    size: int = 2


@functools.partial(jax.jit, static_argnums=1)
def cut(x, window):
    return x[window.start : window.start + window.size]


def by_literal(x):
    return pooled(x, (4, 2))


def by_call(x):
    return pooled(x, list(x.shape[:1]) + [1]) if x.ndim > 2 else pooled(x, sizes=tuple((4, 2)))


def by_comprehension(x):
    return pooled(x, tuple(n for n in (2, 4)))


def nested(x):
    return padded(x, ((1, 2),))


def by_set(x):
    return summed(x, frozenset({0, 1}))


def by_array(x):
    return weighted(x, np.arange(8.0))


def by_name(x, weights):
    table = jnp.asarray(weights)
    return weighted(x, table)


def by_dataclass(x):
    return cut(x, _Window(1))


# These have a hash.


@dataclasses.dataclass(frozen=True)
class Span:
    start: int
    size: int = 2


SIZES = (4, 2)


def by_tuple(x):
    return pooled(x, SIZES)


def by_made_tuple(x):
    return pooled(x, tuple([4, 2]))


def by_frozenset(x):
    return summed(x, frozenset({0, 1}))


def by_nested_tuple(x):
    return padded(x, ((1, 2),))


def by_frozen(x):
    return cut(x, Span(1))


def by_replaced(x):
    return cut(x, dataclasses.replace(Span(1), size=3))


def by_shape(x):
    return pooled(x, x.shape + (1,))


def by_number(x):
    return pooled(x, SIZES, power=np.float32(2.0))


def jaxlint_examples():
    x = jnp.arange(8.0)
    table = jnp.ones((2, 3))
    calls = {
        "by_set": (table,),
        "by_frozenset": (table,),
        "by_name": (x, [1.0] * 8),
    }
    others = "literal call comprehension array dataclass tuple made_tuple nested_tuple frozen replaced shape number"
    return {**calls, "nested": (x,), **{f"by_{name}": (x,) for name in others.split()}}
