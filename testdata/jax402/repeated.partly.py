"""Updates that copy the array, short loops that are run again and again, and helpers of loops that do other work."""

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, static_argnames="n_steps")
def filled(n_steps):
    """One update a turn, and each copies all that is there."""
    table = jnp.zeros(n_steps)

    def step_2(step, table):
        table = table.at[step].set(step * 0.5)
        return table

    table = jax.lax.fori_loop(0, n_steps, step_2, table)
    return table


@jax.jit
def _priced_step(row, point, date):
    return row.at[point].set(jnp.exp(-date * point))


def priced(dates, n_grid):
    """The loop within is long whoever calls this; the one around need not be."""
    prices = []
    for date in dates:
        row = jnp.zeros(n_grid)
        for point in range(n_grid):
            row = _priced_step(row, point, date)
        prices.append(row)
    return prices


def one_per_operator(operators):
    """An array of four elements has four turns."""
    shares = jnp.zeros(4)
    for number, operator in enumerate(operators):
        shares = shares.at[number].set(jnp.real(jnp.dot(operator, operator)))
    return shares


def corners(x, n):
    """Each update is one of the array that was given, and none is handed on."""
    found = [x]
    for number in range(n):
        found.append(x.at[number].add(0.5))
    return found


def pairs(x):
    """No more turns than the literal."""
    table = np.zeros((4, 4))
    for i in range(4):
        for j in range(i, 4):
            table[i, j] = float(jnp.sum(x.at[i].add(0.1).at[j].add(0.1) ** 2))
    return table


@jax.jit
def advanced(x):
    return x * 0.99


@functools.partial(jax.jit, static_argnames="n_steps")
def with_walls(x, n_steps):
    """Three turns, in every turn of a long loop."""

    def step(_, x):
        x = advanced(x)
        for side in range(3):
            x = x.at[:, side].set(x[:, side] * 0.5)
        return x

    x = jax.lax.fori_loop(0, n_steps, step, x)
    return x


def checked(fields):
    """Each turn waits for a value, and the loop below calls this."""
    for name, field in [("b", fields[0]), ("e", fields[1]), ("n", fields[2]), ("p", fields[3])]:
        if field is not None:
            if jnp.any(jnp.isnan(field)):
                raise ValueError(name)
            if jnp.any(jnp.isinf(field)):
                raise ValueError(name)


def checked_once(fields):
    """The same, where nothing repeats it."""
    for name, field in [("b", fields[0]), ("e", fields[1]), ("n", fields[2]), ("p", fields[3])]:
        if field is not None:
            if jnp.any(jnp.isnan(field)):
                raise ValueError(name)
            if jnp.any(jnp.isinf(field)):
                raise ValueError(name)


def solved(features, targets, weight):
    """It tries again, which it hardly ever has to."""
    for _ in range(5):
        solution = jnp.linalg.lstsq(features.T @ features + weight * jnp.eye(2), features.T @ targets)[0]
        if not jnp.any(jnp.isnan(solution)):
            return solution
        weight = weight * 10
    return None


def stored(buffer, x, at):
    return buffer.at[at].set(x).at[at + 1].add(jnp.sum(x)).at[at + 2].multiply(jnp.mean(x))


def played(buffer, environment, n_steps):
    """Something else does most of the turn, so the helper is the place."""
    x = jnp.ones(3)
    for step in range(n_steps):
        x = advanced(x) + environment.step(step)
        buffer = stored(buffer, x, step)
    return buffer


@jax.jit
def stored_at_once(buffer, x, at):
    return buffer.at[at].set(x).at[at + 1].add(jnp.sum(x)).at[at + 2].multiply(jnp.mean(x))


def played_compiled(buffer, environment, n_steps):
    x = jnp.ones(3)
    for step in range(n_steps):
        x = advanced(x) + environment.step(step)
        buffer = stored_at_once(buffer, x, step)
    return buffer


def collected(x, n_steps):
    """A single update beside what is compiled."""
    table = jnp.zeros((n_steps, 3))
    for step in range(n_steps):
        x = advanced(x)
        table = table.at[step].set(x)
    return table


@functools.partial(jax.jit, static_argnums=1)
def checked_while_compiling(x, table):
    """What is checked is known when it is compiled, and so this may be traced."""
    for row in table:
        with jax.ensure_compile_time_eval():
            assert jnp.all(jnp.asarray(row) > 0.0)
        x = x * sum(row) + 1.0
    return x


def in_numpy(n_steps):
    table = np.zeros(n_steps)
    for step in range(n_steps):
        table[step] = np.exp(-step) + table[step - 1]
    return table


@functools.partial(jax.jit, static_argnums=1)
def walled_at_once(x, n_turns):
    for _ in range(n_turns):
        for side in range(3):
            x = x.at[:, side].set(x[:, side] * 0.5)
    return x


def checked_in_numpy(fields):
    for name, field in [("b", fields[0]), ("e", fields[1]), ("n", fields[2]), ("p", fields[3])]:
        if field is not None and (np.any(np.isnan(field)) or np.any(np.isinf(field))):
            raise ValueError(name)


def stored_in_numpy(buffer, x, at):
    buffer[at] = x
    buffer[at + 1] += np.sum(x)
    buffer[at + 2] *= np.mean(x)
    return buffer


def played_in_numpy(buffer, environment, n_steps):
    for step in range(n_steps):
        buffer = stored_in_numpy(buffer, environment.step(step), step)
    return buffer


def waited(xs, n_steps):
    for step in range(n_steps):
        jax.block_until_ready(xs[step % len(xs)])
    return xs


def tried(x, n_tries):
    """Nothing but what is compiled."""
    for _ in range(n_tries):
        x = stored_at_once(jnp.zeros((3, 3)), x, 0)[0] if n_tries > 100 else advanced(x)
    return x


@jax.jit
def filled_at_once(x):
    def turn(step, table):
        return table.at[step].set(step * 0.5)

    return jax.lax.fori_loop(0, x.shape[0], turn, x)


def filled_each(xs):
    return [filled_at_once(x) for x in xs]


def measured(x, n_runs):
    """It is there to measure how slow it is."""
    seconds = []
    for _ in range(n_runs):
        start = time.perf_counter()
        smoothed(x)
        seconds.append(time.perf_counter() - start)
    return seconds


def smoothed(x):
    return jnp.convolve(x, jnp.ones(3) / 3, mode="same") - jnp.mean(x)


def either(x, n_steps, wide):
    """Both arms dispatch."""
    for step in range(n_steps):
        if wide:
            x = jnp.sin(x) * 0.5
        else:
            x = jnp.cos(x) + step
    return x


def seldom(x, n_steps, verbose):
    """One arm does not."""
    for step in range(n_steps):
        if verbose:
            print(step, float(jnp.sum(jnp.abs(x))))
        else:
            x = advanced(x)
    return x


def main():
    x = jnp.ones(4)
    for _ in range(20):
        x = advanced(x)
        checked([x, x, None, x])
    return x


class Environment:
    def step(self, number):
        return np.full(3, number * 0.1)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 12)
    return {
        "filled": (12,),
        "priced": ([0.1, 0.2], 12),
        "one_per_operator": ([x[:3]] * 4,),
        "corners": (x, 3),
        "pairs": (x,),
        "with_walls": (jnp.ones((4, 3)), 3),
        "checked": ([x, x, None, x],),
        "checked_once": ([x, x, None, x],),
        "solved": (jnp.ones((3, 2)), jnp.ones(3), 0.1),
        "played": (jnp.zeros((20, 3)), Environment(), 12),
        "played_compiled": (jnp.zeros((20, 3)), Environment(), 12),
        "collected": (jnp.ones(3), 12),
        "checked_while_compiling": (x, ((0.1, 0.2), (0.3, 0.4))),
        "in_numpy": (12,),
        "walled_at_once": (jnp.ones((4, 3)), 2),
        "checked_in_numpy": ([np.ones(3), np.ones(3), None, np.ones(3)],),
        "played_in_numpy": (np.zeros((20, 3)), Environment(), 12),
        "waited": ([x, x], 12),
        "tried": (jnp.ones(3), 12),
        "filled_each": ([x, x],),
        "measured": (x, 3),
        "either": (x, 12, True),
        "seldom": (x, 12, False),
    }
