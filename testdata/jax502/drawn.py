"""Items of tuples that a visible function returns, beside what is drawn at random."""

import jax
import jax.numpy as jnp


def init(key):
    return key, 0.0, 1  # want: JAX502


def strong_init(key):
    return key, jnp.float32(0.0), 1  # ok: JAX502


@jax.jit
def walk(state):
    key, position, count = state
    key, sub = jax.random.split(key)
    position = position + jax.random.normal(sub)
    return key, position, count + 1


@jax.jit
def counted(state):
    key, position, count = state
    return key, position * 2.0, count + 1


def chain(key):
    state = init(key)
    for _ in range(3):
        state = walk(state)
    return state[1]


def strong_chain(key):
    state = strong_init(key)
    for _ in range(3):
        state = walk(state)
    return state[1]


def weak_init(key):
    return key, 0.0, 1  # ok: JAX502


def weak_chain(key):
    state = weak_init(key)
    for _ in range(3):
        state = counted(state)
    return state[1]


def jaxlint_examples():
    key = jax.random.key(0)
    return {
        "init": lambda: chain(key),
        "walk": lambda: chain(key),
        "counted": lambda: weak_chain(key),
        "strong_init": lambda: strong_chain(key),
        "weak_init": lambda: weak_chain(key),
        "chain": (key,),
        "strong_chain": (key,),
        "weak_chain": (key,),
    }
