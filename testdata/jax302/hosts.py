"""Loops that something outside JAX ends, and functions that only a mapped function can call."""

import jax
import jax.numpy as jnp
import numpy as np


class Pole:
    """An environment of Python's: it knows no trace, and says when an episode is over."""

    def __init__(self, length=40):
        self.length = length
        self.time = 0

    def reset(self):
        self.time = 0
        return np.ones(3)

    def step(self, action):
        self.time += 1
        return np.ones(3) * self.time, 1.0, self.time >= self.length


env = Pole()


@jax.jit
def policy(params, observation):
    return jnp.tanh(observation @ params)


@jax.jit
def episode(params):
    observation = env.reset()
    total = 0.0
    while True:  # want: JAX302
        score = policy(params, observation)
        observation, reward, done = env.step(0)
        total = total + jnp.sum(score) * reward
        if done:
            break
    return total


@jax.jit
def until_done(params):
    observation, done, total = env.reset(), False, 0.0
    while not done:  # want: JAX302
        total = total + jnp.sum(policy(params, observation))
        observation, _, done = env.step(0)
    return total


def collected(params):
    """Nothing traces it."""
    observation, scores = env.reset(), []
    while True:  # ok: JAX302
        scores.append(policy(params, observation))
        observation, _, done = env.step(0)
        if done:
            break
    return jnp.stack(scores)


@jax.jit
def compared(x, other):
    """What the loop ends by is made in sight."""
    left = [other, 2 * other]
    while left:  # ok: JAX302
        x = x + left.pop()
    return x


@jax.jit
def read_only(x):
    """A turn does nothing with arrays."""
    names, done = [], False
    env.reset()
    while not done:  # ok: JAX302
        names.append(str(env.time))
        _, _, done = env.step(0)
    return x * len(names)


def labelled(x):
    """Called by nothing but what names an axis, which only a mapped function has."""
    found = jnp.zeros(x.shape)
    for row in range(x.shape[0]):  # want: JAX302
        found = found.at[row].set(x[row] * 2)
    return found


def contrastive(x):
    return labelled(jax.lax.all_gather(x, "batch"))


mapped = jax.jit(jax.vmap(globals()["contrastive"], axis_name="batch"))


def alone(x):
    found = []
    for row in range(x.shape[0]):  # ok: JAX302
        found.append(x[row])
    return jnp.stack(found)


def perhaps_mapped(x, axis_name=None):
    """It goes without an axis as well."""
    if axis_name is not None:
        x = jax.lax.all_gather(x, axis_name)
    return alone(x)


def jaxlint_examples():
    params, x = jnp.ones((3, 2)), jnp.ones(400)
    return {
        "episode": (params,),
        "until_done": (params,),
        "collected": (params,),
        "compared": (x, 1.0),
        "read_only": (x,),
        "labelled": lambda: mapped(jnp.ones((400, 2))),
        "alone": lambda: perhaps_mapped(jnp.ones((4, 2))),
        "perhaps_mapped": lambda: perhaps_mapped(jnp.ones((4, 2))),
    }
