"""Arrays as long as what is found in data, anew in each iteration."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def energy(x, i):
    return jnp.sum(x[i] ** 2)


def neighbours(x, cutoff):
    i, j = np.nonzero(np.abs(x[:, None] - x) < cutoff)
    return i, j


def moved(x, steps):
    for k in range(steps):
        i, _ = neighbours(np.asarray(x), 1.0 + k)
        x = x + energy(x, i)  # want: JAX501
    return x


def selected(xs):
    total = 0.0
    for x in xs:
        total += energy(x, np.where(x > 1.0)[0])  # want: JAX501
    return total


def flat(xs):
    total = 0.0
    for x in xs:
        found = np.flatnonzero(x > 1.0)
        total += energy(x, found)  # want: JAX501
    return total


def found_once(x):
    i = np.flatnonzero(np.asarray(x) > 1.0)
    for _ in range(3):
        x = x + energy(x, i)  # ok: JAX501
    return x


def found_the_same(x):
    mask = np.arange(4) > 1
    for _ in range(3):
        i = np.flatnonzero(mask)
        x = x + energy(x, i)  # ok: JAX501
    return x


def padded(xs):
    total = 0.0
    for x in xs:
        i = jnp.nonzero(x > 1.0, size=4, fill_value=0)[0]
        total += energy(x, i)  # ok: JAX501
    return total


def masked(xs):
    total = 0.0
    for x in xs:
        total += energy(x, np.where(x > 1.0, 1, 0))  # ok: JAX501
    return total


def jaxlint_examples():
    x = np.arange(4.0)
    xs = [x, x + 1, x + 2]
    return {
        "moved": (jnp.asarray(x), 3),
        "selected": (xs,),
        "flat": (xs,),
        "found_once": (jnp.asarray(x),),
        "found_the_same": (jnp.asarray(x),),
        "padded": ([jnp.asarray(x) for x in xs],),
        "masked": (xs,),
    }
