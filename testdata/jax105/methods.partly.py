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
        self._force = jax.jit(self.force)
        self._compiled_force = functools.partial(jax.jit, inline=True)(self.force)

    def force(self, angle):
        return -jnp.sin(angle) / self.length

    def step(self, angle):
        return angle + 0.1 * self._force(angle)

    def two_names(self, angle):
        force = self._force
        return force(angle)

    def read_first(self, angle):
        force = self.force
        return jax.jit(force)(angle)

    def simulate(self, angle):
        force = self._force
        for _ in range(3):
            angle = angle + 0.1 * force(angle)
        return angle

    def jitted_in_a_loop(self, angle):
        for _ in range(3):
            angle = angle + 0.1 * self._force(angle)
        return angle

    def twice(self, angle):
        force = self._force
        return force(angle) + force(2 * angle)

    def with_options(self, angle):
        return self._compiled_force(angle)

    @classmethod
    def unit(cls, angle):
        return -jnp.sin(angle)

    @classmethod
    def unit_step(cls, angle):
        return jax.jit(cls.unit)(angle)

    @property
    def compiled_force(self):
        return self._force

    def by_property(self, angle):
        return self.compiled_force(angle)


class DrivenPendulum(Pendulum):
    """The method comes from the base class."""

    def drive(self, angle):
        return self._force(angle) + 1

    def energy(self, angle):
        return jax.jit(self)(angle)

    def __call__(self, angle):
        return 1 - jnp.cos(angle)


_season_force = jax.jit(Pendulum(2.0).force)


def season(angle):
    return _season_force(angle)


_at_once_force = jax.jit(Pendulum(2.0).force)


def at_once(angle):
    return _at_once_force(angle)


_unit = jax.jit(Pendulum.unit)


def class_method(angle):
    return _unit(angle)


PENDULUM = Pendulum(1.0)


_of_a_module_object_force = jax.jit(PENDULUM.force)


def of_a_module_object(angle):
    return _of_a_module_object_force(angle)


def given(pendulum: Pendulum, angle):
    return pendulum._force(angle)


@dataclasses.dataclass(frozen=True)
class Lens:
    """Equal instances have equal methods, which are dead before the next one comes."""

    focal: float

    def refract(self, ray):
        return ray / self.focal


_refract = jax.jit(Lens(2.0).refract)


def through_a_lens(ray):
    return _refract(ray)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)

    def nothing(self, x):
        return x


_apply = jax.jit(Net().apply)


def predict(params, x):
    return _apply(params, x)


def predict_at_once(params, x):
    return _apply(params, x)


NET = Net()


_predict_by_module_object_apply = jax.jit(NET.apply)


def predict_by_module_object(params, x):
    return _predict_by_module_object_apply(params, x)


_predict_with_imported_layer_apply = jax.jit(nn.Dense(2).apply)


def predict_with_imported_layer(params, x):
    return _predict_with_imported_layer_apply(params, x)


class Layer(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def encode(self, x):
        return self.linear(x)

    def encoded(self, x):
        return jax.jit(self.encode)(x)

    def __call__(self, x):
        return self.linear(x)


def called(layer: Layer, x):
    return jax.jit(layer.__call__)(x)


def rounds(pendulums, angle):
    """Each round needs a program of its own, whoever writes it."""
    for pendulum in pendulums:
        angle = pendulum._force(angle)
    return angle


def out_of_sight(environment, state):
    return environment._force(state)


def unknown_attribute(thing, state):
    """Nothing says that this is a method."""
    return jax.jit(thing.transition)(state)


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
