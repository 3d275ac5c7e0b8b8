"""Flags, counts and choices, by their annotation or their default, that Python has to decide on."""

import functools
import math
import operator
from typing import Literal

import jax
import jax.numpy as jnp

WEIGHTS = {1: 0.1, 2: 0.3, 3: 0.5}
RATES = [0.1, 0.2, 0.3, 0.4]


@functools.partial(jax.jit, static_argnames="training")
def dropout(x, training: bool):
    if training:
        return 0.5 * x
    return x


@functools.partial(jax.jit, static_argnames="order")
def difference(x, order: int):
    if order > 0:
        return jnp.diff(x)
    return x


@functools.partial(jax.jit, static_argnames="times")
def repeated(x, times: int):
    while times > 0:
        x = jnp.sin(x)
        times = times - 1
    return x


@functools.partial(jax.jit, static_argnames="degree")
def checked(x, degree: int):
    assert degree > 0
    return x**degree


@functools.partial(jax.jit, static_argnames="order")
def stencil(x, order: int):
    return x if order in (1, 2, 3) else -x


@functools.partial(jax.jit, static_argnames="order")
def stencil_from_a_set(x, order: int):
    return x if order in {1, 2, 3} else -x


@functools.partial(jax.jit, static_argnames="order")
def weighted(x, order):
    return x * WEIGHTS[order]


@functools.partial(jax.jit, static_argnames="phase")
def annealed(x, phase):
    return x * RATES[phase]


@functools.partial(jax.jit, static_argnames="order")
def memoised(x, order):
    cache = {order: x}
    return sum(cache.values())


@functools.partial(jax.jit, static_argnames="order")
def chosen(x, order: int):
    match order:
        case 1:
            return x
        case _:
            return -x


@functools.partial(jax.jit, static_argnames="left")
def either(x, y, left: bool):
    return x if left else y


@functools.partial(jax.jit, static_argnames="causal")
def both(x, causal: bool, masked: bool):
    """Python asks the first operand, and that is the one that raises."""
    use = causal and masked
    return jnp.where(use, x, 0)


@functools.partial(jax.jit, static_argnames="causal")
def any_of(x, causal: bool, masked: bool):
    use = causal or masked
    return jnp.where(use, x, 0)


@functools.partial(jax.jit, static_argnames="frozen")
def inverted(x, frozen: bool):
    return jnp.where(not frozen, x, 0)


@functools.partial(jax.jit, static_argnames="order")
def as_number(x, order: int):
    return x * math.factorial(int(order))


@functools.partial(jax.jit, static_argnames="training")
def as_flag(x, training: bool):
    active = bool(training)
    return x if active else -x


@functools.partial(jax.jit, static_argnames="depth")
def at_most(x, depth: int):
    return min(depth, 3) * x


@functools.partial(jax.jit, static_argnames="step")
def index_of(x, step: int):
    return x * operator.index(step)


@functools.partial(jax.jit, static_argnames="step")
def labelled(x, step: int):
    with jax.named_scope(f"step_{step:03d}"):
        return 2 * x


@functools.partial(jax.jit, static_argnames="n")
def head(x, n):
    return x[:n]


@functools.partial(jax.jit, static_argnames="n")
def part(x, n):
    return x[n : n + 2]


@functools.partial(jax.jit, static_argnames="n")
def cleared(x, n):
    return x.at[:n].set(0.0)


@functools.partial(jax.jit, static_argnames="stride")
def every_other(x, stride):
    return x[::stride]


@functools.partial(jax.jit, static_argnames="training")
def with_keywords(x, **options):
    return x if options["training"] else -x


@functools.partial(jax.jit, static_argnums=(0, 2))
def first_is_static(scale: int, x, training: bool):
    """The position given is that of another parameter."""
    if training:
        return scale * x
    return x


@functools.partial(jax.jit, static_argnames=("verbose", "training"))
def one_of_two(x, verbose: bool, training: bool):
    if verbose:
        x = x + 0.0
    if training:
        return 0.5 * x
    return x


@functools.partial(jax.jit, static_argnames="kind")
def level(x, kind: Literal[0, 1]):
    if kind == 0:
        return x
    return -x


class Encoder:
    """The object is static, which says nothing about the flag behind it."""

    @functools.partial(jax.jit, static_argnums=(0, 2))
    def __call__(self, x, training: bool):
        return jnp.tanh(x) if training else x


def jaxlint_examples():
    x = jnp.arange(8.0)
    return {
        "dropout": (x, True),
        "difference": (x, 1),
        "repeated": (x, 3),
        "checked": (x, 2),
        "stencil": (x, 2),
        "stencil_from_a_set": (x, 2),
        "weighted": (x, 2),
        "annealed": (x, 2),
        "memoised": (x, 2),
        "chosen": (x, 1),
        "either": (x, x, True),
        "both": (x, True, False),
        "any_of": (x, True, False),
        "inverted": (x, True),
        "as_number": (x, 3),
        "as_flag": (x, True),
        "at_most": (x, 2),
        "index_of": (x, 3),
        "labelled": (x, 3),
        "head": (x, 3),
        "part": (x, 1),
        "cleared": (x, 3),
        "every_other": (x, 2),
        "with_keywords": lambda: with_keywords(x, training=True),
        "first_is_static": (2, x, True),
        "one_of_two": lambda: one_of_two(x, verbose=True, training=True),
        "level": (x, 0),
        "Encoder.__call__": (Encoder(), x, True),
    }
