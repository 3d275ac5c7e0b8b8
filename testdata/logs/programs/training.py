"""A small training program: parameters made eagerly, a step that is compiled in each epoch, a ragged last batch."""
import jax
import jax.numpy as jnp
import numpy as np


def initialise(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (m, n)), "b": np.zeros(n, np.float32)}
        for k, m, n in zip(keys, sizes, sizes[1:])
    ]


@jax.jit
def predict(params, inputs):
    for layer in params:
        inputs = jnp.tanh(inputs @ layer["w"] + layer["b"])
    return inputs


def loss(params, inputs, targets):
    return jnp.mean((predict(params, inputs) - targets) ** 2)


def epoch(params, batches, rate):
    @jax.jit
    def step(params, inputs, targets):
        slopes = jax.grad(loss)(params, inputs, targets)
        return jax.tree_util.tree_map(lambda p, s: p - rate * s, params, slopes)

    for inputs, targets in batches:
        params = step(params, inputs, targets)
    return params


rng = np.random.default_rng(7)
sizes = [8, 3]
batches = [
    (rng.normal(size=(rows, 8)).astype(np.float32), rng.normal(size=(rows, 3)).astype(np.float32))
    for rows in (12, 12, 5)
]
params = initialise(jax.random.PRNGKey(0), sizes)
for _ in range(2):
    params = epoch(params, batches, 0.1)
