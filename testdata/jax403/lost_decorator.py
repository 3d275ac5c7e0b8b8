"""A compiled function, or what would make one, that is thrown away right above the function it was meant for."""

import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import jit


jax.jit  # want: JAX403
def advance(x):
    return x + 0.1 * jnp.sin(x)


jit  # want: JAX403
def retreat(x):
    return x - 0.1 * jnp.sin(x)


partial(jax.jit, static_argnames=("n",))  # want: JAX403
def raised(x, n):
    return x**n


functools.partial(jit, static_argnums=(1,))  # want: JAX403
def lowered(x, n):
    return x - n


jax.jit(inline=True)  # want: JAX403
def inlined(x):
    return 2 * x


jax.pmap  # want: JAX403
def spread(x):
    return x.sum()


eqx.filter_jit  # want: JAX403
def filtered(x):
    return x.mean()


class Oscillator:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    partial(jax.jit, static_argnums=0)  # want: JAX403
    def force(self, x):
        return -self.stiffness * x

    @partial(jax.jit, static_argnums=0)  # ok: JAX403
    def energy(self, x):
        return 0.5 * self.stiffness * jnp.sum(x * x)


def outer(x):
    jax.jit  # want: JAX403
    def inner(v):
        return v + 1

    return inner(x)


if jax.default_backend() == "cpu":
    jit  # want: JAX403
    def chosen(x):
        return x / 2


@jax.jit  # ok: JAX403
def kept(x):
    return x + 1


@partial(jax.jit, static_argnames=("n",))  # ok: JAX403
def kept_with_options(x, n):
    return x**n


@jit  # ok: JAX403
# A comment between the two is no harm.
def kept_after_a_comment(x):
    return x * 3


@jax.jit  # ok: JAX403

def kept_after_a_gap(x):
    return x * 4


compiled = jax.jit(lambda x: x + 5)  # ok: JAX403


def named_in_text(x):
    """jax.jit"""
    return kept(x)


jit_all = (jax.jit, jit)


@jit_all[0]  # ok: JAX403
def by_index(x):
    return x * 5


def jaxlint_examples():
    x = jnp.ones(3)
    oscillator = Oscillator(2.0)
    names = (
        "advance", "retreat", "inlined", "spread", "filtered", "outer", "chosen", "kept", "kept_after_a_comment",
        "kept_after_a_gap", "by_index", "named_in_text",
    )  # fmt: skip
    return {name: (x,) for name in names} | {
        "raised": (x, 2),
        "lowered": (x, 2),
        "kept_with_options": (x, 2),
        "Oscillator.force": (oscillator, x),
        "Oscillator.energy": (oscillator, x),
        "compiled": lambda: compiled(x),
    }
