"""Every name under which jit is met, and other things of that name."""

import functools
import types

import jax as j
import jax.numpy as jnp
from jax import jit
from jax import jit as compile_it
from jax.experimental import pjit as pjit_module
from jax.experimental.pjit import pjit

fast = j.jit
static_n = functools.partial(j.jit, static_argnames=("n",))
numba = types.SimpleNamespace(jit=lambda function=None, **options: function or (lambda f: f))
backend = types.SimpleNamespace(jit=j.jit, np=jnp)

try:
    from no_such_backend import jit as maybe
except ImportError:
    from jax import jit as maybe


def imported(x):
    @jit  # want: JAX101
    def inner(v):
        return v + 1

    return inner(x)


def renamed(x):
    def inner(v):
        return v + 1

    return compile_it(inner)(x)  # want: JAX101


def module_alias(x):
    def inner(v):
        return v + 1

    return j.jit(inner)(x)  # want: JAX101


def assigned(x):
    @fast  # want: JAX101
    def inner(v):
        return v + 1

    return inner(x)


def bound_options(x):
    @static_n  # want: JAX101
    def inner(v, n):
        return v + n

    return inner(x, n=2)


def options_in_place(x):
    def inner(v, n):
        return v + n

    return functools.partial(j.jit, static_argnames=("n",))(inner)(x, n=2)  # want: JAX101


def decorator_factory(x):
    @jit(inline=True)  # want: JAX101
    def inner(v):
        return v + 1

    return inner(x)


def old_name(x):
    def inner(v):
        return v + 1

    return pjit(inner)(x)  # want: JAX101


def old_module(x):
    @pjit_module.pjit  # want: JAX101
    def inner(v):
        return v + 1

    return inner(x)


def imported_here(x):
    from jax import jit as local_jit

    def inner(v):
        return v + 1

    return local_jit(inner)(x)  # want: JAX101


def conditional_import(x):
    def inner(v):
        return v + 1

    return maybe(inner)(x)  # want: JAX101


def local_alias(x):
    compiler = j.jit

    def inner(v):
        return v + 1

    return compiler(inner)(x)  # want: JAX101


def project_jit(function):
    """The project's own wrapper, for all its functions."""
    return j.jit(function, inline=True)


@project_jit
def wrapped_by_the_project(x):
    return x + 1  # ok: JAX101


def wrapped_here_by_the_project(x):
    def inner(v):
        return v + 1

    return project_jit(inner)(x)  # want: JAX101


def of_another_library(x):
    @numba.jit(nopython=True)
    def inner(v):
        return v + 1

    return inner(x)  # ok: JAX101


def parameter_named_jit(x, jit=lambda f: f):
    def inner(v):
        return v + 1

    return jit(inner)(x)  # ok: JAX101


def local_function_named_jit(x):
    def jit(f):
        return f

    def inner(v):
        return v + 1

    return jit(inner)(x)  # ok: JAX101


def method_named_jit(x):
    class Graph:
        def jit(self, f):
            return f

    def inner(v):
        return v + 1

    return Graph().jit(inner)(x)  # ok: JAX101


def switched_off(x):
    def inner(v):
        return v + 1

    jit = functools.partial(lambda f: f)
    return jit(inner)(x)  # ok: JAX101


def mentioned_in_text(x):
    """Call `jax.jit(inner)(x)` if you must."""
    def inner(v):
        return v + 1  # not jax.jit(inner)(x)

    return inner(x)  # ok: JAX101


@fast  # ok: JAX101
def module_level(x):
    return x + 1


@functools.partial(fast, static_argnames="n")  # ok: JAX101
def module_level_with_options(x, n=2):
    return x + n


def jaxlint_examples():
    x = jnp.ones(3)
    names = (
        "imported", "renamed", "module_alias", "assigned", "bound_options", "options_in_place", "decorator_factory",
        "old_name", "old_module", "imported_here", "conditional_import", "local_alias", "of_another_library",
        "parameter_named_jit", "local_function_named_jit", "method_named_jit", "switched_off", "mentioned_in_text",
        "wrapped_by_the_project", "wrapped_here_by_the_project", "module_level", "module_level_with_options",
    )  # fmt: skip
    return {name: (x,) for name in names}
