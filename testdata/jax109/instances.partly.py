"""Instances that compile for themselves, made where they are used."""

import dataclasses
import functools

import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self._apply = jax.jit(self.apply)

    def apply(self, signal):
        return self.gain * signal

    def __call__(self, signal):
        return self._apply(signal)

    def describe(self):
        return f"gain {self.gain}"


class Solver:
    """`self` is a part of the cache's key."""

    def __init__(self, rate):
        self.rate = rate

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x - self.rate * jnp.sin(x)

    def solve(self, x):
        return self.step(self.step(x))


class Nested:
    def __init__(self, scale):
        self._build(scale)

    def _build(self, scale):
        @jax.jit
        def forward(x):
            return x * scale

        self.forward = forward


class LouderFilter(Filter):
    pass


_filter = Filter(2.0)


def filtered(signal):
    return _filter(signal)


def all_filtered(signals):
    return [_filter(signal) for signal in signals]


_solver = Solver(0.1)


def solved(x):
    return _solver.solve(x)


def stepped(x):
    return _solver.step(x)


_nested = Nested(3.0)


def scaled(x):
    return _nested.forward(x)


_louder_filter = LouderFilter(2.0)


def inherited(x):
    return _louder_filter(x)


def rebuilt(x, rates):
    for rate in rates:
        solver = Solver(rate)
        for _ in range(2):
            x = solver.step(x)
    return x


_double = Filter(2.0)


def reused(signals):
    """Made once, used for all of them."""
    return [_double(signal) for signal in signals]


def main():
    print(_filter(jnp.ones(3)))


# Kept by somebody, or nothing compiled is called of it.

DOUBLE = Filter(2.0)


def by_module_object(signal):
    return DOUBLE(signal)


class Pipeline:
    def __init__(self):
        self.filter = Filter(2.0)
        self.solvers = [Solver(rate) for rate in (0.1, 0.2)]

    def __call__(self, signal):
        return self.filter(signal) + self.solvers[0].step(signal)


@functools.cache
def cached_filter(gain):
    return Filter(gain)


def by_cached(signal):
    return cached_filter(2.0)(signal)


def described():
    return Filter(2.0).describe()


def not_compiled(signal):
    return Filter(2.0).apply(signal)


@functools.partial(jax.jit, static_argnames="steps")
def outer(x, steps):
    """The inner programs are a part of the outer one."""
    solver = Solver(0.1)
    return solver.step(x) * steps


# Equal instances hit.


@dataclasses.dataclass(frozen=True)
class Schedule:
    peak: float

    @functools.partial(jax.jit, static_argnums=0)
    def rate(self, step):
        return self.peak * 0.9**step


class Power:
    def __init__(self, order):
        self.order = order

    def __eq__(self, other):
        return isinstance(other, Power) and self.order == other.order

    def __hash__(self):
        return hash(self.order)

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return x**self.order


@jax.tree_util.register_pytree_node_class
class State:
    def __init__(self, value):
        self.value = value

    def tree_flatten(self):
        return (self.value,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @jax.jit
    def norm(self):
        return jnp.sqrt(jnp.sum(self.value**2))


@jax.jit
def shared(x):
    return x + 1.0


class Wrapper:
    """What it keeps is the module's."""

    def __init__(self):
        self.call = shared

    @staticmethod
    @jax.jit
    def half(x):
        return 0.5 * x


def by_value(step):
    return Schedule(0.1).rate(step)


def by_hash(x):
    return Power(2)(x)


def as_pytree(x):
    return State(x).norm()


def of_the_module(x):
    return Wrapper().call(x)


def static_method(x):
    return Wrapper().half(x)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "filtered": (x,),
        "all_filtered": ([x],),
        "solved": (x,),
        "stepped": (x,),
        "scaled": (x,),
        "inherited": (x,),
        "rebuilt": (x, [0.1]),
        "reused": ([x, x],),
        "main": (),
        "by_module_object": (x,),
        "Pipeline.__init__": lambda: PIPELINE(x),
        "cached_filter": lambda: by_cached(x),
        "by_cached": (x,),
        "described": (),
        "not_compiled": (x,),
        "outer": (x, 2),
        "by_value": (jnp.float32(3),),
        "by_hash": (x,),
        "as_pytree": (x,),
        "of_the_module": (x,),
        "static_method": (x,),
    }


PIPELINE = Pipeline()
