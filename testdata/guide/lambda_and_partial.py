import functools

import jax
import jax.numpy as jnp


def add_multiply(a, b, scale):
    return (a + b) * scale


def with_lambda(x, y, scale_factor):
    return jax.jit(lambda a, b: add_multiply(a, b, scale=scale_factor))(x, y)


def with_partial(x, y, scale_factor):
    return jax.jit(functools.partial(add_multiply, scale=scale_factor))(x, y)


def main():
    x = jnp.ones(8)
    for scale in (1.0, 2.0, 3.0):
        with_lambda(x, x, scale)
        with_partial(x, x, scale)


main()
