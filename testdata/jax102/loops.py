"""Lambdas in loops."""

import jax
import jax.numpy as jnp


def temper(log_density, ladder):
    out = []
    for beta in ladder:
        out.append(jax.jit(lambda v: beta * v)(log_density))  # want: JAX102
    return out


def powers(x):
    return [jax.jit(lambda v: v**n)(x) for n in range(3)]  # want: JAX102


def by_name(x, rates):
    return {name: jax.jit(lambda v: v * rate)(x) for name, rate in rates.items()}  # want: JAX102


def settle(x):
    while jnp.max(x) > 0.1:
        x = jax.jit(lambda v: v * 0.3)(x)  # want: JAX102
    return x


def refine(x, rates):
    for rate in rates:
        step = jax.jit(lambda v: v - rate * v)  # want: JAX102
        for _ in range(3):
            x = step(x)
    return x


def batches(loader):
    """Nothing changes from batch to batch but the argument, and yet."""
    total = 0.0
    for batch in loader:
        total += jax.jit(lambda b: jnp.mean(b))(batch)  # want: JAX102
    return total


def reused(x):
    step = jax.jit(lambda v: v * 0.9)  # want: JAX102 (low)
    for _ in range(4):
        x = step(x)
    return x


def reused_while(x):
    step = jax.jit(lambda v: v * 0.9)  # want: JAX102 (low)
    while x.sum() > 1:
        x = step(x)
    return x


def called_twice(x, y):
    norm = jax.jit(lambda v: jnp.sqrt(jnp.sum(v * v)))  # want: JAX102
    return norm(x) - norm(y)


def called_twice_in_branches(x, y):
    norm = jax.jit(lambda v: jnp.sqrt(jnp.sum(v * v)))  # want: JAX102
    if y is None:
        return norm(x)
    return norm(y)


def wrapped_again(x):
    step = lambda v: v * 0.9
    for _ in range(3):
        x = jax.jit(step)(x)  # want: JAX102 (low)
    return x


def several_rounds(x, rounds):
    energy = jax.jit(lambda v: jnp.sum(v * v))  # want: JAX102 (low)
    history = [energy(x * r) for r in rounds]
    return jnp.array(history)


def stable(x):
    for _ in range(3):
        x = _decay(x)  # ok: JAX102
    return x


_decay = jax.jit(lambda v: v * 0.9)  # ok: JAX102

_ladder = [jax.jit(lambda v, n=n: v**n) for n in range(3)]  # ok: JAX102


def climb(x):
    return [rung(x) for rung in _ladder]  # ok: JAX102


def inner_of_a_trace(x):
    for rate in (0.1, 0.2):
        x = jax.vmap(lambda v: v * rate)(x)  # ok: JAX102
    return x


def sort_key(rows):
    """Lambdas that jax never sees."""
    return sorted(rows, key=lambda row: float(row.sum()))  # ok: JAX102


for _rate in (0.1, 0.2, 0.3):
    _result = jax.jit(lambda v: v * _rate)(jnp.ones(2))  # want: JAX102


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
