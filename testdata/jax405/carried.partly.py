"""Gradients that the next iteration goes on with, and those that are no step of anything."""

import jax
import jax.numpy as jnp
import optax


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


@jax.jit
def step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


@jax.jit
def _step(params, batch):
    return jax.grad(loss)(params, batch)


def trained(params, batches):
    for batch in batches:
        gradients = _step(params, batch)
        scaled = 0.1 * gradients
        params = params - scaled
    return params


def updated(params, batches):
    """The optimizer's module is another one."""
    tx = optax.sgd(0.1)
    state = tx.init(params)

    @jax.jit
    def step(params, state, batch):
        changes, state = tx.update(jax.grad(loss)(params, batch), state)
        params = optax.apply_updates(params, changes)
        return params, state

    for batch in batches:
        params, state = step(params, state, batch)
    return params


def slopes(params, batches):
    """Each is a derivative at another place."""
    found = []
    for batch in batches:
        found.append(jax.grad(loss)(params, batch))
    return found


def slopes_at_once(params, batches):
    return [jax.grad(loss)(params, batch) for batch in batches]


def told(params, batches):
    """What is only told is no step either."""
    for batch in batches:
        print(jax.grad(loss)(params, batch).shape)


def by_option(params, batches, fast):
    """On one of two ways it is compiled."""
    gradient = jax.grad(loss)
    if fast:
        gradient = jax.jit(gradient)
    for batch in batches:
        params = params - 0.1 * gradient(params, batch)
    return params


def by_epochs(params, batches, n_epochs):
    """The loop within does the work, compiled; the gradient comes once for all its iterations."""
    for _ in range(n_epochs):
        for batch in batches:
            params = step(params, batch)
        params = params - 0.01 * jax.grad(loss)(params, batches[0])
    return params


slope = jax.jit(jax.grad(loss))


def compiled_slopes(params, batches):
    found = []
    for batch in batches:
        found.append(slope(params, batch))
    return found


def compiled_steps(params, batches):
    for batch in batches:
        params = step(params, batch)
    return params


def told_of_compiled(params, batches):
    for batch in batches:
        print(slope(params, batch).shape)


@jax.jit
def _benchmark_per_hand_step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


def benchmark_per_hand(params, batches):
    for batch in batches:
        params = _benchmark_per_hand_step(params, batch)
    return params


def jaxlint_examples():
    params, batches = jnp.ones(3), [jnp.ones((2, 3))] * 12
    return {
        "trained": (params, batches),
        "updated": (params, batches),
        "slopes": (params, batches),
        "slopes_at_once": (params, batches),
        "told": (params, batches),
        "by_option": (params, batches, True),
        "by_epochs": (params, batches, 2),
        "compiled_slopes": (params, batches),
        "compiled_steps": (params, batches),
        "told_of_compiled": (params, batches),
        "benchmark_per_hand": (params, batches),
    }
