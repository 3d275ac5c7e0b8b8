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


def at_once(x):
    return make_step(0.1)(x)  # want: JAX108


def at_once_lambda(x):
    return make_lambda(0.1)(x)  # want: JAX108


def at_once_gradient(x):
    value, gradient = make_gradient(_loss)(x)  # want: JAX108
    return x - value * gradient


def at_once_named(x):
    return make_named(0.1)(x)  # want: JAX108


def at_once_partial(x):
    return make_partial(0.1)(x)  # want: JAX108


def at_once_closure(x):
    return make_closure(0.1)(x)  # want: JAX108


def at_once_either(x):
    return make_either("fast")(x)  # want: JAX108


def at_once_through(x):
    return make_through(0.1)(x)  # want: JAX108


def at_once_mapped(x):
    return make_mapped(jnp.sin)(x[None])  # want: JAX108


def at_once_short(x):
    return make_short(0.1)(x)  # want: JAX108


def local(x):
    step = make_step(0.1)  # want: JAX108
    return step(x)


def controlled(x, rates):
    for rate in rates:
        step = make_step(rate)  # want: JAX108
        x = step(x)
    return x


def controlled_at_once(x):
    for _ in range(3):
        x = make_step(0.1)(x)  # want: JAX108
    return x


def settled(x):
    while x.sum() > 2:
        step = make_step(0.5)  # want: JAX108
        for _ in range(2):
            x = step(x)
    return x


def listed(x, rates):
    return [make_step(rate)(x) for rate in rates]  # want: JAX108


def reused(x):
    step = make_step(0.1)  # want: JAX108 (low)
    for _ in range(3):
        x = step(x)
    return x


def reused_twice(x):
    step = make_step(0.1)  # want: JAX108
    return step(x) + step(2 * x)


def reused_closure(x):
    advance = make_closure(0.1)  # want: JAX108 (low)
    for _ in range(3):
        x = advance(x)
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
        return self._make()(x)  # want: JAX108

    def act_static(self, x):
        return Controller.build(0.1)(x)  # want: JAX108

    def act_static_by_self(self, x):
        step = self.build(self.rate)  # want: JAX108
        return step(x)

    def rollout(self, x):
        for _ in range(3):
            x = self._make()(x)  # want: JAX108
        return x

    def simulate(self, x):
        step = self._make()  # want: JAX108 (low)
        for _ in range(3):
            x = step(x)
        return x


def outside(x):
    """A factory that is itself made in the function."""
    def make(rate):
        return jax.jit(lambda v: v * rate)

    return make(2.0)(x)  # want: JAX108


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
