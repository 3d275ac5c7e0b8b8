import jax
import jax.numpy as jnp


@jax.jit
def unrolled_loop(x):
    for _ in range(2000):
        x = x + 1.0
    return x


unrolled_loop(jnp.zeros(10))
