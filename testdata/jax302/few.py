"""Loops over parts that are few by nature, whatever tells how many."""

from functools import partial

import jax
import jax.numpy as jnp

KINDS = ("low", "mid", "high")


@jax.jit
def noisy(key, x):
    for part in jax.random.split(key, 3):  # ok: JAX302
        x = x + 0.1 * jax.random.normal(part, x.shape)
    return x


@jax.jit
def by_kind(gains, x):
    for kind in KINDS:  # ok: JAX302
        x = x + gains[kind] * jnp.sin(x)
    return x


@jax.jit
def layers_by_number(layers: list[dict[str, jax.Array]], x):
    for i in range(len(layers)):  # ok: JAX302
        x = jnp.tanh(x @ layers[i]["weight"]) * 2
    return x


@jax.jit
def residual(blocks: tuple[jax.Array, ...], x):
    for i, block in enumerate(blocks):  # ok: JAX302
        x = x + jnp.tanh(x @ block) / (i + 1)
    return x


@jax.jit
def neighbouring(layers: list[jax.Array]):
    total = 0.0
    for upper, lower in zip(layers[:-1], layers[1:]):  # ok: JAX302
        total = total + jnp.sum((upper - lower) ** 2)
    return total


@partial(jax.jit, static_argnames=("num_experts",))
def mixture(x, weights, num_experts):
    gates = jax.nn.softmax(x)
    out = jnp.zeros_like(x)
    for e in range(num_experts):  # ok: JAX302
        out = out + gates.mean() * jnp.tanh(x @ weights[e])
    return out


@partial(jax.jit, static_argnames=("num_stages",))
def downsampled(x, num_stages):
    for _ in range(num_stages):  # ok: JAX302
        x = jnp.tanh(x.reshape(-1, 2).mean(axis=1))
    return x


@partial(jax.jit, static_argnames=("sizes",))
def padded(x, sizes=(2, 4)):
    parts = [jnp.pad(x, size) * 2 for size in sizes]  # ok: JAX302
    return sum(part.sum() for part in parts)  # ok: JAX302


@jax.jit
def corners(image):
    """Four turns, and written down as four."""
    out = jnp.zeros(4)
    for i in range(4):  # ok: JAX302
        out = out.at[i].set(image[-(i // 2), -(i % 2)])
    return out


@jax.jit
def names_of(batch):
    """Only Python happens here."""
    shapes = {name: value.shape for name, value in batch.items()}  # ok: JAX302
    count = 0
    for shape in shapes.values():  # ok: JAX302
        count += len(shape)
    return {name: value * count for name, value in batch.items()}  # ok: JAX302


class Ensemble:
    def __init__(self, members):
        self.members = members
        self.predict = jax.jit(self._predict)

    def _predict(self, x):
        outputs = [jnp.tanh(x @ member) * 0.5 for member in self.members]  # ok: JAX302
        return sum(outputs)


def jaxlint_examples():
    x, weight = jnp.ones(8), jnp.ones((8, 8))
    return {
        "noisy": (jax.random.key(0), x),
        "by_kind": ({"low": 0.1, "mid": 0.2, "high": 0.3}, x),
        "layers_by_number": ([{"weight": weight}] * 3, x),
        "residual": ((weight, weight), x),
        "neighbouring": ([weight, weight, weight],),
        "mixture": lambda: mixture(x, jnp.ones((4, 8, 8)), num_experts=4),
        "downsampled": lambda: downsampled(x, num_stages=3),
        "padded": (x,),
        "corners": (weight,),
        "names_of": ({"a": x, "b": weight},),
        "Ensemble._predict": lambda: Ensemble([weight, weight]).predict(x),
    }
