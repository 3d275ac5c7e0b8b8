"""The program of train.py with its seven findings mended: it prints the same numbers.

Everything that compiles is made once, at module level or in `__init__`; a factory is called once, before the loop.
"""

import functools

import jax
import jax.numpy as jnp


def predict(params, inputs):
    hidden = inputs
    for weights, bias in params[:-1]:
        hidden = jnp.tanh(hidden @ weights + bias)
    weights, bias = params[-1]
    return hidden @ weights + bias


def squared_error(params, inputs, targets):
    return jnp.mean((predict(params, inputs) - targets) ** 2)


def init_params(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (rows, columns)) / jnp.sqrt(rows), jnp.zeros(columns))
        for k, rows, columns in zip(keys, sizes, sizes[1:])
    ]


def wave(key, size):
    inputs = jax.random.uniform(key, (size, 1), minval=-3.0, maxval=3.0)
    return inputs, jnp.sin(2.0 * inputs)


@functools.partial(jax.jit, static_argnames="order")
def smoothness(params, inputs, order):
    def at(x):
        return predict(params, x[None, None])[0, 0]

    for _ in range(order):
        at = jax.grad(at)
    return jnp.mean(jax.vmap(at)(inputs[:, 0]) ** 2)


@jax.jit
def gradient_step(params, inputs, targets, rate):
    gradients = jax.grad(squared_error)(params, inputs, targets)
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)


@jax.jit
def gradient_norm(params, inputs, targets):
    gradients = jax.grad(squared_error)(params, inputs, targets)
    return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(gradients)))


@jax.jit
def clipped_error(params, inputs, targets, limit):
    return huber(predict(params, inputs) - targets, limit)


def huber(residual, limit):
    size = jnp.abs(residual)
    return jnp.mean(jnp.where(size < limit, 0.5 * size**2, limit * (size - 0.5 * limit)))


class Scaler:
    def __init__(self, inputs):
        self.mean = jnp.mean(inputs)
        self.spread = jnp.std(inputs)
        self._apply = jax.jit(self.apply)

    def apply(self, inputs):
        return (inputs - self.mean) / self.spread

    def __call__(self, inputs):
        return self._apply(inputs)


def make_schedule(peak):
    @jax.jit
    def rate(step):
        return peak * jnp.minimum(1.0, step / 20) * 0.99**step

    return rate


def main(steps=60):
    key = jax.random.key(0)
    scaler = Scaler(wave(key, 256)[0])
    params = init_params(key, (1, 16, 16, 1))
    rates = make_schedule(0.1)
    for number in range(steps):
        inputs, targets = wave(jax.random.fold_in(key, number), 64)
        inputs = scaler(inputs)
        rate = rates(number)
        params = gradient_step(params, inputs, targets, rate)
        if number % 10 == 0:
            error = clipped_error(params, inputs, targets, limit=1.0)
            norm = gradient_norm(params, inputs, targets)
            rough = smoothness(params, inputs, order=2)
            print(f"{number:4}  error {error:.3f}  gradient {norm:.3f}  roughness {rough:.3f}")


if __name__ == "__main__":
    main()
