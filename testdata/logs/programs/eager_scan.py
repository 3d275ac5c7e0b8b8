"""Control flow outside of any compiled function, with bodies that are new on every call."""
import jax
import numpy as np


def decayed(start, inputs):
    return jax.lax.scan(lambda carry, x: (0.5 * carry + x, carry), start, inputs)


def halved(value):
    return jax.lax.while_loop(lambda v: v > 1.0, lambda v: v / 2.0, value)


start, inputs = np.zeros(2, np.float32), np.ones((7, 2), np.float32)
for _ in range(3):
    decayed(start, inputs)
for _ in range(2):
    halved(np.float32(40.0))
