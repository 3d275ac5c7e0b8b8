"""Turns beside the work that a function does which an object was given."""

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class Descent:
    """What it calls is compiled by whoever makes it."""

    loss: Callable[[jax.Array], jax.Array]
    slope: Callable[[jax.Array], jax.Array]

    def solve(self, x, n_steps):
        for step in range(n_steps):
            moved = x - 0.1 * self.slope(x)
            print(step, self.loss(moved))
            if jnp.linalg.norm(moved - x) < 1e-6:
                break
            x = moved
        return x


class Filter:
    """So it is here."""

    def __init__(self, transition):
        self.transition = transition

    def run(self, x, n_steps):
        for _ in range(n_steps):
            x = jnp.clip(self.transition(x) * 0.5, 0.0, 1.0)
        return x


@jax.jit
def _run_step(x, weight):
    return jnp.tanh(x) * weight + jnp.sin(x) * 0.1


class Smoother:
    """It is given no function, and does the work itself."""

    def __init__(self, weight):
        self.weight = weight

    def run(self, x, n_steps):
        for _ in range(n_steps):
            x = _run_step(x, self.weight)
        return x


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 3)
    return {"Smoother.run": (Smoother(0.5), x, 12)}
