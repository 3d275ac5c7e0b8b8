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


@jit
def _imported_inner(v):
    return v + 1


def imported(x):
    return _imported_inner(x)


@compile_it
def _renamed_inner(v):
    return v + 1


def renamed(x):
    return _renamed_inner(x)


@j.jit
def _module_alias_inner(v):
    return v + 1


def module_alias(x):
    return _module_alias_inner(x)


@fast
def _assigned_inner(v):
    return v + 1


def assigned(x):
    return _assigned_inner(x)


@static_n
def _bound_options_inner(v, n):
    return v + n


def bound_options(x):
    return _bound_options_inner(x, n=2)


@functools.partial(j.jit, static_argnames=("n",))
def _options_in_place_inner(v, n):
    return v + n


def options_in_place(x):
    return _options_in_place_inner(x, n=2)


@jit(inline=True)
def _decorator_factory_inner(v):
    return v + 1


def decorator_factory(x):
    return _decorator_factory_inner(x)


@pjit
def _old_name_inner(v):
    return v + 1


def old_name(x):
    return _old_name_inner(x)


@pjit_module.pjit
def _old_module_inner(v):
    return v + 1


def old_module(x):
    return _old_module_inner(x)


def imported_here(x):
    from jax import jit as local_jit

    def inner(v):
        return v + 1

    return local_jit(inner)(x)


@maybe
def _conditional_import_inner(v):
    return v + 1


def conditional_import(x):
    return _conditional_import_inner(x)


def local_alias(x):
    compiler = j.jit

    def inner(v):
        return v + 1

    return compiler(inner)(x)


def project_jit(function):
    """The project's own wrapper, for all its functions."""
    return j.jit(function, inline=True)


@project_jit
def wrapped_by_the_project(x):
    return x + 1


@project_jit
def _wrapped_here_by_the_project_inner(v):
    return v + 1


def wrapped_here_by_the_project(x):
    return _wrapped_here_by_the_project_inner(x)


def of_another_library(x):
    @numba.jit(nopython=True)
    def inner(v):
        return v + 1

    return inner(x)


def parameter_named_jit(x, jit=lambda f: f):
    def inner(v):
        return v + 1

    return jit(inner)(x)


def local_function_named_jit(x):
    def jit(f):
        return f

    def inner(v):
        return v + 1

    return jit(inner)(x)


def method_named_jit(x):
    class Graph:
        def jit(self, f):
            return f

    def inner(v):
        return v + 1

    return Graph().jit(inner)(x)


def switched_off(x):
    def inner(v):
        return v + 1

    jit = functools.partial(lambda f: f)
    return jit(inner)(x)


def mentioned_in_text(x):
    """Call `jax.jit(inner)(x)` if you must."""
    def inner(v):
        return v + 1  # not jax.jit(inner)(x)

    return inner(x)


@fast
def module_level(x):
    return x + 1


@functools.partial(fast, static_argnames="n")
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
