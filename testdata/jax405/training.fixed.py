"""Whole training loops, whose step is compiled once."""

import jax
import jax.numpy as jnp
import optax

ADAM = optax.adam(0.1)
SGD = optax.sgd(0.1)
init = jax.jit(ADAM.init)


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = ADAM.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    return params, opt_state, loss


def by_epochs(params, batches, epochs):
    opt_state = init(params)
    losses = []
    for epoch in range(epochs):
        for x, y in batches:
            params, opt_state, loss = step(params, opt_state, x, y)
            losses.append(float(loss))
        print(epoch, losses[-1])
    return params


@jax.jit
def plain_step(params, state, x, y):
    value, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    updates, state = SGD.update(gradients, state, params)
    params = optax.apply_updates(params, updates)
    return params, state, value


def of_all_data(params, x, y, steps=200):
    state = SGD.init(params)
    for i in range(steps):
        params, state, value = plain_step(params, state, x, y)
        if i % 10 == 0:
            print(i, value)
    return params


@jax.jit
def penalised_step(params, x, y, penalty):
    def loss(p):
        return loss_fn(p, x, y) + penalty * jnp.sum(jnp.abs(p))

    value, gradients = jax.value_and_grad(loss)(params)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params, value


def of_a_local_loss(params, batches, penalty):
    for x, y in batches:
        params, value = penalised_step(params, x, y, penalty)
        print(float(value))
    return params


def counted(params, batches):
    seen = 0
    state = SGD.init(params)
    for x, y in batches:
        params, state, _ = plain_step(params, state, x, y)
        seen += len(x)
    return params, list(range(seen))


@jax.jit
def annealed_step(params, x, y, rate):
    value, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    return params - rate * gradients, value


def with_an_object(params, batches, rate):
    for x, y in batches:
        params, value = annealed_step(params, x, y, rate)
        rate *= 0.5
        print(float(value))
    return params


def jaxlint_examples():
    params = jnp.ones(3)
    batches = [(jnp.ones((2, 3)), jnp.ones(2))] * 12
    return {
        "by_epochs": (params, batches, 10),
        "of_all_data": (params, *batches[0]),
        "of_a_local_loss": (params, batches, 0.1),
        "counted": (params, batches),
        "with_an_object": (params, batches, 0.1),
    }
