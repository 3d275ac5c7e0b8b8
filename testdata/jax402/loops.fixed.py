"""One compiled loop, or no loop at all."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("n_steps", "dim"))
def drawn_at_once(key, n_steps, dim):
    moves = jax.random.normal(key, (n_steps, dim))
    return 0.1 * jnp.sum(moves, axis=0)


@jax.jit
def leaky_sum(x, decay):
    def step(before, value):
        now = value + decay * before
        return now, now

    first = jnp.zeros_like(x[:1])
    return jnp.concatenate([first, jax.lax.scan(step, first[0], x[1:])[1]])


@functools.partial(jax.jit, static_argnames="rounds")
def boosted(scores, labels, rounds):
    def body(_, scores):
        errors = jnp.abs(scores - labels)
        return scores - 0.1 * errors / jnp.max(errors)

    return jax.lax.fori_loop(0, rounds, body, scores)


@jax.jit
def kernel(xs):
    return jnp.exp(-jnp.abs(xs[:, None] - xs[None, :]))


@jax.jit
def settled(x, tolerance):
    return jax.lax.while_loop(lambda x: jnp.max(jnp.abs(x)) > tolerance, lambda x: x - 0.5 * jnp.sin(x), x)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 12)
    return {
        "drawn_at_once": (jax.random.key(0), 10, 3),
        "leaky_sum": (x, 0.5),
        "boosted": (x, x + 0.5, 10),
        "kernel": (x,),
        "settled": (x, 0.2),
    }
