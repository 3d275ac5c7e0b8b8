"""The loops of loops.py with what changes passed as an argument."""

import jax
import jax.numpy as jnp


@jax.jit
def _acceptance(energy, temperature):
    return jnp.exp(-energy / temperature)


def anneal(energy, temperatures):
    return [_acceptance(energy, temperature) for temperature in temperatures]


@jax.jit
def _shrink(v):
    return 0.5 * v


def polish(x, tolerance):
    rounds = 0
    while rounds < 3 and jnp.abs(x).max() > tolerance:
        x = _shrink(x)
        rounds += 1
    return x


@jax.jit
def _relax(v, rate):
    return v - rate * v


def sweep(grid, initial):
    results = []
    for rate in grid:
        state = initial
        for _ in range(4):
            state = _relax(state, rate)
        results.append(state)
    return results


def jaxlint_examples():
    x = jnp.ones(3)
    return {"anneal": (x, [1.0, 2.0]), "polish": (x, 1e-3), "sweep": ([0.1, 0.2], x)}
