"""Arrays that grow in loops, and such that do not."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(x):
    return x * 0.9


def collected(x, n):
    history = x
    history_parts = [history]
    for _ in range(n):
        x = step(x)
        history_parts.append(x)
    history = jnp.concatenate(history_parts)
    return history


def appended(values):
    out = jnp.zeros(0)
    out_parts = [jnp.ravel(out)]
    for value in values:
        out_parts.append(jnp.ravel(value))
    out = jnp.concatenate(out_parts)
    return out


def stacked(rows):
    table = rows[0]
    table_parts = [table]
    for row in rows[1:]:
        table_parts.append(row)
    table = jnp.vstack(table_parts)
    return table


def in_front(x, n):
    history = x
    history_parts = [history]
    for _ in range(n):
        x = step(x)
        history_parts.append(x)
    history = jnp.concatenate(history_parts[::-1], axis=0)
    return history


def in_inner_loops(rows, n):
    table = jnp.zeros((1, 3))
    table_parts = [table]
    for row in rows:
        for _ in range(n):
            table_parts.extend([row, 2.0 * row])
    table = jnp.vstack(table_parts)
    return table


def read_in_the_loop(x, n):
    history = x
    for _ in range(n):
        history = jnp.append(history, 0.9 * history[-1])
    return history


def of_a_buffer(values):
    buffer, out = np.zeros(2), jnp.zeros(0)
    for value in values:
        buffer[:] = value
        out = jnp.concatenate([out, jnp.asarray(buffer)])
    return out


def made_equal(rows, width):
    out = []
    for row in rows:
        line = jnp.asarray(row)
        if line.shape[0] < width:
            line = jnp.concatenate([line, jnp.zeros(width - line.shape[0])])
        out.append(line)
    return jnp.stack(out)


def bound_before(rows):
    lines = []
    for row in rows:
        line = row
        line = jnp.append(line, 1.0)
        lines.append(line)
    return lines


def of_a_list(xs):
    out = []
    for x in xs:
        out = out + [jnp.concatenate([x, x])]
    return out


def few(x):
    for _ in range(2):
        x = jnp.concatenate([x, x])
    return x


def doubled_pairs(pairs):
    out = []
    for one, other in pairs:
        one = jnp.concatenate([one, other])
        out.append(one)
    return out


@functools.partial(jax.jit, static_argnames="n")
def window(x, n):
    def step(_, x):
        x = jnp.concatenate([x[1:], x[:1] * 0.9])
        return x

    x = jax.lax.fori_loop(0, n, step, x)
    return x


def listed(x, n):
    history = [x]
    for _ in range(n):
        x = step(x)
        history.append(x)
    return jnp.concatenate(history)


def joined(pairs):
    out = []
    for one, other in pairs:
        out.append(jnp.concatenate([one, other]))
    return out


def padded(rows, n):
    """Each turn begins with another array."""
    out = []
    for row in rows:
        part = row[:n] * 2.0
        part = jnp.concatenate([part, jnp.zeros(n)])
        out.append(part)
    return out


def in_numpy(x, n):
    history = np.asarray(x)
    for _ in range(n):
        history = np.concatenate([history, history[:2]])
    return history


@jax.jit
def traced(x):
    for _ in range(2):
        x = jnp.concatenate([x, x])
    return x


def once(x):
    x = jnp.concatenate([x, x])
    return x


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "collected": (x, 3),
        "appended": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],),
        "stacked": ([x, x, x],),
        "in_front": (x, 3),
        "in_inner_loops": ([x, x], 9),
        "read_in_the_loop": (x, 3),
        "of_a_buffer": ([1.0, 2.0, 3.0],),
        "made_equal": ([x, x], 4),
        "bound_before": ([x, x],),
        "of_a_list": ([x, x],),
        "few": (x,),
        "doubled_pairs": ([(x, x), (x, x)],),
        "window": (x, 3),
        "listed": (x, 3),
        "joined": ([(x, x), (x, x)],),
        "padded": ([x, x, x], 2),
        "in_numpy": (x, 3),
        "traced": (x,),
        "once": (x,),
    }
