"""Carries that start weak, and such that start strong or stay weak."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    position: jax.Array
    time: jax.Array


@jax.jit
def accumulate(total, reading):
    return total + reading * 0.5


@jax.jit
def doubled(total):
    return total * 2.0


@jax.jit
def step(state, dt):
    return State(state.position + dt, state.time + dt)


def start(n):
    return State(position=jnp.zeros(n), time=jnp.asarray(0.0))


def integrate(readings):
    total = jnp.asarray(0.0, dtype=float)
    for reading in readings:
        total = accumulate(total, reading)
    return total


def simulate(n):
    state = State(jnp.zeros(3), jnp.asarray(0.0, dtype=jnp.float32))
    for _ in range(n):
        state = step(state, jnp.float32(0.1))
    return state


def counted(n):
    count = jnp.asarray(0, dtype=jnp.float32)
    for _ in range(n):
        count = accumulate(count, jnp.float32(1.5))
    return count


def in_half_precision(n):
    total = jnp.asarray(0.0, dtype=jnp.bfloat16)
    for _ in range(n):
        total = accumulate(total, jnp.ones((), jnp.bfloat16))
    return total


def among_whole_numbers(n):
    total = 0.0
    for _ in range(n):
        total = added(total, jnp.int32(3))
    return total


def of_another_shape(n):
    total = 0.0
    for _ in range(n):
        total = accumulate(total, jnp.ones(3))  # the first turn has another shape, whatever its type
    return total


@jax.jit
def added(total, counts):
    return total + counts


def typed(readings):
    total = jnp.zeros((), jnp.float32)
    for reading in readings:
        total = accumulate(total, reading)
    return total


def stays_weak(n):
    total = 1.0
    for _ in range(n):
        total = doubled(total)
    return total


def with_numbers(n):
    total = jnp.asarray(0.0)
    for _ in range(n):
        total = accumulate(total, 2.0)
    return total


def of_one_type(n):
    total = jnp.asarray(0.0, dtype=jnp.float32)
    for _ in range(n):
        total = accumulate(total, jnp.float32(1.5))
    return total


def in_python(readings):
    total = 0.0
    for reading in readings:
        total = total + float(doubled(reading))
    return total


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "start": (3,),
        "integrate": ([x[0], x[1]],),
        "simulate": (3,),
        "counted": (3,),
        "in_half_precision": (3,),
        "among_whole_numbers": (3,),
        "typed": ([x[0], x[1]],),
        "stays_weak": (3,),
        "with_numbers": (3,),
        "of_one_type": (3,),
        "in_python": ([x[0], x[1]],),
    }
