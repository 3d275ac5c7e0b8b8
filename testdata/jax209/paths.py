"""Branches that no traced call takes, and those that some do."""

from functools import partial

import jax
import jax.numpy as jnp


def checked(x, check=False):
    if check:
        if jnp.any(x < 0):  # ok: JAX209
            raise ValueError("negative")
        assert float(x.sum()) > 0  # ok: JAX209
    return jnp.sqrt(x)


@jax.jit
def root(x):
    return checked(x)


@jax.jit
def root_unchecked(x):
    return checked(x, check=False) + 1


def validated(x):
    if x.min() < 0:  # ok: JAX209
        raise ValueError("negative")


def prepared(x, weights=None, verbose=False):
    if weights is not None:
        if weights.sum() != 1:  # ok: JAX209
            raise ValueError("weights")
        x = x * weights
    if not verbose:
        return x
    print(f"{float(x.sum())}")  # ok: JAX209
    validated(x)
    return x


@jax.jit
def summed(x):
    return prepared(x, None).sum()


def outer(x, check=False):
    return inner(x, check)


def inner(x, check):
    return x if not check or x.max() > 0 else -x  # ok: JAX209


@jax.jit
def handed_on(x):
    return outer(x)


def sometimes(x, check):
    if check and x.max() > 0:  # want: JAX209
        return x
    return -x


@jax.jit
def with_check(x):
    return sometimes(x, True)


@jax.jit
def without_check(x):
    return sometimes(x, False)


@partial(jax.jit, static_argnames=("check",))
def by_option(x, check=False):
    if check:
        if x.sum() > 0:  # want: JAX209
            return x
    return -x


def program(x):
    return by_option(x), by_option(x, check=True)


def eager(x):
    """The check is for those who do not compile."""
    return checked(x, check=True), prepared(x, x / x.sum(), verbose=True), inner(x, True)


def jaxlint_examples():
    x = jnp.arange(1.0, 5.0)
    return {
        "checked": lambda: (root(x), root_unchecked(x), eager(x)),
        "validated": lambda: eager(x),
        "prepared": lambda: (summed(x), eager(x)),
        "inner": lambda: (handed_on(x), eager(x)),
        "sometimes": lambda: (without_check(x), with_check(x)),
        "by_option": lambda: program(x),
        "eager": (x,),
    }
