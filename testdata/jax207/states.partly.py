"""A training state that is replaced in each step, of which the compiled function reads what no step changes."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    params: Any
    apply_fn: Any


class Trainer:
    def __init__(self):
        self.state = State(jnp.ones(3), lambda params, x: params * x)
        self.step = jax.jit(self._step)

    def _step(self, params, x):
        return params - 0.1 * self.state.apply_fn(params, x)

    def fit(self, x):
        self.state = self.state._replace(params=self.step(self.state.params, x))
        return self.state.params


class Scorer:
    def __init__(self):
        self.state = State(jnp.ones(3), None)

    @partial(jax.jit, static_argnums=0)
    def score(self, x):
        return (self.state.params * x).sum()

    def fit(self, x):
        total = self.score(x)
        self.state = self.state._replace(params=self.state.params + 1.0)
        return total + self.score(x)


class Kernel:
    def __init__(self):
        self.fused = True

    def suits(self, x):
        if x.shape[0] > 2:
            self.fused = False
        return True

    def apply(self, x):
        return self._apply(x, self.fused)

    @partial(jax.jit, static_argnums=(0, 2))
    def _apply(self, x, fused):
        return 2 * x if fused else x + x


def chosen(x):
    """Asks a new kernel before it is called."""
    for make in (Kernel,):
        kernel = make()
        if kernel.suits(x):
            return kernel
    return None


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "Trainer.fit": (Trainer(), x),
        "Trainer._step": (Trainer(), x, x),
        "Scorer.fit": (Scorer(), x),
        "Kernel.apply": (chosen(x), x),
        "chosen": (x,),
    }
