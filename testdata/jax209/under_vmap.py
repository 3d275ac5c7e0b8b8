"""Under `vmap` alone only what is mapped over has no value: what a function captures keeps its own."""

import jax
import jax.numpy as jnp

classes = jnp.arange(10)


def train(rate, key):
    """Tests a captured array, and one of its parameters."""
    mask = classes > 3
    count = int(mask.sum())  # ok: JAX209
    if classes[2] > 1:  # ok: JAX209
        rate = rate * 2
    chosen = jnp.compress(mask, classes)  # ok: JAX208
    return rate * chosen.sum() + count + key


def clipped(rate):
    """Tests what is mapped over."""
    if rate > 0.5:  # want: JAX209
        return rate
    return rate * 2


@jax.checkpoint
def remembered(x):
    """`checkpoint` stages, so that captured arrays lose their values as well."""
    if jnp.sum(classes) > 1:  # want: JAX209
        return x
    return x * 2


def mapped():
    """Maps the first over its arguments."""
    return jax.vmap(train)(jnp.ones(4), jnp.ones(4))


def mapped_too():
    """Maps the second."""
    return jax.vmap(clipped)(jnp.ones(4))


def jaxlint_examples():
    """What to call."""
    return {"train": mapped, "clipped": mapped_too, "remembered": (jnp.ones(3),)}
