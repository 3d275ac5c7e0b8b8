"""The compiled function is handed to somebody else, who calls it or keeps it."""

import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize


def apply(function, x):
    return function(x)


def timed(function, *args):
    result = function(*args)
    return jax.block_until_ready(result)


def repeat(function, x, times):
    for _ in range(times):
        x = function(x)
    return x


class Loop:
    def __init__(self, step):
        self.step = step

    def run(self, x):
        return self.step(x)


_hooks = []


def register(hook):
    _hooks.append(hook)


@jax.jit
def _through_apply_square(v):
    return v * v


def through_apply(x):
    return apply(_through_apply_square, x)


@jax.jit
def _through_timed_square(v):
    return v * v


def through_timed(x):
    return timed(_through_timed_square, x)


@jax.jit
def _through_keyword_square(v):
    return v * v


def through_keyword(x):
    return apply(x=x, function=_through_keyword_square)


@jax.jit
def _halve(v):
    return v / 2


def through_repeat(x):
    return repeat(_halve, x, 3)


def into_an_object(x):
    return Loop(_halve).run(x)


@jax.jit
def _hook(v):
    return v + 1


def into_a_registry():
    register(_hook)


def call_hooks(x):
    for hook in _hooks:
        x = hook(x)
    return x


@jax.jit
def _energy(v):
    return jnp.sum((v - 1) ** 2)


def to_scipy(x):
    return scipy.optimize.minimize(_energy, np.asarray(x), method="Nelder-Mead", options={"maxiter": 2}).x


def straight_to_scipy(x):
    return scipy.optimize.approx_fprime(np.asarray(x), _energy)


@jax.jit
def _norm(v):
    return jnp.sqrt(jnp.sum(v * v))


def to_map(parts):
    return list(map(_norm, parts))


@jax.jit
def _quantise(w):
    return jnp.round(w * 127) / 127


def to_tree_map(tree):
    """A new object for each call, which compiles once for each shape of a leaf."""

    return jax.tree.map(_quantise, tree)


@jax.jit
def _power(v, n):
    return v**n


def into_a_partial(x):
    return functools.partial(_power, n=2)(x)


def into_a_queue(jobs):
    def one(v):
        return v + 1

    jobs.append(jax.jit(one))


def compared(x, function):
    return function is x


def _square(v):
    return v * v


def named_through_apply(x):
    return apply(jax.jit(_square), x)


def raw_through_apply(x):
    def square(v):
        return v * v

    return apply(square, x)


def jaxlint_examples():
    x = jnp.ones(3)
    into_a_registry()
    jobs = collections.deque()
    into_a_queue(jobs)
    return {
        "through_apply": (x,),
        "through_timed": (x,),
        "through_keyword": (x,),
        "through_repeat": (x,),
        "into_an_object": (x,),
        "into_a_registry": lambda: call_hooks(x),
        "to_scipy": (x,),
        "straight_to_scipy": (x,),
        "to_map": ([x, x],),
        "to_tree_map": ({"w": x, "b": x},),
        "into_a_partial": (x,),
        "into_a_queue": lambda: jobs[0](x),
        "compared": (x, x),
        "named_through_apply": (x,),
        "raw_through_apply": (x,),
    }
