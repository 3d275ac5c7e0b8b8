"""Objects that are passed as static arguments, and changed between the calls."""

from functools import partial

import jax
import jax.numpy as jnp


class Gain:
    def __init__(self, value):
        self.value = value


class Equal:
    """Compares by value: the key in the cache is the very object that changes."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(type(self))

    def __eq__(self, other):
        return isinstance(other, Equal) and self.value == other.value


@partial(jax.jit, static_argnames="gain")
def scaled(x, gain):
    return x * gain.value  # want: JAX207


@partial(jax.jit, static_argnums=0)
def raised(power, x):
    return x**power.value  # want: JAX207


@partial(jax.jit, static_argnames="gain")
def kept(x, gain):
    return x * gain.value  # ok: JAX207


@jax.jit
def by_value(x, value):
    return x * value  # ok: JAX207


GAIN = Gain(1.0)
POWER = Equal(1)
KEPT = Gain(2.0)
PASSED = Gain(1.0)


def sweep(x, values):
    found = []
    for value in values:
        GAIN.value = value
        found.append(scaled(x, GAIN))
    return jnp.stack(found)


def powers(x):
    first = raised(POWER, x)
    POWER.value = POWER.value + 1
    return first, raised(POWER, x)


def constant(x):
    return kept(x, KEPT) + kept(2 * x, KEPT)


def passed(x, values):
    found = []
    for value in values:
        PASSED.value = value
        found.append(by_value(x, PASSED.value))
    return jnp.stack(found)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "scaled": lambda: sweep(x, [1.0, 2.0]),
        "raised": lambda: powers(x),
        "kept": lambda: constant(x),
        "by_value": lambda: passed(x, [1.0, 2.0]),
    }
