import jax
import jax.numpy as jnp


class Interval:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    @property
    def width(self):
        return jnp.maximum(self.high - self.low, 0.0)

    def __add__(self, step):
        return jnp.where(self.low > 0, self.low, self.high) + step


@jax.jit
def width(low, high):
    return Interval(low, high).width


@jax.jit
def moved(low, high):
    interval = Interval(low, high)
    return interval + 1.0


def jaxlint_examples():
    x = jnp.float32(1.0)
    return {
        "Interval.width": lambda: width(x, 2 * x),
        "Interval.__add__": lambda: moved(x, 2 * x),
    }
