"""Under `vmap` alone only what is mapped over has no value: what a function captures keeps its own."""

import jax
import jax.numpy as jnp

classes = jnp.arange(10)


def train(rate, key):
    """Tests a captured array, and one of its parameters."""
    mask = classes > 3
    count = int(mask.sum())
    if classes[2] > 1:
        rate = rate * 2
    chosen = jnp.compress(mask, classes)
    return rate * chosen.sum() + count + key


def clipped(rate):
    """Tests what is mapped over."""
    return jnp.where(rate > 0.5, rate, rate * 2)


@jax.checkpoint
def remembered(x):
    """`checkpoint` stages, so that captured arrays lose their values as well."""
    return jnp.where(jnp.sum(classes) > 1, x, x * 2)


def mapped():
    """Maps the first over its arguments."""
    return jax.vmap(train)(jnp.ones(4), jnp.ones(4))


def mapped_too():
    """Maps the second."""
    return jax.vmap(clipped)(jnp.ones(4))


def jaxlint_examples():
    """What to call."""
    return {"train": mapped, "clipped": mapped_too, "remembered": (jnp.ones(3),)}
