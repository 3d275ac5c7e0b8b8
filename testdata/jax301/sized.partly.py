"""Loops over what a call gives as many of as it is told."""

import jax
import jax.numpy as jnp


@jax.jit
def drained(queue):
    for place in jnp.nonzero(queue, size=400)[0]:
        queue = queue.at[place].add(-1)
    return queue


@jax.jit
def levelled(queue):
    places, _ = jnp.where(queue > queue.mean(), size=400)

    def step(queue, place):
        queue = queue.at[place, 0].set(jnp.maximum(queue[place, 0] - 1, 0))
        return queue, None

    queue = jax.lax.scan(step, queue, places)[0]
    return queue


@jax.jit
def peaks(signal):
    total = 0.0
    for place in jnp.flatnonzero(signal > 0, size=3):
        total = total + signal[place]
    return total


def jaxlint_examples():
    return {"drained": (jnp.ones(400),), "levelled": (jnp.ones((400, 2)),), "peaks": (jnp.ones(400),)}
