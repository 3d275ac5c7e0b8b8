"""Methods that are compiled where they are called, and a static `self` of an object that does not live."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


class Filter:
    def __init__(self, gain):
        self.gain = gain

    def smooth(self, signal):
        return self.gain * jnp.cumsum(signal)

    def __call__(self, signal):
        return jax.jit(self.smooth)(signal)

    @functools.partial(jax.jit, static_argnums=0)
    def sharpen(self, signal):
        return signal + self.gain * jnp.sin(signal)


signal = np.ones(10, np.float32)
kept = Filter(0.5)
for _ in range(2):
    kept(signal)
for _ in range(3):
    Filter(0.5).sharpen(signal)
