"""The callers of factories.py: one step for all, with what changes as an argument, or kept."""

import jax
import jax.numpy as jnp


@jax.jit
def _step(x, rate):
    return x - rate * x


def at_once(x):
    return _step(x, 0.1)


def controlled(x, rates):
    for rate in rates:
        x = _step(x, rate)
    return x


def listed(x, rates):
    return [_step(x, rate) for rate in rates]


class Controller:
    def __init__(self, rate):
        self._step = self._make(rate)

    @staticmethod
    def _make(rate):
        return jax.jit(lambda x: x - rate * x)

    def act(self, x):
        return self._step(x)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "at_once": (x,),
        "controlled": (x, [0.1, 0.2]),
        "listed": (x, [0.1, 0.2]),
        "Controller.act": (Controller(0.1), x),
    }
