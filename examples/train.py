"""Fit a small network to a wave, the way many first programs do.

It runs, and it learns; but it compiles hundreds of times where a handful would do, and `fine_tune`, which the run does
not call, would fail, or never cool down.  `jaxlint check examples/train.py` says where, and why.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np


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


# The decorator has lost its @.
functools.partial(jax.jit, static_argnames="order")
def smoothness(params, inputs, order):
    def at(x):
        return predict(params, x[None, None])[0, 0]

    for _ in range(order):
        at = jax.grad(at)
    return jnp.mean(jax.vmap(at)(inputs[:, 0]) ** 2)


def gradient_step(params, inputs, targets, rate):
    @jax.jit
    def step(params):
        gradients = jax.grad(squared_error)(params, inputs, targets)
        return jax.tree.map(lambda p, g: p - rate * g, params, gradients)

    return step(params)


@jax.jit
def descend(params, gradients):
    return jax.tree.map(lambda p, g: p - 0.02 * g, params, gradients)


def warm_up(params, inputs, targets):
    for _ in range(100):
        params = descend(params, jax.grad(squared_error)(params, inputs, targets))
    return params


def gradient_norm(params, inputs, targets):
    gradients = jax.jit(jax.grad(squared_error))(params, inputs, targets)
    return jnp.sqrt(jax.jit(lambda tree: sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree)))(gradients))


def clipped_error(params, inputs, targets, limit):
    loss = jax.jit(functools.partial(huber, limit=limit))
    return loss(predict(params, inputs) - targets)


def huber(residual, limit):
    size = jnp.abs(residual)
    return jnp.mean(jnp.where(size < limit, 0.5 * size**2, limit * (size - 0.5 * limit)))


@jax.jit
def worst_error(params, inputs, targets):
    worst = 0.0
    for i in range(inputs.shape[0]):
        worst = jnp.maximum(worst, squared_error(params, inputs[i], targets[i]))
    return worst


@jax.jit
def travel(params, position):
    for _ in range(200):
        position = position + 0.01 * predict(params, position)
    return position[0, 0]


def resting_point(params, position):
    return jax.lax.fori_loop(0, 20, lambda _, x: 0.9 * x + 0.1 * predict(params, x), position)[0, 0]


@functools.partial(jax.jit, static_argnames="weigh")
def weighed_error(params, inputs, targets, weigh):
    return jnp.mean(weigh(predict(params, inputs) - targets))


def robust_error(params, inputs, targets):
    return weighed_error(params, inputs, targets, lambda residual: jnp.log1p(residual**2))


def row_error(pair):
    return jnp.sum((pair[0] - pair[1]) ** 2)


def row_errors(outputs, targets):
    return jax.lax.map(row_error, (outputs, targets))


def trend(errors):
    hour = day = week = month = 0.0
    for i in range(errors.shape[0]):
        hour = 0.5 * hour + 0.5 * jnp.sqrt(errors[i])
        day = 0.8 * day + 0.2 * hour
        week = 0.9 * week + 0.1 * day
        month = 0.95 * month + 0.05 * week
    return month


class Clipper:
    def __init__(self, limit):
        self.limit = limit
        self._clip = jax.jit(self.clip)

    def clip(self, rows):
        return jnp.clip(rows, -self.limit, self.limit)

    def __call__(self, rows):
        return self._clip(rows)


class Scaler:
    def __init__(self, inputs):
        self.mean = jnp.mean(inputs)
        self.spread = jnp.std(inputs)

    def apply(self, inputs):
        return (inputs - self.mean) / self.spread

    def __call__(self, inputs):
        return jax.jit(self.apply)(inputs)


def make_schedule(peak):
    @jax.jit
    def rate(step):
        return peak * jnp.minimum(1.0, step / 20) * 0.99**step

    return rate


def main(steps=60):
    key = jax.random.key(0)
    scaler = Scaler(wave(key, 256)[0])
    params = averaged = warm_up(init_params(key, (1, 16, 16, 1)), *wave(key, 64))
    steps_taken = jnp.zeros(0)
    for number in range(steps):
        inputs, targets = wave(jax.random.fold_in(key, number), 64)
        inputs = Clipper(2.5)(scaler(inputs))
        rate = make_schedule(0.1)(number)
        params = gradient_step(params, inputs, targets, rate)
        steps_taken = jnp.append(steps_taken, rate)
        averaged = jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, averaged, params)
        if number % 10 == 0:
            error = clipped_error(params, inputs, targets, limit=1.0)
            norm = gradient_norm(params, inputs, targets)
            robust = robust_error(params, inputs, targets)
            rough = smoothness(params, inputs, order=2)
            worst = worst_error(averaged, inputs, targets)
            end = travel(averaged, jnp.ones((1, 1)))
            rest = resting_point(averaged, jnp.ones((1, 1)))
            level = trend(row_errors(predict(averaged, inputs), targets))
            print(
                f"{number:4}  error {error:.3f}  robust {robust:.3f}  gradient {norm:.3f}  roughness {rough:.3f}  "
                f"worst {worst:.3f}  end {end:.3f}  rest {rest:.3f}  trend {level:.3f}"
            )
    print(f"mean of the steps {jnp.mean(steps_taken):.4f}")


# The run does not call `fine_tune`: JAX would raise in it, at eight places, and at another one keep an old rate.


@jax.jit
def batch_of(rows, number, size: int):
    return jax.lax.dynamic_slice(rows, (number * size, 0), (size, 1))


@jax.jit
def trimmed_error(params, inputs, targets, limit):
    residual = predict(params, inputs) - targets
    return jnp.mean(residual[jnp.abs(residual) < limit] ** 2)


@jax.jit
def slowed(rate, error, before):
    if error > before:
        return 0.5 * rate
    return rate


@functools.partial(jax.jit, static_argnames="shape")
def pooled(rows, shape):
    return rows.reshape(shape).mean(axis=1)


STAGES = np.array([1.0, 0.5, 0.25])


@jax.jit
def staged(rate, number):
    return rate * STAGES[number % 3]


grad_of_error = jax.jit(jax.grad(squared_error))


class Descent:
    def __init__(self, rate):
        self.rate = rate

    @functools.partial(jax.jit, static_argnums=0)
    def update(self, params, gradients):
        return jax.tree.map(lambda p, g: p - self.rate * g, params, gradients)

    def cool(self):
        self.rate = 0.9 * self.rate


class Best:
    def __init__(self):
        self.error = jnp.inf

    @functools.partial(jax.jit, static_argnums=0)
    def note(self, error):
        self.error = jnp.minimum(self.error, error)
        return error


class Average:
    def __init__(self, share):
        self.share = share

    @jax.jit
    def of(self, averaged, params):
        return jax.tree.map(lambda a, p: (1.0 - self.share) * a + self.share * p, averaged, params)


def fine_tune(params, inputs, targets, rate, size):
    cut_error = jax.jit(huber, static_argnames="cutoff")
    descent = Descent(rate)
    before, best, averaged = jnp.inf, Best(), params
    for number in range(inputs.shape[0] // size):
        batch = batch_of(inputs, number, size), batch_of(targets, number, size)
        params = gradient_step(params, *batch, rate)
        error = trimmed_error(params, *batch, limit=1.0)
        rate, before = slowed(staged(rate, number), error, before), error
        params = descent.update(params, grad_of_error(params, *batch))
        descent.cool()
        best.note(error)
        averaged = Average(0.1).of(averaged, params)
    residual = predict(averaged, inputs) - targets
    return params, best.error, cut_error(residual, limit=1.0), pooled(residual, [4, -1])


if __name__ == "__main__":
    main()
