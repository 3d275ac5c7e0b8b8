"""Weakly typed fields that a compiled step gives back in another type, through `_replace` and `dataclasses.replace`."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Flow(NamedTuple):
    time: Any
    speed: Any
    count: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Body:
    time: Any
    mass: Any


@jax.jit
def advanced(flow):
    step = 0.5 / jnp.max(jnp.abs(flow.speed))
    return flow._replace(time=flow.time + step, speed=0.9 * flow.speed)


@jax.jit
def aged(body):
    return dataclasses.replace(body, time=body.time + jnp.sum(body.mass))


@jax.jit
def ticked(flow):
    return flow._replace(time=flow.time + 0.1)


@jax.jit
def counted(flow):
    return flow._replace(time=flow.time + jnp.sum(flow.count))


def simulate(steps):
    flow = Flow(time=0.0, speed=jnp.ones(4), count=0)  # want: JAX502
    for _ in range(steps):
        flow = advanced(flow)
    return flow


def grow_old(steps):
    body = Body(0.0, jnp.ones(3))  # want: JAX502
    for _ in range(steps):
        body = aged(body)
    return body


def start_strong(steps):
    flow = Flow(time=jnp.float32(0.0), speed=jnp.ones(4), count=0)  # ok: JAX502
    for _ in range(steps):
        flow = advanced(flow)
    return flow


def stay_weak(steps):
    flow = Flow(time=0.0, speed=jnp.ones(4), count=0)  # ok: JAX502
    for _ in range(steps):
        flow = ticked(flow)
    return flow


def count_whole(steps):
    flow = Flow(time=0.0, speed=jnp.ones(4), count=jnp.arange(3))  # ok: JAX502
    for _ in range(steps):
        flow = counted(flow)
    return flow


def init(step=1.0):
    return Flow(time=jnp.asarray(step), speed=jnp.ones(4), count=0)  # want: JAX502


def simulate_from_default(steps):
    flow = init()
    for _ in range(steps):
        flow = advanced(flow)
    return flow


def init_with(step=1.0):
    return Flow(time=jnp.asarray(step), speed=jnp.ones(4), count=0)  # ok: JAX502


def simulate_from_array(steps):
    flow = init_with(jnp.float32(0.5))
    for _ in range(steps):
        flow = advanced(flow)
    return flow


@jax.jit
def damped(x):
    return x + np.float32(0.5)


def settle(steps):
    x = 0.0  # want: JAX502
    for _ in range(steps):
        x = damped(x)
    return x


@jax.jit
def tallied(state, x):
    total, count = state
    return total + x, count + 1


def tally(steps):
    state = (0.0, 0)  # want: JAX502
    for x in jnp.ones(steps):
        state = tallied(state, x)
    return state


def tally_strong(steps):
    state = (jnp.float32(0.0), 0)  # ok: JAX502
    for x in jnp.ones(steps):
        state = tallied(state, x)
    return state


@jax.jit
def noted(state, x):
    return {"total": state["total"] + x, "scale": state["scale"] * 2.0}


def note(steps):
    state = {"total": 0.0, "scale": 1.0}  # want: JAX502
    for x in jnp.ones(steps):
        state = noted(state, x)
    return state


def note_whole(steps):
    state = {"total": 0.0, "scale": 1.0}  # ok: JAX502
    for x in jnp.arange(steps):
        state = noted(state, x)
    return state


@jax.jit
def averaged(flow, value):
    return flow._replace(time=0.9 * flow.time + 0.1 * value)


@jax.jit
def stepped(body, dt):
    return dataclasses.replace(body, time=body.time + dt)


def average(steps):
    flow = Flow(time=jnp.asarray(0.0), speed=1, count=0)  # want: JAX502
    for value in jnp.ones(steps):
        flow = averaged(flow, value)
    return flow


def average_strong(steps):
    flow = Flow(time=jnp.zeros((), jnp.float32), speed=1, count=0)  # ok: JAX502
    for value in jnp.ones(steps):
        flow = averaged(flow, value)
    return flow


def step_by_number(steps):
    body = Body(0.0, jnp.ones(3))  # ok: JAX502
    for _ in range(steps):
        body = stepped(body, 0.01)
    return body


def step_by_array(steps):
    body = Body(0.0, jnp.ones(3))  # want: JAX502
    for _ in range(steps):
        body = stepped(body, jnp.float32(0.01))
    return body


def jaxlint_examples():
    more = (
        "average",
        "average_strong",
        "step_by_number",
        "step_by_array",
        "tally",
        "tally_strong",
        "note",
        "note_whole",
        "simulate_from_default",
        "simulate_from_array",
        "settle",
    )
    return {name: (4,) for name in (*more, "simulate", "grow_old", "start_strong", "stay_weak", "count_whole")}
