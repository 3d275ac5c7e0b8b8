"""What is as long as an episode, and what is brought to one length."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def pooled(x):
    return jnp.tanh(x).sum()


class Environment:
    """Its episodes have 3, 4, 5 ... steps."""

    def __init__(self):
        self.length = 2

    def reset(self):
        self.length += 1
        self.left = self.length
        return np.zeros(2)

    def step(self, action):
        self.left -= 1
        return np.ones(2) * action, 1.0, self.left == 0, {}


def episode(env):
    seen, rewards = [], []
    x = env.reset()
    while True:
        seen.append(x)
        x, reward, done, _ = env.step(0.5)
        rewards.append(reward)
        if done:
            break
    return np.stack(seen), np.array(rewards)


def episode_of_length(env, n_steps):
    seen = []
    x = env.reset()
    for _ in range(n_steps):
        seen.append(x)
        x, _, done, _ = env.step(0.5)
        if done:
            x = env.reset()
    return np.stack(seen)


def by_episode(env, n_episodes):
    total = 0.0
    for _ in range(n_episodes):
        seen, rewards = episode(env)
        total += pooled(seen)  # want: JAX501
        total += rewards.sum()
    return total


def one(env):
    """Whoever calls it has another length each time."""
    done, rewards = False, []
    env.reset()
    while not done:
        _, reward, done, _ = env.step(0.5)
        rewards.append(reward)
    return pooled(jnp.asarray(rewards))  # want: JAX501


def by_batch(env, n_batches):
    """Episodes joined: each batch has a length of its own."""
    found = []
    for _ in range(n_batches):
        episodes = []
        for _ in range(2):
            seen, rewards = episode(env)
            episodes.append((seen, rewards))
        seen, rewards = jax.tree.map(lambda *parts: np.concatenate(parts), *episodes)
        found.append(pooled(seen) + rewards.sum())
    return found


def by_steps(env, n_episodes):
    total = 0.0
    for _ in range(n_episodes):
        seen = episode_of_length(env, 8)
        total += pooled(seen)  # ok: JAX501
    return total


def padded(env, n_episodes):
    total = 0.0
    for _ in range(n_episodes):
        seen, _ = episode(env)
        total += pooled(np.pad(seen, ((0, 16 - len(seen)), (0, 0))))  # ok: JAX501
    return total


def first_steps(env, n_episodes):
    total = 0.0
    for _ in range(n_episodes):
        seen, _ = episode(env)
        total += pooled(seen[:3])  # ok: JAX501
    return total


def sums(env, n_episodes):
    total = 0.0
    for _ in range(n_episodes):
        seen, rewards = episode(env)
        total += pooled(seen.sum(axis=0)) + rewards.mean()  # ok: JAX501
    return total


@jax.jit
def extended(path, x):
    return jnp.concatenate([path, x])


def walked(x, n_steps):
    path = x
    for _ in range(n_steps):
        path = extended(path, x)  # want: JAX501
    return path


@jax.jit
def shifted(path, x):
    return jnp.concatenate([path[1:], x])


def walked_in_window(x, n_steps):
    path = jnp.concatenate([x, x])
    for _ in range(n_steps):
        path = shifted(path, x)  # ok: JAX501
    return path


@jax.jit
def joined(left, right):
    return jnp.concatenate([left, right])


def joined_pairs(pairs):
    found = []
    for left, right in pairs:
        both = joined(left, right)  # ok: JAX501
        found.append(both)
    return found


@jax.jit
def grown(tree, leaf):
    return {"nodes": jax.tree.map(lambda old, new: jnp.concatenate([old, new[None]]), tree["nodes"], leaf)}


def searched(tree, leaf, n_steps):
    for _ in range(n_steps):
        tree = grown(tree, leaf)  # want: JAX501
    return tree


def of_data(batches):
    """As many as there are batches."""
    found = []
    for batch in batches:
        found.append(batch.mean())
    return pooled(jnp.stack(found))  # ok: JAX501


def jaxlint_examples():
    return {
        "by_episode": (Environment(), 3),
        "one": lambda: (lambda env: [one(env) for _ in range(3)])(Environment()),
        "by_batch": (Environment(), 3),
        "by_steps": (Environment(), 3),
        "padded": (Environment(), 3),
        "first_steps": (Environment(), 3),
        "sums": (Environment(), 3),
        "walked": (jnp.ones(3), 3),
        "walked_in_window": (jnp.ones(1), 3),
        "joined_pairs": ([(jnp.ones(3), jnp.ones(3))] * 3,),
        "searched": ({"nodes": {"value": jnp.ones((2, 3))}}, {"value": jnp.ones(3)}, 3),
        "of_data": ([jnp.ones(3)] * 3,),
    }
