"""Attributes that are changed through a parameter, whose class all visible calls tell."""

import jax
import jax.numpy as jnp


class Objective:
    def __init__(self, target):
        self.target = target
        self.scale = 2.0
        self.compute = jax.jit(self._compute)

    def _compute(self, x):
        return self.scale * (x - self.target)  # want: JAX207


class Plain:
    def __init__(self, target):
        self.target = target

    def compute(self, x):
        return x - self.target  # ok: JAX207


def swept(objective, targets, x):
    found = []
    for target in targets:
        objective.target = target
        found.append(objective.compute(x))
    return jnp.stack(found)


def swept_plain(plain, targets, x):
    found = []
    for target in targets:
        plain.target = target
        found.append(plain.compute(x))
    return jnp.stack(found)


OBJECTIVE = Objective(0.0)


def program(x):
    return swept(OBJECTIVE, [1.0, 2.0], x)


def program_plain(x):
    return swept_plain(Plain(0.0), [1.0, 2.0], x)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Objective._compute": lambda: program(x),
        "Plain.compute": lambda: program_plain(x),
    }
