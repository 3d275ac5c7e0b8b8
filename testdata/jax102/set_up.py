"""Initialisation and entry points: one call in the life of a program."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


def init_params(key, x):
    return jax.jit(lambda k: Net().init(k, x))(key)  # once: JAX102


def setup(key):
    return jax.jit(lambda k: jax.random.normal(k, (3,)))(key)  # once: JAX102


def create_state(params):
    tx = optax.sgd(0.1)
    return jax.jit(lambda p: tx.init(p))(params)  # once: JAX102


def momentum_init(params):
    zeros = jax.jit(lambda p: jax.tree.map(jnp.zeros_like, p))  # once: JAX102
    return zeros(params)


def restore(flat):
    return jax.jit(lambda v: v.reshape(3, 1))(flat)  # once: JAX102


def main(steps=3):
    x = jnp.ones(3)
    step = jax.jit(lambda v: v * 0.5)  # once: JAX102
    for _ in range(steps):
        x = step(x)
    print_norm = jax.jit(lambda v: jnp.sum(v * v))  # once: JAX102
    for n in range(2):
        x = jax.jit(lambda v: v * n)(x)  # want: JAX102
    return print_norm(x)


def evaluate(x):
    return jax.jit(lambda v: jnp.mean(v))(x)  # once: JAX102


def warm_up(x):  # jaxlint: once
    return jax.jit(lambda v: v + 1)(x)  # once: JAX102


def prepare(x):
    """Not among the names that say "once"."""
    return jax.jit(lambda v: v + 1)(x)  # want: JAX102


class Agent:
    def __init__(self, key):
        # The constructor runs once for each agent; the lambda is called there and dropped.
        self.params = jax.jit(lambda k: jax.random.normal(k, (3,)))(key)  # once: JAX102

    def train(self):
        step = jax.jit(lambda p: p * 0.9)  # once: JAX102
        for _ in range(2):
            self.params = step(self.params)


class Setting(nn.Module):
    def setup(self):
        self.scale = jax.jit(lambda: jnp.ones(2))()  # ok: JAX102

    def __call__(self, x):
        return x * self.scale


_setting = Setting()
_setting_apply = jax.jit(_setting.apply)


def test_identity():
    assert jax.jit(lambda v: v)(1.0) == 1.0  # once: JAX102


if __name__ == "__main__":
    print(jax.jit(lambda v: v * 2)(jnp.ones(2)))  # once: JAX102


def jaxlint_examples():
    x = jnp.ones(3)
    key = jax.random.key(0)
    return {
        "init_params": (key, x),
        "setup": (key,),
        "create_state": (x,),
        "momentum_init": (x,),
        "restore": (x,),
        "evaluate": (x,),
        "warm_up": (x,),
        "prepare": (x,),
        "Agent.__init__": lambda: Agent(key),
        "Agent.train": (Agent(key),),
        "Setting.setup": lambda: _setting_apply({}, jnp.ones(2)),
    }
