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


def through_apply(x):
    def square(v):
        return v * v

    return apply(jax.jit(square), x)  # want: JAX101


def through_timed(x):
    @jax.jit  # want: JAX101
    def square(v):
        return v * v

    return timed(square, x)


def through_keyword(x):
    def square(v):
        return v * v

    return apply(x=x, function=jax.jit(square))  # want: JAX101


def through_repeat(x):
    def halve(v):
        return v / 2

    return repeat(jax.jit(halve), x, 3)  # want: JAX101 (low)


def into_an_object(x):
    @jax.jit  # want: JAX101 (low)
    def halve(v):
        return v / 2

    return Loop(halve).run(x)


def into_a_registry():
    def hook(v):
        return v + 1

    register(jax.jit(hook))  # ok: JAX101


def call_hooks(x):
    for hook in _hooks:
        x = hook(x)
    return x


def to_scipy(x):
    def energy(v):
        return jnp.sum((v - 1) ** 2)

    compiled = jax.jit(energy)  # want: JAX101 (low)
    return scipy.optimize.minimize(compiled, np.asarray(x), method="Nelder-Mead", options={"maxiter": 2}).x


def straight_to_scipy(x):
    def energy(v):
        return jnp.sum((v - 1) ** 2)

    return scipy.optimize.approx_fprime(np.asarray(x), jax.jit(energy))  # want: JAX101 (low)


def to_map(parts):
    def norm(v):
        return jnp.sqrt(jnp.sum(v * v))

    return list(map(jax.jit(norm), parts))  # want: JAX101 (low)


def to_tree_map(tree):
    """A new object for each call, which compiles once for each shape of a leaf."""
    def quantise(w):
        return jnp.round(w * 127) / 127

    return jax.tree.map(jax.jit(quantise), tree)  # want: JAX101


def into_a_partial(x):
    @jax.jit  # want: JAX101
    def power(v, n):
        return v**n

    return functools.partial(power, n=2)(x)


def into_a_queue(jobs):
    def one(v):
        return v + 1

    jobs.append(jax.jit(one))  # ok: JAX101


def compared(x, function):
    return function is x  # ok: JAX101


def _square(v):
    return v * v


def named_through_apply(x):
    return apply(jax.jit(_square), x)  # ok: JAX101


def raw_through_apply(x):
    def square(v):
        return v * v

    return apply(square, x)  # ok: JAX101


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
