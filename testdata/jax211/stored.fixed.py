"""The functions of stored.py, whose state goes in as an argument and comes out as a result."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SEEN = []
total = jnp.zeros(3)


@jax.jit
def updated(w, grad):
    return w - 0.1 * grad


class Model:
    def __init__(self, w):
        self.w = w

    def fitted(self, grad):
        self.w = updated(self.w, grad)
        return self.w + 1.0


@jax.jit
def sampled(key, p):
    key, sub = jax.random.split(key)
    return key, jax.random.bernoulli(sub, p, (4,))


class Device:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def sample(self, p):
        self.key, drawn = sampled(self.key, p)
        return drawn


device = Device(0)


@jax.jit
def added(total, x):
    return total + x, x


@jax.jit
def collected(x):
    return x, x * 2


@jax.jit
def watched(xs):
    def body(carry, x):
        carry = carry + x
        return carry, carry

    return lax.scan(body, 0.0, xs)[1]


@jax.tree_util.register_pytree_node_class
class Counter:
    def __init__(self, n):
        self.n = n

    def tree_flatten(self):
        return (self.n,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)

    @jax.jit
    def add(self, x):
        return Counter(self.n + x), x

    def value(self):
        return self.n


@functools.lru_cache
def frequencies(n):
    return np.arange(n) / n


@jax.jit
def rotated(x):
    return x * jnp.cos(frequencies(3))


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Model.fitted": lambda: Model(x).fitted(x),
        "Device.sample": lambda: Device(0).sample(0.5),
        "added": lambda: added(total, x),
        "collected": (x,),
        "watched": (x,),
        "rotated": (x,),
        "Counter.add": lambda: Counter(1.0).add(1.0)[0].value(),
    }
