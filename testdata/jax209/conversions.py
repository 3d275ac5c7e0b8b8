"""Traced arrays turned into Python numbers or numpy arrays, and what may be turned into those."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@jax.jit
def rounded(x):
    return int(x.sum())  # want: JAX209


@jax.jit
def mean_of(x):
    return float(jnp.mean(x))  # want: JAX209


@jax.jit
def heated(x, temperature):
    return x / float(temperature)  # want: JAX209


@jax.jit
def is_large(x):
    return jnp.float32(bool(x.max() > 1))  # want: JAX209


@jax.jit
def item_of(x):
    return x * x.max().item()  # want: JAX209


@jax.jit
def scaled_by(x, scale):
    return x * scale.item()  # want: JAX209


@jax.jit
def as_list(x):
    return x.tolist()  # want: JAX209


@jax.jit
def formatted(x):
    print(f"norm {jnp.linalg.norm(x):.3f}")  # want: JAX209
    return x


@jax.jit
def counted(x):
    found = jnp.sum(x > 0)
    for _ in range(found):  # want: JAX209
        x = 0.5 * x
    return x


@jax.jit
def dimensions(x):
    """The shape is no array, whatever is computed from it in Python."""
    n = int(x.shape[0] / 2)  # ok: JAX209
    scale = math.sqrt(x.shape[-1])  # ok: JAX209
    size = int(np.prod(x.shape)) + x.size  # ok: JAX209
    return x[:n] / scale + float(size)  # ok: JAX209


@jax.jit
def constants(x):
    table = np.sin(np.arange(4.0))  # ok: JAX209
    weights = np.asarray([0.1, 0.2, 0.3, 0.4])  # ok: JAX209
    return x * table + weights + float("1e-3") + math.sqrt(2.0)  # ok: JAX209


@jax.jit
def printed(x, n):
    print(f"traced with {x} and {n}", str(x))  # ok: JAX209
    jax.debug.print("norm {}", jnp.linalg.norm(x))  # ok: JAX209
    return x


@jax.jit
def python_numbers(x):
    """These builtins ask the array to compute, not to be known."""
    return abs(x) + round(x) + divmod(x, 2)[0] + sum(x) + pow(x, 2)  # ok: JAX209


@jax.jit
def types_of_numpy(x):
    y = x.astype(np.float32) * np.float32(2.0)  # ok: JAX209
    if np.ndim(x) == 1 and np.shape(x) == (4,):  # ok: JAX209
        return y * np.pi
    return y


@jax.jit
def caught(x, n):
    """Somebody tried: what raises is caught."""
    try:
        return x * int(n)  # ok: JAX209
    except Exception:
        return x * n


@jax.jit
def called_back(x):
    def host(v):
        return np.sin(np.asarray(v)) * float(v.max())  # ok: JAX209

    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@jax.jit
def as_type(x):
    return x.astype(int) + jnp.int32(x.sum()) + jnp.float32(x.max()) + jnp.bool_(x)  # ok: JAX209


@jax.jit
def position(x):
    return x[jnp.argmax(x)] + jnp.asarray([1.0, 2.0])[lax.rem(jnp.argmin(x), 2)]  # ok: JAX209


@jax.jit
def step(x):
    return 0.9 * x


def report(x):
    """Outside the compiled function the array is a value like any other."""
    x = step(x)
    if x.sum() > 0:  # ok: JAX209
        x = np.asarray(x)  # ok: JAX209
    return float(x.mean()), x.max().item(), x.tolist()  # ok: JAX209


def summary(x):
    lines = [f"{float(v):.2f}" for v in step(x) if v > 0]  # ok: JAX209
    return max(step(x)), lines  # ok: JAX209


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "rounded": (x,),
        "mean_of": (x,),
        "heated": (x, 2.0),
        "is_large": (x,),
        "item_of": (x,),
        "scaled_by": (x, jnp.float32(3)),
        "as_list": (x,),
        "formatted": (x,),
        "counted": (x,),
        "dimensions": (x,),
        "constants": (x,),
        "printed": (x, 3),
        "python_numbers": (x,),
        "types_of_numpy": (x,),
        "caught": (x, 3),
        "called_back": (x,),
        "as_type": (x,),
        "position": (x,),
        "report": (x,),
        "summary": (x,),
    }
