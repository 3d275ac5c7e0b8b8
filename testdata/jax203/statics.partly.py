"""Static arguments that are made anew, and such that equal the earlier ones."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import optax


@functools.partial(jax.jit, static_argnames="response")
def curve(doses, response):
    return jnp.cumsum(response(doses))


@functools.partial(jax.jit, static_argnums=1)
def ordered(x, spec):
    return x * 2


def hill(x, n):
    return x**n


class Plain:
    order = 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    order: int


def _response(x):
    return x * 2


def with_lambda(doses):
    return curve(doses, _response)


def with_partial(doses, n):
    return curve(doses, response=functools.partial(hill, n=n))


def with_nested(doses, scale):
    def response(x):
        return x * scale

    return curve(doses, response)


_spec = Plain()


def with_object(x):
    return ordered(x, _spec)


_ordered_spec = optax.sgd(0.1)


def with_optimiser(x):
    return ordered(x, _ordered_spec)


def _curve_response(x):
    return x + 1


def main():
    print(curve(jnp.ones(3), _curve_response))


DOUBLE = functools.partial(hill, n=2)
PLAIN = Plain()


def with_function(doses):
    return curve(doses, jnp.square)


def with_module_partial(doses):
    return curve(doses, DOUBLE)


def with_module_object(x):
    return ordered(x, PLAIN)


def with_frozen(x):
    return ordered(x, Frozen(2))


def with_tuple(x):
    return ordered(x, (1, 2))


def with_number(x):
    return ordered(x, 2)


@jax.jit
def outer(doses):
    return curve(doses, lambda x: x * 3)


def jaxlint_examples():
    x = jnp.ones(3)
    names = "lambda object optimiser function module_partial module_object frozen tuple number"
    found = {f"with_{name}": (x,) for name in names.split()}
    return {**found, "with_partial": (x, 2), "with_nested": (x, 2.0), "main": (), "outer": (x,)}
