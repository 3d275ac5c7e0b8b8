"""Instances that are given something: made above the loop, or once for each argument."""

import functools

import jax
import jax.numpy as jnp


class Integrator:
    def __init__(self, rate, order=1):
        self.rate = rate
        self.order = order

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x - self.rate * jnp.sin(x) ** self.order


class Tally:
    """It counts, so two calls must not share one."""

    def __init__(self, scale):
        self.count = 0
        self._scaled = jax.jit(lambda x: x * scale)

    def __call__(self, x):
        self.count += 1
        return self._scaled(x) * self.count


@functools.lru_cache(maxsize=None, typed=True)
def _integrator(rate):
    return Integrator(rate, order=2)


def stepped(x, rate: float):
    return _integrator(rate).step(x)


@functools.lru_cache(maxsize=None, typed=True)
def _cached_integrator(rate):
    return Integrator(rate)


def swept(x):
    for rate in (0.1, 0.2):
        x = _cached_integrator(rate).step(x)
    return x


def repeated(x, rate, n_steps):
    integrator = Integrator(rate)
    for _ in range(n_steps):
        x = integrator.step(x)
    return x


def tallied(x):
    return Tally(2.0)(x)


KEPT = Integrator(0.1)


def kept(x):
    return KEPT.step(x)


_main_integrator = Integrator(0.3)


def main():
    print(_main_integrator.step(jnp.ones(2)))


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "stepped": (x, 0.1),
        "swept": (x,),
        "repeated": (x, 0.1, 2),
        "tallied": (x,),
        "kept": (x,),
        "main": (),
    }
