"""Compiled functions and the objects that hold them."""

import dataclasses

import jax
import jax.numpy as jnp


class Regressor:
    """One compile for each instance, which lives long."""

    def __init__(self, penalty):
        def loss(w, x):
            return jnp.sum((x @ w) ** 2) + penalty * jnp.sum(w * w)

        self._loss = jax.jit(loss)

        @jax.jit
        def predict(w, x):
            return x @ w

        self.predict = predict

    def loss(self, w, x):
        return self._loss(w, x) + self.predict(w, x).sum()


class Kalman:
    """Made in a method that is called once, under whatever name."""

    def build(self, noise):
        def gain(p):
            return p / (p + noise)

        self.gain = jax.jit(gain)
        return self

    def compile(self, noise):
        @jax.jit
        def update(x, z, k):
            return x + k * (z - x) / noise

        self.update = update

    def filter(self, x, z, p):
        return self.update(x, z, self.gain(p))


@dataclasses.dataclass
class Oscillator:
    frequency: float

    def __post_init__(self):
        def wave(t):
            return jnp.sin(self.frequency * t)

        self.wave = jax.jit(wave)

    def __call__(self, t):
        return self.wave(t)


class Constants:
    """A class body runs once."""

    @staticmethod
    @jax.jit
    def planck(x):
        return 1.0 / (jnp.exp(x) - 1.0)

    def _rayleigh(x):
        return 1.0 / x

    rayleigh = staticmethod(jax.jit(_rayleigh))


@jax.jit
def _inverse(f):
    return 1.0 / f


class Lens:
    def __init__(self, focal):
        self.focal = focal

    @property
    def transfer(self):
        def matrix(ray):
            return ray.at[1].add(-ray[0] / self.focal)

        return jax.jit(matrix)

    def trace(self, ray):
        return self.transfer(ray)

    @property
    def power(self):
        return _inverse(self.focal)


def evaluate_model(weights, x):
    """The class dies with the call, and its methods with it."""
    class Model:
        @staticmethod
        @jax.jit
        def forward(w, v):
            return jnp.tanh(v @ w)

    return Model.forward(weights, x)


class Controller:
    """Stores the new function, and calls it at once: the next call makes another."""

    def act(self, observation):
        def policy(o):
            return jnp.clip(o, -1.0, 1.0)

        self._policy = jax.jit(policy)
        return observation

    def __call__(self, observation):
        return self._policy(observation)


@jax.jit
def _move(v, scale):
    return v * scale


class Sampler:
    """The names of the methods that people call in a loop."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return _move(x, self.scale)

    def step(self, x):
        return _move(x, self.scale)

    def __enter__(self):
        def move(v):
            return v * self.scale

        self.move = jax.jit(move)
        return self

    def __exit__(self, *_):
        return None

    def moved(self, x):
        return self.move(x)


def jaxlint_examples():
    x = jnp.ones(3)
    kalman = Kalman().build(0.5)
    kalman.compile(0.5)
    controller = Controller()
    controller.act(x)
    sampler = Sampler(2.0)
    with sampler:
        pass
    return {
        "Regressor.loss": (Regressor(0.1), x, x),
        "Kalman.filter": (kalman, x, x, x),
        "Oscillator.__call__": (Oscillator(2.0), x),
        "Constants.planck": (x,),
        "Constants.rayleigh": (x,),
        "Lens.transfer": lambda lens=Lens(2.0): lens.transfer(x),
        "Lens.trace": (Lens(2.0), x),
        "Lens.power": (Lens(2.0),),
        "evaluate_model": (x, x),
        "Controller.__call__": (controller, x),
        "Sampler.__call__": (sampler, x),
        "Sampler.step": (sampler, x),
        "Sampler.moved": (sampler, x),
    }
