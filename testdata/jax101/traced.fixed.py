"""Inner compiled functions that are met only while something else is traced: the outer program holds them."""

import functools

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from jax import lax


@jax.jit
def decorated(x):
    def inner(v):
        return jnp.sin(v)

    return jax.jit(inner)(x)


@functools.partial(jax.jit, static_argnames=("n",))
def decorated_with_options(x, n):
    @jax.jit
    def inner(v):
        return jnp.sin(v) * n

    return inner(x)


@jax.jit
def in_a_loop(x):
    for scale in (1.0, 2.0):
        @jax.jit
        def inner(v):
            return v * scale

        x = inner(x)
    return x


def helper(x):
    """Nobody calls it but traced code."""
    def inner(v):
        return jnp.cos(v)

    return jax.jit(inner)(x)


@jax.jit
def caller(x):
    return helper(x) + helper(2 * x)


def second_helper(x):
    return third_helper(x)


def third_helper(x):
    @jax.jit
    def inner(v):
        return jnp.cos(v)

    return inner(x)


def loss(w):
    return jnp.sum(second_helper(w))


gradient = jax.jit(jax.grad(loss))


def body(carry, x):
    def inner(v):
        return v + carry

    return jax.jit(inner)(x), x


@jax.jit
def scanned(xs):
    return lax.scan(body, xs[0], xs)


def ode(y):
    @jax.jit
    def force(v):
        return -v

    return force(y)


solve = jax.jit(lambda y: y + 0.1 * ode(y))


def per_row(row):
    def inner(v):
        return jnp.cumsum(v)

    return jax.jit(inner)(row)


rows = jax.jit(jax.vmap(per_row))


class Dense(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        @jax.jit
        def activation(v):
            return jnp.maximum(v, 0)

        return activation(nn.Dense(self.features)(x))


_dense = Dense(2)
_apply = jax.jit(_dense.apply)


class Field(eqx.Module):
    scale: float

    @eqx.filter_jit
    def __call__(self, x):
        def inner(v):
            return v * self.scale

        return jax.jit(inner)(x)


def network(x):
    def inner(v):
        return jax.nn.gelu(v)

    return jax.jit(inner)(hk.Linear(2)(x))


_transformed = hk.without_apply_rng(hk.transform(network))
_network = jax.jit(_transformed.apply)


class Pendulum:
    """Methods reached from a traced method."""

    def __init__(self):
        self.step = jax.jit(self._step)

    def _step(self, x):
        return x + 0.1 * self._force(x)

    def _force(self, x):
        @jax.jit
        def sine(v):
            return -jnp.sin(v)

        return sine(x)


def environment_step(state, action):
    """Traced by whoever batches the environments."""
    @jax.jit
    def physics(s):
        return s + 0.1 * action

    return physics(state)


_environments = jax.jit(jax.vmap(environment_step))


def clip_by_value(limit):
    """An optimiser's update, which its users trace."""
    def init(params):
        return optax.EmptyState()

    def update(updates, state, params=None):
        @jax.jit
        def clip(u):
            return jnp.clip(u, -limit, limit)

        return clip(updates), state

    return optax.GradientTransformation(init, update)


_optimiser = clip_by_value(1.0)
_update = jax.jit(_optimiser.update)


@jax.jit
def _eager_caller_inner(v):
    return jnp.sin(v)


def eager_caller(x):
    """The same pattern outside any trace."""

    return _eager_caller_inner(x)


def jaxlint_examples():
    x = jnp.ones((3, 2))
    params = _dense.init(jax.random.key(0), x)
    weights = _transformed.init(jax.random.key(0), x)
    pendulum = Pendulum()
    return {
        "decorated": (x,),
        "decorated_with_options": (x, 2),
        "in_a_loop": (x,),
        "helper": lambda: caller(x),
        "third_helper": lambda: gradient(x),
        "body": lambda: scanned(x),
        "ode": lambda: solve(x),
        "per_row": lambda: rows(x),
        "Dense.__call__": lambda: _apply(params, x),
        "Field.__call__": (Field(2.0), x),
        "network": lambda: _network(weights, x),
        "Pendulum._force": lambda: pendulum.step(x),
        "environment_step": lambda: _environments(x, x),
        "clip_by_value": lambda: _update(x, optax.EmptyState()),
        "eager_caller": (x,),
    }
