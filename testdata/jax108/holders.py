"""Factories that return several compiled functions at once: in a tuple, a record or a dictionary."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Functions(NamedTuple):
    step: Callable
    loss: Callable


def make_pair(w):
    @jax.jit
    def step(x):
        return w * x

    @jax.jit
    def loss(x):
        return (w - x).sum()

    return step, loss


def make_record(w):
    step = jax.jit(lambda x: w * x)
    loss = jax.jit(lambda x: (w - x).sum())
    return Functions(step, loss)


def make_table(w):
    @jax.jit
    def step(x):
        return w * x

    return {"step": step, "weight": w}


def with_pairs(ws, x):
    for w in ws:
        step, loss = make_pair(w)  # want: JAX108
        x = step(x) + loss(x)
    return x


def with_records(ws, x):
    for w in ws:
        functions = make_record(w)  # want: JAX108
        x = functions.step(x)
    return x


def with_tables(ws, x):
    for w in ws:
        x = make_table(w)["step"](x)  # want: JAX108
    return x


def minimised(w, x):
    step, loss = make_pair(w)  # want: JAX108
    for _ in range(5):
        x = step(x)
    return x, loss(x)


def continued(ws, x):
    """Each solution is the start of the next: what is compiled for one is compiled again for all."""
    for w in ws:
        x, _ = minimised(w, x)
    return x


class Solver:
    """What is made once serves all calls."""

    def __init__(self, w):
        self.step, self.loss = make_pair(w)  # ok: JAX108
        self.functions = make_record(w)  # ok: JAX108

    def solved(self, x):
        for _ in range(5):
            x = self.step(x)
        return self.functions.loss(x)


STEP, LOSS = make_pair(2.0)  # ok: JAX108
FUNCTIONS = make_record(2.0)  # ok: JAX108
TABLE = make_table(2.0)  # ok: JAX108


def used(x):
    for _ in range(5):
        x = TABLE["step"](FUNCTIONS.step(STEP(x)))  # ok: JAX108
    return LOSS(x)


def only_data(ws):
    """The functions are not called."""
    total = 0.0
    for w in ws:
        total += make_table(w)["weight"]  # ok: JAX108
    return total


def rewrapped(w):
    step, _ = make_pair(w)  # ok: JAX108
    return lambda x: step(x) + 1


REWRAPPED = rewrapped(3.0)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "with_pairs": ([1.0, 2.0], x),
        "with_records": ([1.0, 2.0], x),
        "with_tables": ([1.0, 2.0], x),
        "minimised": (2.0, x),
        "continued": ([1.0, 2.0], x),
        "Solver.__init__": lambda solver=Solver(2.0): solver.solved(x),
        "used": (x,),
        "only_data": ([1.0, 2.0],),
        "rewrapped": lambda: REWRAPPED(x),
    }
