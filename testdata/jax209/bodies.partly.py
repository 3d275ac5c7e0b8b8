"""Helpers that the bodies of loops call, outside any jitted function."""

import jax
import jax.numpy as jnp
from jax import lax


def clipped(x):
    return jnp.where(x.sum() > 1.0, x / 2, x)


def step(i, x):
    return clipped(x) + i


def relaxed(x, n):
    return lax.fori_loop(0, n, step, x)


def distance(a, b):
    return float(jnp.abs(a - b).max())


def unfinished(state):
    new, old = state
    return distance(new, old) > 1e-3


def improved(state):
    new, _ = state
    return jnp.cos(new), new


def fixed_point(x):
    return lax.while_loop(unfinished, improved, (jnp.cos(x), x))[0]


def scaled(x, factor):
    if factor > 1.0:
        return x * factor
    return x


TABLE = [1.0, 2.0, 4.0]


def looked_up(i):
    return TABLE[i]


def summed(x):
    return lax.fori_loop(0, 3, add_looked_up, x)


def add_looked_up(i, x):
    return x + looked_up(i)


def along(x, axis):
    return x.sum(axis)


def add_along(i, x):
    """The axis is a number of Python in each trace."""
    return x + i * along(x, 0)


def of_axes(x):
    return lax.fori_loop(0, 3, add_along, x)


FACTOR = 2.0


def add_scaled(carry, item):
    """What the helper tests is a number of Python."""
    return carry + scaled(item, FACTOR), None


def constant_factor(x):
    return lax.scan(add_scaled, 0.0, x)


def padded(x):
    if x.ndim == 1:
        return x[None]
    return x


@jax.jit
def of_shapes(x):
    return lax.map(lambda item: padded(item), x)


def guarded(i, x):
    if not isinstance(x, jax.core.Tracer) and x.sum() > 1.0:
        return x / 2
    return x


def of_guarded(x):
    return lax.fori_loop(0, 3, guarded, x)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "clipped": lambda: relaxed(x, 4),
        "distance": lambda: fixed_point(x),
        "unfinished": lambda: fixed_point(x),
        "fixed_point": (x,),
        "looked_up": lambda: summed(x),
        "summed": (x,),
        "along": lambda: of_axes(x),
        "of_axes": (x,),
        "scaled": lambda: constant_factor(x),
        "constant_factor": (x,),
        "padded": lambda: of_shapes(jnp.ones((2, 3))),
        "of_shapes": (jnp.ones((2, 3)),),
        "guarded": lambda: of_guarded(x),
        "of_guarded": (x,),
    }
