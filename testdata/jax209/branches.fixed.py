"""The decisions of branches.py left to the program."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def rectified(x):
    return jnp.where(x.sum() > 0, x, -x)


@jax.jit
def converged(x):
    return lax.while_loop(lambda v: jnp.linalg.norm(v) > 0.1, lambda v: 0.5 * v, x)


@jax.jit
def not_nan(x):
    return lax.cond(jnp.any(jnp.isnan(x)), lambda v: -v, lambda v: v, x)


@jax.jit
def clipped(x, norm, limit):
    return jnp.minimum(1.0, limit / norm) * x


@jax.jit
def kept(xs):
    return jnp.where(xs > 0, xs, 0.0)


@jax.jit
def accepted(key, energy, proposal):
    delta = proposal - energy
    accept = (delta < 0) | (jax.random.uniform(key) < jnp.exp(-delta))
    return jnp.where(accept, proposal, energy)


@jax.jit
def larger(a, b):
    return jnp.maximum(a, b)


@jax.jit
def any_negative(xs):
    return jnp.any(xs < 0).astype(jnp.float32)


@jax.jit
def ranked(scores):
    return jnp.sort(scores)


def step(carry, x):
    return carry - jnp.where(carry.sum() > x, x, 0.0), x


def scanned(xs):
    return lax.scan(step, xs[:1], xs)


class Regulator:
    def __init__(self, gain):
        self.gain = gain
        self.act = jax.jit(self._act)

    def _act(self, error):
        return jnp.minimum(self.gain * error, 1.0)


def jaxlint_examples():
    x, key = jnp.arange(4.0), jax.random.key(0)
    return {
        "rectified": (x,),
        "converged": (x,),
        "not_nan": (x,),
        "clipped": (x, 2.0, 1.0),
        "kept": (x,),
        "accepted": (key, 1.0, 2.0),
        "larger": (1.0, 2.0),
        "any_negative": (x,),
        "ranked": (x,),
        "scanned": (x,),
        "Regulator._act": lambda made=Regulator(2.0): made.act(1.0),
    }
