"""What bounds a loop: an axis of data grows with the data; settings, coordinates and parts do not."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def gates(projected):
    parts = jnp.split(projected, indices_or_sections=4, axis=-1)
    return jnp.stack([jnp.tanh(part) * 2 for part in parts])


@jax.jit
def halves(x):
    return [jnp.sin(part) * 2 for part in jnp.array_split(x, 2)]


@jax.jit
def grids(x, y):
    total = 0.0
    for part in jnp.meshgrid(x, y):
        total = total + jnp.sin(part) * 2
    return total


@partial(jax.jit, static_argnames="factor")
def coarser(field, factor):
    """The trailing axis holds the two or three components of a vector field."""
    parts = []
    for i in range(field.shape[-1]):
        parts.append(jnp.tanh(field[..., i]) * factor)
    return jnp.stack(parts, axis=-1)


@jax.jit
def centred(points):
    parts = []
    for d in range(points.shape[1]):
        parts.append(points[:, d] - jnp.mean(points[:, d]))
    return jnp.stack(parts, axis=1)


@jax.jit
def equalised(image):
    height, width, depth = image.shape
    out = image
    for c in range(depth):
        out = out.at[..., c].set(image[..., c] / jnp.max(image[..., c]))
    return out


@jax.jit
def over_time(signal):
    """The trailing axis is time: each iteration looks back."""
    out = signal

    def step(t, out):
        out = out.at[..., t].set(0.5 * out[..., t - 1] + signal[..., t])
        return out

    out = jax.lax.fori_loop(1, signal.shape[-1], step, out)
    return out


@partial(jax.jit, static_argnames="n_steps")
def walked(x, n_steps):
    """How many steps there are is a setting, and nothing visible says that they are many."""
    for _ in range(n_steps):
        x = jnp.sin(x) * 0.5 + x
    return x


@partial(jax.jit, static_argnames="n")
def decayed(signal, n):
    """The setting is as large as the array that it counts through."""

    def step(i, signal):
        signal = signal.at[i].set(0.9 * signal[i - 1] + signal[i])
        return signal

    signal = jax.lax.fori_loop(1, n, step, signal)
    return signal


def by_radius(x, radii=(0.02, 0.05, 0.2)):
    total = 0.0
    for r in radii:
        total = total + jnp.sum(jnp.exp(-x / r))
    return total


near = jax.jit(by_radius)


def jaxlint_examples():
    return {
        "gates": lambda: gates(jnp.ones((3, 8))),
        "halves": (jnp.ones(8),),
        "grids": (jnp.ones(3), jnp.ones(4)),
        "coarser": lambda: coarser(jnp.ones((4, 4, 3)), factor=2),
        "centred": (jnp.ones((5, 3)),),
        "equalised": (jnp.ones((4, 4, 3)),),
        "over_time": (jnp.ones((2, 300)),),
        "walked": lambda: walked(jnp.ones(3), n_steps=4),
        "decayed": lambda: decayed(jnp.ones(300), n=300),
        "near": (jnp.ones(4),),
    }
