"""The function that is compiled was not made by the call that compiles it."""

import functools

import jax
import jax.numpy as jnp


def compile_and_call(function, x):
    """What this is given decides; its callers are the ones to ask."""
    return jax.jit(function)(x)  # ok: JAX101


def cosine(v):
    return jnp.cos(v)


def sine(v):
    return jnp.sin(v)


def with_a_parameter(x):
    return compile_and_call(cosine, x)


def selected(x, even):
    function = cosine if even else sine
    function = jax.jit(function)
    return function(x)  # ok: JAX101


def selected_in_branches(x, even):
    if even:
        chosen = cosine
    else:
        chosen = sine
    return jax.jit(chosen)(x)  # ok: JAX101


def from_a_table(x, name):
    table = {"sin": sine, "cos": cosine}
    return jax.jit(table[name])(x)  # ok: JAX101


def make_solver(rate):
    """`relax` lives as long as `solve`, which is what `jax.jit(relax)` is written in."""
    def relax(v):
        return v - rate * v

    def solve(x):
        return jax.jit(relax)(x)  # ok: JAX101

    return solve


def make_reported(rate):
    def relax(v):
        return v - rate * v

    class Report:
        def values(self, x):
            return jax.jit(relax)(x)  # ok: JAX101

    return Report()


def decorator(function):
    """Wrapping again on each call is cheap where the function stays the same."""
    @functools.wraps(function)
    def wrapper(x):
        return jax.jit(function)(x)  # ok: JAX101

    return wrapper


@decorator
def doubled(x):
    return 2 * x


def default_argument(x, function=jax.jit(lambda v: v + 1)):
    return function(x)  # ok: JAX101


def _inner():
    def shared(v):
        return v * 3

    return shared


shared = _inner()


def module_variable(x):
    return jax.jit(shared)(x)  # ok: JAX101


try:
    from no_such_accelerator import fused as _fused
except ImportError:
    def _fused(v):
        return v * v + v


def conditional_definition(x):
    return jax.jit(_fused)(x)  # ok: JAX101


if jax.__version__ > "0":
    def _versioned(v):
        return v + 2
else:
    def _versioned(v):
        return v + 3


def by_version(x):
    return jax.jit(_versioned)(x)  # ok: JAX101


def shadowed(x):
    """The local function of the same name is not what is compiled here."""
    value = jax.jit(sine)(x)  # ok: JAX101

    def cosine(v):
        return v

    return cosine(value)


def shadowing(x):
    """But here it is."""
    def cosine(v):
        return v * 2

    return jax.jit(cosine)(x)  # want: JAX101


def made_outside_called_inside(x):
    """The inner function runs once for each call of the outer one."""
    def relax(v):
        return v * 0.5

    def go(v):
        return jax.jit(relax)(v)  # ok: JAX101

    return go


def jaxlint_examples():
    x = jnp.ones(3)
    solver, reported, going = make_solver(0.1), make_reported(0.1), made_outside_called_inside(x)
    return {
        "compile_and_call": (cosine, x),
        "with_a_parameter": (x,),
        "selected": (x, True),
        "selected_in_branches": (x, False),
        "from_a_table": (x, "sin"),
        "make_solver": lambda: solver(x),
        "make_reported": lambda: reported.values(x),
        "decorator": lambda: doubled(x),
        "default_argument": (x,),
        "module_variable": (x,),
        "conditional_definition": (x,),
        "by_version": (x,),
        "shadowed": (x,),
        "shadowing": (x,),
        "made_outside_called_inside": lambda: going(x),
    }
