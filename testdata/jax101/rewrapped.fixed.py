"""`jax.jit(f)(x)` of a function that lives as long as the module: the cache is found again, however it is written."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import SingleDeviceSharding


def polynomial(x, n=2):
    return x**n + 1


def plain(x):
    return jax.jit(polynomial)(x)


def in_a_loop(x):
    for _ in range(3):
        x = jax.jit(polynomial)(x)
    return x


def with_static_names(x):
    return jax.jit(polynomial, static_argnames=["n"])(x, n=3)


def with_static_numbers(x):
    return jax.jit(polynomial, static_argnums=(1,))(x, 3)


def with_donation(x):
    return jax.jit(polynomial, donate_argnums=0)(x + 0)


def with_options(x):
    return jax.jit(polynomial, compiler_options={"xla_embed_ir_in_executable": False})(x)


def with_shardings(x):
    sharding = SingleDeviceSharding(jax.devices()[0])
    return jax.jit(polynomial, in_shardings=sharding, out_shardings=sharding)(x)


def on_a_backend(x):
    return jax.jit(polynomial, backend="cpu")(x)


def through_partial(x):
    return functools.partial(jax.jit, static_argnames="n")(polynomial)(x, n=3)


def local_name(x):
    f = polynomial
    return jax.jit(f)(x)


def pmapped_again(x):
    for _ in range(3):
        x = jax.pmap(polynomial)(x[None])[0]
    return x


def lowered(x):
    return jax.jit(polynomial).lower(x).compile()(x)


def of_a_library(x):
    return jax.jit(jnp.linalg.norm)(x)


def of_a_builtin_method(x):
    return jax.jit(jax.nn.relu)(x)


def of_static_method(x):
    return jax.jit(Formula.cube)(x)


class Formula:
    @staticmethod
    def cube(x):
        return x**3

    def instance(self, x):
        return jax.jit(self.cube)(x)


def of_a_class(x):
    return jax.jit(jnp.asarray)(x)


@jax.jit
def _polynomial(v):
    return v**2 + 1


def fresh_beside_it(x):
    return _polynomial(x)


def jaxlint_examples():
    x = jnp.ones(3)
    names = (
        "plain", "in_a_loop", "with_static_names", "with_static_numbers", "with_donation", "with_options", "with_shardings",
        "on_a_backend", "through_partial", "local_name", "pmapped_again", "lowered", "of_a_library", "of_a_builtin_method",
        "of_static_method", "of_a_class", "fresh_beside_it",
    )  # fmt: skip
    return {name: (x,) for name in names} | {"Formula.instance": (Formula(), x)}
