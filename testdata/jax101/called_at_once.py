"""Small numerical helpers that define, compile and call an inner function in one go."""

from functools import partial

import jax
import jax.numpy as jnp


def kinetic_energy(velocity):
    def half_square(v):
        return 0.5 * jnp.sum(v * v)

    return jax.jit(half_square)(velocity)  # want: JAX101


def damped_displacement(t, damping):
    def envelope(time):
        return jnp.exp(-damping * time) * jnp.cos(time)

    return jax.jit(envelope)(t)  # want: JAX101


def whiten(samples, mean):
    def centre(rows):
        return rows - mean

    centred = jax.jit(centre)(samples)  # want: JAX101
    return centred / jnp.std(centred)


def entropy(logits):
    @jax.jit  # want: JAX101
    def from_logits(z):
        p = jax.nn.softmax(z)
        return -jnp.sum(p * jnp.log(p))

    return from_logits(logits)


def moving_average(series, width):
    @partial(jax.jit, static_argnames=("n",))  # want: JAX101
    def smooth(x, n):
        return jnp.convolve(x, jnp.ones(n) / n, mode="same")

    return smooth(series, n=width)


def softmax_temperature(logits, temperature):
    def scaled(z):
        return jax.nn.softmax(z / temperature)

    compiled = jax.jit(scaled)  # want: JAX101
    probabilities = compiled(logits)
    return probabilities / probabilities.sum()


def choose_norm(x, robust):
    if robust:
        def norm(v):
            return jnp.median(jnp.abs(v))
    else:
        def norm(v):
            return jnp.sqrt(jnp.sum(v * v))

    return jax.jit(norm)(x)  # want: JAX101


def smoothed_gradient(values):
    """The call is spread over lines; the finding belongs where the wrapper is named."""
    def difference(v):
        return v[1:] - v[:-1]

    return jnp.abs(
        jax.jit(  # want: JAX101
            difference,
            inline=True,
        )(values)
    )


def dispatch(kind, x):
    def square(v):
        return v * v

    if kind == "square":
        return jax.jit(square, donate_argnums=())(x)  # want: JAX101
    return x


def across_devices(batch):
    def per_device(rows):
        return rows.sum(axis=0)

    return jax.pmap(per_device)(batch[None])  # want: JAX101


class Pendulum:
    def __init__(self, length):
        self.length = length

    def period(self, angle):
        def series(theta):
            return 2 * jnp.pi * jnp.sqrt(self.length / 9.81) * (1 + theta**2 / 16)

        return jax.jit(series)(angle)  # want: JAX101

    @staticmethod
    def wrap(angle):
        @jax.jit  # want: JAX101
        def to_circle(theta):
            return jnp.mod(theta + jnp.pi, 2 * jnp.pi) - jnp.pi

        return to_circle(angle)

    @classmethod
    def equilibrium(cls, angle):
        def distance(theta):
            return jnp.abs(jnp.sin(theta))

        return jax.jit(distance)(angle)  # want: JAX101


def with_error_handling(x):
    try:
        def solve(v):
            return jnp.linalg.norm(v)

        return jax.jit(solve)(x)  # want: JAX101
    except FloatingPointError:
        return jnp.nan


def residual(x, y):
    def misfit(a, b):
        return jnp.sum((a - b) ** 2)

    with jax.named_scope("misfit"):
        value = jax.jit(misfit)(x, y)  # want: JAX101
    return float(value)


def one_of_two(x, flip):
    def forward(v):
        return v + 1

    return jax.jit(forward)(x) if not flip else -x  # want: JAX101


# The same helpers as they should be are no findings.


@jax.jit  # ok: JAX101
def _half_square(v):
    return 0.5 * jnp.sum(v * v)


def kinetic_energy_compiled_once(velocity):
    return _half_square(velocity)


def plain_helper(velocity):
    def double(v):  # not compiled at all
        return 2 * v

    return _half_square(double(velocity))  # ok: JAX101


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 6)
    pendulum = Pendulum(2.0)
    return {
        "kinetic_energy": (x,),
        "damped_displacement": (x, 0.3),
        "whiten": (x, 0.5),
        "entropy": (x,),
        "moving_average": (x, 3),
        "softmax_temperature": (x, 2.0),
        "choose_norm": (x, True),
        "smoothed_gradient": (x,),
        "dispatch": ("square", x),
        "across_devices": (x,),
        "Pendulum.period": (pendulum, x),
        "Pendulum.wrap": (x,),
        "Pendulum.equilibrium": (x,),
        "with_error_handling": (x,),
        "residual": (x, x),
        "one_of_two": (x, False),
        "_half_square": (x,),
        "kinetic_energy_compiled_once": (x,),
        "plain_helper": (x,),
    }
