"""A compiled function under a name that nobody calls, beside calls of the raw function."""

import functools

import jax
import jax.numpy as jnp


def leapfrog(x, v):
    return x + 0.1 * v, v - 0.1 * x


_fast_leapfrog = jax.jit(leapfrog)


def integrate(x, v):
    for _ in range(3):
        x, v = _fast_leapfrog(x, v)
    return x


def relax(x):
    return x * 0.9


def relaxation(x):
    fast_relax = jax.jit(relax)
    for _ in range(3):
        x = fast_relax(x)
    return x


def checked(x):
    """jit is lazy: this checks nothing and compiles nothing."""
    jax.jit(damp)
    return damp(x)


def damp(x):
    return 0.5 * x


# Used, exported, or used by other means: fine.


def rotate(x):
    return x[::-1]


_rotate = jax.jit(rotate)


def rotated(x):
    return _rotate(x) + rotate(x)


def shift(x):
    return x + 1


shift_compiled = jax.jit(shift)


def scale(x):
    return x * 2


scale = jax.jit(scale)


def scaled(x):
    return scale(x)


def mirror(x):
    return -x


_TABLE = {"mirror": jax.jit(mirror)}


def mirrored(x):
    return _TABLE["mirror"](x)


def bend(x):
    return x**2


_bend = jax.jit(bend)


def make_bend():
    return _bend


def bent(x):
    return make_bend()(x)


class Engine:
    def __init__(self):
        self._step = jax.jit(self.step)

    def step(self, x):
        return x + 2

    def __call__(self, x):
        return self._step(x)


def local(x):
    fast = jax.jit(twist)
    y = fast(x)
    return y


def twist(x):
    return x * jnp.pi


def handed_on(x):
    fast = jax.jit(fold)
    return jax.tree.map(fast, [x])


def fold(x):
    return x / 3


@functools.cache
def _table():
    return jax.jit(stretch)


def stretch(x):
    return x * 4


def stretched(x):
    return _table()(x)


def jaxlint_examples():
    x = jnp.ones(3)
    engine = Engine()
    return {
        "leapfrog": lambda: integrate(x, x),
        "integrate": (x, x),
        "relaxation": (x,),
        "checked": (x,),
        "rotate": lambda: rotated(x),
        "rotated": (x,),
        "shift": lambda: shift_compiled(x),
        "scale": lambda: scaled(x),
        "scaled": (x,),
        "mirror": lambda: mirrored(x),
        "mirrored": (x,),
        "bend": lambda: bent(x),
        "Engine.__call__": (engine, x),
        "local": (x,),
        "handed_on": (x,),
        "_table": lambda: stretched(x),
    }
