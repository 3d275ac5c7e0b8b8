"""Trees of arrays that are joined in each iteration of a loop."""

import jax
import jax.numpy as jnp
import numpy as np


class Walk:
    """An episode ends by chance."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def reset(self):
        return np.zeros(3, np.float32)

    def step(self, action):
        return self.rng.normal(size=3).astype(np.float32), 1.0, bool(self.rng.random() < 0.2)


def episode(env):
    seen, rewards, x, done = [], [], env.reset(), False
    while not done:
        seen.append(x)
        x, reward, done = env.step(0.5)
        rewards.append(reward)
    return jnp.stack(seen), jnp.asarray(rewards)


def episode_on_host(env):
    seen, rewards, x, done = [], [], env.reset(), False
    while not done:
        seen.append(x)
        x, reward, done = env.step(0.5)
        rewards.append(reward)
    return np.stack(seen), np.asarray(rewards)


def part(env, n_steps):
    """As many steps each time, whatever ends in between."""
    seen, rewards, x = [], [], env.reset()
    for _ in range(n_steps):
        seen.append(x)
        x, reward, done = env.step(0.5)
        rewards.append(reward)
        if done:
            x = env.reset()
    return jnp.stack(seen), jnp.asarray(rewards)


def trained(env, num_steps):
    total = 0.0
    for _ in range(num_steps):
        episodes = []
        for _ in range(3):
            seen, rewards = episode(env)
            episodes.append((seen, rewards))
        seen, rewards = jax.tree.map(lambda *parts: jnp.concatenate(parts), *episodes)
        total += len(seen) + len(rewards)
    return total


def trained_on_host(env, num_steps):
    """NumPy compiles nothing."""
    total = 0.0
    for _ in range(num_steps):
        episodes = []
        for _ in range(3):
            seen, rewards = episode_on_host(env)
            episodes.append((seen, rewards))
        seen, rewards = jax.tree.map(lambda *parts: np.concatenate(parts), *episodes)
        total += len(seen) + len(rewards)
    return total


@jax.jit
def _tree_concatenate(*trees):
    return jax.tree.map(lambda *parts: jnp.concatenate(parts), *trees)


def trained_by_steps(env, num_steps):
    """The shapes are those of the first iteration."""
    total = 0.0
    for _ in range(num_steps):
        parts = []
        for _ in range(3):
            seen, rewards = part(env, 8)
            parts.append((seen, rewards))
        seen, rewards = _tree_concatenate(*parts)
        total += len(seen) + len(rewards)
    return total


def summed(env, num_steps):
    """What is mapped is no join: it is one number each."""
    total = 0.0
    for _ in range(num_steps):
        episodes = []
        for _ in range(3):
            seen, rewards = episode_on_host(env)
            episodes.append((seen.sum(), rewards.sum()))
        means = jax.tree.map(lambda *parts: sum(parts) / 3, *episodes)
        total += means[0] + means[1]
    return total


def joined(env):
    """It is joined once."""
    episodes = [episode(env) for _ in range(3)]
    return _tree_concatenate(*episodes)


if __name__ == "__main__":
    trained(Walk(), 100)
    trained_on_host(Walk(), 100)
    trained_by_steps(Walk(), 100)
    summed(Walk(), 100)


def jaxlint_examples():
    return {
        "episode": (Walk(),),
        "episode_on_host": (Walk(),),
        "part": (Walk(), 8),
        "trained": (Walk(), 12),
        "trained_on_host": (Walk(), 12),
        "trained_by_steps": (Walk(), 12),
        "summed": (Walk(), 12),
        "joined": (Walk(),),
    }
