"""Partials bound and compiled on each call: equal or not, each is a new function to the cache."""

import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jax.tree_util import Partial


def hill(x, k, n=2):
    return x**n / (k**n + x**n)


def response(x):
    return jax.jit(functools.partial(hill, k=0.5))(x)  # want: JAX103


def positional(x):
    return jax.jit(partial(hill, x))(0.5)  # want: JAX103


def bound_first(x, k):
    curve = partial(hill, k=k)
    return jax.jit(curve)(x)  # want: JAX103


def compiled_name(x, k):
    curve = jax.jit(partial(hill, k=k))  # want: JAX103
    return curve(x)


def partial_of_partial(x):
    return jax.jit(partial(partial(hill, k=0.5), n=3))(x)  # want: JAX103


def tree_partial(x):
    return jax.jit(Partial(hill, k=0.5))(x)  # want: JAX103


def tree_partial_dotted(x):
    return jax.jit(jax.tree_util.Partial(hill, k=0.5))(x)  # want: JAX103


def bound_array(x, weights):
    return jax.jit(partial(jnp.dot, weights))(x)  # want: JAX103


def bound_mode(x, mode):
    pad = partial(jnp.pad, pad_width=1, mode=mode)
    return jax.jit(pad)(x)  # want: JAX103


def of_a_compiled_function(x):
    return jax.jit(partial(_hill, k=0.5))(x)  # want: JAX103


def of_a_nested_function(x, k):
    def curve(v, k):
        return v / (v + k)

    return jax.jit(partial(curve, k=k))(x)  # want: JAX103


def of_a_method(x):
    return jax.jit(partial(Enzyme(0.5).rate, scale=2.0))(x)  # want: JAX103


def of_a_tree_map(params):
    """Whatever is bound, the partial itself is new."""
    return jax.jit(partial(jax.tree.map, jnp.round))(params)  # want: JAX103


def across_devices(batch):
    return jax.pmap(partial(hill, k=0.5))(batch[None])  # want: JAX103


def filtered(x):
    return eqx.filter_jit(partial(hill, k=0.5))(x)  # want: JAX103


def stateful(model, x):
    return nnx.jit(partial(_forward, scale=2.0))(model, x)  # want: JAX103


def with_options(x):
    return jax.jit(partial(hill, k=0.5), static_argnames=("n",))(x, n=3)  # want: JAX103


def in_a_loop(x, constants):
    return [jax.jit(partial(hill, k=k))(x) for k in constants]  # want: JAX103


def while_rising(x):
    k = 1.0
    while k < 8:
        step = jax.jit(partial(hill, k=k))  # want: JAX103
        x = step(x) + step(2 * x)
        k *= 2
    return x


def reused(x, k):
    step = jax.jit(partial(hill, k=k))  # want: JAX103 (low)
    for _ in range(3):
        x = step(x)
    return x


def reused_twice(x, k):
    curve = jax.jit(partial(hill, k=k))  # want: JAX103
    return curve(x) - curve(2 * x)


class Enzyme:
    def __init__(self, k):
        self.k = k

    def rate(self, x, scale=1.0):
        return scale * x / (self.k + x)

    def measured(self, x):
        return jax.jit(partial(hill, k=self.k))(x)  # want: JAX103

    @property
    def curve(self):
        return jax.jit(partial(hill, k=self.k))  # want: JAX103

    def plotted(self, x):
        return self.curve(x)


@jax.jit  # ok: JAX103
def _hill(x, k, n=2):
    return hill(x, k, n)


def _forward(model, x, scale):
    return model(x) * scale


def jaxlint_examples():
    x = jnp.ones(3)
    enzyme = Enzyme(0.5)
    return {
        "response": (x,),
        "positional": (x,),
        "bound_first": (x, 0.5),
        "compiled_name": (x, 0.5),
        "partial_of_partial": (x,),
        "tree_partial": (x,),
        "tree_partial_dotted": (x,),
        "bound_array": (x, x),
        "bound_mode": (x, "edge"),
        "of_a_compiled_function": (x,),
        "of_a_nested_function": (x, 0.5),
        "of_a_method": (x,),
        "of_a_tree_map": ([x, x],),
        "across_devices": (x,),
        "filtered": (x,),
        "stateful": (nnx.Linear(3, 2, rngs=nnx.Rngs(0)), x),
        "with_options": (x,),
        "in_a_loop": (x, [0.5, 1.0]),
        "while_rising": (x,),
        "reused": (x, 0.5),
        "reused_twice": (x, 0.5),
        "Enzyme.measured": (enzyme, x),
        "Enzyme.curve": lambda: enzyme.curve(x),
        "Enzyme.plotted": (enzyme, x),
        "_hill": (x, 0.5),
    }
