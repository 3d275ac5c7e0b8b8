import jax
import jax.numpy as jnp
import numpy as np

drawn = jnp.asarray(np.random.random((1500, 1500)))
halves = jnp.stack([jnp.ones(1_000_000), jnp.zeros(1_000_000)])


@jax.jit
def by_drawn(table, x):
    return (table @ x).sum()


@jax.jit
def by_halves(table, x):
    return (table * x).sum()


def jaxlint_examples():
    return {
        "by_drawn": lambda: by_drawn(drawn, jnp.ones(1500)),
        "by_halves": lambda: by_halves(halves, 2.0),
    }
