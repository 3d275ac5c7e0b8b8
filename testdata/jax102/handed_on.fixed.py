"""Compiled lambdas given to another function."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from flax import nnx


def call(function, *args):
    return function(*args)


def call_in_a_loop(function, x):
    for _ in range(3):
        x = function(x)
    return x


class Keeper:
    def __init__(self, function):
        self.function = function


@jax.jit
def _handed(v):
    return v * 2


def handed(x):
    return call(_handed, x)


@jax.jit
def _handed_to_a_loop(v):
    return v * 0.5


def handed_to_a_loop(x):
    return call_in_a_loop(_handed_to_a_loop, x)


@jax.jit
def _kept(v):
    return v * 2


def kept(x):
    return Keeper(_kept).function(x)


@jax.jit
def _round(w):
    return jnp.round(w)


def leaves(tree):
    return jax.tree.map(_round, tree)


@jax.jit
def _integrated(t):
    return jnp.exp(-t)


def integrated(x):
    return scipy.integrate.quad(_integrated, 0.0, float(x))[0]


@jax.jit
def _rows(row):
    return row * 2


def rows(x):
    return np.apply_along_axis(_rows, 0, np.asarray(x))


@eqx.filter_jit
def _filtered(v):
    return v + 1


def filtered(x):
    return _filtered(x)


@eqx.filter_jit
def _filtered_array(x):
    return x + 1


def filtered_array(x):
    """What is closed over makes no difference: the lambda is new."""
    return _filtered_array(x)


@nnx.jit
def _stateful(m, v):
    return m(v)


def stateful(model, x):
    return _stateful(model, x)


_checkpointed_remat = jax.jit(jax.checkpoint(lambda v: jnp.sin(v)))


def checkpointed(x):
    """The outermost wrapper's argument is a transform; see the rule for those."""
    return _checkpointed_remat(x)


def loops_of_jax(x):
    return jax.lax.fori_loop(0, 3, _halve, x)


def _halve(_, v):
    return v / 2


_double = jax.jit(lambda v: 2 * v)


def handed_stable(x):
    return call(_double, x)


def handed_raw(x):
    return call(lambda v: v * 2, x)


def mapped_stable(tree):
    return jax.tree.map(_double, tree)


def mapped_shapes(tree):
    return jax.tree.map(lambda w: w.shape, tree)


def shape_only(x):
    return jax.eval_shape(lambda v: jnp.stack([v, v]), x)


def shape_of_compiled(x):
    return jax.eval_shape(jax.jit(lambda v: jnp.stack([v, v])), x)


def lowered_text(x):
    return jax.jit(lambda v: jnp.stack([v, v])).lower(x).as_text()


def jaxlint_examples():
    x = jnp.ones(3)
    linear = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    return {
        "handed": (x,),
        "handed_to_a_loop": (x,),
        "kept": (x,),
        "leaves": ([x, x],),
        "integrated": (0.1,),
        "rows": (x,),
        "filtered": (x,),
        "filtered_array": (x,),
        "stateful": (linear, x),
        "checkpointed": (x,),
        "loops_of_jax": (x,),
        "handed_stable": (x,),
        "handed_raw": (x,),
        "mapped_stable": ([x, x],),
        "mapped_shapes": ([x, x],),
        "shape_only": (x,),
        "shape_of_compiled": (x,),
        "lowered_text": (x,),
    }
