"""Lambdas compiled and called in one expression, inside functions that are called often."""

import functools

import jax
import jax.numpy as jnp
import optax


@jax.jit
def _boltzmann(e, temperature):
    return jnp.exp(-e / temperature)


def boltzmann(energies, temperature):
    return _boltzmann(energies, temperature)


@jax.jit
def _log_likelihood(m, y):
    return -0.5 * jnp.sum((y - m) ** 2)


def log_likelihood(mu, observations):
    return float(_log_likelihood(mu, observations))


@jax.jit
def _project(x, weights):
    return x @ weights


def project(weights, features):
    """The changing weights are caught in the lambda and become constants of each program."""
    return _project(features, weights)


@jax.jit
def _thunk(x):
    return jnp.sum(x * x)


def thunk(x):
    return _thunk(x)


@jax.jit
def _over_lines(v, scale):
    return jnp.where(
        v > 0,
        v * scale,
        0.0,
    )


def over_lines(x, scale):
    return _over_lines(x, scale)


@jax.jit
def _clip(v):
    return jnp.clip(v, 0, 1)


def named_first(x):
    return _clip(x)


def compiled_name(x):
    return _clip(x)


@functools.partial(jax.jit, static_argnums=1)
def _static_length(v, k):
    return v[:k].sum()


def static_length(x, n):
    return _static_length(x, n)


@jax.jit
def _around_a_compiled_function_energy(v):
    return _energy(v)


def around_a_compiled_function(x):
    """The body is not traced again, yet the program is compiled again."""
    return _around_a_compiled_function_energy(x)


@jax.jit
def _around_an_expression(v):
    return jnp.sum(v * v)


def around_an_expression(x):
    return jnp.sqrt(_around_an_expression(x) + 1e-6)


@functools.partial(jax.jit, inline=True)
def _keyword_options(v):
    return v * 2


def keyword_options(x):
    return _keyword_options(x)


@jax.pmap
def _devices(rows):
    return rows.mean(axis=0)


def devices(batch):
    return _devices(batch[None])


@jax.jit
def _quantise_all(p):
    return jax.tree.map(lambda w: jnp.round(w * 127) / 127, p)


def quantise_all(params):
    """A jitted lambda in place is no cure for an eager tree.map: it compiles on each call."""
    return _quantise_all(params)


def update(params, gradients, state):
    tx = optax.sgd(0.1)
    updates, state = jax.jit(lambda g, s: tx.update(g, s))(gradients, state)
    return optax.apply_updates(params, updates), state


@jax.jit
def _selected(v):
    return v * 2


@jax.jit
def _selected_2(v):
    return v * 3


def selected(x, deep):
    f = _selected if deep else _selected_2
    return f(x)


@jax.jit
def _flux(t, emissivity):
    return emissivity * 5.67e-8 * t**4


@jax.jit
def _sample(t):
    return t + 1


class Radiator:
    def __init__(self, emissivity):
        self.emissivity = emissivity

    def flux(self, temperature):
        return _flux(temperature, self.emissivity)

    def __call__(self, temperature):
        return _sample(temperature)

    @property
    def law(self):
        return jax.jit(lambda t: self.emissivity * t**4)

    def by_law(self, temperature):
        return self.law(temperature)


@jax.jit
def _energy(v):
    return 0.5 * jnp.sum(v * v)


def fine(x):
    return _energy(x)


def plain_lambda(x):
    double = lambda v: 2 * v
    return _energy(double(x))


def grad_of_a_lambda(x):
    """An eager transform runs the Python again, and compiles nothing again."""
    return jax.grad(lambda v: jnp.sum(v * v))(x)


def vmap_of_a_lambda(x):
    return jax.vmap(lambda v: v * 2)(x)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 4)
    radiator = Radiator(0.9)
    return {
        "boltzmann": (x, 2.0),
        "log_likelihood": (0.5, x),
        "project": (x, x),
        "thunk": (x,),
        "over_lines": (x, 2.0),
        "named_first": (x,),
        "compiled_name": (x,),
        "static_length": (x, 2),
        "around_a_compiled_function": (x,),
        "around_an_expression": (x,),
        "keyword_options": (x,),
        "devices": (x[:, None],),
        "quantise_all": ({"w": x, "b": x[:2]},),
        "update": (x, x, optax.sgd(0.1).init(x)),
        "selected": (x, True),
        "Radiator.flux": (radiator, x),
        "Radiator.__call__": (radiator, x),
        "Radiator.law": lambda: radiator.law(x),
        "Radiator.by_law": (radiator, x),
        "fine": (x,),
        "plain_lambda": (x,),
        "grad_of_a_lambda": (x,),
        "vmap_of_a_lambda": (x,),
    }
