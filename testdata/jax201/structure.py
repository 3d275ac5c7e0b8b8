"""What Python may ask of the arguments of a traced function: their structure, never their values."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Box(NamedTuple):
    low: jax.Array
    high: jax.Array | None = None


@jax.tree_util.register_dataclass
@dataclass
class Spring:
    stiffness: jax.Array
    damping: jax.Array | None = None


@jax.jit
def clipped(x, box: Box):
    x = jnp.maximum(x, box.low)
    if box.high is not None:  # ok: JAX201
        x = jnp.minimum(x, box.high)
    return x


@jax.jit
def force(spring: Spring, x, v=None):
    if v is None or spring.damping is None:  # ok: JAX201
        return -spring.stiffness * x
    return -spring.stiffness * x - spring.damping * v


@jax.jit
def network(layers, x):
    for weight, bias in layers[:-1]:  # ok: JAX201
        x = jnp.tanh(x @ weight + bias)
    if len(layers) > 1:  # ok: JAX201
        x = 2 * x
    return x @ layers[-1][0]


@jax.jit
def added(x, *terms):
    if terms:  # ok: JAX201
        x = x + sum(terms)
    for _ in range(len(terms)):  # ok: JAX201
        x = 0.5 * x
    return x


@jax.jit
def configured(x, **options):
    if "scale" in options:  # ok: JAX201
        x = x * options["scale"]
    if not options:  # ok: JAX201
        return -x
    return x * len(options)


@jax.jit
def batch(data: dict):
    x = data["image"].reshape(len(data["image"]), -1)  # ok: JAX201
    if data.get("mask") is None:  # ok: JAX201
        return x
    return x * data["mask"][:, None]


@jax.jit
def scalar_or_vector(x, y):
    rank = jnp.ndim(y)
    if rank == 0:  # ok: JAX201
        y = jnp.full(x.shape, y)  # ok: JAX201
    rows = jnp.shape(x)[0]
    return jnp.zeros(rows) + jnp.broadcast_to(y, x.shape)[0]  # ok: JAX201


@jax.jit
def by_attribute(x, other):
    if hasattr(other, "shape") and not callable(other):  # ok: JAX201
        x = x + other.sum()
    if type(x) is float:  # ok: JAX201
        return x
    return jnp.zeros((x.shape[0], *other.shape)) + x[0]  # ok: JAX201


@jax.jit
def normalised(tree):
    leaves = jax.tree.leaves(tree)
    if not leaves:  # ok: JAX201
        return tree
    total = jnp.zeros(len(leaves)).sum() + sum(leaf.sum() for leaf in leaves)  # ok: JAX201
    return jax.tree.map(lambda leaf: leaf / total if leaf.ndim else leaf, tree)  # ok: JAX201


@jax.jit
def unpacked(x, pair):
    first, second = pair
    rows, columns = x.shape
    x = x.reshape(columns, rows)  # ok: JAX201
    return first * x + second * jnp.eye(columns, rows)  # ok: JAX201


@jax.jit
def complex_or_real(x, axis_sizes):
    """A complex dtype is known, and so is what is derived from a shape by way of a helper."""
    if jnp.iscomplexobj(x):  # ok: JAX201
        x = x.real
    if jnp.issubdtype(x.dtype, jnp.floating):  # ok: JAX201
        x = x * jnp.finfo(x.dtype).eps
    return x.reshape(_half(x), -1) + axis_sizes.sum()  # ok: JAX201


def _half(x):
    return x.shape[0] // 2


def jaxlint_examples():
    x = jnp.arange(6.0)
    matrix = x.reshape(3, 2)
    weight, bias = jnp.ones((2, 2)), jnp.zeros(2)
    return {
        "clipped": lambda: (clipped(x, Box(x)), clipped(x, Box(x, x))),
        "force": lambda: (force(Spring(x), x), force(Spring(x, x), x, x)),
        "network": ([(weight, bias), (weight, bias)], matrix),
        "added": lambda: (added(x), added(x, x, x)),
        "configured": lambda: (configured(x), configured(x, scale=2.0)),
        "batch": ({"image": matrix},),
        "scalar_or_vector": (x, 2.0),
        "by_attribute": (x, x),
        "normalised": ({"w": matrix, "b": x},),
        "unpacked": (matrix, (1.0, 2.0)),
        "complex_or_real": (x + 1j, x),
    }
