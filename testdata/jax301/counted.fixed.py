"""The loops of counted.py as loops of jax: one copy of the body, however many turns."""

import jax
import jax.numpy as jnp
from jax import lax

STEPS = 1000


@jax.jit
def drift(x):
    return lax.fori_loop(0, 1000, lambda _, v: v + 1.0, x)


@jax.jit
def pendulum(angle):
    return lax.scan(lambda a, _: (jnp.sin(a) * 0.5 + a, None), angle, None, length=STEPS)[0]


@jax.jit
def network(x):
    weight = jnp.ones((64, 64)) / 64
    return lax.fori_loop(0, 1000, lambda _, v: jnp.tanh(v @ weight), x)


@jax.jit
def recurrence(x):
    return lax.fori_loop(0, 320, lambda i, v: v.at[i].set(v[i - 1] * 0.5 + 1.0), x)


@jax.jit
def pairs(x):
    def row(i, v):
        return lax.fori_loop(0, 32, lambda j, w: w + i * j, v)

    return lax.fori_loop(0, 40, row, x)


@jax.jit
def countdown(x):
    return lax.while_loop(lambda s: s[0] < STEPS, lambda s: (s[0] + 1, s[1] + 1.0), (0, x))[1]


@jax.jit
def stacked(x):
    return x[:500] * 2


@jax.jit
def summed(x):
    return 0.5 * jnp.sum(x[:500])


@jax.jit
def unrolled_by_jax(x):
    """Tens of turns a copy are a choice, and a number that can be changed."""
    return lax.scan(lambda a, _: (jnp.sin(a) * 0.5 + a, None), x, None, length=STEPS, unroll=10)[0]


@jax.jit
def unrolled_when_lowered(x):
    """The program stays small until XLA gets it."""
    return lax.fori_loop(0, 1000, lambda _, v: v + 1.0, x, unroll=True)


@jax.jit
def over_stacked_layers(x):
    layers = (jnp.ones((48, 8, 8)), jnp.zeros((48, 8)))
    return lax.scan(lambda v, layer: (jnp.tanh(v @ layer[0] + layer[1]), None), x, layers)[0]


def jaxlint_examples():
    x, short = jnp.zeros(1000), jnp.zeros(3)
    return {
        "drift": (short,),
        "pendulum": (short,),
        "network": (jnp.ones((2, 64)),),
        "recurrence": (x,),
        "pairs": (short,),
        "countdown": (short,),
        "stacked": (x,),
        "summed": (x,),
        "unrolled_by_jax": (short,),
        "unrolled_when_lowered": (short,),
        "over_stacked_layers": (jnp.ones((2, 8)),),
    }
