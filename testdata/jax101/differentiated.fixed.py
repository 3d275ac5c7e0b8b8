"""Compiled functions that are defined in a call and handed to a transform that calls them at once."""

import jax
import jax.numpy as jnp


@jax.jit
def _doubled(q):
    return (q * 2).sum()


def pulled_back(p):
    _, back = jax.vjp(_doubled, p)
    return back(jnp.float32(1.0))


@jax.jit
def _squared(q):
    return q**2


def pushed(p):
    return jax.jvp(_squared, (p,), (p,))


@jax.jit
def tripled(q):
    return (q * 3).sum()


def of_module(p):
    _, back = jax.vjp(tripled, p)
    return back(jnp.float32(1.0))


@jax.jit
def traced(p):
    @jax.jit
    def halved(q):
        return (q / 2).sum()

    _, back = jax.vjp(halved, p)
    return back(jnp.float32(1.0))


def kept():
    @jax.jit
    def step(q):
        return (q * 4).sum()

    def back(p):
        return jax.vjp(step, p)[1](jnp.float32(1.0))

    return back


BACK = kept()


@jax.jit
def _shifted(q):
    return (q + 1).sum()


def main():
    return jax.vjp(_shifted, jnp.arange(3.0))[0]


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
