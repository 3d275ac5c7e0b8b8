"""Static arguments that a traced one could stand for: bounds, indices, helpers."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("count",))
def sampled(key, storage, filled, count):
    index = jax.random.randint(key, (count,), 0, filled)
    return storage[index] * 1.0


@jax.jit
def repeated(x, turns):
    return jax.lax.fori_loop(0, turns, lambda _, y: 0.5 * y + 1.0, x)


@functools.partial(jax.jit, static_argnums=(2,))
def window(x, start, size):
    return jax.lax.dynamic_slice(x, (start,), (size,)).sum()


def _cooled(x, step):
    rate = 1.0 / (1.0 + step)
    return x - rate * jnp.sin(x)


cooled = jax.jit(_cooled)


@jax.jit
def row_of(table, row):
    return jnp.cos(table[row]) + table.shape[1]


def filling(key, storage, start, n):
    found = []
    for filled in range(start, start + n):
        found.append(sampled(key, storage, filled, 4))
    return found


def longer(x, n):
    return [repeated(x, turns) for turns in range(n)]


def moving(x, n):
    return [window(x, start, 2) for start in range(n)]


def cooling(x, n):
    for step in range(n):
        x = cooled(x, step)
    return x


def rows(table, n):
    return [row_of(table, row) for row in range(n)]


# Few values, or the same one.


def halves(x):
    return [repeated(x, turns) for turns in (1, 2)]


def named_test(x, n):
    for step in range(n):
        late = step > 2
        x = cooled(x, late)
    return x


def negated(x, n):
    for step in range(n):
        early = not step
        x = cooled(x, early)
    return x


def alternating(x, n):
    for step in range(n):
        x = cooled(x, step % 2)
    return x


def same(x, n, turns):
    for _ in range(n):
        x = repeated(x, turns)
    return x


def before_the_loop(x, xs):
    turns = len(xs)
    for y in xs:
        x = repeated(x + y, turns)
    return x


def jaxlint_examples():
    x = jnp.ones(8)
    return {
        "filling": (jax.random.key(0), x, 1, 3),
        "longer": (x, 3),
        "moving": (x, 3),
        "cooling": (x, 3),
        "rows": (jnp.ones((4, 3)), 3),
        "halves": (x,),
        "named_test": (x, 2),
        "negated": (x, 1),
        "alternating": (x, 1),
        "same": (x, 3, 2),
        "before_the_loop": (x, [1.0, 2.0]),
    }
