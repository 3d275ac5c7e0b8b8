"""Static arguments that are made anew and go by a name."""

import functools

import jax
import jax.numpy as jnp
import optax


@functools.partial(jax.jit, static_argnames=("loss", "optimiser"))
def step(params, state, batch, loss, optimiser):
    gradients = jax.grad(loss)(params, batch)
    updates, state = optimiser.update(gradients, state)
    return optax.apply_updates(params, updates), state


def squared(params, batch):
    return jnp.mean((batch @ params) ** 2)


def weighed(weight, params, batch):
    return weight * squared(params, batch)


_optimiser = optax.chain(
    optax.clip(1.0),  # before the step
    optax.sgd(0.1),
)


def once(params, batch):
    tx = _optimiser
    return step(params, tx.init(params), batch, squared, tx)


def _absolute(params, batch):
    """The sum of what is left, halved as long as it is large."""
    total = jnp.sum(jnp.abs(batch @ params))
    return total / 2


def by_function(params, batch, state):
    return step(params, state, batch, _absolute, SGD)


_loss = functools.partial(weighed, 0.5)


def by_partial(params, batch, state):
    loss = _loss
    return step(params, state, batch, loss=loss, optimiser=SGD)


def _step_loss(params, batch):
    return (
        squared(params, batch)
        + jnp.sum(params**2)
    )


def by_lambda(params, batch, state):
    return step(
        params,
        state,
        batch,
        _step_loss,
        SGD,
    )


SGD = optax.sgd(0.1)


class Trainer:
    def __init__(self, rate):
        self.optimiser = optax.sgd(rate)
        self.loss = functools.partial(weighed, 0.5)

    def step(self, params, state, batch):
        return step(params, state, batch, self.loss, self.optimiser)


def by_module(params, batch, state):
    return step(params, state, batch, squared, SGD)


@functools.cache
def loss_of(weight):
    return functools.partial(weighed, weight)


def by_cached(params, batch, state):
    return step(params, state, batch, loss_of(0.5), SGD)


def by_parameter(params, batch, state, loss=squared):
    return step(params, state, batch, loss, SGD)


def by_method(params, batch, state):
    return step(params, state, batch, TRAINER.loss, TRAINER.optimiser)


TRAINER = Trainer(0.1)


def jaxlint_examples():
    params, batch = jnp.ones(3), jnp.ones((2, 3))
    state = SGD.init(params)
    names = ("by_function", "by_partial", "by_lambda", "by_module", "by_cached", "by_parameter", "by_method")
    found = {name: (params, batch, state) for name in names}
    return {**found, "once": (params, batch), "Trainer.step": (TRAINER, params, state, batch)}
