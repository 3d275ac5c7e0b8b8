"""Partials and jit in every other order and place."""

import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp


def hill(x, k=0.5, n=2):
    return x**n / (k**n + x**n)


compiled_hill = jax.jit(hill, static_argnames=("n",))

half = partial(hill, k=0.5)
compiled_half = jax.jit(half)
direct = jax.jit(partial(hill, k=0.5))
TABLE = {n: jax.jit(partial(hill, n=n)) for n in (1, 2)}


def wrapped_again(x):
    """The partial is made once; wrapping it again finds the cache."""
    return jax.jit(half)(x)


def partial_of_jit(x):
    return partial(jax.jit, static_argnames="n")(hill)(x, n=3)


@partial(jax.jit, static_argnames=("n",))
def decorated(x, n=2):
    return x**n


@functools.partial(jax.jit, static_argnums=(1,), donate_argnums=())
def decorated_by_number(x, n):
    return x**n


def bound_outside(x):
    """Bound around the compiled function: no new function is compiled."""
    return partial(compiled_hill, n=3)(x)


def bound_outside_in_a_loop(x):
    for n in (1, 2):
        f = partial(compiled_hill, n=n)
        x = f(x)
    return x


@jax.jit
def apply(function, x):
    return function(x)


def partial_as_an_argument(x, k):
    """A tree_util.Partial of a stable function is data."""
    return apply(jax.tree_util.Partial(hill, k=k), x)


def filtered_partial(x):
    """Equinox compares its own partial by what it holds."""
    return eqx.filter_jit(eqx.Partial(hill, k=0.5))(x)


def filtered_tree_partial(x):
    return eqx.filter_jit(jax.tree_util.Partial(hill, k=0.5))(x)


class Assay:
    def __init__(self, k):
        self.curve = jax.jit(partial(hill, k=k))
        bound = partial(hill, k=2 * k)
        self.other = jax.jit(bound)
        self.step = partial(compiled_hill, k=k)

    def __call__(self, x):
        return self.step(self.curve(x) + self.other(x))


class Method:
    def _run(self, x, scale):
        return x * scale

    def __init__(self):
        self.double = jax.jit(partial(self._run, scale=2.0))

    def __call__(self, x):
        return self.double(x)


def make(k):
    return jax.jit(partial(hill, k=k))


def make_pair(k):
    up = jax.jit(partial(hill, k=k))
    down = jax.jit(partial(hill, k=-k))
    return up, down


def make_caught(k):
    curve = jax.jit(partial(hill, k=k))

    def shifted(x):
        return curve(x + 1)

    return shifted


@functools.lru_cache(maxsize=None)
def cached(n):
    return jax.jit(partial(hill, n=n))


_kept = {}


def memoised(x, n):
    if n not in _kept:
        _kept[n] = jax.jit(partial(hill, n=n))
    return _kept[n](x)


def default(x, curve=jax.jit(partial(hill, n=3))):
    return curve(x)


@jax.jit
def traced(x):
    return jax.jit(partial(hill, n=3))(x)


@jax.jit
def mapped(xs):
    return jax.lax.map(partial(hill, n=3), xs)


def eager_transform(x):
    return jax.vmap(partial(hill, n=3))(x)


def shapes(x):
    return jax.eval_shape(partial(hill, n=3), x)


def lowered(x):
    return jax.jit(partial(hill, n=3)).lower(x).as_text()


_hill = jax.jit(partial(hill, n=3))


def init(x):
    return _hill(x)


_step = jax.jit(partial(hill, n=3))


def main():
    x = jnp.ones(3)
    for _ in range(3):
        x = _step(x)
    return x


def test_hill():
    assert _hill(jnp.ones(2)).shape == (2,)


print_once = jax.jit(partial(hill, n=4))(jnp.ones(2))


def sorted_by(rows):
    """A partial that jax never sees."""
    return sorted(rows, key=partial(round, ndigits=1))


def jaxlint_examples():
    x = jnp.ones(3)
    made, pair, caught = make(0.5), make_pair(0.5), make_caught(0.5)
    return {
        "compiled_hill": (x,),
        "compiled_half": lambda: compiled_half(x),
        "direct": lambda: direct(x),
        "TABLE": lambda: [f(x) for f in TABLE.values()],
        "wrapped_again": (x,),
        "partial_of_jit": (x,),
        "decorated": (x,),
        "decorated_by_number": (x, 2),
        "bound_outside": (x,),
        "bound_outside_in_a_loop": (x,),
        "partial_as_an_argument": (x, 0.5),
        "filtered_partial": (x,),
        "filtered_tree_partial": (x,),
        "Assay.__call__": (Assay(0.5), x),
        "Method.__call__": (Method(), x),
        "make": lambda: made(x),
        "make_pair": lambda: [f(x) for f in pair],
        "make_caught": lambda: caught(x),
        "cached": lambda: cached(3)(x),
        "memoised": (x, 3),
        "default": (x,),
        "traced": (x,),
        "mapped": (x,),
        "eager_transform": (x,),
        "shapes": (x,),
        "lowered": (x,),
        "init": (x,),
        "sorted_by": ([1.25, 0.5],),
    }
