"""Loops whose turns can be counted in the text, and which make one large program."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

STEPS = 1000
TURNS = 40


@jax.jit
def drift(x):
    def step(_, x):
        x = x + 1.0
        return x

    x = lax.fori_loop(0, 1000, step, x)
    return x


@jax.jit
def pendulum(angle):
    def step(_, angle):
        angle = jnp.sin(angle) * 0.5 + angle
        return angle

    angle = lax.fori_loop(0, STEPS, step, angle)
    return angle


@jax.jit
def pendulum_with_local_bound(angle):
    steps = 2000

    def step(_, angle):
        angle = jnp.sin(angle) * 0.5 + angle
        return angle

    angle = lax.fori_loop(0, steps, step, angle)
    return angle


@jax.jit
def network(x):
    weight = jnp.ones((64, 64)) / 64

    def step(_, x):
        x = jnp.tanh(x @ weight)
        return x

    x = lax.fori_loop(0, 1000, step, x)
    return x


@jax.jit
def recurrence(x):
    """Each update of a place weighs as much as ten other operations."""

    def step(i, x):
        x = x.at[i].set(x[i - 1] * 0.5 + 1.0)
        return x

    x = lax.fori_loop(0, 320, step, x)
    return x


@jax.jit
def short_recurrence(x):
    def step(i, x):
        x = x.at[i].set(x[i - 1] * 0.5 + 1.0)
        return x

    x = lax.fori_loop(1, 120, step, x)
    return x


@jax.jit
def thresholds(x):
    def step(i, x):
        x = jnp.where(x > i, x - 1.0, x + 1.0)
        return x

    x = lax.fori_loop(0, 320, step, x)
    return x


@jax.jit
def pairs(x):
    """Nested loops multiply; the outer one is named."""

    def step(i, x):
        for j in range(32):
            x = x + i * j
        return x

    x = lax.fori_loop(0, 40, step, x)
    return x


@jax.jit
def countdown(x):
    i = 0

    def step(i, x):
        x = x + 1.0
        return x

    x = lax.fori_loop(i, STEPS, step, x)
    return x


@jax.jit
def stacked(x):
    return jnp.stack([x[i] * 2 for i in range(500)])


@jax.jit
def summed(x):
    return sum(x[i] * 0.5 for i in range(500))


@jax.jit
def stepped(x):
    for i in range(0, 3000, 3):
        x = x + i
    return x


@jax.jit
def numbered(x):
    for i, name in enumerate(["a", "b"] * 500):
        x = x + i
    return x


@jax.jit
def over_numpy(x):
    for rate in np.linspace(0.0, 1.0, 600):
        x = jnp.sin(x) * rate
    return x


@jax.jit
def backwards(x):
    for i in reversed(range(600)):
        x = jnp.cos(x) - i
    return x


def helper(x):
    def step(_, x):
        x = x + 1.0
        return x

    x = lax.fori_loop(0, 1000, step, x)
    return x


@jax.jit
def caller(x):
    return helper(x) * 2


@jax.jit
def compiled_helper(x):
    def step(_, x):
        x = x + 1.0
        return x

    x = lax.fori_loop(0, 1000, step, x)
    return x


@jax.jit
def three_times(x):
    """The program of the helper is made once, whoever calls it how often."""
    return compiled_helper(compiled_helper(compiled_helper(x)))


def turn(x):
    return jnp.sin(x) * 0.5 + x


@jax.jit
def through_a_helper(x):
    def step(_, x):
        x = turn(x)
        return x

    x = lax.fori_loop(0, 400, step, x)
    return x


def outer_loop(x):
    return inner_loop(x, 0.5)


def inner_loop(x, rate):
    for _ in range(TURNS):
        x = x * rate + 1.0
    return x


@jax.jit
def nested_through_a_helper(x):
    """Counted with the loops of its callers."""

    def step(_, x):
        x = outer_loop(x)
        return x

    x = lax.fori_loop(0, TURNS, step, x)
    return x


def energy(x):
    def step(_, x):
        x = jnp.sin(x) * 0.5 + x
        return x

    x = lax.fori_loop(0, 1000, step, x)
    return x.sum()


force = jax.jit(jax.grad(energy))


def body(carry, x):
    def step(_, carry):
        carry = jnp.sin(carry) * 0.5
        return carry

    carry = lax.fori_loop(0, 600, step, carry)
    return carry, x


@jax.jit
def scanned(xs):
    return lax.scan(body, xs[0], xs)


def per_row(row):
    def step(_, row):
        row = jnp.sin(row) * 0.5
        return row

    row = lax.fori_loop(0, 600, step, row)
    return row


rows = jax.jit(jax.vmap(per_row))


@jax.jit
def integrate(x, v):
    """Leapfrog with a sub-step spelt out."""
    dt = 0.01

    def step_2(_, carry):
        v, x = carry
        v = v - 0.5 * dt * x
        x = x + dt * v
        v = v - 0.5 * dt * x
        return v, x

    v, x = lax.fori_loop(0, 300, step_2, (v, x))
    return x, v


def jaxlint_examples():
    x = jnp.zeros(1000)
    short = jnp.zeros(3)
    return {
        "drift": (short,),
        "pendulum": (short,),
        "pendulum_with_local_bound": (short,),
        "network": (jnp.ones((2, 64)),),
        "recurrence": (x,),
        "short_recurrence": (x,),
        "thresholds": (short,),
        "pairs": (short,),
        "countdown": (short,),
        "stacked": (x,),
        "summed": (x,),
        "stepped": (short,),
        "numbered": (short,),
        "over_numpy": (short,),
        "backwards": (short,),
        "helper": lambda: caller(short),
        "compiled_helper": lambda: three_times(short),
        "through_a_helper": (short,),
        "nested_through_a_helper": (short,),
        "energy": lambda: force(short),
        "body": lambda: scanned(jnp.ones((2, 3))),
        "per_row": lambda: rows(jnp.ones((2, 3))),
        "integrate": (short, short),
    }
