"""`jit(obj.method)` on each call: reading a method makes a new object each time, of the same instance too."""

import dataclasses
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


class Pendulum:
    def __init__(self, length):
        self.length = length

    def force(self, angle):
        return -jnp.sin(angle) / self.length

    def step(self, angle):
        return angle + 0.1 * jax.jit(self.force)(angle)  # want: JAX105

    def two_names(self, angle):
        force = jax.jit(self.force)  # want: JAX105
        return force(angle)

    def read_first(self, angle):
        force = self.force
        return jax.jit(force)(angle)  # want: JAX105

    def simulate(self, angle):
        force = jax.jit(self.force)  # want: JAX105 (low)
        for _ in range(3):
            angle = angle + 0.1 * force(angle)
        return angle

    def jitted_in_a_loop(self, angle):
        for _ in range(3):
            angle = angle + 0.1 * jax.jit(self.force)(angle)  # want: JAX105
        return angle

    def twice(self, angle):
        force = jax.jit(self.force)  # want: JAX105
        return force(angle) + force(2 * angle)

    def with_options(self, angle):
        return functools.partial(jax.jit, inline=True)(self.force)(angle)  # want: JAX105

    @classmethod
    def unit(cls, angle):
        return -jnp.sin(angle)

    @classmethod
    def unit_step(cls, angle):
        return jax.jit(cls.unit)(angle)  # want: JAX105

    @property
    def compiled_force(self):
        return jax.jit(self.force)  # want: JAX105

    def by_property(self, angle):
        return self.compiled_force(angle)


class DrivenPendulum(Pendulum):
    """The method comes from the base class."""

    def drive(self, angle):
        return jax.jit(self.force)(angle) + 1  # want: JAX105

    def energy(self, angle):
        return jax.jit(self)(angle)  # ok: JAX105

    def __call__(self, angle):
        return 1 - jnp.cos(angle)


def season(angle):
    pendulum = Pendulum(2.0)
    return jax.jit(pendulum.force)(angle)  # want: JAX105


def at_once(angle):
    return jax.jit(Pendulum(2.0).force)(angle)  # want: JAX105


def class_method(angle):
    return jax.jit(Pendulum.unit)(angle)  # want: JAX105


PENDULUM = Pendulum(1.0)


def of_a_module_object(angle):
    return jax.jit(PENDULUM.force)(angle)  # want: JAX105


def given(pendulum: Pendulum, angle):
    return jax.jit(pendulum.force)(angle)  # want: JAX105


@dataclasses.dataclass(frozen=True)
class Lens:
    """Equal instances have equal methods, which are dead before the next one comes."""

    focal: float

    def refract(self, ray):
        return ray / self.focal


def through_a_lens(ray):
    return jax.jit(Lens(2.0).refract)(ray)  # want: JAX105


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)

    def nothing(self, x):
        return x


def predict(params, x):
    model = Net()
    return jax.jit(model.apply)(params, x)  # want: JAX105


def predict_at_once(params, x):
    return jax.jit(Net().apply)(params, x)  # want: JAX105


NET = Net()


def predict_by_module_object(params, x):
    return jax.jit(NET.apply)(params, x)  # want: JAX105


def predict_with_imported_layer(params, x):
    return jax.jit(nn.Dense(2).apply)(params, x)  # want: JAX105


class Layer(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def encode(self, x):
        return self.linear(x)

    def encoded(self, x):
        return jax.jit(self.encode)(x)  # want: JAX105

    def __call__(self, x):
        return self.linear(x)


def called(layer: Layer, x):
    return jax.jit(layer.__call__)(x)  # want: JAX105


def rounds(pendulums, angle):
    """Each round needs a program of its own, whoever writes it."""
    for pendulum in pendulums:
        angle = jax.jit(pendulum.force)(angle)  # want: JAX105 (low)
    return angle


def out_of_sight(environment, state):
    return jax.jit(environment.force)(state)  # want: JAX105


def unknown_attribute(thing, state):
    """Nothing says that this is a method."""
    return jax.jit(thing.transition)(state)  # want: JAX105 (low)


class Walk:
    """The method that `unknown_attribute` calls belongs to a class that is made elsewhere."""


def _transition(self, state):
    return state + 1


Walk.transition = _transition


def jaxlint_examples():
    x = jnp.ones(3)
    batch = jnp.ones((2, 3))
    pendulum, driven = Pendulum(2.0), DrivenPendulum(1.0)
    params = NET.init(jax.random.key(0), batch)
    dense = nn.Dense(2).init(jax.random.key(0), batch)
    methods = (
        "step", "two_names", "read_first", "simulate", "jitted_in_a_loop", "twice", "with_options", "by_property",
    )  # fmt: skip
    return {f"Pendulum.{name}": (pendulum, x) for name in methods} | {
        "Pendulum.compiled_force": lambda: pendulum.compiled_force(x),
        "Pendulum.unit_step": (x,),
        "DrivenPendulum.drive": (driven, x),
        "DrivenPendulum.energy": (driven, x),
        "season": (x,),
        "at_once": (x,),
        "class_method": (x,),
        "of_a_module_object": (x,),
        "given": (pendulum, x),
        "through_a_lens": (x,),
        "predict": (params, batch),
        "predict_at_once": (params, batch),
        "predict_by_module_object": (params, batch),
        "predict_with_imported_layer": (dense, batch),
        "Layer.encoded": (Layer(nnx.Rngs(0)), batch),
        "called": (Layer(nnx.Rngs(0)), batch),
        "rounds": ([pendulum, driven], x),
        "out_of_sight": (pendulum, x),
        "unknown_attribute": (Walk(), x),
    }
