"""Jitted functions that factories make at module level."""

import jax
import jax.numpy as jnp
import numpy as np


def make_update(momentum):
    def update(weights, batch):
        return momentum * weights - batch.mean(0)

    return jax.jit(update)


update = make_update(0.9)


def all_seen(weights, batch, epochs):
    seen = np.zeros((0, 3))
    for _ in range(epochs):
        seen = np.concatenate([seen, batch])
        weights = update(weights, seen)  # want: JAX501
    return weights


def one_batch(weights, batch, epochs):
    for _ in range(epochs):
        weights = update(weights, batch)  # ok: JAX501
    return weights


def make_pair(scale):
    @jax.jit
    def forward(x):
        return scale * x

    @jax.jit
    def total(x):
        return x.sum()

    return forward, total


forward, total = make_pair(2.0)


def prefixes(x):
    return [float(total(x[:n])) for n in range(1, 12)]  # want: JAX501


def windows(x):
    return [forward(x[n : n + 2]) for n in range(11)]  # ok: JAX501


def make_plain(scale):
    """What it returns is not jitted."""

    def forward(x):
        return scale * x

    return forward


plain = make_plain(2.0)


def plain_prefixes(x):
    return [plain(x[:n]) for n in range(1, 12)]  # ok: JAX501


def jaxlint_examples():
    x = np.arange(12.0)
    return {
        "all_seen": (jnp.ones(3), np.ones((4, 3)), 5),
        "one_batch": (jnp.ones(3), np.ones((4, 3)), 5),
        "prefixes": (x,),
        "windows": (x,),
        "plain_prefixes": (x,),
    }
