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


_step = jax.jit(step)


def advance(x):
    return _step(x)


_scaled = jax.jit(scaled, static_argnames="power")


def powered(x):
    return _scaled(x, power=3)


_compiled = jax.jit(step)


def under_a_name(x):
    return _compiled(x)


_norm = jax.jit(linalg.norm)


def of_an_import(x):
    return _norm(x)


def of_each(rows):
    return [_step(row) for row in rows]


_at_once_scaled = functools.partial(jax.jit, static_argnames="power")(scaled)


def at_once(x):
    return _at_once_scaled(x, power=2)


_halved = jax.jit(Tools.halved)


def of_a_static_method(x):
    return _halved(x)


# --- bound once, or kept

fast_step = jax.jit(step)


@jax.jit
def decorated(x):
    return x + 1


def by_name(x):
    return fast_step(x) + decorated(x)


def looped(x):
    compiled = jax.jit(step)
    for _ in range(20):
        x = compiled(x)
    return x


def make_step():
    return jax.jit(step)


@functools.cache
def cached_step():
    return jax.jit(step)


def memoised(x):
    return cached_step()(x)


class Model:
    def __init__(self):
        self.step = jax.jit(step)

    def advance(self, x):
        return self.step(x)


def ahead_of_time(x):
    return jax.jit(step).lower(x)


@jax.jit
def traced(x):
    return jax.jit(step)(x)


# --- compiles again, which others report


@jax.jit
def _of_a_lambda(y):
    return y * 2


def of_a_lambda(x):
    return _of_a_lambda(x)


_step_vmapped = jax.jit(jax.vmap(step))


def of_a_transform(x):
    return _step_vmapped(x)


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
