"""Loops that are short, or light, and rightly unrolled."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

STAGES = ((0.5, 0.5), (0.5, 0.5), (1.0, 1.0))
LAYERS = 12


@jax.jit
def once_only(x):
    for _ in range(1):  # ok: JAX301
        x = x + 1.0
    return x


@jax.jit
def four_turns(x):
    for _ in range(4):  # ok: JAX301
        x = x + 1.0
    return x


@jax.jit
def ten_turns(x):
    for _ in range(10):  # ok: JAX301
        x = jnp.sin(x) * 0.5 + x
    return x


@jax.jit
def light(x):
    for _ in range(32):  # ok: JAX301
        x = jnp.sin(x) * 0.5 + x
    return x


@jax.jit
def legs(rates):
    """Ten legs, and each is long when it is written out."""
    total = 0.0
    for i in range(10):  # ok: JAX301
        total = total + jnp.interp(i * 0.5, rates, rates) / jnp.interp(i * 0.5 + 0.5, rates, rates)
    return total


@jax.jit
def hundred_light_turns(x):
    for _ in range(100):  # ok: JAX301
        x = jnp.sin(x) * 0.5 + x
    return x


@jax.jit
def three_hundred_additions(x):
    for _ in range(320):  # ok: JAX301
        x = x + 1.0
    return x


@jax.jit
def thresholds(x):
    for i in range(80):  # ok: JAX301
        x = jnp.where(x > i, x - 1.0, x + 1.0)
    return x


@jax.jit
def nearly(x):
    """Just under the limit: it takes a moment to compile, and that is all."""
    for _ in range(320):  # once: JAX301
        x = jnp.sin(x) * 0.5 + x
    return x


@jax.jit
def network(x):
    """A product of large matrices is one operation among others."""
    weight = jnp.ones((64, 64)) / 64
    for _ in range(LAYERS):  # ok: JAX301
        x = jnp.tanh(x @ weight)
    return x


@jax.jit
def deep_network(x):
    weight = jnp.ones((64, 64)) / 64
    for _ in range(100):  # ok: JAX301
        x = jnp.tanh(x @ weight)
    return x


@jax.jit
def very_deep_network(x):
    weight = jnp.ones((64, 64)) / 64
    for _ in range(320):  # once: JAX301
        x = jnp.tanh(x @ weight)
    return x


@jax.jit
def recurrence(x):
    for i in range(1, 11):  # ok: JAX301
        x = x.at[i].set(x[i - 1] * 0.5 + 1.0)
    return x


@jax.jit
def longer_recurrence(x):
    for i in range(1, 33):  # ok: JAX301
        x = x.at[i].set(x[i - 1] * 0.5 + 1.0)
    return x


@jax.jit
def few_heavy_turns(x):
    """Eight turns are short, whatever they hold."""
    for i in range(8):  # ok: JAX301
        x = x.at[i].set(jnp.tanh(x @ x) + x[i])
        x = x.at[i + 1].add(jnp.sin(x[i]))
        x = x.at[i + 2].multiply(0.5)
    return x


@jax.jit
def stages(x):
    """Runge and Kutta's stages are a table."""
    total = x
    for a, b in STAGES:  # ok: JAX301
        total = total + b * jnp.sin(x + a * total)
    return total


@jax.jit
def pairs(x):
    for i in range(10):  # ok: JAX301
        for j in range(10):  # ok: JAX301
            x = x + i * j
    return x


@jax.jit
def axes(x):
    for axis in range(x.ndim):  # ok: JAX301
        x = x - x.mean(axis=axis, keepdims=True)
    return x


@jax.jit
def in_a_scan(x):
    """The body is there once, however often jax turns it."""

    def body(carry, _):
        for _ in range(100):  # ok: JAX301
            carry = carry + 1.0
        return carry, None

    return lax.scan(body, x, None, length=50)[0]


@jax.jit
def in_a_map(x):
    def row(v):
        for _ in range(100):  # ok: JAX301
            v = v + 1.0
        return v

    return jax.vmap(row)(x)


@jax.jit
def python_only(x):
    """These turns leave nothing in the program."""
    total = 0.0
    for i in range(5000):  # ok: JAX301
        total = total + 0.5 * i
    names = [f"w{i}" for i in range(2000)]  # ok: JAX301
    return x * total + len(names)


@jax.jit
def shapes_only(x):
    sizes = []
    for i in range(2000):  # ok: JAX301
        sizes.append(x.shape[0] * i + x.ndim)
    return x + sum(sizes)


def table(n):
    return [0.1 * i for i in range(n)]  # ok: JAX301


@jax.jit
def with_table(x):
    return x * jnp.asarray(table(1000)).mean()


@jax.jit
def by_jax(x):
    """No loop of Python stands here."""
    x = lax.fori_loop(0, 5000, lambda _, v: v + 1.0, x)
    return lax.scan(lambda v, _: (jnp.sin(v) * 0.5 + v, None), x, None, length=1000)[0]


@partial(jax.jit, static_argnames="power")
def by_bits(x, power=1 << 20):
    """As many turns as the number has bits."""
    result = jnp.ones_like(x)
    for bit in bin(power)[2:]:  # ok: JAX301
        result = result * result * (x if bit == "1" else 1.0)
    return result


@jax.jit
def step(x):
    return jnp.sin(x) * 0.5 + x


def simulate(x):
    """Each turn calls the same small program."""
    for _ in range(1000):  # ok: JAX301
        x = step(x)
    return x


def jaxlint_examples():
    x, wide = jnp.ones(40), jnp.ones((2, 64))
    return {
        "once_only": (x,),
        "four_turns": (x,),
        "ten_turns": (x,),
        "light": (x,),
        "legs": (x,),
        "hundred_light_turns": (x,),
        "three_hundred_additions": (x,),
        "thresholds": (x,),
        "nearly": (x,),
        "network": (wide,),
        "deep_network": (wide,),
        "very_deep_network": (wide,),
        "recurrence": (x,),
        "longer_recurrence": (x,),
        "few_heavy_turns": (x,),
        "stages": (x,),
        "pairs": (x,),
        "axes": (wide,),
        "in_a_scan": (x,),
        "in_a_map": (wide,),
        "python_only": (x,),
        "shapes_only": (x,),
        "table": lambda: with_table(x),
        "by_jax": (x,),
        "by_bits": (x,),
        "simulate": (x,),
    }
