"""Start values that a function in sight makes, and that come back strongly typed."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    count: Any
    average: Any


def init():
    return State(count=jnp.zeros((), jnp.int32), average=jnp.asarray(0.0))  # want: JAX502


def strong_init():
    return State(count=jnp.zeros((), jnp.int32), average=jnp.asarray(0.0, jnp.float32))  # ok: JAX502


def update(state, value):
    average = (state.count * state.average + value) / (state.count + 1)
    return State(state.count + 1, average)


@jax.jit
def step(params, state, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((w - x) ** 2))(params)
    return params - 0.1 * grad, update(state, loss)


def fit(params, xs):
    state = init()
    for x in xs:
        params, state = step(params, state, x)
    return params


def fit_strong(params, xs):
    state = strong_init()
    for x in xs:
        params, state = step(params, state, x)
    return params


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Data:
    position: jax.Array
    time: jax.Array


def make_data(n):
    return Data(jnp.zeros(n), jnp.array(0.0))  # want: JAX502


def make_weak_data(n):
    return Data(jnp.zeros(n), jnp.array(0.0))  # ok: JAX502


@jax.jit
def advanced(data, dt):
    return Data(data.position + dt, data.time + jnp.float32(0.002))


@jax.jit
def ticked(data, dt):
    return Data(data.position + dt, data.time + 0.002)


def simulated(n):
    data = make_data(n)
    for _ in range(3):
        data = advanced(data, jnp.float32(0.1))
    return data


def simulated_weak(n):
    """What comes back is as weak as what it started with."""
    data = make_weak_data(n)
    for _ in range(3):
        data = ticked(data, jnp.float32(0.1))
    return data


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "init": lambda: fit(x, [x, x, x]),
        "strong_init": lambda: fit_strong(x, [x, x, x]),
        "make_data": lambda: simulated(3),
        "make_weak_data": lambda: simulated_weak(3),
    }
