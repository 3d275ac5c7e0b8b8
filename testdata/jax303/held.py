"""Large arrays in dictionaries, and made by functions in sight, that compiled functions close over."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def make_params(key, width=1500):
    k1, k2 = jax.random.split(key)
    return {"a": jax.random.normal(k1, (32, width)), "b": jax.random.normal(k2, (width, width))}


def make_table(width=1500):
    return jnp.ones((width, width))


def make_small(key, width=30):
    return {"b": jax.random.normal(key, (width, width))}


teacher = make_params(KEY)
table = make_table()
weights = {"w": jnp.ones((1500, 1500))}
small = make_small(KEY)
smaller = make_params(KEY, 30)
other = make_params(KEY)


def logits(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


@jax.jit
def distilled(x):
    return logits(teacher, x).sum()  # want: JAX303


@jax.jit
def by_table(x):
    return x @ table  # want: JAX303


@jax.jit
def by_weights(x):
    return x @ weights["w"]  # want: JAX303


@jax.jit
def by_argument(params, x):
    return logits(params, x).sum()  # ok: JAX303


@jax.jit
def by_small(x):
    return x @ small["b"]  # ok: JAX303


@jax.jit
def by_smaller(x):
    return logits(smaller, x).sum()  # ok: JAX303


@jax.jit
def by_keys(x):
    return x * len(other)  # ok: JAX303


def eager(x):
    return logits(teacher, x)  # ok: JAX303


def jaxlint_examples():
    x, wide = jnp.ones((2, 32)), jnp.ones((2, 1500))
    return {
        "distilled": (x,),
        "by_table": (wide,),
        "by_weights": (wide,),
        "by_argument": lambda: by_argument(teacher, x),
        "by_small": (jnp.ones((2, 30)),),
        "by_smaller": (x,),
        "by_keys": (x,),
        "eager": (x,),
    }
