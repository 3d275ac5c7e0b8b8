"""Lengths that each iteration draws, and lists whose arrays have several."""

import random

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def norm(x):
    return jnp.sqrt(jnp.sum(x**2))


def clouds(seed, n):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        size = int(100 * (1 + rng.uniform(-0.2, 0.2)))
        out.append(norm(rng.standard_normal((size, 3))))  # want: JAX501
    return out


def cut(x, n):
    out = []
    for _ in range(n):
        end = random.randint(1, len(x))
        out.append(norm(x[:end]))  # want: JAX501
    return out


def windows(x, n, width):
    out = []
    for _ in range(n):
        start = random.randint(0, len(x) - width)
        out.append(norm(x[start : start + width]))  # ok: JAX501
    return out


def few_lengths(x, n):
    """Two programs are made, and no more."""
    out = []
    for _ in range(n):
        end = np.random.randint(2, 4)
        out.append(norm(x[:end]))
    return out


def drawn_once(seed, n):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(10, 1000))
    out = []
    for _ in range(n):
        out.append(norm(rng.normal(size=(size, 3))))  # ok: JAX501
    return out


def drawn_values(seed, n):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        scale = rng.uniform(0.5, 2.0)
        out.append(norm(scale * np.ones(16)))  # ok: JAX501
    return out


def groups(x, labels, kinds):
    parts = [x[labels == kind] for kind in range(kinds)]
    return [norm(part) for part in parts]  # want: JAX501


def groups_by_kind(x, labels):
    parts = {kind: x[labels == kind] for kind in np.unique(labels)}
    return [norm(part) for part in parts.values()]  # want: JAX501


def rows_by_index(x, indices):
    parts = {i: x[i] for i in indices}
    return [norm(part) for part in parts.values()]  # ok: JAX501


def chunks(x, width):
    parts = [x[start : start + width] for start in range(0, len(x), width)]
    return [norm(part) for part in parts]  # ok: JAX501


def rows(x, indices):
    parts = [x[i] for i in indices]
    total = 0.0
    for part in parts:
        total += norm(part)  # ok: JAX501
    return total


def jaxlint_examples():
    x = np.arange(60.0).reshape(20, 3)
    return {
        "clouds": (0, 12),
        "cut": (np.arange(1000.0), 12),
        "windows": (x, 12, 4),
        "few_lengths": (x, 12),
        "drawn_once": (0, 12),
        "drawn_values": (0, 12),
        "groups": (x, np.repeat(np.arange(5), [1, 2, 3, 5, 9]), 5),
        "groups_by_kind": (x, np.repeat(np.arange(5), [1, 2, 3, 5, 9])),
        "rows_by_index": (x, [3, 4, 5, 6]),
        "chunks": (x, 4),
        "rows": (x, [3, 4, 5, 6]),
    }
