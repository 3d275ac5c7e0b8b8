"""Large arrays are given to what is compiled."""

import functools

import jax
import jax.numpy as jnp

table = jnp.linspace(0.0, 1.0, 1200 * 1200).reshape(1200, 1200)


@jax.jit
def project(x, table):
    return table @ x


def projected(x):
    return project(x, table) + 1.0


class Operator:
    def __init__(self):
        self.kernel = jnp.ones((1024, 1024))

    def apply(self, x):
        return self._apply(self.kernel, x)

    @functools.partial(jax.jit, static_argnums=0)
    def _apply(self, kernel, x):
        return kernel @ x


def jaxlint_examples():
    return {"projected": (jnp.ones(1200),), "Operator.apply": (Operator(), jnp.ones(1024))}
