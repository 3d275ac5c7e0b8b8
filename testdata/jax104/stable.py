"""Transforms that are made once, or that are not the ones being compiled."""

import functools

import equinox as eqx
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import nnx


def free_energy(x):
    return jnp.sum(x * x)


gradient = jax.grad(free_energy)
compiled_gradient = jax.jit(jax.grad(free_energy))  # ok: JAX104
compiled_rows = jax.jit(jax.vmap(free_energy))  # ok: JAX104
energy = jax.jit(free_energy)


@jax.jit  # ok: JAX104
@jax.grad
def stacked(x):
    return jnp.sum(x**3)


@functools.partial(jax.jit, static_argnames=())  # ok: JAX104
@functools.partial(jax.vmap, in_axes=(0, None))
def stacked_with_options(x, y):
    return x * y


def wrapped_again(x):
    """The gradient is made once, so wrapping it again finds the cache."""
    return jax.jit(gradient)(x)  # ok: JAX104


def gradient_of_compiled(x):
    """The other way round is cached: a transform of a compiled function."""
    return jax.grad(energy)(x)  # ok: JAX104


def rows_of_compiled(xs):
    return jax.vmap(energy)(xs)  # ok: JAX104


def hessian_of_compiled(x):
    return jax.hessian(energy)(x)  # ok: JAX104


def eager_gradient(x):
    return jax.grad(free_energy)(x)  # ok: JAX104


def eager_pullback(x):
    value, pullback = jax.vjp(free_energy, x)
    return pullback(jnp.ones_like(value))  # ok: JAX104


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)


def _clipped_forward(x):
    return clipped(x), x


def _clipped_backward(x, g):
    return (jnp.where(jnp.abs(x) < 1, g, 0),)


clipped.defvjp(_clipped_forward, _clipped_backward)


def compiled_custom_rule(x):
    return jax.jit(clipped)(x)  # ok: JAX104


def filtered_gradient(x):
    return eqx.filter_jit(eqx.filter_value_and_grad(free_energy))(x)  # ok: JAX104


def filtered_rows(xs):
    return eqx.filter_jit(eqx.filter_vmap(free_energy))(xs)  # ok: JAX104


OPTIMISER = optax.adam(1e-3)


def optimiser_update(gradients, state):
    return jax.jit(OPTIMISER.update)(gradients, state)[0]  # ok: JAX104


def optimiser_init(params):
    return jax.jit(OPTIMISER.init)(params)  # ok: JAX104


def chained_update(gradients, state, tx):
    return jax.jit(tx.update)(gradients, state)[0]  # ok: JAX104, JAX105


NETWORK = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(2)(x)))


def haiku_apply(params, x):
    return jax.jit(NETWORK.apply)(params, x)  # ok: JAX104


@nnx.jit  # ok: JAX104
def _forward(model, x):
    return model(x)


def forward(model, x):
    return _forward(model, x)  # ok: JAX104


forward_again = nnx.jit(lambda model, x: model(x))  # ok: JAX104


class Fit:
    def __init__(self, target):
        self.target = target
        self.gradient = jax.jit(jax.grad(self.loss))  # ok: JAX104
        self.rows, self.curvature = jax.jit(jax.vmap(self.loss)), jax.jit(jax.hessian(self.loss))  # ok: JAX104

    def loss(self, x):
        return jnp.sum((x - self.target) ** 2)

    def step(self, x):
        return x - 0.1 * self.gradient(x) + self.curvature(x).sum() + self.rows(x[None]).sum()

    @functools.cached_property
    def jacobian(self):
        return jax.jit(jax.jacfwd(self.loss))  # ok: JAX104

    def by_jacobian(self, x):
        return self.jacobian(x)


def make_step(loss, rate):
    slope = jax.jit(jax.grad(loss))  # ok: JAX104

    def step(x):
        return x - rate * slope(x)

    return step


def make_gradient(loss):
    return jax.jit(jax.value_and_grad(loss))  # ok: JAX104


def make_functions(loss):
    return {"value": jax.jit(loss), "gradient": jax.jit(jax.grad(loss))}  # ok: JAX104


@functools.lru_cache
def cached_gradient(order):
    return jax.jit(jax.grad(lambda x: jnp.sum(x**order)))  # ok: JAX104


_kept = None


def lazily(x):
    global _kept
    if _kept is None:
        _kept = jax.jit(jax.grad(free_energy))  # ok: JAX104
    return _kept(x)


@jax.jit
def traced(x):
    return jax.jit(jax.grad(free_energy))(x)  # ok: JAX104


@jax.jit
def traced_twice(xs):
    return jax.vmap(jax.jit(jax.vmap(jnp.sin)))(xs)  # ok: JAX104


def default(x, slope=jax.jit(jax.grad(free_energy))):  # ok: JAX104
    return slope(x)


def lowered(x):
    return jax.jit(jax.grad(free_energy)).lower(x).as_text()  # ok: JAX104


def executable(x):
    return jax.jit(jax.grad(free_energy)).lower(x).compile()  # once: JAX104


def shape(x):
    return jax.eval_shape(jax.grad(free_energy), x)  # ok: JAX104


def setup(x):
    return jax.jit(jax.grad(free_energy))(x)  # once: JAX104


def train(x):
    step = jax.jit(jax.value_and_grad(free_energy))  # once: JAX104
    for _ in range(3):
        value, slope = step(x)
        x = x - 0.1 * slope
    return x


def main():
    x = jnp.ones(3)
    print(jax.jit(jax.vmap(free_energy))(x[None]))  # once: JAX104
    for _ in range(2):
        x = jax.jit(jax.grad(free_energy))(x)  # want: JAX104
    return x


def test_gradient():
    assert jax.jit(jax.grad(free_energy))(jnp.ones(2)).sum() == 4  # once: JAX104


initial = jax.jit(jax.grad(free_energy))(jnp.ones(2))  # once: JAX104


def jaxlint_examples():
    x = jnp.ones(3)
    xs = jnp.ones((2, 3))
    fit = Fit(0.5)
    step, slope, functions = make_step(free_energy, 0.1), make_gradient(free_energy), make_functions(free_energy)
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    names = (
        "wrapped_again", "gradient_of_compiled", "hessian_of_compiled", "eager_gradient", "eager_pullback",
        "compiled_custom_rule", "filtered_gradient", "lazily", "traced", "default", "lowered", "executable", "shape",
        "setup", "train", "optimiser_init",
    )  # fmt: skip
    return {name: (x,) for name in names} | {
        "compiled_gradient": lambda: compiled_gradient(x),
        "compiled_rows": lambda: compiled_rows(xs),
        "stacked": lambda: stacked(x),
        "stacked_with_options": lambda: stacked_with_options(x, 2.0),
        "rows_of_compiled": (xs,),
        "filtered_rows": (xs,),
        "optimiser_update": (x, OPTIMISER.init(x)),
        "chained_update": (x, OPTIMISER.init(x), OPTIMISER),
        "haiku_apply": (NETWORK.init(jax.random.key(0), xs), xs),
        "_forward": (model, x),
        "forward": (model, x),
        "forward_again": lambda: forward_again(model, x),
        "Fit.step": (fit, x),
        "Fit.by_jacobian": (fit, x),
        "Fit.jacobian": lambda: fit.jacobian(x),
        "make_step": lambda: step(x),
        "make_gradient": lambda: slope(x),
        "make_functions": lambda: [f(x) for f in functions.values()],
        "cached_gradient": lambda: cached_gradient(2)(x),
        "traced_twice": (xs,),
    }
