"""Tuples of arrays, which Python compares by itself, and branches for scalars that no trace enters."""

import jax
import jax.numpy as jnp


@jax.jit
def counted(labels, found):
    """A slice of a tuple of arrays is a tuple, which equals no number."""
    return jax.lax.scan(
        lambda carry, pair: (carry, None) if pair == -1 else (carry.at[pair].add(1), None),  # ok: JAX209
        jnp.zeros((3, 3), dtype=jnp.int32),
        (labels, found),
    )[0]


@jax.jit
def halved(x):
    """The carry is one as well."""

    def body(_, carry):
        if carry != 0:  # ok: JAX209
            carry = (carry[0] * 0.5, carry[1] + 1)
        return carry

    return jax.lax.fori_loop(0, 3, body, (x, 0))


@jax.jit
def counted_alone(labels):
    return jax.lax.scan(
        lambda carry, label: (carry, None) if label == -1 else (carry.at[label].add(1), None),  # want: JAX209
        jnp.zeros(3, dtype=jnp.int32),
        labels,
    )[0]


@jax.jit
def padded(x):
    """What is compiled is given vectors, as a rule."""
    if x.ndim == 0:
        if x > 0:  # want: JAX209 (low)
            x = x + 1
        x = x[None]
    return jnp.pad(x, 1)


def jaxlint_examples():
    x, labels = jnp.arange(4.0), jnp.array([0, 1, 2])
    return {
        "counted": (labels, labels),
        "halved": (x,),
        "counted_alone": (labels,),
        "padded": (jnp.float32(1.0),),
    }
