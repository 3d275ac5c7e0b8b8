"""The functions of called_at_once.py with their lambdas given a name and a home."""

import functools

import jax
import jax.numpy as jnp
import optax


@jax.jit
def boltzmann(energies, temperature):
    return jnp.exp(-energies / temperature)


@jax.jit
def _log_likelihood(mu, observations):
    return -0.5 * jnp.sum((observations - mu) ** 2)


def log_likelihood(mu, observations):
    return float(_log_likelihood(mu, observations))


@jax.jit
def project(weights, features):
    return features @ weights


@functools.partial(jax.jit, static_argnames=("n",))
def static_length(x, n):
    return x[:n].sum()


@jax.jit
def quantise_all(params):
    return jax.tree.map(lambda w: jnp.round(w * 127) / 127, params)


def quantise(w):
    return jnp.round(w * 127) / 127


def quantise_in_place(params):
    return jax.jit(jax.tree.map, static_argnums=0)(quantise, params)


_tx = optax.sgd(0.1)


@jax.jit
def update(params, gradients, state):
    updates, state = _tx.update(gradients, state)
    return optax.apply_updates(params, updates), state


@jax.jit
def _flux(emissivity, temperature):
    return emissivity * 5.67e-8 * temperature**4


class Radiator:
    def __init__(self, emissivity):
        self.emissivity = emissivity

    def flux(self, temperature):
        return _flux(self.emissivity, temperature)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 4)
    return {
        "boltzmann": (x, 2.0),
        "log_likelihood": (0.5, x),
        "project": (x, x),
        "static_length": (x, 2),
        "quantise_all": ({"w": x, "b": x[:2]},),
        "quantise_in_place": ({"w": x, "b": x[:2]},),
        "update": (x, x, _tx.init(x)),
        "Radiator.flux": (Radiator(0.9), x),
    }
