"""Loops that stay Python's, because they do more than compute; what a turn computes does not have to."""

import jax
import jax.numpy as jnp


@jax.jit
def _trained_step(batch, weights, rate):
    # The error first, then the step.
    error = jnp.dot(batch, weights) - 1.0
    slope = 2.0 * jnp.dot(batch.T, error)
    weights = weights - rate * slope
    return error, weights


def trained(weights, batches, rate):
    losses = []
    for batch in batches:
        error, weights = _trained_step(batch, weights, rate)
        losses.append(float(jnp.mean(error**2)))
    return weights, losses


@jax.jit
def _go_step(sub, x, scale, number):
    noise = jax.random.normal(sub, x.shape)
    return x + scale * noise / (1 + number)


class Walk:
    def __init__(self, scale):
        self.scale = scale
        self.visited = []

    def go(self, key, x, n_steps):
        for number in range(n_steps):
            key, sub = jax.random.split(key)
            x = _go_step(sub, x, self.scale, number)
            self.visited.append(number)
        return x


def windows(x, n_steps):
    """Each turn has a shape of its own."""
    found = []
    for number in range(1, n_steps):
        part = x[:number]
        spread = jnp.max(part) - jnp.min(part)
        found.append(float(spread))
    return found


@jax.jit
def moved(x, scale):
    return x + scale * jnp.sin(x)


def printed(x, n_steps):
    """What a turn computes is compiled already."""
    for number in range(n_steps):
        x = moved(x, 0.1)
        print(number)
    return x


def kept(x, n_steps):
    states = []
    for number in range(n_steps):
        x = moved(x, 1.0 / (1 + number))
        states.append(x)
    return states


def weighed(x, weights):
    total = 0.0
    for weight in weights:
        total += weight * len(x)
    return jnp.asarray(total)


def main():
    weights, _ = trained(jnp.zeros(3), [jnp.ones((4, 3))] * 40, 0.1)
    print(weights)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 12)
    return {
        "trained": (jnp.zeros(3), [jnp.ones((4, 3))] * 2, 0.1),
        "Walk.go": (Walk(0.1), jax.random.key(0), x, 4),
        "windows": (x, 4),
        "printed": (x, 4),
        "kept": (x, 4),
        "weighed": (x, [0.1, 0.2]),
        "main": (),
    }
