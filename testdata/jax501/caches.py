"""Caches that a jitted function returns longer, through its helpers and in a tuple, and caches of one length."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Layer(NamedTuple):
    keys: jax.Array
    values: jax.Array


def extended(cached, new):
    if cached is None:
        return new
    return jnp.concatenate([cached, new], axis=-2)


def attended(layer, x):
    """It gives the layer's cache in a tuple, with what is computed from it."""
    layer = Layer(keys=extended(layer.keys, x), values=extended(layer.values, x))
    return jnp.tanh(x @ layer.keys.T) @ layer.values, layer


@functools.partial(jax.jit, static_argnames="scale")
def forward(x, cache, scale=1.0):
    layers = list(cache)
    for i, layer in enumerate(layers):
        x, layers[i] = attended(layer, scale * x)
    return x, tuple(layers)


def generate(x, cache, n_new):
    for _ in range(n_new):
        x, cache = forward(x, cache)  # want: JAX501
    return x


def generate_by_keyword(x, cache, n_new):
    """The new cache has a name of its own first."""
    out = []
    for _ in range(n_new):
        x, new_cache = forward(x, cache=cache)  # want: JAX501
        out.append(x)
        cache = new_cache
    return out


@jax.jit
def appended(x, state):
    """Only its tokens are longer."""
    new = {}
    new["tokens"] = jnp.append(state["tokens"], jnp.argmax(x))
    new["count"] = state["count"] + 1
    return new


def sample(x, state, n_new):
    for _ in range(n_new):
        state = appended(x, state)  # want: JAX501
    return state["tokens"]


@jax.jit
def collected(x, caches):
    found = []
    for cache in caches:
        found.append(extended(cache, x))
    return sum(jnp.mean(cache) for cache in found), found


def collect(x, caches, n_new):
    total = 0.0
    for _ in range(n_new):
        mean, caches = collected(x, caches)  # want: JAX501
        total += mean
    return total


@jax.jit
def windowed(x, cache):
    """It cuts what it has joined."""
    cache = jnp.concatenate([cache, x])
    cache = cache[-8:]
    return jnp.tanh(x @ cache.T) @ cache, cache


def generate_in_window(x, cache, n_new):
    for _ in range(n_new):
        x, cache = windowed(x, cache)  # ok: JAX501
    return x


@jax.jit
def mixed(x, hidden, weights):
    """It joins features, and a layer makes them as many as before."""
    hidden = jnp.concatenate([hidden, x], axis=-1)
    hidden = jnp.tanh(hidden @ weights)
    return hidden.sum(), hidden


def recurrent(x, hidden, weights, n_steps):
    total = 0.0
    for _ in range(n_steps):
        value, hidden = mixed(x, hidden, weights)  # ok: JAX501
        total += value
    return total


@jax.jit
def written(x, cache, position):
    cache = jax.lax.dynamic_update_slice(cache, x, (position, 0))
    return jnp.tanh(x @ cache.T) @ cache, cache


def generate_into_buffer(x, cache, n_new):
    for position in range(n_new):
        x, cache = written(x, cache, position)  # ok: JAX501
    return x


@jax.jit
def compared(x, cache):
    """What it joins is not what it returns as the cache."""
    joined = jnp.concatenate([cache, x])
    return jnp.tanh(x @ joined.T) @ joined, cache * 0.9


def compare(x, cache, n_new):
    for _ in range(n_new):
        x, cache = compared(x, cache)  # ok: JAX501
    return x


def generate_and_cut(x, cache, n_new):
    """The loop brings it back to its length."""
    for _ in range(n_new):
        x, cache = forward(x, cache)  # ok: JAX501
        cache = tuple(Layer(layer.keys[-4:], layer.values[-4:]) for layer in cache)
    return x


def generate_all(xs, cache):
    """Each begins with the same cache."""
    out = []
    for x in xs:
        x, longer = forward(x, cache)  # ok: JAX501
        out.append((x, len(longer)))
    return out


@jax.jit
def summarized(x, cache):
    return x, jnp.stack([cache.mean(), x.mean()])


def summarize(x, cache, n_new):
    for _ in range(n_new):
        x, cache = summarized(x, cache)  # ok: JAX501
    return cache


@jax.jit
def grown_hidden(x, last):
    """The last element, beside what is new, is as long each time."""
    return x, jnp.concatenate([last[-1:], x])


def walk(x, last, n_new):
    for _ in range(n_new):
        x, last = grown_hidden(x, last)  # ok: JAX501
    return last


def jaxlint_examples():
    x = jnp.ones((1, 4))
    cache = (Layer(jnp.ones((4, 4)), jnp.ones((4, 4))),) * 2
    return {
        "generate": (x, cache, 3),
        "generate_by_keyword": (x, cache, 3),
        "sample": (x, {"tokens": jnp.zeros(3, int), "count": 0}, 3),
        "collect": (x, [x, x], 3),
        "generate_in_window": (x, jnp.ones((8, 4)), 3),
        "recurrent": (x, x, jnp.ones((8, 4)), 3),
        "generate_into_buffer": (x, jnp.ones((8, 4)), 3),
        "compare": (x, jnp.ones((8, 4)), 3),
        "generate_and_cut": (x, cache, 3),
        "generate_all": ([x, x, x], cache),
        "summarize": (jnp.ones(2), jnp.ones(2), 3),
        "walk": (x, jnp.ones((2, 4)), 3),
    }
