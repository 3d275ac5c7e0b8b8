"""Compiled functions that are defined in a call and handed to a transform that calls them at once."""

import jax
import jax.numpy as jnp


def pulled_back(p):
    @jax.jit  # want: JAX101
    def doubled(q):
        return (q * 2).sum()

    _, back = jax.vjp(doubled, p)
    return back(jnp.float32(1.0))


def pushed(p):
    @jax.jit  # want: JAX101
    def squared(q):
        return q**2

    return jax.jvp(squared, (p,), (p,))


@jax.jit
def tripled(q):
    return (q * 3).sum()


def of_module(p):
    _, back = jax.vjp(tripled, p)  # ok: JAX101
    return back(jnp.float32(1.0))


@jax.jit
def traced(p):
    @jax.jit  # ok: JAX101
    def halved(q):
        return (q / 2).sum()

    _, back = jax.vjp(halved, p)
    return back(jnp.float32(1.0))


def kept():
    @jax.jit  # ok: JAX101
    def step(q):
        return (q * 4).sum()

    def back(p):
        return jax.vjp(step, p)[1](jnp.float32(1.0))

    return back


BACK = kept()


def main():
    @jax.jit  # once: JAX101
    def shifted(q):
        return (q + 1).sum()

    return jax.vjp(shifted, jnp.arange(3.0))[0]


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "pulled_back": (x,),
        "pushed": (x,),
        "of_module": (x,),
        "traced": (x,),
        "kept": lambda: BACK(x),
        "main": (),
    }
