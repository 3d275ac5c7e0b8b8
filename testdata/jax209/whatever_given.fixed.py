from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.checkpoint, static_argnums=1)
def block(x, gain: float):
    if gain > 1.0:
        x = x * gain
    return jnp.tanh(x)


@partial(jax.remat, static_argnums=(1,))
def activation(x, training: bool):
    return jnp.where(x > 0, x, jnp.sin(x) if training else x)


def width(x, causal: bool):
    units = 8 if causal else 4
    return x * units


def output_shape(x):
    return jax.eval_shape(partial(width, causal=True), x).shape


@jax.jit
def total(x):
    def body(i: int, carry):
        return jnp.where(i > 0, carry + x[i], carry)

    return jax.lax.fori_loop(0, 3, body, 0.0)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "block": lambda: block(x, 2.0),
        "activation": lambda: activation(1.0, True),
        "width": lambda: output_shape(x),
        "total": (x,),
    }
