"""Sums by segment, whose number is the size of the result."""

from functools import partial

import jax
import jax.numpy as jnp


def by_group(column, group):
    number = jnp.max(group) + 1
    return jax.ops.segment_sum(column, group, number)[group]  # want: JAX208


@jax.jit
def taxes(income, group):
    return 0.2 * by_group(income, group)


@jax.jit
def largest(income, group):
    return jax.ops.segment_max(income, group, num_segments=group.max() + 1)  # want: JAX208


@jax.jit
def by_length(income, group):
    return jax.ops.segment_sum(income, group, income.shape[0])  # ok: JAX208


@partial(jax.jit, static_argnums=2)
def by_static(income, group, number):
    return jax.ops.segment_sum(income, group, number)  # ok: JAX208


@jax.jit
def by_number(income, group):
    return jax.ops.segment_min(income, group, num_segments=3)  # ok: JAX208


def outside(income, group):
    return jax.ops.segment_sum(income, group, jnp.max(group) + 1)  # ok: JAX208


def jaxlint_examples():
    income, group = jnp.arange(4.0), jnp.array([0, 1, 1, 2])
    return {
        "by_group": lambda: taxes(income, group),
        "largest": (income, group),
        "by_length": (income, group),
        "by_static": lambda: by_static(income, group, 3),
        "by_number": (income, group),
        "outside": (income, group),
    }
