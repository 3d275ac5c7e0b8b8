"""Static arguments with and without a hash."""

import dataclasses
import enum
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnames="spec")
def apply(x, spec):
    return x * 2


@functools.partial(jax.jit, static_argnums=1)
def reshaped(x, sizes=(2, 2)):
    return x.reshape(sizes)


@dataclasses.dataclass(frozen=True)
class Loose:
    order: int


@dataclasses.dataclass(frozen=True)
class Frozen:
    order: int


@dataclasses.dataclass(eq=False)
class ById:
    order: int


class Pad(NamedTuple):
    left: int


class Mode(enum.Enum):
    FAST = 1


class Equal:
    def __eq__(self, other):
        return isinstance(other, Equal)


class Hashed(Equal):
    def __hash__(self):
        return 1


def with_list(x):
    return reshaped(x, (2, 2))


def with_dict(x):
    return apply(x, {"order": 2})


def with_array(x):
    return apply(x, spec=jnp.arange(3))


def with_numpy_array(x):
    return apply(x, spec=np.arange(3))


def with_dataclass(x):
    return apply(x, Loose(2))


def with_equal(x):
    return apply(x, Equal())


def by_name(x):
    sizes = [2, 2]
    return reshaped(x, tuple(sizes))


def with_tuple(x):
    return reshaped(x, (2, 2))


def with_default(x):
    return reshaped(x)


def with_frozen(x):
    return apply(x, Frozen(2))


def with_named_tuple(x):
    return apply(x, Pad(1))


def with_enum(x):
    return apply(x, Mode.FAST)


def with_text(x):
    return apply(x, "fast")


def with_hash(x):
    return apply(x, Hashed())


def with_numpy_scalar(x):
    return apply(x, np.int32(3))


@jax.jit
def traced(x, weights):
    return x * weights[0]


def list_for_traced(x):
    return traced(x, [1.0, 2.0])


def made_tuple(x):
    sizes = tuple([2, 2])
    return reshaped(x, sizes)


def jaxlint_examples():
    x = jnp.ones(4)
    names = "list dict array numpy_array dataclass equal tuple default frozen named_tuple enum text hash numpy_scalar"
    found = {f"with_{name}": (x,) for name in names.split()}
    return {**found, "by_name": (x,), "list_for_traced": (x,), "made_tuple": (x,)}
