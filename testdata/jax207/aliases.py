"""Attributes that a local name represents, in the code that reads or changes them."""

from functools import partial

import jax
import jax.numpy as jnp


class Kernel:
    def __init__(self, length):
        self.length = length
        self.name = "rbf"


class Process:
    def __init__(self, kernel):
        self.kernel = kernel
        self.predict = jax.jit(self._predict)

    def _predict(self, x):
        kernel = self.kernel  # want: JAX207
        return jnp.exp(-((x / kernel.length) ** 2))

    def fit(self, x, steps):
        kernel = self.kernel
        for _ in range(steps):
            kernel.length = kernel.length * 0.5
            x = self.predict(x)
        return x


class Named:
    def __init__(self, kernel):
        self.kernel = kernel

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return jnp.exp(-((x / self.kernel.length) ** 2))  # ok: JAX207

    def fit(self, x, steps):
        """What changes is not what is read."""
        kernel = self.kernel
        for step in range(steps):
            kernel.name = f"rbf {step}"
            x = self.predict(x)
        return x


class Copied:
    def __init__(self, length):
        self.length = length
        self.predict = jax.jit(self._predict)

    def _predict(self, x):
        length = self.length  # ok: JAX207
        return jnp.exp(-((x / length) ** 2))

    def fit(self, x, steps):
        """The local name is bound again, and the attribute stays."""
        length = self.length
        for _ in range(steps):
            length = length * 0.5
            x = self.predict(x) * length
        return x


class Passed:
    def __init__(self, kernel):
        self.kernel = kernel

    def fit(self, x, steps):
        kernel = self.kernel
        for _ in range(steps):
            kernel.length = kernel.length * 0.5
            x = _predict(x, kernel.length)
        return x


@jax.jit
def _predict(x, length):
    return jnp.exp(-((x / length) ** 2))  # ok: JAX207


def jaxlint_examples():
    x = jnp.ones(2)
    return {
        "Process._predict": lambda made=Process(Kernel(1.0)): made.fit(x, 3),
        "Process.fit": lambda made=Process(Kernel(1.0)): made.fit(x, 3),
        "Named.predict": lambda made=Named(Kernel(1.0)): made.fit(x, 3),
        "Named.fit": lambda made=Named(Kernel(1.0)): made.fit(x, 3),
        "Copied._predict": lambda made=Copied(1.0): made.fit(x, 3),
        "Copied.fit": lambda made=Copied(1.0): made.fit(x, 3),
        "_predict": lambda made=Passed(Kernel(1.0)): made.fit(x, 3),
        "Passed.fit": lambda made=Passed(Kernel(1.0)): made.fit(x, 3),
    }
