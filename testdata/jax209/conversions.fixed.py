"""The functions of conversions.py, with the conversions left out, done by jax, or done after the program."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def rounded(x):
    return x.sum().astype(int)


@jax.jit
def _mean(x):
    return jnp.mean(x)


def mean_of(x):
    return float(_mean(x))


@jax.jit
def item_of(x):
    return x * x.max()


@jax.jit
def formatted(x):
    jax.debug.print("norm {:.3f}", jnp.linalg.norm(x))
    return x


@jax.jit
def counted(x):
    return lax.fori_loop(0, jnp.sum(x > 0), lambda _, v: 0.5 * v, x)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "rounded": (x,),
        "mean_of": (x,),
        "item_of": (x,),
        "formatted": (x,),
        "counted": (x,),
    }
