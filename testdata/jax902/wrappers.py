"""`jax.jit(f)(x)` of a function that lives on: nothing compiles again, and each call pays for a new wrapper."""

import functools

import jax
import jax.numpy as jnp
from jax.numpy import linalg


def step(x):
    return x * 0.9 + jnp.sin(x)


def scaled(x, power):
    return x**power


class Tools:
    @staticmethod
    def halved(x):
        return x / 2


# --- once a call, or in every turn


def advance(x):
    return jax.jit(step)(x)  # want: JAX902


def powered(x):
    return jax.jit(scaled, static_argnames="power")(x, power=3)  # want: JAX902


def under_a_name(x):
    compiled = jax.jit(step)  # want: JAX902
    return compiled(x)


def of_an_import(x):
    return jax.jit(linalg.norm)(x)  # want: JAX902


def of_each(rows):
    return [jax.jit(step)(row) for row in rows]  # want: JAX902


def at_once(x):
    return functools.partial(jax.jit, static_argnames="power")(scaled)(x, power=2)  # want: JAX902


def of_a_static_method(x):
    return jax.jit(Tools.halved)(x)  # want: JAX902


# --- bound once, or kept

fast_step = jax.jit(step)  # ok: JAX902


@jax.jit
def decorated(x):
    return x + 1  # ok: JAX902


def by_name(x):
    return fast_step(x) + decorated(x)  # ok: JAX902


def looped(x):
    compiled = jax.jit(step)  # ok: JAX902
    for _ in range(20):
        x = compiled(x)
    return x


def make_step():
    return jax.jit(step)  # ok: JAX902


@functools.cache
def cached_step():
    return jax.jit(step)  # ok: JAX902


def memoised(x):
    return cached_step()(x)  # ok: JAX902


class Model:
    def __init__(self):
        self.step = jax.jit(step)  # ok: JAX902

    def advance(self, x):
        return self.step(x)  # ok: JAX902


def ahead_of_time(x):
    return jax.jit(step).lower(x)  # ok: JAX902


@jax.jit
def traced(x):
    return jax.jit(step)(x)  # ok: JAX902


# --- compiles again, which others report


def of_a_lambda(x):
    return jax.jit(lambda y: y * 2)(x)  # want: JAX102


def of_a_transform(x):
    return jax.jit(jax.vmap(step))(x)  # want: JAX104


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "advance": (x,),
        "powered": (x,),
        "under_a_name": (x,),
        "of_an_import": (x,),
        "of_each": ([x, x],),
        "at_once": (x,),
        "of_a_static_method": (x,),
        "by_name": (x,),
        "looped": (x,),
        "memoised": (x,),
        "Model.advance": (Model(), x),
        "ahead_of_time": (x,),
        "traced": (x,),
        "of_a_lambda": (x,),
        "of_a_transform": (x,),
    }
