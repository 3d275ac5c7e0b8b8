from functools import partial

import jax
import jax.numpy as jnp


def by_group(column, group, number):
    return jax.ops.segment_sum(column, group, number)[group]


@partial(jax.jit, static_argnums=2)
def taxes(income, group, number):
    return 0.2 * by_group(income, group, number)


@partial(jax.jit, static_argnums=2)
def largest(income, group, number):
    return jax.ops.segment_max(income, group, num_segments=number)


def jaxlint_examples():
    income, group = jnp.arange(4.0), jnp.array([0, 1, 1, 2])
    return {
        "by_group": lambda: taxes(income, group, 3),
        "largest": lambda: largest(income, group, 3),
    }
