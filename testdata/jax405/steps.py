"""Steps of training in loops, eager and compiled."""

import jax
import jax.numpy as jnp
import optax


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


@jax.jit
def fast_loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


def fit(params, batches):
    for batch in batches:  # want: JAX405
        gradients = jax.grad(loss)(params, batch)
        params = params - 0.1 * gradients
    return params


def by_helper(params, batches, tx):
    state = tx.init(params)
    for batch in batches:  # want: JAX405
        params, state = update(params, state, batch, tx)
    return params


def update(params, state, batch, tx):
    value, gradients = jax.value_and_grad(loss)(params, batch)
    changes, state = tx.update(gradients, state)
    return optax.apply_updates(params, changes), state


@jax.jit
def compiled_step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


def fit_compiled(params, batches):
    for batch in batches:  # ok: JAX405
        params = compiled_step(params, batch)
    return params


def few_turns(params, batch):
    for _ in range(3):
        params = params - 0.1 * jax.grad(loss)(params, batch)
    return params


def no_step(batches):
    total = 0.0
    for batch in batches:  # ok: JAX405
        total += batch.shape[0]
    return total


def outside(params, batches):
    gradients = jax.grad(loss)(params, batches[0])
    for batch in batches:  # ok: JAX405
        gradients = compiled_step(gradients, batch)
    return gradients


fast_gradient = jax.jit(jax.grad(loss))


def by_compiled_gradient(params, batches):
    for batch in batches:  # ok: JAX405
        params = fast_gradient(params, batch)
    return params


def jaxlint_examples():
    params, batch = jnp.ones(3), jnp.ones((2, 3))
    batches = [batch] * 3
    return {
        "fit": (params, batches),
        "by_helper": (params, batches, optax.sgd(0.1)),
        "update": lambda: by_helper(params, batches, optax.sgd(0.1)),
        "fit_compiled": (params, batches),
        "few_turns": (params, batch),
        "no_step": (batches,),
        "outside": (params, batches),
        "by_compiled_gradient": (params, batches),
    }
