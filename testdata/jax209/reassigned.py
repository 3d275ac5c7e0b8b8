"""Constructors that test an attribute and store what they compute of it."""

import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Amount:
    value: jax.Array

    def __post_init__(self):
        if self.value < 0:  # want: JAX209
            self.value = -self.value


class Angle:
    def __init__(self, value):
        self.value = value
        if self.value > 180.0:  # want: JAX209
            self.value = self.value - 360.0


@jax.jit
def amount(x):
    return Amount(x).value


@jax.jit
def angle(x):
    return Angle(x).value


@dataclasses.dataclass
class Order:
    value: jax.Array
    power: int = 2

    def __post_init__(self):
        if self.power > 2:  # ok: JAX209
            self.power = self.power - 1


@jax.jit
def ordered(x):
    order = Order(x)
    return order.value**order.power


class Wrapped:
    def __init__(self, value, turns=0):
        self.value = value
        self.turns = turns
        if self.turns > 1:  # ok: JAX209
            self.turns = self.turns - 1


@jax.jit
def wrapped(x):
    return Wrapped(x).value


def concrete(x):
    """Nothing is traced here."""
    if Plain(x).value > 0:  # ok: JAX209
        return x
    return -x


class Plain:
    def __init__(self, value):
        self.value = value
        self.value = -self.value


def jaxlint_examples():
    x = jnp.array(2.0)
    return {
        "Amount.__post_init__": lambda: amount(x),
        "Angle.__init__": lambda: angle(x),
        "Order.__post_init__": lambda: ordered(x),
        "ordered": (x,),
        "Wrapped.__init__": lambda: wrapped(x),
        "wrapped": (x,),
        "concrete": (x,),
    }
