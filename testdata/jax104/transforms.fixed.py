"""The functions of transforms.py: the whole expression is made once."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import nnx


def free_energy(x):
    return jnp.sum(x * x) - jnp.sum(jnp.log1p(x * x))


_gradient = jax.jit(jax.grad(free_energy))


def descend(x, rate):
    return x - rate * _gradient(x)


for_each_row = jax.jit(jax.vmap(free_energy))
curvature = jax.jit(jax.hessian(free_energy))
devices = jax.pmap(jax.vmap(free_energy))


@jax.jit
def of_a_nested_function(x, target):
    def loss(v):
        return jnp.sum((v - target) ** 2)

    return jax.value_and_grad(loss)(x)


@jax.jit
def pulled_back(x):
    value, pullback = jax.vjp(free_energy, x)
    return pullback(jnp.ones_like(value))


def filtered(xs):
    return eqx.filter_jit(eqx.filter_vmap(free_energy))(xs)


@nnx.jit
def stateful(model, x):
    return model(x)


_tx = optax.adam(1e-3)


def new_optimiser(params, gradient):
    return jax.jit(_tx.update)(gradient, _tx.init(params))[0]


def _loss(x, target):
    return jnp.sum((x - target) ** 2)


_loss_gradient = jax.jit(jax.grad(_loss))


class Fit:
    def __init__(self, target):
        self.target = target

    def step(self, x):
        return x - 0.1 * _loss_gradient(x, self.target)


def jaxlint_examples():
    x = jnp.linspace(0.1, 0.9, 3)
    xs = jnp.ones((2, 3))
    return {
        "descend": (x, 0.1),
        "for_each_row": lambda: for_each_row(xs),
        "curvature": lambda: curvature(x),
        "devices": lambda: devices(xs[None]),
        "of_a_nested_function": (x, 0.5),
        "pulled_back": (x,),
        "filtered": (xs,),
        "stateful": (nnx.Linear(3, 2, rngs=nnx.Rngs(0)), x),
        "new_optimiser": (x, x),
        "Fit.step": (Fit(0.5), x),
    }
