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


def stepped(x, rate: float):
    return Integrator(rate, order=2).step(x)  # want: JAX109


def swept(x):
    for rate in (0.1, 0.2):
        x = Integrator(rate).step(x)  # want: JAX109
    return x


def repeated(x, rate, n_steps):
    for _ in range(n_steps):
        integrator = Integrator(rate)  # want: JAX109
        x = integrator.step(x)
    return x


def tallied(x):
    return Tally(2.0)(x)  # want: JAX109


KEPT = Integrator(0.1)


def kept(x):
    return KEPT.step(x)  # ok: JAX109


def main():
    print(Integrator(0.3).step(jnp.ones(2)))  # once: JAX109


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
