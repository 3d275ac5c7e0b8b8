"""Lambdas compiled once and kept: on an object, in a closure, in a cache."""

import functools

import jax
import jax.numpy as jnp

_cache = {}


class Scaler:
    def __init__(self, scale):
        self.scale = scale
        self._apply = jax.jit(lambda x: x * self.scale)
        self.tables = {"half": jax.jit(lambda x: x * 0.5)}
        self.stages = [jax.jit(lambda x, n=n: x * n) for n in range(2)]
        setattr(self, "extra", jax.jit(lambda x: x + 1))

    def __call__(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.extra(self.tables["half"](self._apply(x)))


class Worker:
    """A compile for each worker: fine while workers live long."""

    def __init__(self):
        self.step, self.reset = jax.jit(lambda s: s + 1), jax.jit(lambda s: s * 0)

    def go(self, s):
        return self.reset(self.step(s))


class Lazily:
    def __init__(self):
        self._f = None

    def __call__(self, x):
        self._f = self._f or jax.jit(lambda v: v * 2)
        return self._f(x)

    @functools.cached_property
    def tripled(self):
        return jax.jit(lambda v: v * 3)

    @property
    def quadrupled(self):
        if "_g" not in self.__dict__:
            self._g = jax.jit(lambda v: v * 4)
        return self._g


def make(scale):
    return jax.jit(lambda x: x * scale)


make_offset = lambda offset: jax.jit(lambda x: x + offset)


def make_many(scales):
    return [jax.jit(lambda x, s=s: x * s) for s in scales]


def make_named(scales):
    return {name: jax.jit(lambda x, s=s: x * s) for name, s in scales.items()}


def make_with_loss(scale):
    f = jax.jit(lambda x: x * scale)
    loss = lambda x: jnp.sum(f(x))
    return f, loss


def make_either(kind):
    return jax.jit(lambda x: x + 1) if kind == "up" else jax.jit(lambda x: x - 1)


@jax.jit
def _step(n):
    return n + 1


def counting():
    """A generator that is made once and asked often."""
    state = jnp.zeros(())
    while True:
        state = _step(state)
        yield state


def by_key(x, key):
    if key not in _cache:
        _cache[key] = jax.jit(lambda v: v * key)
    return _cache[key](x)


def by_walrus(x, key):
    if (f := _cache.get(("w", key))) is None:
        f = _cache["w", key] = jax.jit(lambda v: v * key)
    return f(x)


@functools.lru_cache
def by_size(n):
    return jax.jit(lambda v: v[:n])


def jaxlint_examples():
    x = jnp.ones(3)
    lazily = Lazily()
    made, offset, many, named = make(2.0), make_offset(1.0), make_many([1.0, 2.0]), make_named({"a": 1.0})
    (f, loss), either, numbers = make_with_loss(2.0), make_either("up"), counting()
    return {
        "Scaler.__call__": (Scaler(2.0), x),
        "Worker.go": (Worker(), x),
        "Lazily.__call__": (lazily, x),
        "Lazily.tripled": lambda: lazily.tripled(x),
        "Lazily.quadrupled": lambda: lazily.quadrupled(x),
        "make": lambda: made(x),
        "make_offset": lambda: offset(x),
        "make_many": lambda: [g(x) for g in many],
        "make_named": lambda: [g(x) for g in named.values()],
        "make_with_loss": lambda: loss(f(x)),
        "make_either": lambda: either(x),
        "counting": lambda: next(numbers),
        "by_key": (x, 2.0),
        "by_walrus": (x, 2.0),
        "by_size": lambda: by_size(2)(x),
    }
