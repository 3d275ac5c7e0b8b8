"""The loops of loops.py, which keep what they have compiled."""

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return 0.9 * x + 1


def cleared_after_each(xs):
    for x in xs:
        step(x)


def cleared_before(x):
    i = 0
    while i < 3:
        x = step(x)
        i += 1
    return x


def cleared_one(xs):
    for x in xs:
        step(x)


def one_epoch(xs):
    return [step(x) for x in xs]


def by_helper(xs):
    for _ in range(3):
        one_epoch(xs)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "cleared_after_each": ([x, x],),
        "cleared_before": (x,),
        "cleared_one": ([x, x],),
        "by_helper": ([x, x],),
    }
