"""Loops whose number of iterations shows, and those of which no program can hold an iteration as it is."""

import io
import types

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def settled(x):
    """Four thousand operations."""

    def step(_, x):
        x = x - 0.1 * jnp.sin(x) * jnp.cos(x)
        return x

    x = jax.lax.fori_loop(0, 1000, step, x)
    return x


@jax.jit
def relaxed(x):
    """Each call is soon done, and there are many below."""

    def step(_, x):
        x = x - 0.1 * jnp.sin(x) * jnp.cos(x)
        return x

    x = jax.lax.fori_loop(0, 50, step, x)
    return x


def relaxed_often():
    x, found = jnp.linspace(0.0, 1.0, 3), []
    for _ in range(30):
        found.append(relaxed(x))
    return found


def prefixes(x: jax.Array, n_steps):
    """Each iteration has a shape of its own."""
    found = []
    for step in range(1, n_steps):
        found.append(jnp.sum(jnp.sin(x[:step]) * jnp.cos(x[:step])))
    return found


def windows(x: jax.Array, n_steps):
    """These have one shape."""
    found = []
    for step in range(n_steps):
        found.append(jnp.sum(jnp.sin(x[step : step + 3]) * jnp.cos(x[step : step + 3])))
    return found


def positives(x: jax.Array, n_steps):
    """And the values say how many there are."""
    for step in range(n_steps):
        chosen = x[jnp.where(x > step)[0]]
        x = x + jnp.sum(jnp.sin(chosen)) * 0.1
    return x


@jax.jit
def _written_step(x):
    return x - 0.1 * jnp.sin(x) * jnp.cos(x)


def written(x, n_steps):
    """The file takes longer."""
    for _ in range(n_steps):
        x = _written_step(x)
        np.save(io.BytesIO(), x)
    return x


@jax.jit
def _written_at_times_step(x):
    return x - 0.1 * jnp.sin(x) * jnp.cos(x)


def written_at_times(x, n_steps):
    for step in range(n_steps):
        x = _written_at_times_step(x)
        if step % 100 == 99:
            np.save(io.BytesIO(), x)
    return x


def solved(system, x, n_steps):
    """Beside a solver it is nothing."""
    for _ in range(n_steps):
        x = x - 0.1 * jnp.sin(system.solve(x)) * jnp.cos(x) * jnp.tanh(x)
    return x


def naive_energies(xs: jax.Array):
    """The slow form of what follows."""
    return jnp.stack([jnp.sum(jnp.sin(x) * jnp.cos(x)) for x in xs])


@jax.jit
def energy(x):
    return jnp.sum(jnp.sin(x) * jnp.cos(x))


energies = jax.vmap(energy)


def compiled(x):
    for _ in range(1000):
        x = energy(x)
    return x


def prefixes_of_numpy(x, n_steps):
    """NumPy does not mind."""
    found = []
    for step in range(1, n_steps):
        found.append(np.sum(np.sin(x[:step]) * np.cos(x[:step])))
    return found


def windows_compiled(x, n_steps):
    found = []
    for _ in range(n_steps):
        found.append(energy(x))
    return found


def written_compiled(x, n_steps):
    for _ in range(n_steps):
        np.save(io.BytesIO(), energy(x))


def solved_compiled(system, x, n_steps):
    for _ in range(n_steps):
        x = energy(system.solve(x))
    return x


def settled_in_python(x):
    for _ in range(1000):
        x = x - 0.1 * x * (1 - x)
    return x


def settled_in_numpy(x):
    for _ in range(1000):
        x = x - 0.1 * np.sin(x) * np.cos(x)
    return x


@jax.jit
def settled_under_trace(x):
    for _ in range(40):
        x = x - 0.1 * jnp.sin(x) * jnp.cos(x)
    return x


def sizes(x: jax.Array, n_steps):
    """Shapes are numbers of Python."""
    found = 0
    for step in range(n_steps):
        found = found + x.shape[0] * x.ndim + step
    return found


def each_compiled(xs):
    return [energy(x) for x in xs]


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 20)
    return {
        "settled": (x,),
        "relaxed": (x,),
        "relaxed_often": (),
        "prefixes": (x, 12),
        "windows": (x, 12),
        "positives": (x, 12),
        "written": (x, 12),
        "written_at_times": (x, 12),
        "solved": (types.SimpleNamespace(solve=lambda x: x * 2), x, 12),
        "naive_energies": (jnp.ones((12, 3)),),
        "compiled": (x,),
        "prefixes_of_numpy": (np.ones(20), 12),
        "windows_compiled": (x, 12),
        "written_compiled": (x, 12),
        "solved_compiled": (types.SimpleNamespace(solve=lambda x: x), x, 12),
        "settled_in_python": (0.5,),
        "settled_in_numpy": (np.ones(20),),
        "settled_under_trace": (x,),
        "sizes": (x, 12),
        "each_compiled": ([x] * 12,),
    }
