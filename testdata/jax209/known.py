"""Tests on what is known while tracing, and decisions that the program takes itself."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax


@jax.jit
def chosen_by_where(x):
    mask = x > 0
    return jnp.where(mask & (x < 2), x, -x)  # ok: JAX209


@jax.jit
def chosen_by_cond(x):
    return lax.cond(x.sum() > 0, lambda v: v, lambda v: -v, x)  # ok: JAX209


@jax.jit
def logical(a, b):
    return jnp.logical_and(a > 0, ~(b > 0)) | (a == b)  # ok: JAX209


@jax.jit
def counted(x):
    return lax.while_loop(lambda v: v.sum() > 1, lambda v: 0.5 * v, x)  # ok: JAX209


@jax.jit
def of_structure(x, y=None):
    if y is None:  # ok: JAX209
        return x if x.ndim == 1 else x.T  # ok: JAX209
    if x.shape == y.shape and len(x) > 2:  # ok: JAX209
        return x + y
    assert x.dtype == jnp.float32  # ok: JAX209
    return x


@jax.jit
def not_equal_to_none(x):
    return 0.0 if x == None else x  # ok: JAX209


@jax.jit
def of_types(x, n):
    if isinstance(x, jax.Array) and isinstance(n, int):  # ok: JAX209
        return x
    return x * n


@jax.jit
def list_of_layers(layers: list[jax.Array], x):
    if layers:  # ok: JAX209
        x = layers[0] * x
    return x if not layers[1:] else x + 1  # ok: JAX209


@jax.jit
def any_number_of_terms(x, *terms):
    total = sum(terms) if terms else 0.0  # ok: JAX209
    while len(terms) > 1:  # ok: JAX209
        terms = terms[1:]
    return x + total


@jax.jit
def walked(xs):
    """Iterating over a traced array gives its rows."""
    return [v * i for i, v in enumerate(xs)]  # ok: JAX209


@partial(jax.jit, static_argnames=("limit",))
def static_number(x, limit):
    return x if limit > 2 else jnp.clip(x, 0, limit)  # ok: JAX209


@jax.jit
def python_counter(x):
    rate, turns = 0.1, 0
    while rate < 1.0 and turns < 3:  # ok: JAX209
        x = rate * x
        rate, turns = 2 * rate, turns + 1
    return x


@jax.jit
def parity(x):
    for i in range(4):
        if i % 2:  # ok: JAX209
            x = -x
        x = x + (i if i > 2 else 0)  # ok: JAX209
    return x


@jax.jit
def of_keys(batch):
    if "mask" in batch:  # ok: JAX209
        return batch["x"] * batch["mask"]
    return {k: v for k, v in batch.items() if k != "y" and v.ndim}  # ok: JAX209


@jax.jit
def of_closure(x):
    threshold = 3.0 if VERBOSE else 2.0  # ok: JAX209
    limits = [0.0, 1.0]
    if max(limits) > 0.5 and any(v > 0 for v in limits):  # ok: JAX209
        x = x / threshold
    return x


VERBOSE = False


@jax.jit
def identity_of(x, y):
    if x is y or x is not y:  # ok: JAX209
        return x
    return y


@jax.jit
def of_properties(x):
    if jnp.issubdtype(x.dtype, jnp.integer) or x.size == 0:  # ok: JAX209
        return x
    first, *rest = x
    return first + (rest[-1] if rest else 0.0)  # ok: JAX209


def loss(w):
    value = jnp.sum(w**2)
    return value


gradient = jax.jit(jax.value_and_grad(loss))


def hinge(w):
    """Differentiated outside any compiled function, its numbers are known."""
    margin = jnp.sum(w)
    return margin if margin > 1.0 else 0.0 * margin  # ok: JAX209


def slope(w):
    return jax.grad(hinge)(w)


def train(w):
    """Host code around a compiled step."""
    for _ in range(3):
        value, slope = gradient(w)
        if value < 1e-3:  # ok: JAX209
            break
        w = w - 0.1 * slope
    while loss(w) > 100.0:  # ok: JAX209
        w = 0.5 * w
    return w if jnp.isfinite(w).all() else None  # ok: JAX209


def eager_helper(x):
    if x.sum() > 0 and not jnp.isnan(x).any():  # ok: JAX209
        return x
    return -x


def monitor(x):
    return print(eager_helper(chosen_by_where(x)))


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Settings:
    rate: jax.Array


@partial(jax.jit, static_argnames=("self",))
def advanced(self, x, overrides: Settings | None = None):
    """An object is given or not: its truth is Python's."""
    settings = overrides or self.settings  # ok: JAX209
    return x * settings.rate


@dataclasses.dataclass(frozen=True)
class Simulation:
    rate: float = 0.5

    @property
    def settings(self):
        return Settings(self.rate)


try:
    import no_such_module_of_arrays as xp
except ImportError:
    xp = jnp if hasattr(jax, "Array") else np


@jax.jit
def of_either_library(x):
    """The name stands for NumPy only where there is no JAX."""
    return xp.asarray(x) * xp.sin(x)  # ok: JAX209


class Search:
    """Its `init` has the name of another library's."""

    def init(self, scores):
        return float(scores.max())  # ok: JAX209

    def stepper(self):
        tx = optax.sgd(0.1)

        @jax.jit
        def step(params):
            state = tx.init(params)
            return tx.update(params, state)[0]

        return step


STEP = Search().stepper()


class Controller:
    def __init__(self, clip):
        self.clip = clip
        self.act = jax.jit(self._act)

    def _act(self, error):
        """The attribute is a Python number of the object."""
        if self.clip > 0.5:  # ok: JAX209
            return jnp.clip(error, -self.clip, self.clip)
        return error


def magnitude_on_host(x):
    return float(np.abs(np.asarray(x)).max())  # ok: JAX209


def magnitude(x):
    """Concrete arrays take the short way."""
    if not isinstance(x, jax.core.Tracer):
        return magnitude_on_host(x)
    return jnp.abs(x).max()


def sign(x):
    if isinstance(x, jax.core.Tracer):
        return jnp.sign(x)
    return sign_on_host(x)


def sign_on_host(x):
    return np.sign(np.asarray(x))  # ok: JAX209


@jax.jit
def normalised(x):
    return sign(x) * x / magnitude(x)


def descent(carry, verbose=False):
    """The loop of JAX gives its body the carry alone."""
    x, n = carry
    if verbose:
        print(f"{n:3d} {x.sum():8.3f} {x.max():8.3f}")  # ok: JAX209
    return x * 0.5, n + 1


def is_early(carry):
    return carry[1] < 3


def descended(x, verbose=False):
    carry = (x, 0)
    if verbose:
        while carry[1] < 3:
            carry = descent(carry, verbose=True)
        return carry
    return jax.lax.while_loop(is_early, descent, carry)


def jaxlint_examples():
    x = jnp.arange(4.0)
    return {
        "chosen_by_where": (x,),
        "chosen_by_cond": (x,),
        "logical": (x, x),
        "counted": (x,),
        "of_structure": lambda: (of_structure(x), of_structure(x, x), of_structure(x, x[:2])),
        "not_equal_to_none": (x,),
        "of_types": (x, 3),
        "list_of_layers": ([x, x], x),
        "any_number_of_terms": lambda: (any_number_of_terms(x), any_number_of_terms(x, x, x)),
        "walked": (x,),
        "static_number": lambda: static_number(x, limit=3),
        "python_counter": (x,),
        "parity": (x,),
        "of_keys": lambda: (of_keys({"x": x, "mask": x}), of_keys({"x": x, "y": x})),
        "of_closure": (x,),
        "identity_of": (x, x),
        "of_properties": (x,),
        "hinge": lambda: slope(x),
        "train": (x,),
        "eager_helper": lambda: monitor(x),
        "advanced": lambda: (advanced(Simulation(), x), advanced(Simulation(), x, Settings(x))),
        "of_either_library": (x,),
        "Search.init": lambda: (Search().init(x), STEP(x)),
        "magnitude_on_host": lambda: (magnitude(x), normalised(x)),
        "sign_on_host": lambda: (sign(x), normalised(x)),
        "descent": lambda: (descended(x), descended(x, verbose=True)),
        "Controller._act": lambda made=Controller(1.0): made.act(x),
    }
