"""The functions of lost_decorator.py with their decorators."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import jit


@jax.jit
def advance(x):
    return x + 0.1 * jnp.sin(x)


@jit
def retreat(x):
    return x - 0.1 * jnp.sin(x)


@partial(jax.jit, static_argnames=("n",))
def raised(x, n):
    return x**n


@eqx.filter_jit
def filtered(x):
    return x.mean()


class Oscillator:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    @partial(jax.jit, static_argnums=0)
    def force(self, x):
        return -self.stiffness * x


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "advance": (x,),
        "retreat": (x,),
        "raised": (x, 2),
        "filtered": (x,),
        "Oscillator.force": (Oscillator(2.0), x),
    }
