"""Lambdas compiled and called in one expression, inside functions that are called often."""

import functools

import jax
import jax.numpy as jnp
import optax


def boltzmann(energies, temperature):
    return jax.jit(lambda e: jnp.exp(-e / temperature))(energies)  # want: JAX102


def log_likelihood(mu, observations):
    return float(jax.jit(lambda m, y: -0.5 * jnp.sum((y - m) ** 2))(mu, observations))  # want: JAX102


def project(weights, features):
    """The changing weights are caught in the lambda and become constants of each program."""
    return jax.jit(lambda x: x @ weights)(features)  # want: JAX102


def thunk(x):
    return jax.jit(lambda: jnp.sum(x * x))()  # want: JAX102


def over_lines(x, scale):
    return jax.jit(  # want: JAX102
        lambda v: jnp.where(
            v > 0,
            v * scale,
            0.0,
        ),
    )(x)


def named_first(x):
    clip = lambda v: jnp.clip(v, 0, 1)
    return jax.jit(clip)(x)  # want: JAX102


def compiled_name(x):
    clip = jax.jit(lambda v: jnp.clip(v, 0, 1))  # want: JAX102
    return clip(x)


def static_length(x, n):
    return jax.jit(lambda v, k: v[:k].sum(), static_argnums=1)(x, n)  # want: JAX102


def around_a_compiled_function(x):
    """The body is not traced again, yet the program is compiled again."""
    return jax.jit(lambda v: _energy(v))(x)  # want: JAX102


def around_an_expression(x):
    return jnp.sqrt(jax.jit(lambda v: jnp.sum(v * v))(x) + 1e-6)  # want: JAX102


def keyword_options(x):
    return functools.partial(jax.jit, inline=True)(lambda v: v * 2)(x)  # want: JAX102


def devices(batch):
    return jax.pmap(lambda rows: rows.mean(axis=0))(batch[None])  # want: JAX102


def quantise_all(params):
    """A jitted lambda in place is no cure for an eager tree.map: it compiles on each call."""
    return jax.jit(lambda p: jax.tree.map(lambda w: jnp.round(w * 127) / 127, p))(params)  # want: JAX102


def update(params, gradients, state):
    tx = optax.sgd(0.1)
    updates, state = jax.jit(lambda g, s: tx.update(g, s))(gradients, state)  # want: JAX102
    return optax.apply_updates(params, updates), state


def selected(x, deep):
    f = jax.jit(lambda v: v * 2) if deep else jax.jit(lambda v: v * 3)  # want: JAX102
    return f(x)


class Radiator:
    def __init__(self, emissivity):
        self.emissivity = emissivity

    def flux(self, temperature):
        return jax.jit(lambda t: self.emissivity * 5.67e-8 * t**4)(temperature)  # want: JAX102

    def __call__(self, temperature):
        sample = jax.jit(lambda t: t + 1)  # want: JAX102
        return sample(temperature)

    @property
    def law(self):
        return jax.jit(lambda t: self.emissivity * t**4)  # want: JAX102

    def by_law(self, temperature):
        return self.law(temperature)


@jax.jit
def _energy(v):
    return 0.5 * jnp.sum(v * v)


def fine(x):
    return _energy(x)  # ok: JAX102


def plain_lambda(x):
    double = lambda v: 2 * v
    return _energy(double(x))  # ok: JAX102


def grad_of_a_lambda(x):
    """An eager transform runs the Python again, and compiles nothing again."""
    return jax.grad(lambda v: jnp.sum(v * v))(x)  # ok: JAX102


def vmap_of_a_lambda(x):
    return jax.vmap(lambda v: v * 2)(x)  # ok: JAX102


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
