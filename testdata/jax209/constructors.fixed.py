"""Tests in constructors and properties of objects that traced code makes."""

import dataclasses

import jax
import jax.numpy as jnp

LIMIT = jnp.array(3.0)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Distance:
    value: jax.Array



@jax.jit
def parallax(p):
    return Distance(1.0 / p).value * 2


class Normal:
    def __init__(self, loc, scale, checked=True):
        self.scale = scale
        self.loc = loc

    def log_prob(self, x):
        return -(((x - self.loc) / self.scale) ** 2)


@jax.jit
def density(x, loc, scale):
    return Normal(loc, scale).log_prob(x).sum()


class Interval:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    @property
    def width(self):
        return self.high - self.low

    def contains(self, x):
        return jnp.where(self.high > x, x, self.low)


@jax.jit
def clipped(low, high, x):
    return Interval(low, high).contains(x)


@jax.jit
def limited(x):
    return jnp.where(LIMIT * 2 > 1, x, -x)


@dataclasses.dataclass
class Options:
    rate: float
    steps: int

    def __post_init__(self):
        if self.rate < 0 or self.steps < 1:
            raise ValueError("options")


@jax.jit
def by_options(x):
    return x * Options(0.1, 3).rate


@dataclasses.dataclass
class Checked:
    value: jax.Array

    def __post_init__(self):
        if not isinstance(self.value, jax.core.Tracer) and self.value < 0:
            raise ValueError("negative")


@jax.jit
def by_checked(x):
    return Checked(x.sum()).value


class Window:
    def __init__(self, x, width=3):
        self.x = x
        if width > x.shape[0] or self.x.ndim > 1:
            raise ValueError("width")
        self.width = width

    def total(self):
        return self.x[: self.width].sum() if self.width > 1 else self.x[0]


@jax.jit
def by_window(x):
    return Window(x).total()


class Limits:
    def __init__(self, high):
        self.high = jnp.float32(high)
        if self.high > 2:
            self.high = self.high / 2
        self.clip = jax.jit(self._clip)

    def _clip(self, x):
        """What it holds was computed when it was made."""
        return jnp.clip(x, 0, self.high) if self.high is not None else x


@jax.jit
def concrete(x):
    return x * (2.0 if LIMIT else 1.0)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "Distance.__post_init__": lambda: parallax(2.0),
        "Normal.__init__": lambda: density(x, 0.0, 1.0),
        "Interval.contains": lambda: clipped(0.0, 1.0, 2.0),
        "limited": (x,),
        "Options.__post_init__": lambda: by_options(x),
        "Checked.__post_init__": lambda: by_checked(x),
        "Window.__init__": lambda: by_window(x),
        "Window.total": lambda: by_window(x),
        "Limits.__init__": lambda limits=Limits(3.0): limits.clip(x),
        "Limits._clip": lambda limits=Limits(3.0): limits.clip(x),
        "concrete": (x,),
    }
