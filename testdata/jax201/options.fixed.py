"""The functions of options.py with the choice static, or made by jax."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

WEIGHTS = {1: 0.1, 2: 0.3, 3: 0.5}
RATES = (0.1, 0.2, 0.3, 0.4)


@partial(jax.jit, static_argnames=("training",))
def dropout(x, training: bool):
    if training:
        return 0.5 * x
    return x


@jax.jit
def repeated(x, times: int):
    return lax.while_loop(lambda s: s[1] > 0, lambda s: (jnp.sin(s[0]), s[1] - 1), (x, times))[0]


@partial(jax.jit, static_argnames=("order",))
def weighted(x, order):
    return x * WEIGHTS[order]


@jax.jit
def annealed(x, phase):
    """An array can be read at a traced place, a list cannot."""
    return x * jnp.asarray(RATES)[phase]


@jax.jit
def either(x, y, left: bool):
    return jnp.where(left, x, y)


@jax.jit
def both(x, causal: bool, masked: bool):
    return jnp.where(jnp.logical_and(causal, masked), x, 0)


@jax.jit
def at_most(x, depth: int):
    return jnp.minimum(depth, 3) * x


@partial(jax.jit, static_argnames=("n",))
def head(x, n):
    return x[:n]


@jax.jit
def part(x, n):
    return lax.dynamic_slice_in_dim(x, n, 2)


@partial(jax.jit, static_argnames=("training",))
def with_keywords(x, **options):
    return x if options["training"] else -x


class Encoder:
    @partial(jax.jit, static_argnums=(0, 2))
    def __call__(self, x, training: bool):
        return jnp.tanh(x) if training else x


def jaxlint_examples():
    x = jnp.arange(8.0)
    encoder = Encoder()
    return {
        "dropout": (x, True),
        "repeated": (x, 3),
        "weighted": (x, 2),
        "annealed": (x, 2),
        "either": (x, x, True),
        "both": (x, True, False),
        "at_most": (x, 2),
        "head": (x, 3),
        "part": (x, 1),
        "with_keywords": lambda: with_keywords(x, training=True),
        "Encoder.__call__": (encoder, x, True),
    }
