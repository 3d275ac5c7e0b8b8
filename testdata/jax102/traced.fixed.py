"""Lambdas compiled, or looped over, inside functions that are traced as a whole."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def outer(x):
    return jax.jit(lambda v: jnp.sin(v))(x)


@jax.jit
def through_scan(xs):
    return lax.scan(lambda c, v: (c + v, c * v), xs[0], xs)


@jax.jit
def through_map(xs):
    return lax.map(lambda v: jax.jit(lambda w: w * 2)(v), xs)


def in_a_branch(x):
    return lax.cond(x.sum() > 0, lambda v: v, lambda v: jax.jit(lambda w: -w)(v), x)


choose = jax.jit(in_a_branch)


@functools.partial(jax.jit, static_argnums=1)
def repeated(x, n):
    for k in range(n):
        x = jax.jit(lambda v: v + k)(x)
    return x


def loss(w):
    return jnp.sum(jax.jit(lambda v: v * v)(w))


step = jax.jit(lambda w: w - 0.1 * jax.grad(loss)(w))


@eqx.filter_jit
def filtered(x):
    return jax.jit(lambda v: jnp.cos(v))(x)


class Cell(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return jax.jit(lambda v: v * self.weight)(x)


_cell_call = eqx.filter_jit(lambda cell, x: cell(x))


@jax.custom_vjp
def clipped(x):
    return jax.jit(lambda v: jnp.clip(v, -1, 1))(x)


def _forward(x):
    return clipped(x), x


def _backward(x, g):
    return (jnp.where(jnp.abs(x) < 1, g, 0),)


clipped.defvjp(_forward, _backward)
clip_all = jax.jit(lambda x: clipped(x))


@jax.jit
def _sin(v):
    return jnp.sin(v)


def outside(x):
    return _sin(x)


def jaxlint_examples():
    x = jnp.ones((3, 2))
    cell = Cell(jnp.ones(2))
    return {
        "outer": (x,),
        "through_scan": (x,),
        "through_map": (x,),
        "in_a_branch": lambda: choose(x),
        "repeated": (x, 2),
        "loss": lambda: step(x),
        "filtered": (x,),
        "Cell.__call__": lambda: _cell_call(cell, x),
        "clipped": lambda: clip_all(x),
        "outside": (x,),
    }
