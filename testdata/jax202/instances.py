"""Methods with a static `self`, in classes whose instances have a hash and in others."""

import abc
import dataclasses
import functools

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class _Loose:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # want: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass(order=True)
class _Named:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnames="self")  # want: JAX202
    def scaled(self, x):
        return x * self.factor


# These have a hash.


@dataclasses.dataclass(frozen=True)
class Frozen:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass(eq=False)
class ById:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass(unsafe_hash=True)
class Hashed:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass
class WithHash:
    factor: float = 2.0
    __hash__ = object.__hash__

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass
class Given:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


Given.__hash__ = object.__hash__


def with_hash(cls):
    cls.__hash__ = object.__hash__
    return cls


@with_hash
@dataclasses.dataclass
class Decorated:
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


@dataclasses.dataclass
class Base(abc.ABC):
    factor: float = 2.0

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


class Heir(Base):
    def __hash__(self):
        return id(self)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Tree:
    factor: float = 2.0

    @jax.jit  # ok: JAX202
    def scaled(self, x):
        return x * self.factor

    def tree_flatten(self):
        return (self.factor,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@dataclasses.dataclass
class Alike:
    """What it is equal to is its own affair, and so is its hash."""

    factor: float = 2.0
    names: tuple = ()

    def __eq__(self, other):
        return isinstance(other, Alike) and self.factor == other.factor

    def __hash__(self):
        return hash(self.factor)

    def described(self):
        return ", ".join(self.names)

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


class Equal:
    factor = 2.0

    def __eq__(self, other):
        return isinstance(other, Equal)

    def __hash__(self):
        return 1

    @functools.partial(jax.jit, static_argnums=0)  # ok: JAX202
    def scaled(self, x):
        return x * self.factor


def jaxlint_examples():
    x = jnp.arange(8.0)
    classes = (_Loose, _Named, Frozen, ById, Hashed, WithHash, Given, Decorated, Tree, Alike, Equal)
    return {**{f"{cls.__name__}.scaled": (cls(), x) for cls in classes}, "Base.scaled": (Heir(), x)}
