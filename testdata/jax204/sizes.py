"""Sizes of batches, all alike but the last, and objects that are few."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="size")
def summed(x, start, size):
    return jax.lax.dynamic_slice(x, (start,), (size,)).sum() * jnp.ones(size)


def in_batches(x, total, size):
    found = []
    for start in range(0, total, size):
        count = min(size, total - start)
        found.append(summed(x, start, count))  # ok: JAX204
    return found


def in_batches_counted(x, total, size):
    found, start = [], 0
    while start < total:
        count = min(size, total - start)
        found.append(summed(x, start, size=count))  # ok: JAX204
        start += size
    return found


def in_tails(x, total):
    """Each turn has a size of its own."""
    return [summed(x, start, total - start) for start in range(total)]  # want: JAX204


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def update(self, gradient):
        return -self.rate * gradient


@functools.partial(jax.jit, static_argnames="optimiser")
def moved(x, optimiser):
    return x + optimiser.update(jnp.sin(x))


def by_agents(x, optimisers):
    """Objects that are made once, and kept."""
    for agent in range(len(optimisers)):
        x = moved(x, optimisers[agent])  # want: JAX204 (low)
    return x


def jaxlint_examples():
    x = jnp.arange(12.0)
    return {
        "summed": (x, 0, 4),
        "in_batches": (x, 12, 4),
        "in_batches_counted": (x, 12, 4),
        "in_tails": (x, 4),
        "moved": (x, Rate(0.1)),
        "by_agents": lambda: by_agents(x, [Rate(0.1), Rate(0.2), Rate(0.3)]),
    }
