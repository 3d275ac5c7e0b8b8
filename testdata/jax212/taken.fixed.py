"""Methods that a wrapper is given as `Class.method`, so that the instance is an argument."""

import dataclasses

import jax
import jax.numpy as jnp


class Pendulum:
    def __init__(self, length):
        self.length = length

    def pull(self, angle):
        return -jnp.sin(angle) / self.length

    def energy(self, angle):
        return self.length * (1.0 - jnp.cos(angle))

    def doubled(self, angle):
        return 2.0 * angle


def pulled(pendulum, x):
    return jax.jit(Pendulum.pull, static_argnames="self")(pendulum, x)


def energy(pendulum, x):
    return jax.jit(Pendulum.energy, static_argnums=0)(pendulum, x)


def doubled(x):
    return jax.jit(Pendulum.doubled)(1.0, x)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Spring:
    stiffness: float

    def pull(self, shift):
        return -self.stiffness * shift


def stretched(spring, x):
    return jax.jit(Spring.pull)(spring, x)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "pulled": lambda pendulum=Pendulum(1.0): pulled(pendulum, x),
        "energy": lambda pendulum=Pendulum(1.0): energy(pendulum, x),
        "doubled": lambda: doubled(x),
        "stretched": lambda: stretched(Spring(2.0), x),
    }
