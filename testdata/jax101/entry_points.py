"""Functions that run once in a process, judged by their names: a compile there is paid once."""

import jax
import jax.numpy as jnp


def train(params, batches):
    @jax.jit  # once: JAX101
    def step(p, batch):
        return p - 0.1 * jnp.mean(batch) * p

    for batch in batches:
        params = step(params, batch)
    return params


def train_and_evaluate(params, batch):
    def loss(p):
        return jnp.mean((p - batch) ** 2)

    value = jax.jit(loss)(params)  # once: JAX101
    return float(value)


def evaluate(params, batch):
    def metric(p):
        return jnp.mean(jnp.abs(p - batch))

    return jax.jit(metric)(params)  # once: JAX101


def run(params):
    @jax.jit  # once: JAX101
    def advance(p):
        return p + 1

    return advance(params)


def setup_optimiser(params):
    def zeros(p):
        return jnp.zeros_like(p)

    return jax.jit(zeros)(params)  # once: JAX101


def init_params(key):
    def draw(k):
        return jax.random.normal(k, (3,))

    return jax.jit(draw)(key)  # once: JAX101


def weights_init(key):
    def draw(k):
        return jax.random.normal(k, (3,))

    return jax.jit(draw)(key)  # once: JAX101


def restore_checkpoint(flat):
    def unflatten(v):
        return v.reshape(3, 1)

    return jax.jit(unflatten)(flat)  # once: JAX101


def create_train_state(key):
    @jax.jit  # once: JAX101
    def build(k):
        return {"w": jax.random.normal(k, (3,)), "step": 0}

    return build(key)


def create_sharded_state(key):
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    def build(k):
        return jax.random.normal(k, (3,))

    return jax.jit(build, out_shardings=sharding)(key)  # once: JAX101


def _init_cache(batch):
    @jax.jit  # once: JAX101
    def empty(b):
        return jnp.zeros((b.shape[0], 2))

    return empty(batch)


def calibrate(x):  # jaxlint: once
    def offset(v):
        return v - v.mean()

    return jax.jit(offset)(x)  # once: JAX101


def main():
    params = jnp.ones(3)

    @jax.jit  # once: JAX101
    def report(p):
        return jnp.max(p)

    def penalty(p):
        return jnp.sum(jnp.abs(p))

    first = jax.jit(penalty)(params)  # once: JAX101

    # What stands in a loop of a run-once function runs more than once.
    for scale in (1.0, 2.0):
        @jax.jit  # want: JAX101
        def rescaled(p):
            return p * scale

        params = rescaled(params)

    # The loop makes the step, and the step is used for many turns.
    for epoch in range(2):
        def decay(p):
            return p * 0.9**epoch

        step = jax.jit(decay)  # want: JAX101
        for _ in range(3):
            params = step(params)
    return report(params) + first


def retrain(params):
    """No entry point: the name only contains the word."""
    def step(p):
        return p - 0.1 * p

    return jax.jit(step)(params)  # want: JAX101


def train_step(params, batch):
    def loss(p):
        return jnp.mean((p - batch) ** 2)

    return params - 0.1 * jax.jit(jax.grad(loss))(params) + jax.jit(loss)(params)  # want: JAX104, JAX101


class Trainer:
    def __init__(self):
        self.params = jnp.ones(3)

    def run(self):
        @jax.jit  # once: JAX101
        def step(p):
            return p * 0.5

        for _ in range(3):
            self.params = step(self.params)

    def _setup(self):
        def zeros(p):
            return jnp.zeros_like(p)

        self.momentum = jax.jit(zeros)(self.params)  # once: JAX101


def _slope(x):
    return 2 * x


@jax.jit  # ok: JAX101
def _module_level(x):
    return x + 1


if __name__ == "__main__":
    @jax.jit  # once: JAX101
    def summary(x):
        return jnp.mean(x)

    print(summary(_module_level(jnp.ones(3))))

    def once_only(x):
        return x * 3

    print(jax.jit(once_only)(jnp.ones(3)).sum())  # once: JAX101


def jaxlint_examples():
    x = jnp.ones(3)
    key = jax.random.key(0)
    trainer = Trainer()
    return {
        "train": (x, [x, x]),
        "train_and_evaluate": (x, x),
        "evaluate": (x, x),
        "run": (x,),
        "setup_optimiser": (x,),
        "init_params": (key,),
        "weights_init": (key,),
        "restore_checkpoint": (x,),
        "create_train_state": (key,),
        "create_sharded_state": (key,),
        "_init_cache": (x,),
        "calibrate": (x,),
        "retrain": (x,),
        "train_step": (x, x),
        "Trainer.run": (trainer,),
        "Trainer._setup": (trainer,),
        "_module_level": (x,),
    }
