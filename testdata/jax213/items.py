"""Lists and dictionaries that jitted functions read while they are traced, and what fills them."""

import jax
import jax.numpy as jnp
import numpy as np

CONFIG = {"scale": 1.0, "shift": 0.0}


@jax.jit
def scaled(x):
    return x * CONFIG["scale"]  # want: JAX213


@jax.jit
def shifted(x):
    return x + CONFIG["shift"]  # ok: JAX213


def by_scale(x, scales):
    out = []
    for scale in scales:
        CONFIG["scale"] = scale
        out.append(scaled(x))
    return out


def by_other_key(x, scales):
    out = []
    for scale in scales:
        CONFIG["scale"] = scale
        out.append(shifted(x))
    return out


TABLE = {}


@jax.jit
def looked_up(x):
    return x * TABLE["factor"]  # ok: JAX213


def filled_first(x):
    TABLE["factor"] = 3.0
    return looked_up(x), looked_up(x)


def moving(x, n):
    position = np.zeros(2)

    @jax.jit  # want: JAX101 (low)
    def distance(x):
        return jnp.sum((x - position) ** 2)  # want: JAX213

    out = []
    for i in range(n):
        position[0] = i
        out.append(distance(x))
    return out


class Meter:
    def __init__(self):
        self.total = 0.0

    def update(self, value):
        self.total += float(value)


def metered(x, n):
    """A method of this name need not change what a literal of Python holds."""
    meter = Meter()

    @jax.jit  # want: JAX101 (low)
    def halved(x):
        return x / 2 if isinstance(meter, Meter) and meter else x  # ok: JAX213

    for _ in range(n):
        x = halved(x)
        meter.update(x.sum())
    return x


def appended(x, n):
    weights = []

    @jax.jit  # want: JAX101 (low)
    def weighted(x):
        return x * sum(weights)  # want: JAX213

    out = []
    for i in range(n):
        weights.append(float(i))
        out.append(weighted(x))
    return out


def recorded(x, n):
    history = []

    @jax.jit  # want: JAX101 (low)
    def halved(x):
        return x / 2  # ok: JAX213

    for _ in range(n):
        x = halved(x)
        history.append(x)
    return history


def stacked(x, n):
    parts = []

    @jax.jit  # want: JAX101 (low)
    def total(x):
        """Its own list begins empty with each trace."""
        parts = []
        parts.append(x)
        parts.append(x)
        return sum(parts)  # ok: JAX213

    for _ in range(n):
        parts.append(total(x))
    return parts


def jaxlint_examples():
    x = jnp.ones(2)
    return {
        "scaled": lambda: by_scale(x, [1.0, 2.0]),
        "shifted": lambda: by_other_key(x, [1.0, 2.0]),
        "looked_up": lambda: filled_first(x),
        "moving": (x, 3),
        "metered": (x, 3),
        "appended": (x, 3),
        "recorded": (x, 3),
        "stacked": (x, 3),
    }
