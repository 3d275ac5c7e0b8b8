"""Attributes that are no bound methods, and bound methods that are read once."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax


class Reservoir:
    """The usual and right way."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.release = jax.jit(self.flow)
        self.levels = {"flow": jax.jit(self.flow), "half": jax.jit(self.half)}

    def flow(self, level):
        return jnp.minimum(level, self.capacity)

    def half(self, level):
        return level / 2

    def step(self, level):
        return self.release(level) + self.levels["half"](level)

    @functools.cached_property
    def compiled_flow(self):
        return jax.jit(self.flow)

    def by_cached_property(self, level):
        return self.compiled_flow(level)

    def lazily(self, level):
        if getattr(self, "_late", None) is None:
            self._late = jax.jit(self.flow)
        return self._late(level)

    def enlarge(self, factor):
        """A new program on purpose: the old one has the old capacity in it."""
        self.capacity *= factor
        self.release = jax.jit(self.flow)
        self._late = None

    def runner(self):
        flow = jax.jit(self.flow)

        def run(level):
            return flow(level)

        return run

    def parts(self):
        return jax.jit(self.flow), jax.jit(self.half)

    def evaluate(self, level):
        return jax.jit(self.flow)(level)

    def run(self, level):
        flow = jax.jit(self.flow)
        for _ in range(3):
            level = flow(level)
        return level


class StaticAndCompiled:
    @staticmethod
    def square(x):
        return x * x

    def __init__(self, function=jnp.sin):
        self.function = function
        self.other = lambda x: x + 1
        self.compiled = jax.jit(function)

    def by_static(self, x):
        return jax.jit(self.square)(x)

    def by_class(self, x):
        return jax.jit(StaticAndCompiled.square)(x)

    def by_stored_function(self, x):
        """What `__init__` stored is one object, not a method."""
        return jax.jit(self.function)(x)

    def by_stored_lambda(self, x):
        return jax.jit(self.other)(x)

    def by_compiled(self, x):
        return self.compiled(x)

    def by_unbound(self, x):
        return jax.jit(StaticAndCompiled.method, static_argnums=0)(self, x)

    def method(self, x):
        return x + 2

    @functools.partial(jax.jit, static_argnums=0)
    def static_self(self, x):
        return x + 3


@dataclasses.dataclass
class Problem:
    loss: Callable
    scale: float = 1.0


def by_field(problem: Problem, x):
    return jax.jit(problem.loss)(x)


class Functions(NamedTuple):
    init: Callable
    update: Callable


def by_named_tuple(functions: Functions, x):
    return jax.jit(functions.update)(x)


TX = optax.adam(1e-3)


def optimiser(gradient, state):
    return jax.jit(TX.update)(gradient, state)[0]


def optimiser_start(params):
    return jax.jit(TX.init)(params)


def local_optimiser(gradient, tx=TX):
    state = jax.jit(tx.init)(gradient)
    return jax.jit(tx.update)(gradient, state)[0]


NETWORK = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(2)(x)))


def network(params, x):
    return jax.jit(NETWORK.apply)(params, x)


def network_start(key, x):
    return jax.jit(NETWORK.init)(key, x)


def of_a_module(x):
    return jax.jit(jnp.sin)(x)


def of_a_submodule(x):
    return jax.jit(jax.nn.relu)(x) + jax.jit(jnp.linalg.norm)(x)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


MODEL = Net()
apply = jax.jit(MODEL.apply)
held = MODEL.apply


def hoisted(params, x):
    """The bound method is read once, so that wrapping it again finds the cache."""
    return jax.jit(held)(params, x)


def applied(params, x):
    return apply(params, x)


_init = jax.jit(Net().init)


def init_model(key, x):
    return _init(key, x)


_start_init = jax.jit(MODEL.init)


def start(key, x):
    """One shot by what is compiled, whatever the function is called."""
    return _start_init(key, x)


class Environment:
    def reset(self, key):
        return jax.random.normal(key, (2,))

    def move(self, state):
        return state + 1


_reset = jax.jit(Environment().reset)


def episode(key):
    state = _reset(key)
    return state


def make_model(x):
    model = Net()
    step = jax.jit(model.apply)
    return lambda params: step(params, x)


def pmapped(x):
    """pmap compares methods by their object and function."""
    return jax.pmap(RESERVOIR.flow)(x[None])


def filtered(x):
    return eqx.filter_jit(RESERVOIR.flow)(x)


class Field(eqx.Module):
    weight: jax.Array

    def scaled(self, x):
        return x * self.weight

    @eqx.filter_jit
    def method(self, x):
        return x * self.weight

    @jax.jit
    def plain(self, x):
        return x * self.weight


def filtered_module(field, x):
    return eqx.filter_jit(field.scaled)(x)


def filtered_new_module(x):
    return eqx.filter_jit(Field(x).scaled)(x)


RESERVOIR = Reservoir(2.0)
release = jax.jit(RESERVOIR.flow)


def released(x):
    return release(x)


@jax.jit
def traced(x):
    return jax.jit(RESERVOIR.flow)(x)


class Traced:
    def __init__(self):
        self.step = jax.jit(self._step)

    def _step(self, x):
        return jax.jit(self._force)(x)

    def _force(self, x):
        return -x

    def __call__(self, x):
        return self.step(x)


def lowered(x):
    return jax.jit(RESERVOIR.flow).lower(x).as_text()


def shape(x):
    return jax.eval_shape(RESERVOIR.flow, x)


def python_method(text):
    return sorted(text.split(), key=math.sqrt if False else len)


def jaxlint_examples():
    x = jnp.ones(3)
    batch = jnp.ones((2, 3))
    key = jax.random.key(0)
    reservoir, static = Reservoir(2.0), StaticAndCompiled()
    params, weights = MODEL.init(key, batch), NETWORK.init(key, batch)
    runner, parts, model = reservoir.runner(), reservoir.parts(), make_model(batch)
    large = Reservoir(1.0)
    large.enlarge(2.0)
    return {
        "Reservoir.step": (reservoir, x),
        "Reservoir.compiled_flow": lambda: reservoir.compiled_flow(x),
        "Reservoir.by_cached_property": (reservoir, x),
        "Reservoir.lazily": (reservoir, x),
        "Reservoir.enlarge": lambda: large.step(x),
        "Reservoir.runner": lambda: runner(x),
        "Reservoir.parts": lambda: [f(x) for f in parts],
        "Reservoir.evaluate": (reservoir, x),
        "Reservoir.run": (reservoir, x),
        "StaticAndCompiled.by_static": (static, x),
        "StaticAndCompiled.by_class": (static, x),
        "StaticAndCompiled.by_stored_function": (static, x),
        "StaticAndCompiled.by_stored_lambda": (static, x),
        "StaticAndCompiled.by_compiled": (static, x),
        "StaticAndCompiled.by_unbound": (static, x),
        "StaticAndCompiled.static_self": (static, x),
        "by_field": (Problem(jnp.sin), x),
        "by_named_tuple": (Functions(jnp.sin, jnp.cos), x),
        "optimiser": (x, TX.init(x)),
        "optimiser_start": (x,),
        "local_optimiser": (x,),
        "network": (weights, batch),
        "network_start": (key, batch),
        "of_a_module": (x,),
        "of_a_submodule": (x,),
        "hoisted": (params, batch),
        "applied": (params, batch),
        "init_model": (key, batch),
        "start": (key, batch),
        "episode": (key,),
        "make_model": lambda: model(params),
        "pmapped": (x,),
        "filtered": (x,),
        "Field.method": (Field(x), x),
        "Field.plain": (Field(x), x),
        "filtered_module": (Field(x), x),
        "filtered_new_module": (x,),
        "released": (x,),
        "traced": (x,),
        "Traced.__call__": (Traced(), x),
        "lowered": (x,),
        "shape": (x,),
        "python_method": ("to be",),
    }
