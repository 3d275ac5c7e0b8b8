"""Functions that build a compiled step and hand it to whoever keeps it."""

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp


def make_step(rate):
    def step(params):
        return params - rate * params

    return jax.jit(step)  # ok: JAX101


def make_decorated_step(rate):
    @jax.jit  # ok: JAX101
    def step(params):
        return params - rate * params

    return step


def make_named_step(rate):
    @functools.partial(jax.jit, static_argnames=("n",))  # ok: JAX101
    def step(params, n=2):
        return params - rate * n * params

    chosen = step
    return chosen


def make_pair(rate):
    @jax.jit  # ok: JAX101
    def forward(x):
        return x * rate

    @jax.jit  # ok: JAX101
    def backward(x):
        return x / rate

    return forward, backward


def make_table(rates):
    table = {}
    for rate in rates:
        def step(params, rate=rate):
            return params - rate * params

        table[rate] = jax.jit(step)  # ok: JAX101
    return table


def make_list(rates):
    steps = []
    for rate in rates:
        @jax.jit  # ok: JAX101
        def step(params, rate=rate):
            return params - rate * params

        steps.append(step)
    return steps


class Functions(NamedTuple):
    init: Callable
    update: Callable


def make_bundle(rate):
    def init(params):
        return jnp.zeros_like(params)

    def update(params, momentum):
        return params - rate * momentum, momentum

    return Functions(init=init, update=jax.jit(update))  # ok: JAX101


@dataclasses.dataclass
class Integrator:
    advance: Callable
    order: int


def make_integrator(force):
    def advance(x):
        return x + 0.01 * force(x)

    return Integrator(advance=jax.jit(advance), order=1)  # ok: JAX101


def make_runner(rate, steps):
    """The compiled object is caught in a function that is returned."""
    @jax.jit  # ok: JAX101
    def step(params):
        return params - rate * params

    def run_all(params):
        for _ in range(steps):
            params = step(params)
        return params

    return run_all


def make_closure_by_name(rate):
    def step(params):
        return params - rate * params

    compiled = jax.jit(step)  # ok: JAX101

    def advance(params):
        return compiled(params)

    return advance


def make_lambda(rate):
    def step(params):
        return params - rate * params

    compiled = jax.jit(step)  # ok: JAX101
    return lambda params: compiled(params) + 1


def timed(function):
    """A decorator of the project's own."""
    compiled = jax.jit(function)  # ok: JAX101

    @functools.wraps(function)
    def wrapper(*args):
        return compiled(*args)

    return wrapper


@timed
def cubed(x):
    return x**3


def choose(kind):
    def sharp(x):
        return jnp.sign(x)

    def smooth(x):
        return jnp.tanh(x)

    if kind == "sharp":
        return jax.jit(sharp)  # ok: JAX101
    elif kind == "smooth":
        return jax.jit(smooth)  # ok: JAX101
    raise ValueError(kind)


def make_partial(rate):
    @jax.jit  # ok: JAX101
    def step(params, momentum):
        return params - rate * momentum

    return functools.partial(step, momentum=1.0)


class Engine:
    """A factory method; the engine keeps what it gives."""

    def __init__(self, rate):
        self.rate = rate
        self.step = self._build()

    def _build(self):
        rate = self.rate

        @jax.jit  # ok: JAX101
        def step(params):
            return params - rate * params

        return step

    def advance(self, params):
        return self.step(params)



def jaxlint_examples():
    x = jnp.ones(3)
    step, decorated, named = make_step(0.1), make_decorated_step(0.1), make_named_step(0.1)
    forward, backward = make_pair(2.0)
    table, several, bundle = make_table([0.1, 0.2]), make_list([0.1, 0.2]), make_bundle(0.1)
    integrator, every, closure, function = make_integrator(jnp.sin), make_runner(0.1, 3), make_closure_by_name(0.1), make_lambda(0.1)
    chosen, bound, engine = (choose("sharp"), choose("smooth")), make_partial(0.1), Engine(0.1)
    return {
        "make_step": lambda: step(x),
        "make_decorated_step": lambda: decorated(x),
        "make_named_step": lambda: named(x),
        "make_pair": lambda: backward(forward(x)),
        "make_table": lambda: [f(x) for f in table.values()],
        "make_list": lambda: [f(x) for f in several],
        "make_bundle": lambda: bundle.update(x, bundle.init(x)),
        "make_integrator": lambda: integrator.advance(x),
        "make_runner": lambda: every(x),
        "make_closure_by_name": lambda: closure(x),
        "make_lambda": lambda: function(x),
        "timed": lambda: cubed(x),
        "choose": lambda: [f(x) for f in chosen],
        "make_partial": lambda: bound(x),
        "Engine.advance": (engine, x),
    }
