"""Lambdas in loops."""

import jax
import jax.numpy as jnp


@jax.jit
def _temper(v, beta):
    return beta * v


def temper(log_density, ladder):
    out = []
    for beta in ladder:
        out.append(_temper(log_density, beta))
    return out


@jax.jit
def _powers(v, n):
    return v**n


def powers(x):
    return [_powers(x, n) for n in range(3)]


@jax.jit
def _by_name(v, rate):
    return v * rate


def by_name(x, rates):
    return {name: _by_name(x, rate) for name, rate in rates.items()}


@jax.jit
def _settle(v):
    return v * 0.3


def settle(x):
    while jnp.max(x) > 0.1:
        x = _settle(x)
    return x


@jax.jit
def _step(v, rate):
    return v - rate * v


def refine(x, rates):
    for rate in rates:
        for _ in range(3):
            x = _step(x, rate)
    return x


@jax.jit
def _mean(b):
    return jnp.mean(b)


def batches(loader):
    """Nothing changes from batch to batch but the argument, and yet."""
    total = 0.0
    for batch in loader:
        total += _mean(batch)
    return total


@jax.jit
def _reused_step(v):
    return v * 0.9


def reused(x):
    for _ in range(4):
        x = _reused_step(x)
    return x


@jax.jit
def _reused_while_step(v):
    return v * 0.9


def reused_while(x):
    while x.sum() > 1:
        x = _reused_while_step(x)
    return x


@jax.jit
def _norm(v):
    return jnp.sqrt(jnp.sum(v * v))


def called_twice(x, y):
    return _norm(x) - _norm(y)


def called_twice_in_branches(x, y):
    if y is None:
        return _norm(x)
    return _norm(y)


@jax.jit
def _wrapped_again_step(v):
    return v * 0.9


def wrapped_again(x):
    for _ in range(3):
        x = _wrapped_again_step(x)
    return x


@jax.jit
def _energy(v):
    return jnp.sum(v * v)


def several_rounds(x, rounds):
    history = [_energy(x * r) for r in rounds]
    return jnp.array(history)


def stable(x):
    for _ in range(3):
        x = _decay(x)
    return x


_decay = jax.jit(lambda v: v * 0.9)

_ladder = [jax.jit(lambda v, n=n: v**n) for n in range(3)]


def climb(x):
    return [rung(x) for rung in _ladder]


def inner_of_a_trace(x):
    for rate in (0.1, 0.2):
        x = jax.vmap(lambda v: v * rate)(x)
    return x


def sort_key(rows):
    """Lambdas that jax never sees."""
    return sorted(rows, key=lambda row: float(row.sum()))


for _rate in (0.1, 0.2, 0.3):
    _result = jax.jit(lambda v: v * _rate)(jnp.ones(2))


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "temper": (x, [0.1, 1.0]),
        "powers": (x,),
        "by_name": (x, {"a": 1.0, "b": 2.0}),
        "settle": (x,),
        "refine": (x, [0.1, 0.2]),
        "batches": ([x, x],),
        "reused": (x,),
        "reused_while": (x,),
        "called_twice": (x, x),
        "called_twice_in_branches": (x, None),
        "wrapped_again": (x,),
        "several_rounds": (x, [1.0, 2.0]),
        "stable": (x,),
        "climb": (x,),
        "inner_of_a_trace": (x,),
        "sort_key": ([x, x],),
    }
