"""Functions that run once in a process, judged by their names: a compile there is paid once."""

import jax
import jax.numpy as jnp


@jax.jit
def _step(p, batch):
    return p - 0.1 * jnp.mean(batch) * p


def train(params, batches):
    for batch in batches:
        params = _step(params, batch)
    return params


@jax.jit
def _loss(p, batch):
    return jnp.mean((p - batch) ** 2)


def train_and_evaluate(params, batch):
    value = _loss(params, batch)
    return float(value)


@jax.jit
def _metric(p, batch):
    return jnp.mean(jnp.abs(p - batch))


def evaluate(params, batch):
    return _metric(params, batch)


@jax.jit
def _advance(p):
    return p + 1


def run(params):
    return _advance(params)


@jax.jit
def _zeros(p):
    return jnp.zeros_like(p)


def setup_optimiser(params):
    return _zeros(params)


@jax.jit
def _draw(k):
    return jax.random.normal(k, (3,))


def init_params(key):
    return _draw(key)


def weights_init(key):
    return _draw(key)


@jax.jit
def _unflatten(v):
    return v.reshape(3, 1)


def restore_checkpoint(flat):
    return _unflatten(flat)


@jax.jit
def _build(k):
    return {"w": jax.random.normal(k, (3,)), "step": 0}


def create_train_state(key):
    return _build(key)


def create_sharded_state(key):
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    def build(k):
        return jax.random.normal(k, (3,))

    return jax.jit(build, out_shardings=sharding)(key)


@jax.jit
def _empty(b):
    return jnp.zeros((b.shape[0], 2))


def _init_cache(batch):
    return _empty(batch)


@jax.jit
def _offset(v):
    return v - v.mean()


def calibrate(x):  # jaxlint: once
    return _offset(x)


@jax.jit
def _report(p):
    return jnp.max(p)


@jax.jit
def _penalty(p):
    return jnp.sum(jnp.abs(p))


@jax.jit
def _rescaled(p, scale):
    return p * scale


@jax.jit
def _decay(p, epoch):
    return p * 0.9**epoch


def main():
    params = jnp.ones(3)

    first = _penalty(params)

    # What stands in a loop of a run-once function runs more than once.
    for scale in (1.0, 2.0):
        params = _rescaled(params, scale)

    # The loop makes the step, and the step is used for many turns.
    for epoch in range(2):
        for _ in range(3):
            params = _decay(params, epoch)
    return _report(params) + first


@jax.jit
def _retrain_step(p):
    return p - 0.1 * p


def retrain(params):
    """No entry point: the name only contains the word."""

    return _retrain_step(params)


def train_step(params, batch):
    def loss(p):
        return jnp.mean((p - batch) ** 2)

    return params - 0.1 * jax.jit(jax.grad(loss))(params) + jax.jit(loss)(params)


@jax.jit
def _run_step(p):
    return p * 0.5


class Trainer:
    def __init__(self):
        self.params = jnp.ones(3)

    def run(self):
        for _ in range(3):
            self.params = _run_step(self.params)

    def _setup(self):
        self.momentum = _zeros(self.params)


def _slope(x):
    return 2 * x


@jax.jit
def _module_level(x):
    return x + 1


if __name__ == "__main__":
    @jax.jit
    def summary(x):
        return jnp.mean(x)

    print(summary(_module_level(jnp.ones(3))))

    def once_only(x):
        return x * 3

    print(jax.jit(once_only)(jnp.ones(3)).sum())


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
