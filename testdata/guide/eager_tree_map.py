import jax
import jax.numpy as jnp
import numpy as np


def quantize(x):
    scale = jnp.max(jnp.abs(x))
    return jnp.round(x * scale)


def main():
    params = {f"w{i}": np.ones((i + 1, 3), np.float32) for i in range(5)}
    return jax.tree.map(quantize, params)


main()
