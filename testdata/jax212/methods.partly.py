"""Methods whose instance JAX takes for an argument, in classes that it can and cannot look into."""

import dataclasses
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import linen as nn
from flax import struct


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @partial(jax.jit, static_argnames="self")
    def scaled(self, x):
        return self.factor * x

    @partial(jax.jit, static_argnames=("power", "self"))
    def raised(self, x, power):
        return self.factor * x**power

    @partial(jax.jit, static_argnums=0)
    def static_number(self, x):
        return self.factor * x

    @partial(jax.jit, static_argnames=("self",))
    def static_name(self, x):
        return self.factor * x

    @staticmethod
    @jax.jit
    def doubled(x):
        return 2 * x

    def plain(self, x):
        """What is compiled is a function of the arrays."""
        return _scaled(self.factor, x)


@jax.jit
def _scaled(factor, x):
    return factor * x


@dataclasses.dataclass
class Quadratic:
    a: float

    @jax.vmap
    def values(self, x):
        return self.a * x**2

    @partial(jax.vmap, in_axes=(None, 0))
    def mapped(self, x):
        return self.a * x**2

    @partial(jax.grad, argnums=1)
    def slope(self, x):
        return self.a * x**2


class Namespace:
    """Its functions take no instance."""

    @jax.jit
    def value(weight, x):
        return weight * x

    @jax.jit
    def total(weight, x):
        return Namespace.value(weight, x).sum()


class Potential:
    @jax.grad
    def force(self, x):
        return jnp.sum(x**2)


class Derived(Scaler):
    @partial(jax.jit, static_argnames="self")
    def halved(self, x):
        return 0.5 * self.factor * x


@jax.tree_util.register_pytree_node_class
class Leaves:
    def __init__(self, factor):
        self.factor = factor

    def tree_flatten(self):
        return (self.factor,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)

    @jax.jit
    def scaled(self, x):
        return self.factor * x


class Registered:
    def __init__(self, factor):
        self.factor = factor

    @jax.jit
    def scaled(self, x):
        return self.factor * x


jax.tree_util.register_pytree_node(Registered, lambda r: ((r.factor,), None), lambda _, leaves: Registered(*leaves))


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Fields:
    factor: float

    @jax.jit
    def scaled(self, x):
        return self.factor * x


@struct.dataclass
class State:
    factor: float

    @jax.jit
    def scaled(self, x):
        return self.factor * x


class Layer(eqx.Module):
    factor: float

    @jax.jit
    def scaled(self, x):
        return self.factor * x


class Filtered:
    def __init__(self, factor):
        self.factor = factor

    @eqx.filter_jit
    def scaled(self, x):
        return self.factor * x


class Base:
    """Those that inherit from it are pytrees."""

    @jax.jit
    def scaled(self, x):
        return self.factor * x

    def __init_subclass__(cls):
        jax.tree_util.register_pytree_node(cls, lambda r: ((r.factor,), None), lambda _, leaves: cls(*leaves))


class Heir(Base):
    def __init__(self, factor):
        self.factor = factor


class Pair(NamedTuple):
    first: jax.Array
    second: jax.Array

    @jax.jit
    def total(self, x):
        return self.first + x


class Net(nn.Module):
    @nn.jit
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Scaler.scaled": lambda s=Scaler(2.0): s.scaled(x),
        "Scaler.raised": lambda s=Scaler(2.0): s.raised(x, power=2),
        "Scaler.static_number": lambda scaler=Scaler(2.0): scaler.static_number(x),
        "Scaler.static_name": lambda scaler=Scaler(2.0): scaler.static_name(x),
        "Scaler.doubled": lambda: Scaler.doubled(x),
        "Scaler.plain": lambda: Scaler(2.0).plain(x),
        "Quadratic.values": lambda: Quadratic(2.0).values(x),
        "Quadratic.mapped": lambda: Quadratic(2.0).mapped(x),
        "Quadratic.slope": lambda: Quadratic(2.0).slope(1.0),
        "Namespace.value": lambda: Namespace.value(2.0, x),
        "Namespace.total": lambda: Namespace.total(2.0, x),
        "Potential.force": lambda: Potential().force(x),
        "Derived.halved": lambda s=Derived(2.0): s.halved(x),
        "Leaves.scaled": lambda: Leaves(2.0).scaled(x),
        "Registered.scaled": lambda: Registered(2.0).scaled(x),
        "Fields.scaled": lambda: Fields(2.0).scaled(x),
        "State.scaled": lambda: State(2.0).scaled(x),
        "Layer.scaled": lambda: Layer(2.0).scaled(x),
        "Filtered.scaled": lambda filtered=Filtered(2.0): filtered.scaled(x),
        "Base.scaled": lambda: Heir(2.0).scaled(x),
        "Pair.total": lambda: Pair(x, x).total(x),
        "Net.__call__": lambda: Net().init(jax.random.key(0), x),
    }
