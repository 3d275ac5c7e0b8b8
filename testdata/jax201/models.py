"""Flags and sizes of models: fields of modules, and options that a compiled caller fixes."""

from functools import partial

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
from flax import nnx


class Block(nn.Module):
    features: int
    residual: bool = True
    activation: str = "tanh"

    @nn.compact
    def __call__(self, x, train: bool = False):
        y = nn.Dense(self.features)(x)
        if self.activation == "tanh":  # ok: JAX201
            y = jnp.tanh(y)
        if train:  # ok: JAX201
            y = 0.5 * y
        return x + y if self.residual else y  # ok: JAX201


block = Block(4)


@jax.jit
def train_loss(params, x):
    return block.apply(params, x, train=True).mean()


@jax.jit
def eval_loss(params, x):
    return block.apply(params, x, train=False).mean()


class Pyramid(eqx.Module):
    weights: jax.Array
    depth: int = eqx.field(static=True)
    normalise: bool = eqx.field(static=True, default=True)

    def __call__(self, x, *, inference: bool = False):
        for _ in range(self.depth):  # ok: JAX201
            x = x * self.weights
        if self.normalise and not inference:  # ok: JAX201
            x = x / x.sum()
        return x[: self.depth]  # ok: JAX201


@eqx.filter_jit
def pyramid_loss(model, x):
    return model(x).sum()


class Noise(nnx.Module):
    def __init__(self, rate: float, deterministic: bool):
        self.rate = rate
        self.deterministic = deterministic

    def __call__(self, x):
        if self.deterministic:  # ok: JAX201
            return x
        return x * self.rate


@nnx.jit
def noisy(model, x):
    return model(x)


def forward(x, is_training: bool):
    x = hk.Linear(3)(x)
    if is_training:  # ok: JAX201
        x = 0.5 * x
    return x


network = hk.without_apply_rng(hk.transform(forward))


@partial(jax.jit, static_argnames="is_training")
def network_loss(params, x, is_training: bool):
    return network.apply(params, x, is_training).mean()


class Schedule:
    """A plain object, met as a closure."""

    def __init__(self, steps: int, warm: bool):
        self.steps = steps
        self.warm = warm

    def rate(self, step):
        if self.warm:  # ok: JAX201
            return jnp.minimum(step / self.steps, 1.0)
        return jnp.full((self.steps,), 0.1)[step]  # ok: JAX201


schedule = Schedule(10, True)


@jax.jit
def scheduled(x, step):
    return x * schedule.rate(step)


def jaxlint_examples():
    x = jnp.arange(8.0).reshape(2, 4)
    params = block.init(jax.random.key(0), x)
    weights = network.init(jax.random.key(0), x, True)
    pyramid = Pyramid(jnp.ones(4), 2)
    noise = Noise(0.5, False)
    return {
        "Block.__call__": lambda: (train_loss(params, x), eval_loss(params, x)),
        "Pyramid.__call__": lambda: pyramid_loss(pyramid, x[0]),
        "Noise.__call__": lambda: noisy(noise, x),
        "forward": lambda: network_loss(weights, x, True),
        "Schedule.rate": lambda: (scheduled(x, 3), Schedule(3, False).rate(1)),
    }
