"""What optimizers are given to call again and again, in loops that make it anew."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize


def relaxed(x, rate):
    @jax.jit  # want: JAX101
    def energy(v):
        return jnp.sum((v - rate * x) ** 2)

    return minimize(energy, np.asarray(x), method="Nelder-Mead", options={"maxiter": 2}).x


def annealed(x, num_steps):
    """Each step makes an objective of its own, and the optimizer compiles it."""
    for _ in range(num_steps):
        x = relaxed(x, 0.9)
    return x


@jax.jit
def _energy(v, x):
    return jnp.sum((v - 0.9 * x) ** 2)


def relaxed_alike(x):
    """What changes is an argument."""
    start = np.asarray(x)
    return minimize(_energy, start, (start,), "Nelder-Mead", options={"maxiter": 2}).x  # ok: JAX101


def annealed_alike(x, num_steps):
    for _ in range(num_steps):
        x = relaxed_alike(x)
    return x


def fitted(x):
    """Nothing says that it is fitted again, and one fit compiles once."""

    @jax.jit  # want: JAX101 (low)
    def energy(v):
        return jnp.sum((v - x) ** 2)

    return minimize(energy, np.asarray(x), method="Nelder-Mead", options={"maxiter": 2}).x


def kept_by(x, keeper):
    """What somebody not visible does with it, nobody knows."""

    @jax.jit  # want: JAX101 (low)
    def energy(v):
        return jnp.sum((v - x) ** 2)

    return keeper(energy)(x)


def kept_each(x, keeper, num_steps):
    for _ in range(num_steps):
        x = x + kept_by(x, keeper)
    return x


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "relaxed": (x, 0.9),
        "annealed": (x, 3),
        "relaxed_alike": (x,),
        "annealed_alike": (x, 3),
        "fitted": (x,),
        "kept_by": (x, lambda function: function),
        "kept_each": (x, lambda function: function, 3),
    }
