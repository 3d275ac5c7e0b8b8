"""Large arrays that compiled functions close over, and such as are small, given, or only asked for their shape."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

table = jnp.linspace(0.0, 1.0, 1200 * 1200).reshape(1200, 1200)
WEIGHTS = jax.random.normal(jax.random.key(0), (2048, 512))
samples = np.ones((1500, 1000))
small = jnp.ones((64, 64))
rows = jnp.arange(1000)
counts = np.random.default_rng(0).integers(0, 8, size=(1024, 1024))


# --- at module level


@jax.jit
def project(x):
    return table @ x


@jax.jit
def _scaled(x, scale=2.0, *, table):
    return table @ x * scale


def scaled(x):
    return _scaled(x, table=table) + _scaled(x, scale=3.0, table=table)


@functools.partial(jax.jit, static_argnames="power")
def weighted(x, power=2):
    return (WEIGHTS @ x) ** power


def weighted_twice(x):
    return weighted(x) + weighted(x, power=3)


def row_of_table(index):
    return table[index]


@jax.jit
def by_helper(index):
    return jnp.sum(row_of_table(index))


@jax.jit
def of_numpy(x):
    return jnp.dot(samples, x)


# --- in the function around it


@jax.jit
def _step(w, data):
    return w - 1e-4 * (data.T @ (data @ w))


def fit(n):
    data = jnp.ones((1200, 1000))

    w = jnp.zeros(1000)
    for _ in range(n):
        w = _step(w, data)
    return w


class Operator:
    def __init__(self):
        self.kernel = jnp.ones((1024, 1024))

    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return self.kernel @ x


# --- small, or given


@jax.jit
def with_small(x):
    return small @ x


@jax.jit
def with_rows(x):
    return x + rows


@jax.jit
def given(x, table):
    return table @ x


def gives(x):
    return given(x, table)


# --- not as a constant


@jax.jit
def shape_alone(x):
    return x * table.shape[0] + len(table)


@jax.jit
def type_alone(x):
    return x.astype(WEIGHTS.dtype)


@jax.jit
def one_row_of_numpy(x):
    return x * samples[3]


@jax.jit
def computed_by_numpy(x):
    return x * np.mean(samples) + samples.max()


@jax.jit
def made_under_trace(x):
    grid = jnp.ones((2048, 2048))
    return grid @ x


def eager(x):
    return table @ x


@jax.jit
def hidden(x):
    table = x * 2.0
    return table + 1.0


def scanned(x):
    return jax.lax.scan(scaled_by_table, x, None, length=3)[0]


def scaled_by_table(x, _):
    return 0.5 * (table @ x), None


def on_the_host(n):
    # What is compiled is given a row of it.
    total = 0.0
    for row in counts[:n]:
        total += float(with_small_rows(row))
    return total


@jax.jit
def with_small_rows(row):
    return jnp.sum(row)


class Layer:
    def __init__(self):
        self.kernel = jnp.ones((1024, 1024))
        self.width = self.kernel.shape[1]

    @functools.partial(jax.jit, static_argnums=0)
    def widened(self, x):
        return x * self.width


def jaxlint_examples():
    x = jnp.ones(1200)
    return {
        "project": (x,),
        "scaled": (x,),
        "weighted": (jnp.ones(512),),
        "weighted_twice": (jnp.ones(512),),
        "by_helper": (3,),
        "row_of_table": lambda: by_helper(3),
        "of_numpy": (jnp.ones(1000),),
        "fit": (2,),
        "Operator.apply": (Operator(), jnp.ones(1024)),
        "with_small": (jnp.ones(64),),
        "with_rows": (jnp.ones(1000),),
        "given": (x, table),
        "gives": (x,),
        "shape_alone": (x,),
        "type_alone": (x,),
        "one_row_of_numpy": (jnp.ones(1000),),
        "computed_by_numpy": (x,),
        "made_under_trace": (jnp.ones(2048),),
        "eager": (x,),
        "hidden": (x,),
        "scanned": (x,),
        "scaled_by_table": lambda: scanned(x),
        "on_the_host": (2,),
        "Layer.widened": (Layer(), x),
    }
