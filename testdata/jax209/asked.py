"""Tests in properties and operators of objects that traced code makes, which it calls without a call."""

import jax
import jax.numpy as jnp


class Interval:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    @property
    def width(self):
        if self.low > self.high:  # want: JAX209
            return 0.0
        return self.high - self.low

    @property
    def middle(self):
        return jnp.where(self.low > self.high, self.low, 0.5 * (self.low + self.high))  # ok: JAX209

    @property
    def axes(self):
        if self.low.ndim > 0:  # ok: JAX209
            return self.low.ndim
        return 0

    def __add__(self, step):
        if self.low > 0:  # want: JAX209
            return self.low + step
        return self.high + step

    def __mul__(self, factor):
        return jnp.where(self.low > 0, self.low, self.high) * factor  # ok: JAX209

    def __getitem__(self, index):
        if index == 0:  # ok: JAX209
            return self.low
        return self.high


@jax.jit
def width(low, high):
    return Interval(low, high).width


@jax.jit
def middle(low, high):
    return Interval(low, high).middle


@jax.jit
def axes(low, high):
    return low * Interval(low, high).axes


@jax.jit
def moved(low, high):
    interval = Interval(low, high)
    return interval + 1.0


@jax.jit
def stretched(low, high):
    interval = Interval(low, high)
    return interval * 2.0


@jax.jit
def ends(low, high):
    interval = Interval(low, high)
    return interval[0] + interval[1]


class Limits:
    """Made of Python numbers, outside any trace."""

    def __init__(self, low, high):
        self.low = low
        self.high = high

    @property
    def open(self):
        if self.low < self.high:  # ok: JAX209
            return 1.0
        return 0.0


LIMITS = Limits(0.0, 1.0)


@jax.jit
def opened(x):
    return x * LIMITS.open


def jaxlint_examples():
    x = jnp.float32(1.0)
    return {
        "Interval.width": lambda: width(x, 2 * x),
        "Interval.middle": lambda: middle(x, 2 * x),
        "Interval.axes": lambda: axes(x, 2 * x),
        "Interval.__add__": lambda: moved(x, 2 * x),
        "Interval.__mul__": lambda: stretched(x, 2 * x),
        "Interval.__getitem__": lambda: ends(x, 2 * x),
        "Limits.open": lambda: opened(x),
    }
