import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(weights, batch):
    return weights - 0.1 * jnp.mean(jnp.tanh(batch @ weights))


def main():
    data = np.ones((50, 4), np.float32)
    weights = jnp.zeros(4)
    for size in (8, 16, 24):
        for start in range(0, 48, size):
            weights = step(weights, data[start : start + size])
    # The last, partial batch, and then data of another type.
    weights = step(weights, data[48:])
    weights = step(weights, data[:8].astype(np.int32))


main()
