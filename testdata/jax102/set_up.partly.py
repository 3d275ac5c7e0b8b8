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
    return jax.jit(lambda k: Net().init(k, x))(key)


@jax.jit
def _normal(k):
    return jax.random.normal(k, (3,))


def setup(key):
    return _normal(key)


def create_state(params):
    tx = optax.sgd(0.1)
    return jax.jit(lambda p: tx.init(p))(params)


@jax.jit
def _zeros(p):
    return jax.tree.map(jnp.zeros_like, p)


def momentum_init(params):
    return _zeros(params)


@jax.jit
def _restore(v):
    return v.reshape(3, 1)


def restore(flat):
    return _restore(flat)


@jax.jit
def _step(v):
    return v * 0.5


@jax.jit
def _print_norm(v):
    return jnp.sum(v * v)


@jax.jit
def _main(v, n):
    return v * n


def main(steps=3):
    x = jnp.ones(3)
    for _ in range(steps):
        x = _step(x)
    for n in range(2):
        x = _main(x, n)
    return _print_norm(x)


@jax.jit
def _mean(v):
    return jnp.mean(v)


def evaluate(x):
    return _mean(x)


@jax.jit
def _warm_up(v):
    return v + 1


def warm_up(x):  # jaxlint: once
    return _warm_up(x)


@jax.jit
def _prepare(v):
    return v + 1


def prepare(x):
    """Not among the names that say "once"."""
    return _prepare(x)


@jax.jit
def _train_step(p):
    return p * 0.9


class Agent:
    def __init__(self, key):
        # The constructor runs once for each agent; the lambda is called there and dropped.
        self.params = _normal(key)

    def train(self):
        for _ in range(2):
            self.params = _train_step(self.params)


class Setting(nn.Module):
    def setup(self):
        self.scale = jax.jit(lambda: jnp.ones(2))()

    def __call__(self, x):
        return x * self.scale


_setting = Setting()
_setting_apply = jax.jit(_setting.apply)


def test_identity():
    assert jax.jit(lambda v: v)(1.0) == 1.0


if __name__ == "__main__":
    print(jax.jit(lambda v: v * 2)(jnp.ones(2)))


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
