"""The objects of methods.py: compiled once, in the constructor or at module level."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Pendulum:
    def __init__(self, length):
        self.length = length
        self._force = jax.jit(self.force)

    def force(self, angle):
        return -jnp.sin(angle) / self.length

    def step(self, angle):
        return angle + 0.1 * self._force(angle)


PENDULUM = Pendulum(1.0)


def of_a_static_instance(angle):
    return PENDULUM.step(angle)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


NET = Net()
_apply = jax.jit(NET.apply)


def predict(params, x):
    return _apply(params, x)


def jaxlint_examples():
    x = jnp.ones(3)
    params = NET.init(jax.random.key(0), x[None])
    return {"Pendulum.step": (Pendulum(2.0), x), "of_a_static_instance": (x,), "predict": (params, x[None])}
