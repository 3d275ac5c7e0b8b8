"""Arrays that grow in loops, and such that do not."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(x):
    return x * 0.9


def collected(x, n):
    history = x
    for _ in range(n):
        x = step(x)
        history = jnp.concatenate([history, x])
    return history


def appended(values):
    out = jnp.zeros(0)
    for value in values:
        out = jnp.append(out, value)
    return out


def stacked(rows):
    table = rows[0]
    for row in rows[1:]:
        table = jnp.vstack([table, row])
    return table


@functools.partial(jax.jit, static_argnames="n")
def window(x, n):
    def step(_, x):
        x = jnp.concatenate([x[1:], x[:1] * 0.9])
        return x

    x = jax.lax.fori_loop(0, n, step, x)
    return x


def listed(x, n):
    history = [x]
    for _ in range(n):
        x = step(x)
        history.append(x)
    return jnp.concatenate(history)


def joined(pairs):
    out = []
    for one, other in pairs:
        out.append(jnp.concatenate([one, other]))
    return out


def in_numpy(x, n):
    history = np.asarray(x)
    for _ in range(n):
        history = np.concatenate([history, history[:2]])
    return history


@jax.jit
def traced(x):
    for _ in range(2):
        x = jnp.concatenate([x, x])
    return x


def once(x):
    x = jnp.concatenate([x, x])
    return x


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "collected": (x, 3),
        "appended": ([1.0, 2.0, 3.0],),
        "stacked": ([x, x, x],),
        "window": (x, 3),
        "listed": (x, 3),
        "joined": ([(x, x), (x, x)],),
        "in_numpy": (x, 3),
        "traced": (x,),
        "once": (x,),
    }
