"""The functions of fresh.py: the long-lived function is compiled, and what was bound is passed."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("n",))
def _hill(x, k, n=2):
    return x**n / (k**n + x**n)


def response(x):
    return _hill(x, k=0.5)


def bound_first(x, k):
    return _hill(x, k=k)


def partial_of_partial(x):
    return partial(partial(_hill, k=0.5), n=3)(x)


_dot = jax.jit(jnp.dot)


def bound_array(x, weights):
    return _dot(weights, x)


_pad = jax.jit(jnp.pad, static_argnames=("pad_width", "mode"))


def bound_mode(x, mode):
    return _pad(x, pad_width=1, mode=mode)


def of_a_tree_map(params):
    return jax.jit(jax.tree.map, static_argnums=0)(jnp.round, params)


def in_a_loop(x, constants):
    return [_hill(x, k=k) for k in constants]


class Enzyme:
    def __init__(self, k):
        self.k = k

    def measured(self, x):
        return _hill(x, k=self.k)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "response": (x,),
        "bound_first": (x, 0.5),
        "partial_of_partial": (x,),
        "bound_array": (x, x),
        "bound_mode": (x, "edge"),
        "of_a_tree_map": ([x, x],),
        "in_a_loop": (x, [0.5, 1.0]),
        "Enzyme.measured": (Enzyme(0.5), x),
    }
