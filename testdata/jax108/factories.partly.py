"""Factories whose product is dropped after one use, or that are asked again in each turn of a loop."""

import functools

import jax
import jax.numpy as jnp


def make_step(rate):
    @jax.jit
    def step(x):
        return x - rate * x

    return step


def make_lambda(rate):
    return jax.jit(lambda x: x - rate * x)


def make_gradient(loss):
    return jax.jit(jax.value_and_grad(loss))


def make_named(rate):
    def step(x):
        return x - rate * x

    compiled = jax.jit(step)
    return compiled


def make_partial(rate):
    return jax.jit(functools.partial(_relax, rate=rate))


def make_closure(rate):
    """The compiled object is inside what is returned."""
    step = jax.jit(lambda x: x - rate * x)

    def advance(x):
        return step(step(x))

    return advance


def make_either(kind):
    if kind == "fast":
        return jax.jit(lambda x: x * 2)
    return jax.jit(lambda x: x * 3)


def make_through(rate):
    """A factory on top of a factory."""
    return make_step(rate)


def make_mapped(function):
    return jax.pmap(jax.vmap(function))


make_short = lambda rate: jax.jit(lambda x: x - rate * x)


def _relax(x, rate):
    return x - rate * x


def _loss(x):
    return jnp.sum(x * x)


_step = make_step(0.1)


def at_once(x):
    return _step(x)


_lambda = make_lambda(0.1)


def at_once_lambda(x):
    return _lambda(x)


_gradient = make_gradient(_loss)


def at_once_gradient(x):
    value, gradient = _gradient(x)
    return x - value * gradient


_named = make_named(0.1)


def at_once_named(x):
    return _named(x)


_partial = make_partial(0.1)


def at_once_partial(x):
    return _partial(x)


_closure = make_closure(0.1)


def at_once_closure(x):
    return _closure(x)


_either = make_either("fast")


def at_once_either(x):
    return _either(x)


_through = make_through(0.1)


def at_once_through(x):
    return _through(x)


_mapped = make_mapped(jnp.sin)


def at_once_mapped(x):
    return _mapped(x[None])


def at_once_short(x):
    return make_short(0.1)(x)


def local(x):
    return _step(x)


def controlled(x, rates):
    for rate in rates:
        step = make_step(rate)
        x = step(x)
    return x


def controlled_at_once(x):
    for _ in range(3):
        x = _step(x)
    return x


_settled_step = make_step(0.5)


def settled(x):
    while x.sum() > 2:
        for _ in range(2):
            x = _settled_step(x)
    return x


def listed(x, rates):
    return [make_step(rate)(x) for rate in rates]


def reused(x):
    for _ in range(3):
        x = _step(x)
    return x


def reused_twice(x):
    return _step(x) + _step(2 * x)


_advance = make_closure(0.1)


def reused_closure(x):
    for _ in range(3):
        x = _advance(x)
    return x


class Controller:
    def __init__(self, rate):
        self.rate = rate

    def _make(self):
        rate = self.rate

        @jax.jit
        def step(x):
            return x - rate * x

        return step

    @staticmethod
    def build(rate):
        return jax.jit(lambda x: x - rate * x)

    def act(self, x):
        return self._make()(x)

    def act_static(self, x):
        return Controller.build(0.1)(x)

    def act_static_by_self(self, x):
        step = self.build(self.rate)
        return step(x)

    def rollout(self, x):
        for _ in range(3):
            x = self._make()(x)
        return x

    def simulate(self, x):
        step = self._make()
        for _ in range(3):
            x = step(x)
        return x


def outside(x):
    """A factory that is itself made in the function."""
    def make(rate):
        return jax.jit(lambda v: v * rate)

    return make(2.0)(x)


def jaxlint_examples():
    x = jnp.ones(3)
    controller = Controller(0.1)
    names = (
        "at_once", "at_once_lambda", "at_once_gradient", "at_once_named", "at_once_partial", "at_once_closure",
        "at_once_either", "at_once_through", "at_once_mapped", "at_once_short", "local", "controlled_at_once", "settled",
        "reused", "reused_twice", "reused_closure", "outside",
    )  # fmt: skip
    methods = ("act", "act_static", "act_static_by_self", "rollout", "simulate")
    return {name: (x,) for name in names} | {f"Controller.{name}": (controller, x) for name in methods} | {
        "controlled": (x, [0.1, 0.2]),
        "listed": (x, [0.1, 0.2]),
    }
