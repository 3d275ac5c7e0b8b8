"""Small numerical helpers that define, compile and call an inner function in one go."""

from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def _kinetic_energy_half_square(v):
    return 0.5 * jnp.sum(v * v)


def kinetic_energy(velocity):
    return _kinetic_energy_half_square(velocity)


@jax.jit
def _envelope(time, damping):
    return jnp.exp(-damping * time) * jnp.cos(time)


def damped_displacement(t, damping):
    return _envelope(t, damping)


@jax.jit
def _centre(rows, mean):
    return rows - mean


def whiten(samples, mean):
    centred = _centre(samples, mean)
    return centred / jnp.std(centred)


@jax.jit
def _from_logits(z):
    p = jax.nn.softmax(z)
    return -jnp.sum(p * jnp.log(p))


def entropy(logits):
    return _from_logits(logits)


@partial(jax.jit, static_argnames=("n",))
def _smooth(x, n):
    return jnp.convolve(x, jnp.ones(n) / n, mode="same")


def moving_average(series, width):
    return _smooth(series, n=width)


@jax.jit
def _scaled(z, temperature):
    return jax.nn.softmax(z / temperature)


def softmax_temperature(logits, temperature):
    probabilities = _scaled(logits, temperature)
    return probabilities / probabilities.sum()


def choose_norm(x, robust):
    if robust:
        def norm(v):
            return jnp.median(jnp.abs(v))
    else:
        def norm(v):
            return jnp.sqrt(jnp.sum(v * v))

    return jax.jit(norm)(x)


@partial(jax.jit, inline=True)
def _difference(v):
    return v[1:] - v[:-1]


def smoothed_gradient(values):
    """The call is spread over lines; the finding belongs where the wrapper is named."""

    return jnp.abs(
        _difference(values)
    )


@partial(jax.jit, donate_argnums=())
def _square(v):
    return v * v


def dispatch(kind, x):
    if kind == "square":
        return _square(x)
    return x


@jax.pmap
def _per_device(rows):
    return rows.sum(axis=0)


def across_devices(batch):
    return _per_device(batch[None])


@jax.jit
def _series(theta, length):
    return 2 * jnp.pi * jnp.sqrt(length / 9.81) * (1 + theta**2 / 16)


@jax.jit
def _to_circle(theta):
    return jnp.mod(theta + jnp.pi, 2 * jnp.pi) - jnp.pi


@jax.jit
def _distance(theta):
    return jnp.abs(jnp.sin(theta))


class Pendulum:
    def __init__(self, length):
        self.length = length

    def period(self, angle):
        return _series(angle, self.length)

    @staticmethod
    def wrap(angle):
        return _to_circle(angle)

    @classmethod
    def equilibrium(cls, angle):
        return _distance(angle)


@jax.jit
def _solve(v):
    return jnp.linalg.norm(v)


def with_error_handling(x):
    try:
        return _solve(x)
    except FloatingPointError:
        return jnp.nan


@jax.jit
def _misfit(a, b):
    return jnp.sum((a - b) ** 2)


def residual(x, y):
    with jax.named_scope("misfit"):
        value = _misfit(x, y)
    return float(value)


@jax.jit
def _forward(v):
    return v + 1


def one_of_two(x, flip):
    return _forward(x) if not flip else -x


# The same helpers as they should be are no findings.


@jax.jit
def _half_square(v):
    return 0.5 * jnp.sum(v * v)


def kinetic_energy_compiled_once(velocity):
    return _half_square(velocity)


def plain_helper(velocity):
    def double(v):  # not compiled at all
        return 2 * v

    return _half_square(double(velocity))


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
