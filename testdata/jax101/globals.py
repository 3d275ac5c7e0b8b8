"""Global names to which a function binds a jitted function, again with each call or once."""

import jax
import jax.numpy as jnp

step = None
kernel = None
model = None
kept = None
once = None
used_often = None


def configure(rate):
    global step

    def update(w):
        return w - rate * w

    step = jax.jit(update)  # want: JAX101


def annealed(w, n):
    rate = 0.1
    for _ in range(n):
        configure(rate)
        w = step(w)
        rate *= 0.5
    return w


def set_target(scale):
    global kernel

    @jax.jit  # want: JAX101
    def kernel(x):
        return x - 0.1 * scale * x


def cooled(x, n):
    scale = 1.0
    for _ in range(n):
        set_target(scale)
        x = kernel(x)
        scale *= 0.9
    return x


def evaluated(scale, x):
    global model
    model = jax.jit(lambda z: (z * scale).sum())  # want: JAX102
    return model(x)


def searched(x, n):
    scale = 1.0
    for _ in range(n):
        scale = scale * float(evaluated(scale, x))
    return scale


def configured_if_missing(rate):
    global kept
    if kept is None:

        @jax.jit  # ok: JAX101
        def kept(w):
            return w - rate * w


def annealed_with_first(w, n):
    for _ in range(n):
        configured_if_missing(0.1)
        w = kept(w)
    return w


def configured_once(rate):
    global once

    def update(w):
        return w - rate * w

    once = jax.jit(update)  # once: JAX101


def trained(w, n):
    configured_once(0.1)
    for _ in range(n):
        w = once(w)
    return w


def configured_for_many(rate):
    global used_often

    def update(w):
        return w - rate * w

    used_often = jax.jit(update)  # want: JAX101


def searched_in_rounds(w, rounds):
    for number in range(rounds):
        configured_for_many(0.1 / (number + 1))
        for _ in range(100):
            w = used_often(w)
    return w


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "configure": lambda run=annealed: run(x, 3),
        "annealed": (x, 3),
        "set_target": lambda run=cooled: run(x, 3),
        "cooled": (x, 3),
        "evaluated": (1.0, x),
        "searched": (x, 3),
        "configured_if_missing": lambda: annealed_with_first(x, 3),
        "annealed_with_first": (x, 3),
        "configured_once": lambda run=trained: run(x, 3),
        "trained": (x, 3),
        "configured_for_many": lambda run=searched_in_rounds: run(x, 3),
        "searched_in_rounds": (x, 3),
    }
