"""Arrays that are made of a list in each iteration: the list grows, or it is of one length there."""

import jax
import jax.numpy as jnp


@jax.jit
def predicted(tokens, weights):
    return jnp.argmax(jnp.tanh(tokens @ jnp.ones(tokens.shape)) * weights)


@jax.jit
def batched(tokens):
    return jnp.tanh(tokens).sum()


def generate(tokens, weights, n_new):
    tokens = list(tokens)
    for _ in range(n_new):
        token = predicted(jnp.array(tokens), weights)  # want: JAX501
        tokens.append(float(token))
    return tokens


def generate_by_sum(tokens, weights, n_new):
    for _ in range(n_new):
        context = jnp.asarray(tokens)
        token = predicted(context, weights)  # want: JAX501
        tokens = tokens + [float(token)]
    return tokens


def generate_until(tokens, weights, end, n_most):
    """Nobody knows how many it will be."""
    while len(tokens) < n_most and tokens[-1] != end:
        tokens += [float(predicted(jnp.array(tokens), weights))]  # want: JAX501
    return tokens


def generate_batch(tokens, n_new):
    """One sequence, as a batch."""
    for _ in range(n_new):
        value = batched(jnp.array([tokens]))  # want: JAX501
        tokens.append(float(value))
    return tokens


def generate_in_window(tokens, weights, n_new):
    for _ in range(n_new):
        token = predicted(jnp.array(tokens[-4:]), weights)  # ok: JAX501
        tokens.append(float(token))
    return tokens


def generate_shifted(tokens, weights, n_new):
    """Each takes the place of the oldest."""
    for _ in range(n_new):
        token = predicted(jnp.array(tokens), weights)  # ok: JAX501
        tokens.append(float(token))
        tokens.pop(0)
    return tokens


def generate_cut(tokens, weights, n_new):
    for _ in range(n_new):
        token = predicted(jnp.array(tokens), weights)  # ok: JAX501
        tokens.append(float(token))
        tokens = tokens[1:]
    return tokens


def by_batch(batches):
    """The list is a new one each time."""
    found = []
    for batch in batches:
        tokens = []
        for token in batch:
            tokens.append(token)
        found.append(batched(jnp.array(tokens)))  # ok: JAX501
    return found


def collected(rows, weights):
    """The list that grows is another one."""
    found = []
    for row in rows:
        found.append(predicted(jnp.array(row), weights))  # want: JAX501 (low)
    return jnp.array(found)


def changed(tokens, weights, n_new):
    """Its elements change."""
    for i in range(n_new):
        tokens[i] = float(predicted(jnp.array(tokens), weights))  # ok: JAX501
    return tokens


def jaxlint_examples():
    tokens = [1.0, 2.0, 3.0, 4.0]
    weights = jnp.ones(())
    return {
        "predicted": (jnp.ones(4), weights),
        "generate": (list(tokens), weights, 3),
        "generate_by_sum": (list(tokens), weights, 3),
        "generate_until": (list(tokens), weights, 9.0, 8),
        "generate_batch": (list(tokens), 3),
        "generate_in_window": (list(tokens), weights, 3),
        "generate_shifted": (list(tokens), weights, 3),
        "generate_cut": (list(tokens), weights, 3),
        "by_batch": ([tokens, tokens, tokens],),
        "collected": ([tokens, tokens[:3], tokens[:2]], weights),
        "changed": (list(tokens), weights, 3),
    }
