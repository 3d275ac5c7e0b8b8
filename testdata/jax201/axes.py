"""An axis, a rank or a power left for jit to trace."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def total(x, axis):
    return x.sum(axis=axis)  # want: JAX201


@jax.jit
def total_by_function(x, axis):
    return jnp.sum(x, axis=axis)  # want: JAX201


@jax.jit
def total_over_two(x, axis):
    return jnp.sum(x, axis=(0, axis))  # want: JAX201


@jax.jit
def total_kept(x, keep):
    return jnp.sum(x, keepdims=keep)  # want: JAX201


@jax.jit
def joined(x, axis):
    return jnp.concatenate([x, x], axis=axis)  # want: JAX201


@jax.jit
def stacked(x, axis):
    return jnp.stack([x, -x], axis)  # want: JAX201


@jax.jit
def permuted(x, order):
    return jnp.transpose(x, order)  # want: JAX201


@jax.jit
def with_axis(x, axis):
    return jnp.expand_dims(x, axis)  # want: JAX201


@jax.jit
def without_axis(x, axis):
    return jnp.squeeze(x[None], axis)  # want: JAX201


@jax.jit
def swapped(x, axis):
    return jnp.swapaxes(x, axis, 1)  # want: JAX201


@jax.jit
def moved(x, axis):
    return jnp.moveaxis(x, axis, -1)  # want: JAX201


@jax.jit
def winner(x, axis):
    return jnp.argmax(x, axis=axis)  # want: JAX201


@jax.jit
def running(x, axis):
    return jnp.cumsum(x, axis=axis)  # want: JAX201


@jax.jit
def probabilities(x, axis):
    return jax.nn.softmax(x, axis=axis)  # want: JAX201


@jax.jit
def doubled(x, axis):
    return jax.vmap(lambda row: 2 * row, in_axes=axis)(x)  # want: JAX201


@jax.jit
def powered(x, n):
    """The operator takes a traced exponent, this primitive does not."""
    return lax.integer_pow(x, n)  # want: JAX201


def normalised(x, axis):
    """Reported once, where the parameter is first needed."""
    low = x.min(axis=axis, keepdims=True)  # want: JAX201
    high = x.max(axis=axis, keepdims=True)
    return (x - low) / (high - low)


fast_normalised = jax.jit(normalised)


def spread(x, axis):
    return x.max(axis=axis) - x.min(axis=axis)  # want: JAX201


spread = jax.jit(spread)


def widest(x):
    """Who calls it by its name calls what the name stands for by then."""
    return spread(x, 0).max()


def jaxlint_examples():
    x = jnp.arange(12.0).reshape(3, 4)
    return {
        "total": (x, 0),
        "total_by_function": (x, 0),
        "total_over_two": (x, 1),
        "total_kept": (x, True),
        "joined": (x, 0),
        "stacked": (x, 0),
        "permuted": (x, (1, 0)),
        "with_axis": (x, 0),
        "without_axis": (x, 0),
        "swapped": (x, 0),
        "moved": (x, 0),
        "winner": (x, 0),
        "running": (x, 0),
        "probabilities": (x, 0),
        "doubled": (x, 0),
        "powered": (x, 2),
        "normalised": lambda: fast_normalised(x, 0),
        "spread": lambda: spread(x, 0),
    }
