"""Loops over cases, and functions that a caller gives: each is a program of its own, and no loop says otherwise."""

import functools

import jax
import jax.numpy as jnp

LEVELS = [2, 3, 4]


@functools.partial(jax.jit, static_argnames="level")
def _power(v, level):
    return sum(v**k for k in range(level))


def fitted(level, x):
    return _power(x, level)


def by_level(x):
    return [fitted(level, x) for level in LEVELS]


@jax.jit
def _moved(v, by):
    return v + by


def shifted(x, by):
    return _moved(x, by)


def walked(x, count):
    for _ in range(count):
        x = shifted(x, 0.5)
    return x


def waited(x):
    while float(jnp.sum(x)) < 20.0:
        x = stretched(x)
    return x


@jax.jit
def _doubled(v):
    return 2 * v + 1


def stretched(x):
    return _doubled(x)


@functools.partial(jax.jit, static_argnames="depth")
def _stacked(v, depth):
    for _ in range(depth):
        v = jnp.sin(v)
    return v


def depth_of(x, depth):
    return _stacked(x, depth)


def by_depth(x):
    return [depth_of(x, depth) for depth in range(1, 4)]


@functools.partial(jax.jit, static_argnames="objective")
def _descended(v, objective):
    return v - 0.1 * jax.grad(objective)(v)


def minimum(objective, x):
    """Whoever has another objective needs another program."""

    return _descended(x, objective)


def of_parts(parts, x):
    done = []
    for name, part in parts.items():
        done.append(scaled(part, x))
    return done


@jax.jit
def _times(v, part):
    return v * part


def scaled(part, x):
    return _times(x, part)


@jax.jit
def _halved(v):
    return v / 2


def printed(x):
    """A run, of which a process has few."""

    y = _halved(x)
    print("halved", y.shape)
    return y


@functools.partial(jax.jit, static_argnames="width")
def _window(v, width):
    return v[:width].sum()


def widths(x):
    found = []
    for width in range(1, 4):
        found.append(_window(x, width))
    return found


def rates(x):
    for rate in (0.1, 0.2):

        @jax.jit
        def decayed(v, rate=rate):
            return v * (1 - rate)

        x = decayed(x)
    return x


def at_module_level(v):
    return jnp.cos(v)


def again_and_again(x):
    for _ in range(3):
        x = jax.jit(at_module_level)(x)
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
