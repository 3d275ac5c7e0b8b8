"""Static fields of pytrees that are given new closures, and what functions in sight make."""

import dataclasses
import functools
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class Transformation(NamedTuple):
    init: Callable
    update: Callable


def momentum(rate):
    def init(params):
        return jnp.zeros_like(params)

    def update(grads, state):
        state = 0.9 * state + grads
        return -rate * state, state

    return Transformation(init, update)


@functools.cache
def remembered(rate):
    return momentum(rate)


@partial(jax.tree_util.register_dataclass, data_fields=["params"], meta_fields=["tx"])
@dataclasses.dataclass
class Trainable:
    params: Any
    tx: Transformation


@jax.jit
def trained(model, grads):
    updates, _ = model.tx.update(grads, jnp.zeros_like(grads))
    return model.params + updates


@partial(jax.jit, static_argnames=("tx",))
def stepped(params, grads, tx):
    return params + tx.update(grads, grads)[0]


_tx = momentum(0.1)


def fitted(params, grads):
    for _ in range(3):
        model = Trainable(params, _tx)
        params = trained(model, grads)
    return params


def fitted_by_argument(params, grads):
    for _ in range(3):
        tx = _tx
        params = stepped(params, grads, tx=tx)
    return params


TX = momentum(0.1)


def fitted_once(params, grads):
    for _ in range(3):
        params = trained(Trainable(params, TX), grads)
        params = stepped(params, grads, tx=TX)
    return params


def fitted_remembered(params, grads):
    for _ in range(3):
        params = stepped(params, grads, tx=remembered(0.1))
    return params


def data_only(params, grads):
    for _ in range(3):
        params = trained(Trainable(2 * params, TX), grads)
    return params


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "fitted": (x, x),
        "fitted_by_argument": (x, x),
        "fitted_once": (x, x),
        "fitted_remembered": (x, x),
        "data_only": (x, x),
    }
