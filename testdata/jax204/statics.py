"""Static arguments in loops."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="step")
def annealed(x, step):
    return x - jnp.sin(x) / (1.0 + step)


@functools.partial(jax.jit, static_argnames="size")
def padded(x, size):
    return jnp.pad(x, (0, size))


@jax.jit
def traced(x, step):
    return x - step


def anneal(x, n):
    for step in range(n):
        x = annealed(x, step)  # want: JAX204
    return x


def explore(x, start):
    return [annealed(x, step=start + 0.5 * j) for j in range(3)]  # want: JAX204


def counted(x, n):
    step = 0
    while step < n:
        x = annealed(x, step)  # want: JAX204
        step += 1
    return x


def few(x):
    for size in (1, 2):
        x = padded(x, size)
    return x


def fixed(x, n):
    for _ in range(n):
        x = annealed(x, 3)  # ok: JAX204
    return x


def by_traced(x, n):
    for step in range(n):
        x = traced(x, step)  # ok: JAX204
    return x


def flagged(x, n):
    for step in range(n):
        x = annealed(x, step < n)  # ok: JAX204
    return x


def flagged_by_name(x, n):
    """Two values, whatever the step."""
    for step in range(n):
        due = step % 2 == 0
        x = annealed(x, due)
    return x


def mapped_over_a_traced_one(xs, n):
    each = jax.vmap(traced, in_axes=(0, None))
    for step in range(n):
        xs = each(xs, step)  # ok: JAX204
    return xs


def outside(x, step):
    return annealed(x, step)  # ok: JAX204


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "anneal": (x, 4),
        "explore": (x, 1.0),
        "counted": (x, 4),
        "fixed": (x, 4),
        "by_traced": (x, 4),
        "flagged": (x, 4),
        "flagged_by_name": (x, 4),
        "mapped_over_a_traced_one": (x, 4),
        "outside": (x, 2),
    }
