"""Steps that something compiles elsewhere, and objectives that no program can hold."""

import functools

import jax
import jax.numpy as jnp
from scipy import optimize


def loss(params, batch):
    return jnp.mean((jnp.tanh(params) - batch) ** 2)


class Trainer:
    def step(self, params, batch):
        return params - 0.1 * jax.grad(loss)(params, batch)

    def fit(self, params, batches):
        for batch in batches:  # want: JAX402 (low)
            params = self.step(params, batch)
        return params


class Compiled:
    @functools.partial(jax.jit, static_argnums=0)
    def step(self, params, batch):
        return super().step(params, batch)


class CompiledTrainer(Compiled, Trainer):
    pass


def fit_tried(params, batches):
    def cost(params, batch):
        return jnp.mean((jnp.tanh(params) - batch) ** 2)

    try:
        cost = jax.jit(cost)  # ok: JAX101
    except TypeError:
        pass
    gradient = jax.grad(cost)
    for batch in batches:  # want: JAX402 (low)
        params = params - 0.1 * gradient(params, batch)
    return params


def residual(rate):
    """It asks for values in between."""
    grid = jnp.exp(-rate * jnp.arange(4.0)) / (1.0 + jnp.sqrt(rate))
    if bool(jnp.any(grid > 10.0)):
        grid = jnp.minimum(grid, 10.0)
    return float(jnp.mean(grid) + 0.01 * rate**2)


def implied(target):
    return optimize.brentq(lambda rate: residual(rate) - target, 0.01, 2.0)


def jaxlint_examples():
    params, batches = jnp.ones(3), [jnp.zeros(3)] * 12
    return {
        "loss": (params, batches[0]),
        "Trainer.step": (Trainer(), params, batches[0]),
        "Trainer.fit": (Trainer(), params, batches),
        "Compiled.step": (CompiledTrainer(), params, batches[0]),
        "fit_tried": (params, batches),
        "residual": (0.5,),
        "implied": (0.5,),
    }
