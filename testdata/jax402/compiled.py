"""Loops that look as if each turn dispatched array operations, and dispatch one program, or none."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def filtered(x):
    """It is unrolled into one program."""
    for shift in range(4):  # ok: JAX402
        x = 0.5 * x + 0.5 * jnp.roll(x, shift)
    return x


@jax.jit
def stepped(x, rate):
    return x - rate * jnp.tanh(x) + 0.1 * jnp.sin(x)


def trained(x, n_steps):
    """A turn calls one compiled function."""
    for _ in range(n_steps):  # ok: JAX402
        x = stepped(x, 0.1)
    return x


def cooled(x, n_steps):
    """What a turn computes besides is a number of Python's."""
    rate = 0.1
    for step in range(n_steps):  # ok: JAX402
        rate = rate * math.exp(-0.1 * step) + 1e-3
        x = stepped(x, rate)
    return x


def smoothed(values, n_steps):
    """The arrays are NumPy's."""
    values = np.asarray(values)
    for _ in range(n_steps):  # ok: JAX402
        values = 0.5 * values + 0.5 * np.roll(values, 1)
    return values


def counted(tree):
    """Shapes are no arrays."""
    total = 0
    for leaf in jax.tree.leaves(tree):  # ok: JAX402
        total += math.prod(leaf.shape) * leaf.dtype.itemsize
    return total


def mixed(row):
    for shift in range(4):  # ok: JAX402
        row = row * 0.9 + jnp.roll(row, shift) * 0.1
    return row


all_mixed = jax.jit(jax.vmap(mixed))
"""`mixed` runs under this trace alone."""


def turned(state, _):
    for _ in range(3):  # ok: JAX402
        state = jnp.sin(state) * 0.9 + jnp.cos(state) * 0.1
    return state, state.sum()


def turned_often(state):
    """The body of a `scan` is traced once, whoever calls it."""
    return jax.lax.scan(turned, state, None, length=5)


class Damped:
    """`self` is static, and the loop is unrolled."""

    def __init__(self, factor):
        self.factor = factor

    @functools.partial(jax.jit, static_argnums=0)
    def settle(self, x):
        for power in range(1, 4):  # ok: JAX402
            x = x * self.factor**power + jnp.tanh(x)
        return x


def fetched(x):
    """What is computed is computed once, and brought to the host as a whole."""
    rows = []
    for row in jax.device_get(stepped(x, 0.1)):  # ok: JAX402
        rows.append(0.5 * row + 0.5 * np.tanh(row))
    return rows


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 4)
    return {
        "filtered": (x,),
        "trained": (x, 12),
        "cooled": (x, 12),
        "smoothed": (np.ones(4), 12),
        "counted": ([x, x],),
        "mixed": lambda: all_mixed(jnp.ones((3, 4))),
        "turned": lambda: turned_often(x),
        "Damped.settle": (Damped(0.5), x),
        "fetched": (x,),
    }
