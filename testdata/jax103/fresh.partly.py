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


_response_hill = jax.jit(functools.partial(hill, k=0.5))


def response(x):
    return _response_hill(x)


_positional_hill = jax.jit(hill)


def positional(x):
    return _positional_hill(x, 0.5)


_curve = jax.jit(hill)


def bound_first(x, k):
    return _curve(x, k=k)


def compiled_name(x, k):
    return _positional_hill(x, k=k)


_partial_of_partial_hill = jax.jit(partial(partial(hill, k=0.5), n=3))


def partial_of_partial(x):
    return _partial_of_partial_hill(x)


_tree_partial_hill = jax.jit(Partial(hill, k=0.5))


def tree_partial(x):
    return _tree_partial_hill(x)


_tree_partial_dotted_hill = jax.jit(jax.tree_util.Partial(hill, k=0.5))


def tree_partial_dotted(x):
    return _tree_partial_dotted_hill(x)


_dot = jax.jit(jnp.dot)


def bound_array(x, weights):
    return _dot(weights, x)


_pad = jax.jit(jnp.pad, static_argnames=("pad_width", "mode"))


def bound_mode(x, mode):
    return _pad(x, pad_width=1, mode=mode)


def of_a_compiled_function(x):
    return _of_a_compiled_function_hill(x)


@jax.jit
def _of_a_nested_function_curve(x, k):
    def curve(v, k):
        return v / (v + k)

    return partial(curve, k=k)(x)


def of_a_nested_function(x, k):
    return _of_a_nested_function_curve(x, k)


def of_a_method(x):
    return _rate(x)


_map = jax.jit(partial(jax.tree.map, jnp.round))


def of_a_tree_map(params):
    """Whatever is bound, the partial itself is new."""
    return _map(params)


_across_devices_hill = jax.pmap(partial(hill, k=0.5))


def across_devices(batch):
    return _across_devices_hill(batch[None])


_filtered_hill = eqx.filter_jit(partial(hill, k=0.5))


def filtered(x):
    return _filtered_hill(x)


def stateful(model, x):
    return _stateful_forward(model, x)


_with_options_hill = jax.jit(partial(hill, k=0.5), static_argnames=("n",))


def with_options(x):
    return _with_options_hill(x, n=3)


_in_a_loop_hill = jax.jit(hill)


def in_a_loop(x, constants):
    return [_in_a_loop_hill(x, k=k) for k in constants]


_step = jax.jit(hill)


def while_rising(x):
    k = 1.0
    while k < 8:
        x = _step(x, k=k) + _step(2 * x, k=k)
        k *= 2
    return x


def reused(x, k):
    for _ in range(3):
        x = _positional_hill(x, k=k)
    return x


def reused_twice(x, k):
    return _positional_hill(x, k=k) - _positional_hill(2 * x, k=k)


_measured_hill = jax.jit(hill)


class Enzyme:
    def __init__(self, k):
        self.k = k

    def rate(self, x, scale=1.0):
        return scale * x / (self.k + x)

    def measured(self, x):
        return _measured_hill(x, k=self.k)

    @property
    def curve(self):
        return jax.jit(partial(hill, k=self.k))

    def plotted(self, x):
        return self.curve(x)


_rate = jax.jit(partial(Enzyme(0.5).rate, scale=2.0))


@jax.jit
def _hill(x, k, n=2):
    return hill(x, k, n)


_of_a_compiled_function_hill = jax.jit(partial(_hill, k=0.5))


def _forward(model, x, scale):
    return model(x) * scale


_stateful_forward = nnx.jit(partial(_forward, scale=2.0))


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
