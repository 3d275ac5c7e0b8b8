"""Static methods and class methods, and on which side of them JAX's wrappers are."""

from functools import partial

import jax
import jax.numpy as jnp


def below_grad():
    class Norm:
        @jax.grad
        @staticmethod
        def squared(x):
            return x @ x

    return Norm.squared(jnp.ones(3))


def below_vmap():
    class Norm:
        @partial(jax.vmap, in_axes=0)
        @classmethod
        def unit(cls, x):
            return x / jnp.linalg.norm(x)

    return Norm.unit(jnp.ones((2, 3)))


class Scale:
    factor = 2.0

    @classmethod
    @partial(jax.jit, static_argnames="cls")
    def scaled(cls, x):
        return cls.factor * x

    @classmethod
    @partial(jax.jit, static_argnums=0)
    def by_number(cls, x):
        return cls.factor * x

    @classmethod
    @partial(jax.jit, static_argnames="cls")
    def by_name(cls, x):
        return cls.factor * x

    @classmethod
    @partial(jax.grad, argnums=1)
    def by_second(cls, x):
        return cls.factor * x

    @staticmethod
    @jax.jit
    def doubled(x):
        return 2 * x

    @staticmethod
    @partial(jax.jit, static_argnums=0)
    def raised(power, x):
        return x**power


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "below_grad": (),
        "below_vmap": (),
        "Scale.scaled": lambda: Scale.scaled(x),
        "Scale.by_number": lambda: Scale.by_number(x),
        "Scale.by_name": lambda: Scale.by_name(x),
        "Scale.by_second": lambda: Scale.by_second(1.0),
        "Scale.doubled": lambda: Scale.doubled(x),
        "Scale.raised": lambda: Scale.raised(2, x),
    }
