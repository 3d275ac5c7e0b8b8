"""A loop whose work is a program, beside which each iteration copies the array that it fills."""

import jax
import jax.numpy as jnp
import numpy as np


def step(rate, shock):
    rate = rate + 0.1 * (0.05 - rate) + 0.01 * shock
    return rate, rate


@jax.jit
def simulated(shocks):
    """As often as the text says, the array of all paths is copied."""
    rates = jnp.full((2_000, 61), 0.05)

    def step_2(path, rates):
        _, found = jax.lax.scan(step, rates[path, 0], shocks[path])
        rates = rates.at[path, 1:].set(found)
        return rates

    rates = jax.lax.fori_loop(0, 2_000, step_2, rates)
    return rates


@jax.jit
def compiled(shocks):
    """The same for a few paths is one program."""
    rates = jnp.full((4, 61), 0.05)
    for path in range(4):
        _, found = jax.lax.scan(step, rates[path, 0], shocks[path])
        rates = rates.at[path, 1:].set(found)
    return rates


def copied(rates, paths):
    """NumPy writes in place."""
    rates = np.array(rates)
    for path in range(2_000):
        rates[path, 1:] = 0.5 * paths[path] + 0.5 * rates[path, :-1]
    return rates


def jaxlint_examples():
    return {
        "simulated": (jnp.ones((2_000, 60)),),
        "compiled": (jnp.ones((4, 60)),),
        "copied": (np.ones((2_000, 61)), np.ones((2_000, 60))),
    }
