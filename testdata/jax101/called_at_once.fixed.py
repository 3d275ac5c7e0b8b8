"""The helpers of called_at_once.py, compiled where they live as long as the module."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def kinetic_energy(velocity):
    return 0.5 * jnp.sum(velocity * velocity)


@jax.jit
def damped_displacement(t, damping):
    return jnp.exp(-damping * t) * jnp.cos(t)


@jax.jit
def _centre(rows, mean):
    return rows - mean


def whiten(samples, mean):
    centred = _centre(samples, mean)
    return centred / jnp.std(centred)


@partial(jax.jit, static_argnames=("width",))
def moving_average(series, width):
    return jnp.convolve(series, jnp.ones(width) / width, mode="same")


@jax.pmap
def _per_device(rows):
    return rows.sum(axis=0)


def across_devices(batch):
    return _per_device(batch[None])


@jax.jit
def _period(length, theta):
    return 2 * jnp.pi * jnp.sqrt(length / 9.81) * (1 + theta**2 / 16)


class Pendulum:
    def __init__(self, length):
        self.length = length

    def period(self, angle):
        return _period(self.length, angle)

    @staticmethod
    @jax.jit
    def wrap(angle):
        return jnp.mod(angle + jnp.pi, 2 * jnp.pi) - jnp.pi


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 6)
    return {
        "kinetic_energy": (x,),
        "damped_displacement": (x, 0.3),
        "whiten": (x, 0.5),
        "moving_average": (x, 3),
        "across_devices": (x,),
        "Pendulum.period": (Pendulum(2.0), x),
        "Pendulum.wrap": (x,),
    }
