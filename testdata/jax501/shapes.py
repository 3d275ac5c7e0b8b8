"""Compiled functions in loops, with shapes that change and shapes that do not."""

import jax
import jax.numpy as jnp


@jax.jit
def pooled(x):
    return jnp.tanh(x).sum()


def generate(context, n_new):
    for _ in range(n_new):
        token = pooled(context)  # want: JAX501
        context = jnp.append(context, token)
    return context


def prefixes(x, n):
    return [pooled(x[: i + 1]) for i in range(n)]  # want: JAX501


def built(lengths):
    out = []
    for length in lengths:
        frames = jnp.zeros((length, 4))
        out.append(pooled(frames))  # want: JAX501
    return out


def converted(items):
    return [pooled(jnp.array(item)) for item in items]  # want: JAX501 (low)


def chunks(x, n):
    return [pooled(x[i : i + 2]) for i in range(n)]  # ok: JAX501


def same(x, n):
    return [pooled(x * i) for i in range(n)]  # ok: JAX501


def elements(x, n):
    return [pooled(x[i]) for i in range(n)]  # ok: JAX501


def padded(x, n):
    out = []
    for i in range(n):
        out.append(pooled(jnp.where(jnp.arange(x.shape[0]) < i, x, 0.0)))  # ok: JAX501
    return out


def rows(batches):
    return [pooled(batch) for batch in batches]  # ok: JAX501


@jax.jit
def traced(x):
    return [pooled(x[: i + 1]) for i in range(20)][0]


def once(x):
    return pooled(x[:3])  # ok: JAX501


def jaxlint_examples():
    x = jnp.ones(8)
    return {
        "generate": (x, 3),
        "prefixes": (x, 3),
        "built": ([2, 3],),
        "converted": ([[1.0], [1.0, 2.0]],),
        "chunks": (x, 3),
        "same": (x, 3),
        "elements": (x, 3),
        "padded": (x, 3),
        "rows": ([x, x],),
        "traced": (x,),
        "once": (x,),
    }
