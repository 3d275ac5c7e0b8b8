"""Tables of Python and NumPy that traced data looks up or changes, and lookups that Python can do."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

RATES = [0.1, 0.2, 0.3, 0.4]
TABLE = np.array([1.0, 2.0, 3.0, 4.0])
GRID = np.arange(8.0).reshape(4, 2)
NAMED = {"low": 0.1, "high": 0.9}


@jax.jit
def looked_up(x):
    return x * RATES[jnp.argmax(x)]


@jax.jit
def of_table(x, i):
    return x * jnp.asarray(TABLE)[i]


@jax.jit
def of_rows(x, i):
    return x[:2] + jnp.asarray(GRID)[i, :]


@jax.jit
def selected(x):
    return TABLE[x > 1.0]


@jax.jit
def of_local(x):
    weights = np.linspace(0.0, 1.0, 5)
    return jnp.asarray(weights)[x.astype(int)]


@jax.jit
def of_closest(x, at):
    return x * jnp.asarray(TABLE)[jnp.searchsorted(jnp.asarray(TABLE), at)]


@jax.jit
def stored(x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = x[i] * 2
    return out


@jax.jit
def projected(x):
    return TABLE.dot(x)


class Bins:
    def __init__(self, n):
        self.edges = np.linspace(0.0, 1.0, n)
        self.value = jax.jit(self._value)

    def _value(self, i):
        return jnp.asarray(self.edges)[i] * 2


def body(i, total):
    return total + jnp.asarray(TABLE)[i]


def summed(n):
    return jax.lax.fori_loop(0, n, body, 0.0)


@jax.jit
def of_array(x, i):
    return x * jnp.asarray(TABLE)[i] + jnp.array(RATES)[i]


@jax.jit
def taken(x, i):
    return x + jnp.take(TABLE, i) + jnp.take(jnp.asarray(RATES), i)


@jax.jit
def by_constant(x):
    return x * TABLE[0] + TABLE[:4] + RATES[-1] + NAMED["low"]


@jax.jit
def by_number(x):
    for i in range(4):
        x = x * RATES[i] + TABLE[i]
    return x


@jax.jit
def by_shape(x):
    return x * TABLE[x.shape[0] - 1] + RATES[x.ndim]


@partial(jax.jit, static_argnames=("i", "name"))
def by_option(x, i, name):
    return x * TABLE[i] * RATES[i] + NAMED[name]


@jax.jit
def filled(x):
    """Only known numbers are stored."""
    out = np.zeros(4)
    out[1:] = TABLE[:3]
    out[0] = len(x)
    return out * x


@jax.jit
def updated(x):
    out = jnp.zeros(4)
    out = out.at[0].set(x[0])
    return out


@jax.jit
def collected(x):
    """A Python list may hold traced arrays."""
    rows = [None] * 4
    for i in range(4):
        rows[i] = x[i] * 2
    return jnp.stack(rows)


@jax.jit
def of_objects(x):
    out = {}
    out["x"] = x
    return out


def on_host(i):
    """Nothing traces it: any array of JAX is a number here."""
    out = np.zeros(4)
    out[0] = jnp.sin(1.0)
    return TABLE[jnp.int32(i)] + out[0] + RATES[jnp.argmax(jnp.arange(3))]


@jax.tree_util.register_pytree_node_class
class Leaves:
    """Its table is a leaf of the argument, and so traced itself."""

    def __init__(self, table):
        self.table = np.asarray(table)

    def tree_flatten(self):
        return (self.table,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        made = object.__new__(cls)
        made.table = leaves[0]
        return made

    @jax.jit
    def value(self, i):
        return self.table[i]


class Steps:
    def __init__(self, n):
        self.sizes = np.arange(n)
        self.scale = jax.jit(self._scale)

    def _scale(self, x):
        return [x * self.sizes[i] for i in range(3)]


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "looked_up": (x,),
        "of_table": (x, 1),
        "of_rows": (x, 1),
        "selected": (x,),
        "of_local": (x,),
        "of_closest": (x, 2.5),
        "stored": (x,),
        "projected": (x,),
        "Bins._value": lambda bins=Bins(4): bins.value(1),
        "body": lambda: summed(3),
        "of_array": (x, 1),
        "taken": (x, 1),
        "by_constant": (x,),
        "by_number": (x,),
        "by_shape": (x,),
        "by_option": lambda: by_option(x, i=1, name="low"),
        "filled": (x,),
        "updated": (x,),
        "collected": (x,),
        "of_objects": (x,),
        "on_host": (1,),
        "Leaves.value": lambda: Leaves(x).value(1),
        "Steps._scale": lambda steps=Steps(4): steps.scale(x),
    }
