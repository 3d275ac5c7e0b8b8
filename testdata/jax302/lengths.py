"""Loops as long as the data: the program grows with every row, step or pixel that is passed."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def total(x):
    acc = 0.0
    for i in range(x.shape[0]):  # want: JAX302
        acc = acc + x[i] ** 2
    return acc


@jax.jit
def cumulative(x):
    for i in range(1, len(x)):  # want: JAX302
        x = x.at[i].set(x[i] + 0.5 * x[i - 1])
    return x


@jax.jit
def over_rows(xs):
    """The array itself is what is walked over."""
    batch = jnp.asarray(xs)
    acc = jnp.zeros(batch.shape[1])
    for row in batch:  # want: JAX302 (low)
        acc = acc + row
    return acc


@jax.jit
def rolled_out(state, actions):
    steps = actions.shape[0]
    for t in range(steps):  # want: JAX302
        state = jnp.tanh(state + actions[t])
    return state


@partial(jax.jit, static_argnames=("steps",))
def simulated(x, steps):
    for _ in range(steps):  # want: JAX302
        x = jnp.sin(x) * 0.5 + x
    return x


@partial(jax.jit, static_argnums=(1,))
def trained(w, num_epochs):
    for _ in range(num_epochs):  # want: JAX302 (low)
        w = w - 0.1 * jnp.cos(w)
    return w


@partial(jax.jit, static_argnames=("seq_len",))
def decoded(x, seq_len):
    outputs = []
    for _ in range(seq_len):  # want: JAX302
        x = jnp.tanh(x) * 0.9
        outputs.append(x)
    return jnp.stack(outputs)


@jax.jit
def attention(tokens):
    batch, length, width = tokens.shape
    scores = jnp.zeros((length, length))
    for i in range(length):  # want: JAX302
        scores = scores.at[i].set(tokens[0, i] @ tokens[0].T)
    return scores


@jax.jit
def blurred(image):
    height, width = image.shape
    out = jnp.zeros_like(image)
    for i in range(1, height - 1):  # want: JAX302
        for j in range(1, width - 1):
            out = out.at[i, j].set(image[i - 1 : i + 2, j - 1 : j + 2].mean())
    return out


@jax.jit
def per_example(batch):
    return jnp.stack([jnp.tanh(batch[i]) * 2 for i in range(batch.shape[0])])  # want: JAX302


@jax.jit
def weighted(xs, ys):
    """Whether these are arrays or lists, the text does not tell."""
    acc = 0.0
    for a, b in zip(xs, ys):  # want: JAX302 (low)
        acc = acc + a * b
    return acc


@jax.jit
def gathered(rows):
    acc = 0.0
    for row in rows:  # want: JAX302 (low)
        acc = acc + jnp.sin(row) * 2
    return acc


@jax.jit
def numbered(xs):
    out = jnp.zeros(xs.shape)
    for i, x in enumerate(xs):  # want: JAX302
        out = out.at[i].set(jnp.sin(x))
    return out


@jax.jit
def written_as_while(x):
    n, i = x.shape[0], 1
    while i < n:  # want: JAX302
        x = x.at[i].add(x[i - 1])
        i += 1
    return x


def propagate(field, frames):
    """A helper: what it is traced with is known from its caller."""
    for _ in range(frames):  # want: JAX302
        field = 0.25 * (jnp.roll(field, 1) + jnp.roll(field, -1)) + 0.5 * field
    return field


@partial(jax.jit, static_argnames=("frames",))
def film(field, frames):
    return propagate(field, frames)


def body(carry, x):
    for t in range(x.shape[0]):  # want: JAX302
        carry = carry * 0.9 + x[t]
    return carry, carry


def scanned(xs):
    return lax.scan(body, 0.0, xs)


class Filter:
    def __init__(self, gain):
        self.gain = gain
        self.run = jax.jit(self._run)

    def _run(self, signal):
        estimate = jnp.zeros_like(signal)
        for t in range(1, signal.shape[0]):  # want: JAX302
            estimate = estimate.at[t].set(estimate[t - 1] + self.gain * (signal[t] - estimate[t - 1]))
        return estimate


def jaxlint_examples():
    x = jnp.ones(400)
    return {
        "total": (x,),
        "cumulative": (x,),
        "over_rows": (jnp.ones((400, 8)),),
        "rolled_out": (jnp.ones(8), jnp.ones((400, 8))),
        "simulated": lambda: simulated(x, steps=400),
        "trained": (x, 300),
        "decoded": lambda: decoded(x, seq_len=600),
        "attention": (jnp.ones((1, 200, 8)),),
        "blurred": (jnp.ones((30, 12)),),
        "per_example": (jnp.ones((300, 8)),),
        "weighted": (x, x),
        "gathered": (x,),
        "numbered": (x,),
        "written_as_while": (x,),
        "propagate": lambda: film(x, frames=200),
        "body": lambda: scanned(jnp.ones((2, 400))),
        "Filter._run": lambda made=Filter(0.5): made.run(x),
    }
