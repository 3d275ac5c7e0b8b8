"""Loops as long as the model is deep, or as a thing has parts: a handful of turns, and no better way."""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def network(layers, x):
    for weight, bias in layers:  # ok: JAX302
        x = jnp.tanh(x @ weight + bias)
    return x


@partial(jax.jit, static_argnames=("num_layers",))
def same_layer(weight, x, num_layers):
    for _ in range(num_layers):  # ok: JAX302
        x = jnp.tanh(x @ weight)
    return x


@partial(jax.jit, static_argnames=("num_heads",))
def heads(x, num_heads):
    outputs = []
    for part in jnp.split(x, num_heads, axis=-1):  # ok: JAX302
        outputs.append(jax.nn.softmax(part) * 2)
    return jnp.concatenate(outputs, axis=-1)


@partial(jax.jit, static_argnames=("heads",))
def heads_by_number(x, heads):
    return jnp.concatenate([jax.nn.softmax(x[..., h]) * 2 for h in range(heads)], axis=-1)  # ok: JAX302


@jax.jit
def agents(params, observations):
    actions = {}
    for name in observations:  # ok: JAX302
        actions[name] = jnp.tanh(params[name] @ observations[name])  # ok: JAX209
    return actions


@jax.jit
def updated(params, grads):
    return {k: v - 0.1 * grads[k] for k, v in params.items()}  # ok: JAX302


@jax.jit
def updated_leaves(params, grads):
    leaves, treedef = jax.tree.flatten(params)
    new = [p - 0.1 * g for p, g in zip(leaves, jax.tree.leaves(grads))]  # ok: JAX302
    return jax.tree.unflatten(treedef, new)


@partial(jax.jit, static_argnames=("stages",))
def runge_kutta(y, stages):
    k = y
    for _ in range(stages):  # ok: JAX302
        k = jnp.sin(y + 0.5 * k)
    return y + k


@partial(jax.jit, static_argnames=("order",))
def taylor(x, order):
    term, total = jnp.ones_like(x), jnp.ones_like(x)
    for n in range(1, order):  # ok: JAX302
        term = term * x / n
        total = total + term
    return total


@jax.jit
def centred(x):
    for axis in range(x.ndim):  # ok: JAX302
        x = x - x.mean(axis=axis, keepdims=True)
    return x


@jax.jit
def sizes(x):
    """The shape is walked over, not the data."""
    scale = 1.0
    for n in x.shape:  # ok: JAX302
        scale = scale * n
    names = [f"axis {i}" for i in range(x.shape[0])]  # ok: JAX302
    return x / scale + len(names)


@jax.jit
def added(x, *terms):
    for term in terms:  # ok: JAX302
        x = x + 0.5 * term
    return x


class Moments(NamedTuple):
    mean: jax.Array
    variance: jax.Array


@jax.jit
def normalised(moments: Moments, x):
    for field in moments:  # ok: JAX302
        x = x - field
    return x


WIDTHS = (8, 6, 4)


@jax.jit
def initial(key):
    keys = jax.random.split(key, len(WIDTHS))
    return [  # ok: JAX302
        {"kernel": jax.random.normal(k, (rows, columns)) / rows, "bias": jnp.zeros(columns)}
        for k, rows, columns in zip(keys[1:], WIDTHS[:-1], WIDTHS[1:])
    ]


class Encoder(nn.Module):
    depth: int

    @nn.compact
    def __call__(self, x):
        for i in range(self.depth):  # ok: JAX302
            x = nn.tanh(nn.Dense(4, name=f"dense_{i}")(x))
        return x


encoder = Encoder(3)


@jax.jit
def encoded(params, x):
    return encoder.apply(params, x)


class Stack(eqx.Module):
    layers: list

    def __call__(self, x):
        for layer in self.layers:  # ok: JAX302
            x = jnp.tanh(layer(x))
        return x


@eqx.filter_jit
def stacked(model, x):
    return model(x)


@jax.jit
def by_jax(xs):
    """No loop of Python stands here."""

    def body(carry, x):
        return carry + jnp.sin(x), carry

    state, _ = lax.scan(body, jnp.zeros(xs.shape[1]), xs)
    state = lax.fori_loop(0, xs.shape[0], lambda i, s: s + xs[i], state)
    return state + jax.vmap(jnp.sin)(xs).sum()


@jax.jit
def pyramid(x):
    """The array is halved each time, and soon gone."""
    levels = []
    while x.shape[0] > 64:  # ok: JAX302
        x = x.reshape(-1, 2).mean(axis=1)
        levels.append(x.sum())
    return jnp.stack(levels) if levels else x


@jax.jit
def step(x, batch):
    return x + 0.1 * batch.mean()


def epoch(x, batches):
    """Each turn calls a compiled function."""
    for i in range(batches.shape[0]):  # ok: JAX302
        x = step(x, batches[i])
    return x


def jaxlint_examples():
    x, wide = jnp.ones(8), jnp.ones((2, 8))
    weight, bias = jnp.ones((8, 8)), jnp.zeros(8)
    params = {"a": weight, "b": weight}
    variables = encoder.init(jax.random.key(0), wide)
    stack = Stack([eqx.nn.Linear(8, 8, key=jax.random.key(i)) for i in range(2)])
    return {
        "network": ([(weight, bias)] * 12, wide),
        "same_layer": lambda: same_layer(weight, wide, num_layers=12),
        "heads": lambda: heads(wide, num_heads=4),
        "heads_by_number": lambda: heads_by_number(wide, heads=4),
        "agents": (params, {"a": x, "b": x}),
        "updated": (params, params),
        "updated_leaves": (params, params),
        "runge_kutta": lambda: runge_kutta(x, stages=4),
        "taylor": lambda: taylor(x, order=12),
        "centred": (wide,),
        "sizes": (wide,),
        "added": (x, x, x),
        "normalised": (Moments(x, x), x),
        "initial": (jax.random.key(0),),
        "Encoder.__call__": lambda: encoded(variables, wide),
        "Stack.__call__": lambda: stacked(stack, x),
        "by_jax": (wide,),
        "pyramid": (jnp.ones(64),),
        "epoch": (x, jnp.ones((400, 8))),
    }
