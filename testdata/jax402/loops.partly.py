"""Loops that dispatch array operations turn by turn."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@functools.partial(jax.jit, static_argnames=("n_steps", "dim"))
def brownian(key, n_steps, dim):
    """Under trace it would be unrolled: a loop hurts either way."""
    x = jnp.zeros(dim)

    def step(_, carry):
        key, x = carry
        key, sub = jax.random.split(key)
        x = x + 0.1 * jax.random.normal(sub, (dim,))
        return key, x

    key, x = lax.fori_loop(0, n_steps, step, (key, x))
    return x


@jax.jit
def leaky_sum(x, decay):
    y = jnp.zeros_like(x)

    def step(t, y):
        y = y.at[t].set(x[t] + decay * y[t - 1])
        return y

    y = lax.fori_loop(1, x.shape[0], step, y)
    return y


@functools.partial(jax.jit, static_argnames="rounds")
def boosted(scores, labels, rounds):
    def step(_, scores):
        errors = jnp.abs(scores - labels)
        scores = scores - 0.1 * errors / jnp.max(errors)
        return scores

    scores = lax.fori_loop(0, rounds, step, scores)
    return scores


@jax.jit
def kernel(xs):
    """The outermost loop of a nest that does nothing between."""
    table = jnp.zeros((len(xs), len(xs)))

    def step_2(i, table):
        def step(j, table):
            table = table.at[i, j].set(jnp.exp(-jnp.abs(xs[i] - xs[j])))
            return table

        table = lax.fori_loop(0, xs.shape[0], step, table)
        return table

    table = lax.fori_loop(0, xs.shape[0], step_2, table)
    return table


@jax.jit
def settled(x, tolerance):
    """Called in a loop below."""

    def unfinished(x):
        return jnp.max(jnp.abs(x)) > tolerance

    def step(x):
        x = x - 0.5 * jnp.sin(x)
        return x

    x = lax.while_loop(unfinished, step, x)
    return x


def norms(rows):
    return [float(jnp.sqrt(jnp.sum(jnp.square(row)))) for row in rows]


def smoothed(x, width):
    return jnp.convolve(x, jnp.ones(width) / width, mode="same") - jnp.mean(x)


@jax.jit
def _report_step(signal):
    signal = smoothed(signal, 3)
    return signal / jnp.max(signal)


def report(signals):
    for signal in signals:
        signal = _report_step(signal)
    print(float(signal.sum()))


def unseen_caller(signals):
    """Nothing says that it is long, or that nothing traces it."""
    out = []
    for signal in signals:
        out.append(jnp.tanh(signal) * 2.0)
    return out


@jax.jit
def _main_step(x, rate):
    return x - rate * jnp.sin(x)


def main():
    x = jnp.ones(16)
    for rate in (0.9**k for k in range(40)):
        x = _main_step(x, rate)
    for start in (0.1, 0.2):
        x = x + settled(x * start, 0.05)
    report([x, x + 1.0] * 20)
    return x


# Few turns, or few operations in each.


def few_turns(x):
    for _ in range(3):
        x = x - 0.1 * jnp.sin(x)
    return x


def layers_of(keys, n_layers):
    params = []
    for number in range(n_layers):
        params.append(jax.random.normal(keys[number], (3, 3)) * 0.5)
    return params


@jax.jit
def step(x, rate):
    return x - rate * jnp.sin(x)


def compiled_steps(x, n_steps):
    for number in range(n_steps):
        x = step(x, 0.9**number)
    return x


def logged_steps(x, n_steps):
    history = []
    for number in range(n_steps):
        x = step(x, 0.9)
        if number % 100 == 99:
            history.append(float(jnp.mean(jnp.abs(x))))
    return x, history


def moved(batches, n_steps):
    """Transfers are no operations."""
    out = []
    for batch in batches[:n_steps]:
        out.append(np.asarray(step(jnp.asarray(np.stack([batch])), 0.1)))
    return out


def in_numpy(xs, n_steps):
    for _ in range(n_steps):
        xs = xs - 0.1 * np.sin(xs)
    return xs


def shapes(arrays, n_steps):
    sizes = []
    for array in arrays[:n_steps]:
        sizes.append(array.shape[0] * array.ndim)
    return sizes


def host_arithmetic(n_steps):
    total = 0.0
    for number in range(n_steps):
        total = total * 0.5 + number
    return jnp.asarray(total)


@jax.jit
def scanned(x):
    def body(carry, value):
        return carry * 0.5 + value, carry

    return lax.scan(body, 0.0, x)[1]


@jax.jit
def traced_layers(params, x):
    for weights in params:
        x = jnp.tanh(x @ weights)
    return x


def keys_only(key, n_steps):
    for _ in range(n_steps):
        key, sub = jax.random.split(key)
    return sub


@jax.jit
def unrolled(x):
    for _ in range(20):
        x = x * 0.5 + 1.0
    return x


def by_vmap(rows):
    return jax.vmap(scanned)(rows)


def of_rows(rows):
    return [scanned(row) for row in rows]


@jax.jit
def pairs(xs, ys):
    return [x * y for x, y in zip(xs, ys)]


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 12)
    key = jax.random.key(0)
    return {
        "brownian": (key, 10, 3),
        "leaky_sum": (x, 0.5),
        "boosted": (x, x + 0.5, 10),
        "kernel": (x[:3],),
        "settled": (x, 0.2),
        "norms": ([x, x],),
        "report": ([x, x],),
        "unseen_caller": ([x, x],),
        "main": (),
        "few_turns": (x,),
        "layers_of": (jax.random.split(key, 2), 2),
        "compiled_steps": (x, 10),
        "logged_steps": (x, 10),
        "moved": ([np.ones(3)] * 2, 2),
        "in_numpy": (np.ones(3), 10),
        "shapes": ([x, x], 2),
        "host_arithmetic": (10,),
        "unrolled": (x,),
        "pairs": ([x, x], [x, x]),
        "of_rows": ([x, x],),
        "traced_layers": ([jnp.eye(12)] * 2, x),
        "keys_only": (key, 10),
    }
