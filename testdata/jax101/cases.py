"""Loops over cases, and functions that a caller gives: each is a program of its own, and no loop says otherwise."""

import jax
import jax.numpy as jnp

LEVELS = [2, 3, 4]


def fitted(level, x):
    def power(v):
        return sum(v**k for k in range(level))

    return jax.jit(power)(x)  # want: JAX101 (low)


def by_level(x):
    return [fitted(level, x) for level in LEVELS]


def shifted(x, by):
    def moved(v):
        return v + by

    return jax.jit(moved)(x)  # want: JAX101


def walked(x, count):
    for _ in range(count):
        x = shifted(x, 0.5)
    return x


def waited(x):
    while float(jnp.sum(x)) < 20.0:
        x = stretched(x)
    return x


def stretched(x):
    def doubled(v):
        return 2 * v + 1

    return jax.jit(doubled)(x)  # want: JAX101


def depth_of(x, depth):
    def stacked(v):
        for _ in range(depth):
            v = jnp.sin(v)
        return v

    return jax.jit(stacked)(x)  # want: JAX101 (low)


def by_depth(x):
    return [depth_of(x, depth) for depth in range(1, 4)]


def minimum(objective, x):
    """Whoever has another objective needs another program."""

    def descended(v):
        return v - 0.1 * jax.grad(objective)(v)

    return jax.jit(descended)(x)  # want: JAX101 (low)


def of_parts(parts, x):
    done = []
    for name, part in parts.items():
        done.append(scaled(part, x))
    return done


def scaled(part, x):
    def times(v):
        return v * part

    return jax.jit(times)(x)  # want: JAX101 (low)


def printed(x):
    """A run, of which a process has few."""

    def halved(v):
        return v / 2

    y = jax.jit(halved)(x)  # want: JAX101 (low)
    print("halved", y.shape)
    return y


def widths(x):
    found = []
    for width in range(1, 4):

        @jax.jit  # want: JAX101 (low)
        def window(v):
            return v[:width].sum()

        found.append(window(x))
    return found


def rates(x):
    for rate in (0.1, 0.2):

        @jax.jit  # want: JAX101
        def decayed(v, rate=rate):
            return v * (1 - rate)

        x = decayed(x)
    return x


def at_module_level(v):
    return jnp.cos(v)


def again_and_again(x):
    for _ in range(3):
        x = jax.jit(at_module_level)(x)  # ok: JAX101
    return x


def jaxlint_examples():
    x = jnp.ones(4)
    return {
        "by_level": (x,),
        "fitted": (2, x),
        "shifted": (x, 0.5),
        "walked": (x, 2),
        "waited": (x,),
        "stretched": (x,),
        "depth_of": (x, 2),
        "by_depth": (x,),
        "minimum": (jnp.sum, x),
        "of_parts": ({"a": 1.0}, x),
        "scaled": (2.0, x),
        "printed": (x,),
        "widths": (x,),
        "rates": (x,),
        "again_and_again": (x,),
    }
