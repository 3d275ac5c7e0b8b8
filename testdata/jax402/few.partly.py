"""Loops in kernels, over entries of mappings, for people, and in functions that only work under trace."""

import dataclasses
import functools
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def weighted(parts, n_parts):
    """Called by the kernel below alone."""
    total = jnp.zeros(parts[0].shape)
    for number in range(n_parts):
        total = total + jnp.exp(parts[number]) * number
    return total


def add_parts(source, target, parts, total, n_parts):
    pltpu.sync_copy(source, parts)
    most = jnp.full(total.shape, -jnp.inf)
    for number in range(n_parts):
        most = jnp.maximum(most, jnp.abs(parts[number]))
    total[...] = most + weighted(parts, n_parts)
    pltpu.sync_copy(total, target)


def added_parts(x):
    return pl.kernel(
        functools.partial(add_parts, n_parts=x.shape[0]),
        out_type=jax.ShapeDtypeStruct(x.shape[1:], x.dtype),
        mesh=pltpu.create_tensorcore_mesh("core", num_cores=1),
        scratch_types=[pltpu.VMEM(x.shape, x.dtype), pltpu.VMEM(x.shape[1:], x.dtype)],
        interpret=pltpu.InterpretParams(),
    )(x)


@dataclasses.dataclass
class Outcome:
    level: jax.Array
    slope: jax.Array


def kept(outcome: Outcome, mask):
    """Each entry has a shape of its own."""
    found = {}
    for field in dataclasses.fields(outcome):
        found[field.name] = jnp.where(mask, jnp.abs(getattr(outcome, field.name)), 0.0)
    return found


def shifted(sizes, x):
    """A mapping of keywords."""
    gains = {}
    for name, size in sizes.items():
        gains[name] = jnp.ones(size) * x[:size]
    return gains


@jax.jit
def clipped(entries):
    return {name: jnp.clip(x, -1.0, 1.0) * 0.5 for name, x in entries.items()}


def of_numpy(entries):
    return {name: np.clip(x, -1.0, 1.0) * 0.5 for name, x in entries.items()}


def described(outcome: Outcome):
    """It looks at shapes and types alone."""
    text = ""
    for field in dataclasses.fields(outcome):
        x = jnp.asarray(getattr(outcome, field.name))
        text = f"{text} {field.name} {x.shape[0] * x.ndim + 1} {x.dtype}"
    return text


def averaged(x, n_steps):
    """It refuses to run outside a trace."""
    if not isinstance(x, jax.core.Tracer):
        raise RuntimeError("compile the caller")
    for _ in range(n_steps):
        x = x - 0.1 * jnp.sin(x)
    return x


def render(frame, n_rows):
    """What people look at is soon drawn; the text takes longer than the operations."""
    picture = jnp.zeros((n_rows, 3))
    for row in range(n_rows):
        picture = picture.at[row].set(jnp.tanh(frame[row]))
    return str(picture)


def picked():
    return int(input("row: "))


def played(x):
    """Each turn waits for a person."""
    while float(x.sum()) < 100:
        x = x.at[picked()].set(jnp.max(x) + 10.0)
    return x


def trained(models, state, frames: jax.Array, labels: jax.Array):
    """Turns do little more themselves than to cut out what the step is to work on, which may well be compiled."""
    total = 0.0
    for i in range(frames.shape[0]):
        state = models["best"](state, frames[i], labels[i])
        total = total + labels.T
    return state, total


def in_parts(x, n_parts):
    """The parts are made to fit the memory: each is waited for before the next begins."""
    sums = []
    for part in jnp.array_split(x, n_parts):
        sums.append(jax.block_until_ready(jnp.sum(jnp.exp(part) * 2)))
    return jnp.stack(sums)


def circles(key, radii: list[float], counts: list[int]):
    """Each turn has a shape of its own, which neither scan nor vmap can have."""
    points = []
    for radius, n in zip(radii, counts):
        angle = jnp.linspace(0.0, 6.28, n)
        points.append(radius * jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=1))
    return jnp.concatenate(points)


def of_numpy_arrays(rates: np.ndarray, times: np.ndarray):
    total = np.zeros_like(times)
    for k in range(rates.shape[0]):
        total = total + np.exp(-rates[k] * times) * rates[k]
    return total


def fitted(samples: list[np.ndarray], weights: "np.ndarray"):
    found = []
    for sample in samples:
        found.append(np.sum(sample * weights) / np.sum(weights) + sample[0] ** 2)
    return found


def halved(x, n_steps):
    return jax.lax.fori_loop(0, n_steps, lambda _, y: 0.5 * (y + jnp.roll(y, 1)), x)


@jax.jit
def _relaxed_step(x):
    return 0.5 * (x + jnp.roll(x, 1))


def relaxed(x: jax.Array, n_steps, use_jit):
    """Who asks for it to run step by step has a reason."""
    if use_jit:
        return jax.jit(halved, static_argnums=1)(x, n_steps)
    else:
        for step in range(n_steps):
            x = _relaxed_step(x)
        return float(x.sum())


def summed(table: np.ndarray):
    total = np.zeros(table.shape[1])
    for row in table:
        total = total + np.sin(row) * np.cos(row)
    return total


def squared(rows: list["np.ndarray"]):
    return [row * row + row.sum() for row in rows]


@jax.jit
def _smoothed_step(x):
    return jnp.sin(x) * 0.5 + jnp.cos(x)


def smoothed(tree, x: jax.Array, n_steps):
    """A map over the leaves of a tree is no loop of jax, which would do the work of the turn."""
    for _ in range(n_steps):
        tree = jax.tree.map(np.shape, tree)
        x = _smoothed_step(x)
    return x


@jax.jit
def smoothed_twice(x):
    for _ in range(2):
        x = jnp.sin(x) * 0.5 + jnp.cos(x)
    return x


class Solver:
    def __call__(self, shares, costs):
        return run(shares, costs)


def run(shares, costs):
    """A step of what the class does, in spite of its name: the caller may well be traced."""
    cost = 0.0
    for share, price in zip(shares, costs):
        cost = cost + jnp.sum(jnp.log(share) * price)
    return cost


def answered(function, x):
    with mock.patch("builtins.input", return_value="0"):
        return function(x)


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 12)
    return {
        "added_parts": (jnp.ones((4, 8, 128)),),
        "kept": (Outcome(x, x), x > 0.5),
        "clipped": ({"a": x, "b": x},),
        "of_numpy": ({"a": np.ones(3)},),
        "described": (Outcome(x, x),),
        "shifted": ({"a": 3}, x),
        "averaged": lambda: getattr(jax, "jit")(averaged, static_argnums=1)(x, 12),
        "render": (jnp.ones((5, 3)), 5),
        "played": lambda: answered(played, x),
        "trained": lambda: trained({"best": jax.jit(lambda s, f, l: s + f.mean() * l)}, jnp.zeros(()), jnp.ones((12, 2)), jnp.ones(12)),
        "in_parts": lambda: in_parts(jnp.ones(64), 16),
        "circles": lambda: circles(jax.random.key(0), [1.0, 2.0, 3.0] * 4, [4, 8, 16] * 4),
        "of_numpy_arrays": lambda: of_numpy_arrays(np.ones(20), np.ones(4)),
        "fitted": lambda: fitted([np.ones(4)] * 12, np.ones(4)),
        "relaxed": (x, 30, False),
        "summed": lambda: summed(np.ones((30, 4))),
        "squared": lambda: squared([np.ones(4)] * 12),
        "smoothed": ({"a": x}, x, 10),
        "smoothed_twice": (x,),
        "run": ([x, x], [x, x]),
    }
