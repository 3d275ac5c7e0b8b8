"""Functions of JAX that are compiled here, and static arguments that are new each time or live on."""

import jax
import jax.numpy as jnp
from jax import lax

mapped = jax.jit(lax.map, static_argnums=0)


def doubled(x):
    return x * 2.0


def in_place(xs):
    return jax.jit(lax.map, static_argnums=0)(lambda x: x * 2.0, xs)  # want: JAX203


def under_a_name(xs):
    return mapped(lambda x: jnp.sin(x) * 3.0, xs)  # want: JAX203


def by_keyword(tree):
    return jax.jit(jax.tree.map, static_argnames="f")(f=lambda x: x * 2.0, tree=tree)  # want: JAX203


# These live on, or are no static arguments.


def long_lived(xs):
    return jax.jit(lax.map, static_argnums=0)(doubled, xs)  # ok: JAX203


def long_lived_under_a_name(xs):
    return mapped(doubled, xs)  # ok: JAX203


def of_a_library(xs):
    return mapped(jnp.sin, xs)  # ok: JAX203


def a_tuple(xs):
    return jax.jit(jnp.reshape, static_argnums=1)(xs, (xs.size,))  # ok: JAX203


def a_text(xs):
    return jax.jit(jnp.linalg.norm, static_argnames="ord")(xs, ord="fro")  # ok: JAX203


def nothing_static(xs):
    return jax.jit(jnp.add)(xs, jnp.float32(2.0))  # ok: JAX203


@jax.jit
def traced(xs):
    return mapped(lambda x: x * 2.0, xs)  # ok: JAX203


def jaxlint_examples():
    xs = jnp.ones((3, 4))
    names = "in_place under_a_name by_keyword long_lived long_lived_under_a_name of_a_library a_tuple a_text traced"
    return {name: (xs,) for name in f"{names} nothing_static".split()}
