"""Lambdas compiled while the module is imported: once."""

import functools

import jax
import jax.numpy as jnp

sigmoid = jax.jit(lambda x: 1 / (1 + jnp.exp(-x)))  # ok: JAX102

fast = functools.partial(jax.jit, static_argnames=("n",))
power = fast(lambda x, n: x**n)  # ok: JAX102

ACTIVATIONS = {
    "relu": jax.jit(lambda x: jnp.maximum(x, 0)),  # ok: JAX102
    "tanh": jax.jit(lambda x: jnp.tanh(x)),  # ok: JAX102
}

FILTERS = [jax.jit(lambda x, k=k: x * k) for k in (1.0, 2.0)]  # ok: JAX102

lower, upper = jax.jit(lambda x: x - 1), jax.jit(lambda x: x + 1)  # ok: JAX102

ORDERS = {}
for _n in range(1, 3):
    ORDERS[_n] = jax.jit(lambda x, n=_n: x**n)  # ok: JAX102

# One-off work on what the module holds; this is the very form that guides recommend for it.
params = {"w": jnp.ones((2, 2)), "b": jnp.zeros(2)}
params = jax.jit(lambda p: jax.tree.map(lambda w: w * 0.5, p))(params)  # once: JAX102

if jax.default_backend() == "cpu":
    table = jax.jit(lambda n: jnp.arange(n) ** 2, static_argnums=0)(4)  # once: JAX102
else:
    table = None

try:
    offset = jax.jit(lambda: jnp.asarray(3.0))()  # once: JAX102
except RuntimeError:
    offset = None


def activate(name, x):
    return ACTIVATIONS[name](x)  # ok: JAX102


def filtered(x):
    for f in FILTERS:
        x = f(x)  # ok: JAX102
    return lower(upper(x)) + ORDERS[2](x)


def default_argument(x, squash=jax.jit(lambda v: jnp.tanh(v))):  # ok: JAX102
    return squash(x)


def keyword_default(x, *, squash=jax.jit(lambda v: jnp.tanh(v))):  # ok: JAX102
    return squash(x)


class Gauss:
    density = staticmethod(jax.jit(lambda x: jnp.exp(-x * x)))  # ok: JAX102
    tails = {"left": jax.jit(lambda x: -x)}  # ok: JAX102

    def __call__(self, x):
        return self.density(x) + self.tails["left"](x)


class Nested:
    class Inner:
        f = staticmethod(jax.jit(lambda x: x + 3))  # ok: JAX102

    def __call__(self, x):
        return self.Inner.f(x)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "sigmoid": (x,),
        "power": lambda: power(x, n=2),
        "activate": ("relu", x),
        "filtered": (x,),
        "default_argument": (x,),
        "keyword_default": (x,),
        "Gauss.__call__": (Gauss(), x),
        "Nested.__call__": (Nested(), x),
    }
