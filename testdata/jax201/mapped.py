"""Parameters that a static argument cannot give a value to: mapped over, carried, differentiated, made of arrays."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
@jax.vmap
def tail_sum(n: int):
    return jnp.ones(n).sum()  # want: JAX201


@partial(jax.jit, static_argnames=("size", "most"))
def powers(size, rate, most):
    identity = jnp.eye(size)

    def one(power):
        return rate * jnp.linalg.matrix_power(identity, power)  # want: JAX201

    return jax.vmap(one)(jnp.arange(most))


def kept(x, count: int):
    return x[:count]  # want: JAX201


@jax.jit
def by_data(x):
    return kept(x, x.argmax())


@jax.jit
def carried(x):
    def body(i, total):
        return total + x[:i].sum()  # want: JAX208

    return jax.lax.fori_loop(0, 3, body, 0.0)


@partial(jax.vmap, in_axes=(0, None))
def repeated(x, times: int):
    return x * jnp.ones(times)  # want: JAX201


@jax.jit
def in_tiles(x, times: int):
    return repeated(x, times)


@jax.jit
def best(x, top: int = 2):
    return chosen(x, top)


def chosen(x, k: int):
    return jax.lax.top_k(x, k)  # want: JAX201


def given_best(x):
    return best(x, top=2)


@jax.jit
def maximal(x, values):
    place = x.at[0]
    return place.max(values)  # ok: JAX201


def flagged(x, verbose: bool = False):
    if verbose:  # ok: JAX201
        return 2 * x
    return x


flagged_fast = jax.jit(flagged)


@jax.jit
def with_flag(x):
    return flagged(x, verbose=True)


def both(x):
    return flagged_fast(x) + with_flag(x) + flagged(x, True)


@jax.jit
def pooled(x, size=2):
    def one(row, size=size):
        return row[:size].sum()  # ok: JAX201

    return jax.vmap(one)(x)


def all_pooled(x):
    return pooled(x)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "tail_sum": (jnp.arange(3),),
        "powers": (2, 0.5, 3),
        "by_data": (x,),
        "carried": (x,),
        "in_tiles": (x, 2),
        "given_best": (x,),
        "maximal": (x, 2.0),
        "flagged": (x,),
        "flagged_fast": lambda: flagged_fast(x),
        "with_flag": (x,),
        "both": (x,),
        "pooled": lambda: pooled(jnp.ones((3, 4))),
        "all_pooled": (jnp.ones((3, 4)),),
    }
