"""Options that are static, in each way of saying so."""

import functools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx

NAMES = ("axis", "flip")
NUMBERS = (1, 2)
jit_with_axis = partial(jax.jit, static_argnames=("axis",))
jit_second = functools.partial(jax.jit, static_argnums=1)


@partial(jax.jit, static_argnames="n")
def one_name(x, n):
    return jnp.zeros(n) + x[0]  # ok: JAX201


@partial(jax.jit, static_argnames=("axis", "flip"))
def names(x, axis, flip: bool):
    x = x.sum(axis=axis)  # ok: JAX201
    return -x if flip else x  # ok: JAX201


@partial(jax.jit, static_argnames=["axis", "flip"])
def list_of_names(x, axis, flip: bool):
    x = x.sum(axis=axis)  # ok: JAX201
    return -x if flip else x  # ok: JAX201


@partial(jax.jit, static_argnames=NAMES)
def names_in_a_variable(x, axis, flip: bool):
    x = x.sum(axis=axis)  # ok: JAX201
    return -x if flip else x  # ok: JAX201


@partial(jax.jit, static_argnums=1)
def one_number(x, order: int):
    return x if order == 3 else -x  # ok: JAX201


@partial(jax.jit, static_argnums=(1, 2))
def numbers(x, rows, columns):
    return x.reshape(rows, columns)  # ok: JAX201


@partial(jax.jit, static_argnums=NUMBERS)
def numbers_in_a_variable(x, rows, columns):
    return x.reshape(rows, columns)  # ok: JAX201


@partial(jax.jit, static_argnums=-1)
def negative_number(x, y, training: bool):
    if training:  # ok: JAX201
        return x
    return y


@partial(jax.jit, static_argnums=(-2, -1))
def negative_numbers(x, passes, order):
    for _ in range(passes):  # ok: JAX201
        x = x**order
    return x


@jit_with_axis
def project_decorator(x, axis):
    return jnp.expand_dims(x, axis)  # ok: JAX201


@jit_second
def second_project_decorator(x, order: int):
    assert order > 0  # ok: JAX201
    return x**order


def by_position(x, n):
    return jnp.zeros(n) + x[0]  # ok: JAX201


by_position_compiled = jax.jit(by_position, static_argnames="n")


def by_keyword(x, n):
    return jnp.zeros(n) + x[0]  # ok: JAX201


by_keyword_compiled = jax.jit(by_keyword, static_argnums=1)


@partial(jax.jit, static_argnames=("n",))
def in_keywords(x, **options):
    return jnp.zeros(options["n"]) + x[0]  # ok: JAX201


def bound(x, *, n):
    """What is bound is no parameter of what is compiled."""
    return jnp.zeros(n) + x[0]  # ok: JAX201


bound_compiled = jax.jit(partial(bound, n=3))


def bound_by_lambda(x, n):
    return jnp.zeros(n) + x[0]  # ok: JAX201


bound_by_lambda_compiled = jax.jit(lambda x: bound_by_lambda(x, 3))


def make_step(order: int):
    @jax.jit
    def step(x):
        """The option is that of the factory."""
        if order > 1:  # ok: JAX201
            x = x[:order]  # ok: JAX201
        return x

    return step


step = make_step(2)


@eqx.filter_jit
def filtered(x, training: bool, order: int):
    """Equinox traces arrays only."""
    if training:  # ok: JAX201
        x = x[:order]  # ok: JAX201
    return x


@nnx.jit(static_argnames=("passes",))
def stateful(model, x, passes):
    for _ in range(passes):  # ok: JAX201
        x = model(x)
    return x


@partial(jax.pmap, static_broadcasted_argnums=(1,))
def per_device(x, n):
    return x[:n]  # ok: JAX201


class Solver:
    def __init__(self, order: int, implicit: bool):
        self.order = order
        self.implicit = implicit

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        if self.implicit:  # ok: JAX201
            return x[: self.order]  # ok: JAX201
        return x

    @partial(jax.jit, static_argnums=(0,), static_argnames=("passes",))
    def solve(self, x, passes):
        for _ in range(passes):  # ok: JAX201
            x = 0.5 * x
        return x

    @partial(jax.jit, static_argnums=(0, 2))
    def last(self, x, n):
        return x[n:]  # ok: JAX201


def jaxlint_examples():
    x = jnp.arange(6.0)
    matrix = x.reshape(2, 3)
    solver = Solver(2, True)
    linear = nnx.Linear(6, 6, rngs=nnx.Rngs(0))
    return {
        "one_name": lambda: (one_name(x, 3), one_name(x, n=4)),
        "names": (matrix, 0, True),
        "list_of_names": (matrix, 0, True),
        "names_in_a_variable": (matrix, 0, True),
        "one_number": (x, 3),
        "numbers": (x, 2, 3),
        "numbers_in_a_variable": (x, 2, 3),
        "negative_number": (x, x, True),
        "negative_numbers": (x, 2, 2),
        "project_decorator": (x, 0),
        "second_project_decorator": (x, 2),
        "by_position": lambda: by_position_compiled(x, 3),
        "by_keyword": lambda: by_keyword_compiled(x, n=3),
        "in_keywords": lambda: in_keywords(x, n=3),
        "bound": lambda: bound_compiled(x),
        "bound_by_lambda": lambda: bound_by_lambda_compiled(x),
        "make_step": lambda: step(x),
        "filtered": (x, True, 2),
        "stateful": (linear, x, 2),
        "per_device": lambda: per_device(x[None], 2),
        "Solver.step": (solver, x),
        "Solver.solve": lambda: solver.solve(x, passes=2),
        "Solver.last": (solver, x, 2),
    }
