"""Calls that look like one operation and are many: random draws and solvers."""

import jax
import jax.numpy as jnp


@jax.jit
def walk(x, key):
    def step_2(_, carry):
        key, x = carry
        key, step = jax.random.split(key)
        x = x + jax.random.normal(step, x.shape)
        return key, x

    key, x = jax.lax.fori_loop(0, 90, step_2, (key, x))
    return x


@jax.jit
def solved(x):
    def step(_, x):
        x = jnp.linalg.solve(jnp.eye(3) + jnp.outer(x, x), x)
        return x

    x = jax.lax.fori_loop(0, 60, step, x)
    return x


@jax.jit
def short_walk(x, key):
    for _ in range(12):
        key, step = jax.random.split(key)
        x = x + jax.random.normal(step, x.shape)
    return x


@jax.jit
def waves(x):
    for _ in range(90):
        x = jnp.sin(x) + 1.0
    return x


@jax.jit
def keys(key):
    for _ in range(90):
        key, _ = jax.random.split(key)
    return key


@jax.jit
def scanned_walk(x, key):
    def step(x, key):
        return x + jax.random.normal(key, x.shape), None

    return jax.lax.scan(step, x, jax.random.split(key, 90))[0]


@jax.jit
def drawn_at_once(x, key):
    total = x
    draws = jax.random.normal(key, (90, *x.shape))
    for draw in range(90):
        total = total + draws[draw]
    return total


def jaxlint_examples():
    x, key = jnp.arange(3.0), jax.random.key(0)
    with_key = {name: (x, key) for name in ("walk", "short_walk", "scanned_walk", "drawn_at_once")}
    return {**with_key, "solved": (x,), "waves": (x,), "keys": (key,)}
