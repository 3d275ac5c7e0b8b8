"""Python numbers and flags that are traced because JAX traces whatever it is given, and those that keep their values."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.checkpoint
def block(x, gain: float):
    if gain > 1.0:  # want: JAX209
        x = x * gain
    return jnp.tanh(x)


@partial(jax.checkpoint, static_argnums=1)
def static_block(x, gain: float):
    if gain > 1.0:  # ok: JAX209
        x = x * gain
    return jnp.tanh(x)


@partial(jax.remat, static_argnums=(1,))
def activation(x, training: bool):
    if x > 0:  # want: JAX209
        return x
    return jnp.sin(x) if training else x


@jax.checkpoint
def by_default(x, gain=2.0):
    if gain > 1.0:  # ok: JAX209
        x = x * gain
    return x


def width(x, causal: bool):
    units = 8 if causal else 4  # want: JAX209
    return x * units


def bound_width(x, causal: bool):
    units = 8 if causal else 4  # ok: JAX209
    return x * units


def output_shape(x):
    return jax.eval_shape(width, x, True).shape


def bound_shape(x):
    return jax.eval_shape(partial(bound_width, causal=True), x).shape


def staged(x, causal: bool):
    units = 8 if causal else 4  # ok: JAX209
    return x * units


def program_text(x):
    return str(jax.make_jaxpr(staged, static_argnums=1)(x, True))


@jax.jit
def total(x):
    def body(i: int, carry):
        if i > 0:  # want: JAX209
            carry = carry + x[i]
        return carry

    return jax.lax.fori_loop(0, 3, body, 0.0)


@jax.jit
def total_without(x):
    def body(i: int, carry, skip: bool = False):
        if skip:  # ok: JAX209
            return carry
        return carry + x[i]

    return jax.lax.fori_loop(0, 3, body, 0.0)


def scaled(x, gain: float):
    if gain > 1.0:  # ok: JAX209
        x = x * gain
    return x.sum()


def slope(x):
    """What is not differentiated by keeps its value."""
    return jax.grad(scaled)(x, 2.0)


def mapped(xs):
    """What is not mapped over keeps its value."""
    return jax.vmap(scaled, in_axes=(0, None))(xs, 2.0)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "block": lambda: block(x, 2.0),
        "static_block": lambda: static_block(x, 2.0),
        "activation": lambda: activation(1.0, True),
        "by_default": lambda: by_default(x),
        "width": lambda: output_shape(x),
        "bound_width": lambda: bound_shape(x),
        "staged": lambda: program_text(x),
        "total": lambda: total(x),
        "total.body": lambda: total(x),
        "total_without": lambda: total_without(x),
        "total_without.body": lambda: total_without(x),
        "scaled": lambda: (slope(x), mapped(x[:, None])),
    }
