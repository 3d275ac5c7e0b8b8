"""Loops over short tables, products and strides, and loops that count without computing."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

FILTERS = [32, 64, 128]
OFFSETS = list(itertools.product((-1, 0, 1), repeat=2))
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


@jax.jit
def laplacian(image):
    out = -8.0 * image
    for dx, dy in OFFSETS:  # ok: JAX301
        out = out + jnp.roll(image, (dx, dy), axis=(0, 1))
    return out


@jax.jit
def quadrature(x):
    total = 0.0
    for node, weight in zip(NODES, WEIGHTS):  # ok: JAX301
        total = total + weight * jnp.exp(-((x - node) ** 2))
    return total


@jax.jit
def strided(x):
    for start in range(0, 1000, 100):  # ok: JAX301
        x = x.at[start].set(jnp.sin(x[start]))
    return x


@jax.jit
def blocks(x):
    for i, filters in enumerate(FILTERS):  # ok: JAX301
        x = jnp.tanh(x) * filters + i
    return x


@jax.jit
def kernel(x):
    for dx, dy in itertools.product(range(3), range(3)):  # ok: JAX301
        x = x + dx * jnp.sin(x) - dy
    return x


@jax.jit
def newton(x):
    for _ in range(20):  # ok: JAX301
        x = x - (x**2 - 2.0) / (2.0 * x)
    return x


@jax.jit
def digits(x):
    """A thousand turns of Python, and one operation."""
    total = 0
    for i in range(1000):  # ok: JAX301
        for digit in str(i):  # ok: JAX301
            total += int(digit)
    return x * total


@jax.jit
def polynomial(x):
    coefficients = np.zeros(50)
    for i in range(50):  # ok: JAX301
        coefficients[i] = 1.0 / (i + 1)
    return jnp.polyval(coefficients, x)


def jaxlint_examples():
    x = jnp.ones(1000)
    return {
        "laplacian": (jnp.ones((4, 4)),),
        "quadrature": (x,),
        "strided": (x,),
        "blocks": (x,),
        "kernel": (x,),
        "newton": (x,),
        "digits": (x,),
        "polynomial": (x,),
    }
