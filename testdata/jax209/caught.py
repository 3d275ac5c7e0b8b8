"""Places that come after a conversion which fails under trace and is caught, and values that may be containers."""

import jax
import jax.numpy as jnp


def checked_range(x, step):
    try:
        extent = float(x[-1])
    except TypeError:
        extent = None
    if extent is not None and extent > 1.0:
        print(f"{float(step)}")  # ok: JAX209
    return x * step


def by_flag(x):
    try:
        x.item()
        known = True
    except jax.errors.ConcretizationTypeError:
        known = False
    if known:
        return x / float(x.sum())  # ok: JAX209
    return x


def by_else(x):
    try:
        int(x[0])
    except TypeError:
        pass
    else:
        x = x * float(x[0])  # ok: JAX209
    return x


fast_range, fast_flag, fast_else = jax.jit(checked_range), jax.jit(by_flag), jax.jit(by_else)


@jax.jit
def after_other_failure(x, table={}):
    try:
        scale = table["scale"]
    except KeyError:
        scale = 1.0
    return x * scale if x.sum() > 0 else x  # want: JAX209


@jax.jit
def with_more(x, given=None):
    parts = {"x": x, **(given or {})}  # ok: JAX209
    return sum(parts.values())


@jax.jit
def or_other(x, other):
    return x or other  # want: JAX209


def more(x):
    return with_more(x, {"y": x})


def jaxlint_examples():
    x = jnp.arange(3.0) + 1
    return {
        "checked_range": (x, 2.0),
        "by_flag": (x[:1],),
        "by_else": (x,),
        "fast_range": lambda: fast_range(x, 2.0),
        "fast_flag": lambda: fast_flag(x[:1]),
        "fast_else": lambda: fast_else(x),
        "after_other_failure": lambda: after_other_failure(x),
        "or_other": (1.0, 2.0),
        "with_more": lambda: with_more(x, {"y": x}),
        "more": (x,),
    }
