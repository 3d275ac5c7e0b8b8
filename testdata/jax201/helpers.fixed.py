"""Options that travel from a compiled function into helpers: the place is where a helper needs them."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def require_positive(order: int):
    if order < 0:
        raise ValueError("order must be positive")


@partial(jax.jit, static_argnames="order")
def derivative(x, order):
    require_positive(order)
    return x * order


def pool(x, size):
    return x.reshape(-1, size).max(axis=1)


@partial(jax.jit, static_argnames="size")
def features(x, size):
    return pool(jnp.tanh(x), size)


def normalise(x, axis):
    return x / jnp.linalg.norm(x, axis=axis, keepdims=True)


def direction(x, axis):
    return normalise(x - x.mean(), axis)


@partial(jax.jit, static_argnames="axis")
def projected(x, axis):
    return direction(2 * x, axis)


def loss(w, x, training: bool):
    w = 0.5 * w if training else w
    return jnp.sum((w * x) ** 2)


@partial(jax.jit, static_argnames="training")
def gradient(w, x, training: bool):
    return jax.grad(loss)(w, x, training)


def positive_order(x, order: int):
    """The same check, of a static option."""
    if order < 0:
        raise ValueError("order must be positive")
    return x * order


@partial(jax.jit, static_argnames=("order",))
def static_derivative(x, order):
    return positive_order(x, order)


def static_pool(x, size):
    return x.reshape(-1, size).max(axis=1)


@partial(jax.jit, static_argnums=1)
def static_features(x, size):
    return static_pool(jnp.tanh(x), size)


def pool_by_two(x, size):
    return x.reshape(-1, size).max(axis=1)


@jax.jit
def constant_features(x):
    """The helper gets a constant, or a shape."""
    return pool_by_two(x, 2) + pool_by_two(x, x.shape[0] // 2)[0]


def gather(x, n):
    return x[n]


@jax.jit
def gathered(x, n):
    return gather(x, n)


def drop(x, training: bool = False):
    return 0.5 * x if training else x


@jax.jit
def never_dropped(x):
    return drop(x) + drop(x, False) + drop(x, training=True)


def body(x, order: int):
    return x[:order] if order > 2 else x


@jax.jit
def scanned(xs):
    return lax.map(partial(body, order=3), xs)


def static_loss(w, x, training: bool):
    w = 0.5 * w if training else w
    return jnp.sum((w * x) ** 2)


@partial(jax.jit, static_argnames="training")
def static_gradient(w, x, training: bool):
    return jax.grad(static_loss)(w, x, training)


def host_pool(x, size):
    """The option comes from eager code only."""
    return x.reshape(-1, size).max(axis=1)


def host(x, size):
    return host_pool(never_dropped(x), size)


def jaxlint_examples():
    x = jnp.arange(6.0)
    return {
        "require_positive": lambda: derivative(x, 2),
        "pool": lambda: features(x, 2),
        "normalise": lambda: projected(x, 0),
        "loss": lambda: gradient(x, x, True),
        "positive_order": lambda: static_derivative(x, 2),
        "static_pool": lambda: static_features(x, 2),
        "pool_by_two": lambda: constant_features(x),
        "gather": lambda: gathered(x, 2),
        "drop": lambda: never_dropped(x),
        "body": lambda: scanned(x.reshape(1, 6)),
        "static_loss": lambda: static_gradient(x, x, True),
        "host_pool": lambda: host(x, 2),
    }
