"""Loops over parts that are few by nature, whatever tells how many."""

from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

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
def lanczos(z):
    """As many terms as are written down, whoever calls it."""
    coefficients = jnp.asarray([0.9, 676.5, -1259.1, 771.3, -176.6, 12.5], dtype=jnp.float32)
    total = coefficients[0]
    for k in range(1, coefficients.shape[0]):  # ok: JAX302
        total = total + jnp.sin(coefficients[k] / (z + k))
    return total


@jax.jit
def weighted(x):
    for node in jnp.array([0.1, 0.5, 0.9]):  # ok: JAX302
        x = x + jnp.sin(node * x)
    return x


@jax.jit
def names_of(batch):
    """Only Python happens here."""
    shapes = {name: value.shape for name, value in batch.items()}  # ok: JAX302
    count = 0
    for shape in shapes.values():  # ok: JAX302
        count += len(shape)
    return {name: value * count for name, value in batch.items()}  # ok: JAX302


def split(x, split_factor=2):
    """Two parts, unless somebody asks for more."""
    x = x.reshape(-1, split_factor)
    return [x[:, i] * 2 for i in range(split_factor)]  # ok: JAX302


@jax.jit
def halves(x):
    return sum(split(x))


@partial(jax.jit, static_argnames=("basis_degree",))
def fourier_features(x, basis_degree):
    """The turns make constants of Python's numbers, which are as many as somebody has written down."""
    basis = jnp.concatenate([2**i * jnp.eye(x.shape[-1]) for i in range(basis_degree)], axis=1)  # ok: JAX302
    return jnp.sin(x @ basis)


def largest_tile(col_size: int, start: int) -> int:
    for chunk in range(start, 1, -1):  # ok: JAX302
        if col_size % chunk == 0:
            return chunk
    return 1


@jax.jit
def tiled(x):
    return x.reshape(-1, largest_tile(x.size, 4)) * 2


def add_rows(x_ref, out_ref):
    """A kernel's tiles are unrolled on purpose, and its body is compiled by other means."""
    total = jnp.zeros(x_ref.shape[1])
    for row in range(x_ref.shape[0]):  # ok: JAX302
        total = total + x_ref[row, :] * 2
    out_ref[:] = total


@jax.jit
def added_rows(x):
    return pl.pallas_call(add_rows, out_shape=jax.ShapeDtypeStruct((x.shape[1],), x.dtype), interpret=True)(x)


def advance(state, load, options):
    return state + options["rate"], load + jnp.mean(state)


def solve_on_host(start, options):
    """The step to a Python number fails under trace, so nothing traces it."""
    state, load = start, 0.0
    for _ in range(options["max_steps"]):  # ok: JAX302
        state, load = advance(state, load, options)
        if float(load) > 10:
            break
    return state


@jax.custom_vjp
def solution(start):
    return solve_on_host(start, {"rate": 0.5, "max_steps": 3})


solution.defvjp(lambda start: (solution(start), None), lambda _, g: (g,))


@jax.jit
def doubled(x):
    """The list is made of itself in each turn, so that its length is nothing to read off."""
    parts = [0, 1]
    while len(parts) < 8:
        parts = parts * 2
    for part in parts:  # ok: JAX302
        x = x.at[part].multiply(0.5)
    return x


@partial(jax.jit, static_argnames=("radius",))
def spread(image, columns, radius):
    """The window has a few columns, however large the image is."""
    out = jnp.zeros_like(image)
    for offset in jnp.arange(start=-radius, stop=radius + 1):  # ok: JAX302
        column = columns + offset
        out = out.at[:, column].add(image * (column >= 0))
    return out


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
        "lanczos": (x,),
        "weighted": (x,),
        "names_of": ({"a": x, "b": weight},),
        "split": lambda: halves(x),
        "fourier_features": lambda: fourier_features(x, basis_degree=3),
        "largest_tile": lambda: tiled(x),
        "add_rows": lambda: added_rows(weight),
        "solve_on_host": lambda: solution(x),
        "doubled": (x,),
        "spread": lambda: spread(weight, jnp.arange(8), radius=1),
        "Ensemble._predict": lambda made=Ensemble([weight, weight]): made.predict(x),
    }
