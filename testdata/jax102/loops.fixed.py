"""The loops of loops.py, compiled once."""

import jax
import jax.numpy as jnp


@jax.jit
def _scaled(v, factor):
    return v * factor


def temper(log_density, ladder):
    return [_scaled(log_density, beta) for beta in ladder]


@jax.jit
def _power(v, n):
    return v**n


def powers(x):
    return [_power(x, n) for n in range(3)]


_mean = jax.jit(jnp.mean)


def batches(loader):
    total = 0.0
    for batch in loader:
        total += _mean(batch)
    return total


def jaxlint_examples():
    x = jnp.ones(3)
    return {"temper": (x, [0.1, 1.0]), "powers": (x,), "batches": ([x, x],)}
