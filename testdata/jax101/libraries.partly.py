"""The compile wrappers of flax and equinox, and pmap."""

import functools

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx


@eqx.filter_jit
def _filtered_inner(v):
    return jnp.tanh(v)


def filtered(x):
    return _filtered_inner(x)


@eqx.filter_jit
def _filtered_decorator_inner(v, scale):
    return v * scale


def filtered_decorator(x, scale):
    return _filtered_decorator_inner(x, scale)


@eqx.filter_jit(donate="none")
def _filtered_options_inner(v):
    return jnp.tanh(v)


def filtered_options(x):
    return _filtered_options_inner(x)


@nnx.jit
def _stateful_forward(m, v):
    return m(v)


def stateful(model, x):
    return _stateful_forward(model, x)


@jax.pmap
def _mapped_over_devices_inner(v):
    return jnp.tanh(v)


def mapped_over_devices(x):
    return _mapped_over_devices_inner(x[None])


@functools.partial(jax.pmap, axis_name="i")
def _reduced_over_devices_inner(v):
    return jax.lax.psum(v, "i")


def reduced_over_devices(x):
    return _reduced_over_devices_inner(x[None])


@eqx.filter_jit
def _filtered_once(x):
    return jnp.tanh(x)


def filtered_again(x):
    return eqx.filter_jit(_hyperbolic)(x)


def _hyperbolic(x):
    return jnp.tanh(x)


@nnx.jit
def _forward(model, x):
    return model(x)


def forward(model, x):
    return _forward(model, x)


class Field(eqx.Module):
    weight: jax.Array

    @eqx.filter_jit
    def __call__(self, x):
        return x * self.weight


def new_module_each_time(x):
    """A new instance is new data, not a new function."""
    return Field(x)(x)


class Layer(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    @nnx.jit
    def __call__(self, x):
        return self.linear(x)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


def make_step(optimiser):
    """What optax users write: the step is built around an optimiser, and kept."""
    @jax.jit
    def step(params, state, gradient):
        updates, state = optimiser.update(gradient, state, params)
        return optax.apply_updates(params, updates), state

    return step


def make_filtered_step(optimiser):
    @eqx.filter_jit
    def step(model, state, x):
        gradient = eqx.filter_grad(lambda m: jnp.sum(m(x)))(model)
        updates, state = optimiser.update(gradient, state)
        return eqx.apply_updates(model, updates), state

    return step


def fit_filtered(model, x):
    optimiser = optax.sgd(0.1)
    state = optimiser.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def step(model, state):
        gradient = eqx.filter_grad(lambda m: jnp.sum(m(x)))(model)
        updates, state = optimiser.update(gradient, state)
        return eqx.apply_updates(model, updates), state

    for _ in range(3):
        model, state = step(model, state)
    return model


@nnx.jit
def _step(m, v):
    return m(v).sum()


def train(model, x):
    for _ in range(3):
        _step(model, x)


def jaxlint_examples():
    x = jnp.ones(3)
    layer = Layer(nnx.Rngs(0))
    sgd = optax.sgd(0.1)
    step, filtered_step = make_step(sgd), make_filtered_step(sgd)
    return {
        "filtered": (x,),
        "filtered_decorator": (x, 2.0),
        "filtered_options": (x,),
        "stateful": (layer, x),
        "mapped_over_devices": (x,),
        "reduced_over_devices": (x,),
        "_filtered_once": (x,),
        "filtered_again": (x,),
        "_forward": (layer, x),
        "forward": (layer, x),
        "Field.__call__": (Field(x), x),
        "new_module_each_time": (x,),
        "Layer.__call__": (layer, x),
        "make_step": lambda: step(x, sgd.init(x), x),
        "make_filtered_step": lambda: filtered_step(Field(x), sgd.init(Field(x)), x),
        "fit_filtered": (Field(x), x),
        "train": (layer, x),
    }
