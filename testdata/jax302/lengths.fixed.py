"""The loops of lengths.py given to jax, or to an array operation that does all turns at once."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def total(x):
    return jnp.sum(x**2)


@jax.jit
def cumulative(x):
    return lax.fori_loop(1, len(x), lambda i, v: v.at[i].set(v[i] + 0.5 * v[i - 1]), x)


@jax.jit
def over_rows(xs):
    return jnp.sum(xs, axis=0)


@jax.jit
def rolled_out(state, actions):
    return lax.scan(lambda s, a: (jnp.tanh(s + a), None), state, actions)[0]


@partial(jax.jit, static_argnames=("seq_len",))
def decoded(x, seq_len):
    def step(v, _):
        v = jnp.tanh(v) * 0.9
        return v, v

    return lax.scan(step, x, None, length=seq_len)[1]


@jax.jit
def simulated(x, steps):
    """The number of steps need not be static any more."""
    return lax.fori_loop(0, steps, lambda _, v: jnp.sin(v) * 0.5 + v, x)


@jax.jit
def attention(tokens):
    return tokens[0] @ tokens[0].T


@jax.jit
def per_example(batch):
    return jax.vmap(lambda v: jnp.tanh(v) * 2)(batch)


@jax.jit
def weighted(xs, ys):
    return jnp.dot(xs, ys)


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run)

    def _run(self, signal):
        def step(estimate, value):
            estimate = estimate + self.gain * (value - estimate)
            return estimate, estimate

        return lax.scan(step, 0.0, signal)[1]


def jaxlint_examples():
    x = jnp.ones(400)
    return {
        "total": (x,),
        "cumulative": (x,),
        "over_rows": (jnp.ones((400, 8)),),
        "rolled_out": (jnp.ones(8), jnp.ones((400, 8))),
        "decoded": lambda: decoded(x, seq_len=600),
        "simulated": (x, 400),
        "attention": (jnp.ones((1, 200, 8)),),
        "per_example": (jnp.ones((300, 8)),),
        "weighted": (x, x),
        "Filter.run": lambda made=Filter(0.5): made.run(x),
    }
