"""Functions of NumPy, SciPy and `math` on traced data, and on what Python knows while JAX traces."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from jax import lax


@jax.jit
def as_numpy(x):
    return jnp.asarray(x)


@jax.jit
def sine(x):
    return jnp.sin(x)


@jax.jit
def packed(x, offset):
    return x[:2] + jnp.array([offset, 2.0])


@jax.jit
def distance(x, variance):
    return x / jnp.sqrt(variance)


@jax.jit
def cell(x, position):
    return x * math.floor(position)


@jax.jit
def shifted(x):
    return jnp.append(x[0], x[:-1])


@jax.jit
def wrapped_around(x):
    return jnp.concatenate([x[-1:], x, x[:1]])


@jax.jit
def increments(x):
    return jnp.sum(jnp.diff(x))


@jax.jit
def like(x):
    return jnp.zeros_like(x) + 1.0


@jax.jit
def length(x):
    return x / jnp.linalg.norm(x)


@jax.jit
def mean_of_two(x):
    return np.mean([x[0], x[1]])


@jax.jit
def error_function(x):
    return jax.scipy.special.erf(x)


@jax.jit
def of_leaves(tree):
    return jax.tree.map(lambda leaf: leaf - jnp.median(leaf), tree)


def smoothed(x):
    return jnp.convolve(x, np.ones(2), mode="same")


@jax.jit
def of_helper(x):
    return smoothed(x - x.mean())


def scaled_norm(x):
    return jnp.sum(jnp.square(x))


def slope(x):
    """No compiled function is needed: what `grad` hands over has no value for NumPy either."""
    return jax.grad(scaled_norm)(x)


def step(carry, x):
    return carry + jnp.exp(x), x


def scanned(xs):
    return lax.scan(step, 0.0, xs)


@jax.jit
def reductions(x):
    """NumPy calls the array's own method, which traced arrays have."""
    total = np.sum(x) + np.mean(x) + np.max(x) - np.min(x) + np.std(x)
    return np.reshape(x, (4,)) + np.transpose(x) + np.cumsum(x) + total


@jax.jit
def dimensions(x):
    """A shape is no array, whatever is computed from it in Python."""
    n = int(np.prod(x.shape)) + np.ndim(x) + np.size(x)
    scale = math.sqrt(x.shape[-1]) * math.log2(n)
    return x / scale + np.log(len(x))


@jax.jit
def constants(x):
    table = np.sin(np.arange(4.0))
    weights = np.asarray([0.1, 0.2, 0.3, 0.4])
    kernel = np.convolve(table, weights, mode="same")
    return x * table + weights + math.sqrt(2.0) + kernel


@jax.jit
def operators(x):
    """Operators are JAX's to compute, whichever side NumPy's array is on."""
    table = np.linspace(0.0, 1.0, 4)
    return table * x + table @ x + (table > x) + np.float32(2.0) * x


@partial(jax.jit, static_argnames=("rate", "steps"))
def static(x, rate, steps):
    decay = np.exp(-rate * np.arange(steps))
    return x * decay.sum() + math.sqrt(rate)


@jax.jit
def types_of_numpy(x):
    y = x.astype(np.float32) * np.finfo(np.float32).eps
    if np.issubdtype(x.dtype, np.floating) and np.result_type(x, y) == x.dtype:
        return y * np.pi
    return y


@jax.jit
def caught(x):
    try:
        return np.asarray(x)
    except Exception:
        return x


@jax.jit
def called_back(x):
    def host(v):
        return np.sort(np.asarray(v))

    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@jax.jit
def at_compile_time(x):
    with jax.ensure_compile_time_eval():
        table = np.asarray(jnp.arange(4.0))
    return x * table


def bound(x):
    """What `grad` does not differentiate by has its values."""
    return jax.grad(weighted)(x, np.arange(4.0))


def weighted(x, weights):
    return jnp.sum(x * np.sqrt(weights))


@jax.jit
def doubled(x):
    return 2 * x


def report(x):
    """Outside the compiled function the array is a value like any other."""
    y = np.asarray(doubled(x))
    return np.median(y), math.sqrt(y[0]), np.concatenate([y, doubled(x)])


def outer(scale):
    """What a traced function takes from an eager one around it has its value already."""
    factor = jnp.float32(scale)

    @jax.jit
    def inner(x):
        return x * math.sqrt(factor)

    return inner


INNER = outer(4.0)


@jax.jit
def of_tree(tree):
    return jax.tree.map(lambda leaf: leaf / np.sqrt(leaf.size), tree)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "as_numpy": (x,),
        "sine": (x,),
        "packed": (x, 3.0),
        "distance": (x, 3.0),
        "cell": (x, 3.0),
        "shifted": (x,),
        "wrapped_around": (x,),
        "increments": (x,),
        "like": (x,),
        "length": (x,),
        "mean_of_two": (x,),
        "error_function": (x,),
        "of_leaves": ({"a": x},),
        "smoothed": lambda: of_helper(x),
        "scaled_norm": lambda: slope(x),
        "step": lambda: scanned(x),
        "reductions": (x,),
        "dimensions": (x,),
        "constants": (x,),
        "operators": (x,),
        "static": lambda: static(x, rate=0.5, steps=3),
        "types_of_numpy": (x,),
        "caught": (x,),
        "called_back": (x,),
        "at_compile_time": (x,),
        "weighted": lambda: bound(x),
        "report": (x + 1,),
        "outer": lambda: INNER(x),
        "of_tree": ({"a": x},),
    }
