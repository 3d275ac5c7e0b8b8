"""What helpers and constructors are given of what `vmap` maps over has no value in them either; all else has."""

import equinox as eqx
import jax
import jax.numpy as jnp

limits = jnp.arange(3.0)


class Sphere:
    """Checks what it is made of."""

    def __init__(self, radius):
        assert radius > 0  # want: JAX209
        self.radius = radius


class Polygon:
    """Checks what is a number of Python all the same."""

    def __init__(self, radius, sides):
        if sides < 3:  # ok: JAX209
            raise ValueError("too few sides")
        self.radius, self.sides = radius, sides


class Scale(eqx.Module):
    """Equinox calls this after the constructor."""

    factor: jax.Array

    def __check_init__(self):
        if self.factor < 0:  # want: JAX209
            raise ValueError("a negative factor")


class Shift(eqx.Module):
    """Checks what is known while it is traced."""

    offset: jax.Array

    def __check_init__(self):
        if self.offset.ndim > 1:  # ok: JAX209
            raise ValueError("not a vector")
        if self.offset is None:  # ok: JAX209
            raise ValueError("nothing")


def checked(value):
    """Is given what is mapped over."""
    if value < 0:  # want: JAX209
        raise ValueError("a negative value")
    return value


def captured():
    """Tests what it captures, which keeps its value under `vmap`."""
    if limits[1] > 5:  # ok: JAX209
        return 2.0
    return 1.0


def settled(count, values):
    """Tests what is the same for all, and what is known of an array while it is traced."""
    if values.shape != ():  # ok: JAX209
        return values.sum()
    if count > 1:  # ok: JAX209
        return values * count
    return values


def tested(value):
    """Is called outside `vmap` alone."""
    if value < 0:  # ok: JAX209
        raise ValueError("a negative value")
    return value


def area(radius):
    """Makes an object of what is mapped over."""
    return Sphere(radius).radius ** 2


def width(radius):
    """Makes an object of it and of a number."""
    return Polygon(radius, 8).radius


def root(value):
    """Passes it on to helpers."""
    return jnp.sqrt(checked(value)) * captured() * settled(3, value)


@jax.jit
def scaled(x, factor):
    """Makes a module of a traced argument."""
    return x * Scale(factor).factor


@jax.jit
def shifted(x, offset):
    """Makes a module that checks nothing of the values."""
    return x + Shift(offset).offset


def areas():
    """Maps the constructor."""
    return jax.vmap(area)(jnp.ones(3))


def widths():
    """Maps the other constructor."""
    return jax.vmap(width)(jnp.ones(3))


def roots():
    """Maps the helpers, and calls one on a number."""
    return jax.vmap(root)(jnp.ones(3)) + tested(2.0)


def jaxlint_examples():
    """What to call."""
    return {
        "Sphere.__init__": areas,
        "Polygon.__init__": widths,
        "checked": roots,
        "captured": captured,
        "settled": lambda: settled(3, jnp.float32(2.0)),
        "tested": lambda: tested(2.0),
        "Scale.__check_init__": lambda: scaled(1.0, 2.0),
        "Shift.__check_init__": lambda: shifted(1.0, jnp.ones(2)),
    }
