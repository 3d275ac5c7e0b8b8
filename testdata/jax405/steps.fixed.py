"""Steps of training that are compiled as a whole."""

import functools

import jax
import jax.numpy as jnp
import optax


def loss(params, batch):
    return jnp.mean(jax.nn.relu(batch @ params) ** 2)


@jax.jit
def step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


def fit(params, batches):
    for batch in batches:
        params = step(params, batch)
    return params


@functools.partial(jax.jit, static_argnames="tx")
def update(params, state, batch, tx):
    gradients = jax.grad(loss)(params, batch)
    changes, state = tx.update(gradients, state)
    return optax.apply_updates(params, changes), state


def with_optimiser(params, state, batches, tx):
    for batch in batches:
        params, state = update(params, state, batch, tx)
    return params


def jaxlint_examples():
    params, batches = jnp.ones(3), [jnp.ones((2, 3))] * 3
    tx = optax.sgd(0.1)
    return {"fit": (params, batches), "with_optimiser": (params, tx.init(params), batches, tx)}
