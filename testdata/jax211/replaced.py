"""What is stored under trace and gets another value before it is read, or is stored only where an argument is missing."""

from functools import partial

import jax
import jax.numpy as jnp


class Replaced:
    def __init__(self):
        self.weights = jnp.ones(3)

    def train(self, x):
        start = self.weights

        def loss(weights):
            self.weights = weights  # ok: JAX211
            return jnp.sum((self.weights * x) ** 2)

        gradients = jax.grad(loss)(start)
        self.weights = start - 0.1 * gradients
        return self.weights


class ReadFirst:
    def __init__(self):
        self.weights = jnp.ones(3)

    def train(self, x):
        def loss(weights):
            self.weights = weights  # want: JAX211
            return jnp.sum((self.weights * x) ** 2)

        gradients = jax.grad(loss)(self.weights)
        self.weights = self.weights - 0.1 * gradients
        return self.weights


class ReplacedAtTimes:
    def __init__(self):
        self.weights = jnp.ones(3)

    def train(self, x, update):
        start = self.weights

        def loss(weights):
            self.weights = weights  # want: JAX211
            return jnp.sum((self.weights * x) ** 2)

        gradients = jax.grad(loss)(start)
        if update:
            self.weights = start - 0.1 * gradients
        return self.weights * 2.0


@jax.jit
def total(xs):
    notes = []

    def body(carry, x):
        notes.append(x)  # ok: JAX211
        return carry + x, None

    return jax.lax.scan(body, 0.0, xs)[0]


def elsewhere():
    """Another variable has the name."""
    notes = [1.0, 2.0]
    return sum(notes)


class Noise:
    def __init__(self):
        self.key = jax.random.key(0)

    @partial(jax.jit, static_argnums=0)
    def sample(self, x, key=None):
        if key is None:
            self.key, key = jax.random.split(self.key)  # ok: JAX211
        return x + jax.random.normal(key, x.shape)

    def next(self, x):
        self.key, key = jax.random.split(self.key)
        return self.sample(x, key)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Replaced.train": lambda: Replaced().train(x),
        "ReadFirst.train": lambda: ReadFirst().train(x),
        "ReplacedAtTimes.train": lambda: ReplacedAtTimes().train(x, update=False),
        "total": (x,),
        "total.body": (x,),
        "elsewhere": elsewhere,
        "Noise.sample": lambda noise=Noise(): noise.sample(x, jax.random.key(1)),
    }
