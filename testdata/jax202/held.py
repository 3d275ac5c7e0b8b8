"""Static arguments and fields that hold something without a hash."""

import dataclasses
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Packed(NamedTuple):
    parts: Any
    count: int


def start(x):
    return Packed([x, 2 * x], 0)


def plain_start():
    return Packed((1.0, 2.0), 0)


@partial(jax.jit, static_argnums=1)
def summed(x, state):
    return x + state.count


@partial(jax.jit, static_argnames=("options",))
def scaled(x, options):
    return x * options[1]


@partial(jax.tree_util.register_dataclass, data_fields=["mass"], meta_fields=["body"])
@dataclasses.dataclass
class Contact:
    mass: Any
    body: Any


@jax.jit
def total_mass(contact):
    return contact.mass * 2.0


def by_record(x):
    state = start(x)
    for _ in range(2):
        x = summed(x, state)  # want: JAX202
    return x


def by_tuple(x):
    return scaled(x, options=([1.0], 2.0))  # want: JAX202


def by_field():
    return total_mass(Contact(1.0, np.zeros(3)))  # want: JAX202


def by_plain_record(x):
    return summed(x, plain_start())  # ok: JAX202


def by_plain_tuple(x):
    return scaled(x, options=("linear", 2.0))  # ok: JAX202


def by_plain_field():
    return total_mass(Contact(1.0, (0.0, 0.0)))  # ok: JAX202


def by_dict_field():
    return total_mass(Contact(1.0, {"side": 2}))  # ok: JAX202


def by_list_field():
    return total_mass(Contact(1.0, [0.5, 2.0]))  # ok: JAX202


def by_tuple_of_arrays():
    return total_mass(Contact(1.0, (np.arange(2.0),)))  # want: JAX202


@dataclasses.dataclass(frozen=True)
class Grid:
    sides: Any
    name: str = "grid"


@partial(jax.jit, static_argnames="grid")
def on_grid(x, grid):
    return x * grid.sides[0]


def by_frozen_list(x):
    return on_grid(x, Grid({0: 2}))  # want: JAX202


def by_frozen_tuple(x):
    return on_grid(x, Grid((2, 3)))  # ok: JAX202


@partial(jax.jit, static_argnums=1)
def noisy(x, key):
    return x + jax.random.normal(key, x.shape)


def by_key(x):
    return noisy(x, jax.random.PRNGKey(0))  # want: JAX202


def by_data():
    return total_mass(Contact(np.zeros(3), "body"))  # ok: JAX202


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "by_record": (x,),
        "by_tuple": (x,),
        "by_field": (),
        "by_plain_record": (x,),
        "by_plain_tuple": (x,),
        "by_plain_field": (),
        "by_data": (),
        "by_frozen_list": (x,),
        "by_frozen_tuple": (x,),
        "by_key": (x,),
        "by_dict_field": (),
        "by_list_field": (),
        "by_tuple_of_arrays": (),
    }
