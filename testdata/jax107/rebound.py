"""A name that is bound again to its compiled form is called compiled."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def halves(x):
    return x / 2


def sharded(xs):
    mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
    step = jax.shard_map(halves, mesh=mesh, in_specs=P(), out_specs=P())
    step = jax.jit(step)  # want: JAX104 (low)

    def looped(x):
        for _ in range(3):
            x = step(x)  # ok: JAX107
        return x

    return looped(xs)


def eager(xs):
    mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
    step = jax.shard_map(halves, mesh=mesh, in_specs=P(), out_specs=P())
    for _ in range(3):
        xs = step(xs)  # want: JAX107 (low)
    return xs


def jaxlint_examples():
    x = jnp.ones(4)
    return {"sharded": (x,), "eager": (x,)}
