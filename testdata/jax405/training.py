"""Whole training loops, whose step is compiled beside the loop."""

import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


def by_epochs(params, batches, epochs):
    """The optimiser is made here, and the loop reads the loss."""
    optimizer = optax.adam(0.1)
    opt_state = optimizer.init(params)
    losses = []
    # One epoch after the other.
    for epoch in range(epochs):
        for x, y in batches:  # want: JAX405
            loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
            updates, opt_state = optimizer.update(grads, opt_state)
            params = optax.apply_updates(params, updates)
            losses.append(float(loss))
        print(epoch, losses[-1])
    return params


def of_all_data(params, x, y, steps=200):
    """What is handed to the loss becomes an argument, though no iteration changes it."""
    tx = optax.sgd(0.1)
    state = tx.init(params)
    grad_fn = jax.value_and_grad(loss_fn)
    for i in range(steps):  # want: JAX405
        value, gradients = grad_fn(params, x, y)
        updates, state = tx.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        if i % 10 == 0:
            print(i, value)
    return params


def of_a_local_loss(params, batches, penalty):
    """The loss goes along with the step."""
    for x, y in batches:  # want: JAX405

        def loss(p):
            return loss_fn(p, x, y) + penalty * jnp.sum(jnp.abs(p))  # noqa: B023

        value, gradients = jax.value_and_grad(loss)(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)  # want: JAX401 (low)
        print(float(value))
    return params


def counted(params, batches):
    """The counter is read by Python, so that the step does not take it along."""
    seen = 0
    tx = optax.sgd(0.1)
    state = tx.init(params)
    for x, y in batches:  # want: JAX405
        gradients = jax.grad(loss_fn)(params, x, y)
        seen += len(x)
        updates, state = tx.update(gradients, state)
        params = optax.apply_updates(params, updates)
    return params, list(range(seen))


class Annealed:
    """It changes in each iteration, so that a compiled step would keep its first rate."""

    def __init__(self):
        self.rate = 0.1

    def cool(self):
        self.rate *= 0.5


def with_an_object(params, batches, annealed):
    for x, y in batches:  # want: JAX405
        value, gradients = jax.value_and_grad(loss_fn)(params, x, y)
        params = params - annealed.rate * gradients
        annealed.cool()
        print(float(value))
    return params


SGD = optax.sgd(0.1)
init = jax.jit(SGD.init)


@jax.jit
def step(params, state, x, y):
    value, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    updates, state = SGD.update(gradients, state, params)
    return optax.apply_updates(params, updates), state, value


def by_compiled_step(params, batches, epochs):
    state = init(params)
    for epoch in range(epochs):
        for x, y in batches:  # ok: JAX405
            params, state, value = step(params, state, x, y)
        print(epoch, float(value))
    return params


def until_it_converges(params, x, y):
    state, value, iterations = init(params), 1.0, 0
    while float(value) > 1e-3 and iterations < 50:  # ok: JAX405
        params, state, value = step(params, state, x, y)
        iterations += 1
    return params


@jax.jit
def epoch_step(params, xs, ys):
    """Three iterations, in one program."""
    state = SGD.init(params)
    for index in range(3):  # ok: JAX405
        gradients = jax.grad(loss_fn)(params, xs[index], ys[index])
        updates, state = SGD.update(gradients, state)
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def by_scan(params, xs, ys):
    def body(carry, batch):
        params, state, _ = step(*carry, *batch)
        return (params, state), None

    (params, _), _ = jax.lax.scan(body, (params, SGD.init(params)), (xs, ys))  # ok: JAX405
    return params


def evaluated(params, batches):
    """Only what comes of a compiled function is read."""
    return [float(step(params, init(params), x, y)[2]) for x, y in batches]  # ok: JAX405


def jaxlint_examples():
    params = jnp.ones(3)
    batches = [(jnp.ones((2, 3)), jnp.ones(2))] * 12
    return {
        "loss_fn": (params, *batches[0]),
        "by_epochs": (params, batches, 10),
        "of_all_data": (params, *batches[0]),
        "of_a_local_loss": (params, batches, 0.1),
        "counted": (params, batches),
        "step": (params, SGD.init(params), *batches[0]),
        "by_compiled_step": (params, batches, 10),
        "until_it_converges": (params, *batches[0]),
        "epoch_step": (params, jnp.ones((3, 2, 3)), jnp.ones((3, 2))),
        "by_scan": (params, jnp.ones((3, 2, 3)), jnp.ones((3, 2))),
        "evaluated": (params, batches),
        "with_an_object": (params, batches, Annealed()),
        "Annealed.cool": lambda: Annealed().cool(),
    }
