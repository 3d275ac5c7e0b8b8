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


def handed(x):
    return call(jax.jit(lambda v: v * 2), x)  # want: JAX102


def handed_to_a_loop(x):
    return call_in_a_loop(jax.jit(lambda v: v * 0.5), x)  # want: JAX102 (low)


def kept(x):
    return Keeper(jax.jit(lambda v: v * 2)).function(x)  # want: JAX102 (low)


def leaves(tree):
    return jax.tree.map(jax.jit(lambda w: jnp.round(w)), tree)  # want: JAX102


def integrated(x):
    return scipy.integrate.quad(jax.jit(lambda t: jnp.exp(-t)), 0.0, float(x))[0]  # want: JAX102 (low)


def rows(x):
    return np.apply_along_axis(jax.jit(lambda row: row * 2), 0, np.asarray(x))  # want: JAX102 (low)


def filtered(x):
    return eqx.filter_jit(lambda v: v + 1)(x)  # want: JAX102


def filtered_array(x):
    """What is closed over makes no difference: the lambda is new."""
    return eqx.filter_jit(lambda: x + 1)()  # want: JAX102


def stateful(model, x):
    return nnx.jit(lambda m, v: m(v))(model, x)  # want: JAX102


def checkpointed(x):
    """The outermost wrapper's argument is a transform; see the rule for those."""
    return jax.jit(jax.checkpoint(lambda v: jnp.sin(v)))(x)  # want: JAX104


def loops_of_jax(x):
    return jax.lax.fori_loop(0, 3, _halve, x)  # ok: JAX102


def _halve(_, v):
    return v / 2


_double = jax.jit(lambda v: 2 * v)  # ok: JAX102


def handed_stable(x):
    return call(_double, x)  # ok: JAX102


def handed_raw(x):
    return call(lambda v: v * 2, x)  # ok: JAX102


def mapped_stable(tree):
    return jax.tree.map(_double, tree)  # ok: JAX102


def mapped_shapes(tree):
    return jax.tree.map(lambda w: w.shape, tree)  # ok: JAX102


def shape_only(x):
    return jax.eval_shape(lambda v: jnp.stack([v, v]), x)  # ok: JAX102


def shape_of_compiled(x):
    return jax.eval_shape(jax.jit(lambda v: jnp.stack([v, v])), x)  # ok: JAX102


def lowered_text(x):
    return jax.jit(lambda v: jnp.stack([v, v])).lower(x).as_text()  # ok: JAX102


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
