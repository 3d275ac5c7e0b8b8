"""Places that take a traced number, and questions that jax answers while tracing."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@jax.jit
def item(x, n):
    return x[n]  # ok: JAX201


@jax.jit
def row_and_column(x, i, j):
    return x[i, j] + x[i][j]  # ok: JAX201


@jax.jit
def updated(x, n):
    x = x.at[n].set(0.0)  # ok: JAX201
    return x.at[n].add(1.0)  # ok: JAX201


@jax.jit
def turns(x, n):
    return lax.fori_loop(0, n, lambda _, c: c + 1, x)  # ok: JAX201


@jax.jit
def window(x, start):
    x = lax.dynamic_slice(x, (start,), (3,))  # ok: JAX201
    return lax.dynamic_slice_in_dim(x, start, 2)  # ok: JAX201


@jax.jit
def taken(x, n):
    return jnp.take(x, n) + jnp.roll(x, n) + jnp.clip(x, n, 5)  # ok: JAX201


@jax.jit
def endpoints(x, low, high):
    return x[:5] + jnp.linspace(low, high, 5)  # ok: JAX201


@jax.jit
def repeated(x, n):
    return jnp.repeat(x, n, total_repeat_length=16)  # ok: JAX201


@jax.jit
def power(x, n):
    return x**n  # ok: JAX201


@jax.jit
def packed(x, n):
    return x[:2] + jnp.array([n, 2])  # ok: JAX201


@jax.jit
def narrated(x, n):
    name = f"order {n}"  # ok: JAX201
    print(name, n, str(n))  # ok: JAX201
    return x


@jax.jit
def flag_as_data(x, training: bool):
    """A flag may well be traced where jax chooses."""
    x = jnp.where(training, 0.5 * x, x)  # ok: JAX201
    x = lax.cond(training, jnp.sin, jnp.cos, x)  # ok: JAX201
    return lax.select(training, x, -x)  # ok: JAX201


@jax.jit
def number_as_data(x, order: int, scale: float = 2.0):
    branches = [jnp.sin, jnp.cos, jnp.tanh]
    x = lax.switch(order, branches, x)  # ok: JAX201
    return scale * x + order * jnp.arange(x.shape[0])  # ok: JAX201


@jax.jit
def counted(x, n: int):
    return lax.while_loop(lambda s: s[1] < n, lambda s: (0.5 * s[0], s[1] + 1), (x, 0))[0]  # ok: JAX201


@jax.jit
def masked_head(x, n):
    return jnp.where(jnp.arange(x.shape[0]) < n, x, 0.0)  # ok: JAX201


@jax.jit
def optional(x, y):
    return x if y is None else x + y  # ok: JAX201


@jax.jit
def not_none(x):
    """Compared for equality, None is still None."""
    return x if x != None else 0.0  # ok: JAX201


@jax.jit
def by_rank(x, y):
    if x.ndim == 2:  # ok: JAX201
        x = x.sum(axis=x.ndim - 1)  # ok: JAX201
    if len(x) > 2 and x.shape[0] > 2:  # ok: JAX201
        x = x[: y.shape[0]]  # ok: JAX201
    return x.reshape(y.size, -1)  # ok: JAX201


@jax.jit
def by_type(x, n):
    if isinstance(x, np.ndarray):  # ok: JAX201
        return -x
    if isinstance(n, int) or not isinstance(x, jax.Array):  # ok: JAX201
        return 2 * x
    return x


@jax.jit
def by_dtype(x, y):
    if x.shape == y.shape and x.dtype == jnp.float32:  # ok: JAX201
        return x
    return y.astype(x.dtype)  # ok: JAX201


@jax.jit
def tolerant(x, n: int):
    """Somebody tried: what raises is caught."""
    try:
        return x * int(n)  # ok: JAX201
    except Exception:
        return x * n


@jax.jit
def from_shape(x):
    n = x.shape[0]
    y = jnp.zeros(n // 2) + x[: n // 2]  # ok: JAX201
    return y.reshape(1, -1)[:, : min(n, 2)]  # ok: JAX201


def eager(x, n: int, axis: int):
    """Nobody traces it."""
    if n > 2:  # ok: JAX201
        return jnp.zeros(n)  # ok: JAX201
    return x.sum(axis=axis)


def report(x):
    return eager(item(x, 1), 3, 0)


def jaxlint_examples():
    x = jnp.arange(8.0)
    matrix = jnp.arange(12.0).reshape(3, 4)
    return {
        "item": (x, 1),
        "row_and_column": (matrix, 1, 2),
        "updated": (x, 1),
        "turns": (x, 3),
        "window": (x, 1),
        "taken": (x, 2),
        "endpoints": (x, 0.5, 1.0),
        "repeated": (x, 2),
        "power": (x, 2),
        "packed": (x, 3),
        "narrated": (x, 3),
        "flag_as_data": (x, True),
        "number_as_data": (x, 1),
        "counted": (x, 3),
        "masked_head": (x, 3),
        "optional": lambda: (optional(x, None), optional(x, x)),
        "not_none": (x,),
        "by_rank": (matrix, jnp.ones(3)),
        "by_type": (x, 3),
        "by_dtype": (x, matrix),
        "tolerant": (x, 3),
        "from_shape": (x,),
        "eager": lambda: report(x),
    }
