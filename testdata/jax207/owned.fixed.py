"""An object that another one makes, sets up and calls."""

import functools

import jax
import jax.numpy as jnp


class Equation:
    """Knows what sets it up later."""

    def __init__(self):
        self.boundary = None

    @functools.partial(jax.jit, static_argnums=0)
    def update(self, x):
        return x if self.boundary is None else x + self.boundary


class Solver:
    """What sets the attribute has just made the object, which nothing has called yet."""

    def __init__(self):
        self.prepare()

    def prepare(self):
        self.equation = Equation()
        self.equation.boundary = 2.0

    def solve(self, x):
        for _ in range(2):
            x = self.equation.update(x)
        return x


class Turned:
    """The object is older than the change."""

    def __init__(self):
        self.gain = 1.0

    def apply(self, x):
        return self._apply(x, self.gain)

    @functools.partial(jax.jit, static_argnums=0)
    def _apply(self, x, gain):
        return x * gain


class Owner:
    """It is made once, and changed between the calls."""

    def __init__(self):
        self.turned = Turned()

    def run(self, x):
        one = self.turned.apply(x)
        self.turned.gain = 3.0
        return one, self.turned.apply(x)


class Late:
    """The object is made where it is changed, and called in between."""

    def __init__(self):
        self.shift = 1.0

    def apply(self, x):
        return self._apply_compiled(x, self.shift)

    @functools.partial(jax.jit, static_argnums=0)
    def _apply_compiled(self, x, shift):
        return x + shift


class LateOwner:
    """It makes, calls, changes and calls."""

    def run(self, x):
        self.late = Late()
        one = self.late.apply(x)
        self.late.shift = 3.0
        return one, self.late.apply(x)


def jaxlint_examples():
    x = jnp.arange(3.0)
    solver, owner, late = Solver(), Owner(), LateOwner()
    return {
        "Solver.solve": lambda: solver.solve(x),
        "Owner.run": lambda: owner.run(x),
        "LateOwner.run": lambda: late.run(x),
    }
