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


def in_epochs(x, total):
    """Two sizes: a full one, and what is left."""
    found = []
    for turn in range(total):
        size = 4 if turn < total - 1 else 2
        found.append(summed(x, 0, size))  # ok: JAX204
    return found


def in_a_buffer(x, enough):
    """The buffer is doubled until it suffices."""
    size = 2
    while True:
        total = summed(x, 0, size)  # ok: JAX204
        if size >= enough:
            return total
        size *= 2


def by_groups(x, groups):
    """Once for each group."""
    known, found = {}, []
    for name, size in groups:
        if name not in known:
            known[name] = summed(x, 0, size)  # ok: JAX204
        found.append(known[name])
    return found


def in_two_calls(x, total):
    """The second call finds what the first one has compiled."""
    found = []
    for start in range(total):
        found.append(summed(x, 0, start + 1))  # want: JAX204
        found.append(summed(2 * x, 0, start + 1))  # ok: JAX204
    return found


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
        "in_epochs": (x, 1),
        "in_a_buffer": (x, 2),
        "by_groups": (x, [("a", 4), ("b", 4), ("a", 4)]),
        "in_two_calls": (x, 3),
        "moved": (x, Rate(0.1)),
        "by_agents": lambda: by_agents(x, [Rate(0.1), Rate(0.2), Rate(0.3)]),
    }
