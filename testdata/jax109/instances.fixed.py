"""Made once, at module level, or equal to each other."""

import dataclasses
import functools

import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self._apply = jax.jit(self.apply)

    def apply(self, signal):
        return self.gain * signal

    def __call__(self, signal):
        return self._apply(signal)


@dataclasses.dataclass(frozen=True)
class Solver:
    rate: float

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x - self.rate * jnp.sin(x)


@jax.jit
def scale(x, factor):
    return x * factor


DOUBLE = Filter(2.0)


def filtered(signal):
    return DOUBLE(signal)


def all_filtered(signals):
    return [DOUBLE(signal) for signal in signals]


def stepped(x):
    return Solver(0.1).step(x)


def scaled(x):
    return scale(x, 3.0)


def jaxlint_examples():
    x = jnp.ones(3)
    return {"filtered": (x,), "all_filtered": ([x],), "stepped": (x,), "scaled": (x,)}
