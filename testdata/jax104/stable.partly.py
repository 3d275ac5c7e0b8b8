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
compiled_gradient = jax.jit(jax.grad(free_energy))
compiled_rows = jax.jit(jax.vmap(free_energy))
energy = jax.jit(free_energy)


@jax.jit
@jax.grad
def stacked(x):
    return jnp.sum(x**3)


@functools.partial(jax.jit, static_argnames=())
@functools.partial(jax.vmap, in_axes=(0, None))
def stacked_with_options(x, y):
    return x * y


def wrapped_again(x):
    """The gradient is made once, so wrapping it again finds the cache."""
    return jax.jit(gradient)(x)


def gradient_of_compiled(x):
    """The other way round is cached: a transform of a compiled function."""
    return jax.grad(energy)(x)


def rows_of_compiled(xs):
    return jax.vmap(energy)(xs)


def hessian_of_compiled(x):
    return jax.hessian(energy)(x)


def eager_gradient(x):
    return jax.grad(free_energy)(x)


def eager_pullback(x):
    value, pullback = jax.vjp(free_energy, x)
    return pullback(jnp.ones_like(value))


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)


def _clipped_forward(x):
    return clipped(x), x


def _clipped_backward(x, g):
    return (jnp.where(jnp.abs(x) < 1, g, 0),)


clipped.defvjp(_clipped_forward, _clipped_backward)


def compiled_custom_rule(x):
    return jax.jit(clipped)(x)


def filtered_gradient(x):
    return eqx.filter_jit(eqx.filter_value_and_grad(free_energy))(x)


def filtered_rows(xs):
    return eqx.filter_jit(eqx.filter_vmap(free_energy))(xs)


OPTIMISER = optax.adam(1e-3)


def optimiser_update(gradients, state):
    return jax.jit(OPTIMISER.update)(gradients, state)[0]


def optimiser_init(params):
    return jax.jit(OPTIMISER.init)(params)


def chained_update(gradients, state, tx):
    return jax.jit(tx.update)(gradients, state)[0]


NETWORK = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(2)(x)))


def haiku_apply(params, x):
    return jax.jit(NETWORK.apply)(params, x)


@nnx.jit
def _forward(model, x):
    return model(x)


def forward(model, x):
    return _forward(model, x)


forward_again = nnx.jit(lambda model, x: model(x))


class Fit:
    def __init__(self, target):
        self.target = target
        self.gradient = jax.jit(jax.grad(self.loss))
        self.rows, self.curvature = jax.jit(jax.vmap(self.loss)), jax.jit(jax.hessian(self.loss))

    def loss(self, x):
        return jnp.sum((x - self.target) ** 2)

    def step(self, x):
        return x - 0.1 * self.gradient(x) + self.curvature(x).sum() + self.rows(x[None]).sum()

    @functools.cached_property
    def jacobian(self):
        return jax.jit(jax.jacfwd(self.loss))

    def by_jacobian(self, x):
        return self.jacobian(x)


def make_step(loss, rate):
    slope = jax.jit(jax.grad(loss))

    def step(x):
        return x - rate * slope(x)

    return step


def make_gradient(loss):
    return jax.jit(jax.value_and_grad(loss))


def make_functions(loss):
    return {"value": jax.jit(loss), "gradient": jax.jit(jax.grad(loss))}


@functools.lru_cache
def cached_gradient(order):
    return jax.jit(jax.grad(lambda x: jnp.sum(x**order)))


_kept = None


def lazily(x):
    global _kept
    if _kept is None:
        _kept = jax.jit(jax.grad(free_energy))
    return _kept(x)


@jax.jit
def traced(x):
    return jax.jit(jax.grad(free_energy))(x)


@jax.jit
def traced_twice(xs):
    return jax.vmap(jax.jit(jax.vmap(jnp.sin)))(xs)


def default(x, slope=jax.jit(jax.grad(free_energy))):
    return slope(x)


def lowered(x):
    return jax.jit(jax.grad(free_energy)).lower(x).as_text()


def executable(x):
    return jax.jit(jax.grad(free_energy)).lower(x).compile()


def shape(x):
    return jax.eval_shape(jax.grad(free_energy), x)


def setup(x):
    return compiled_gradient(x)


_step = jax.jit(jax.value_and_grad(free_energy))


def train(x):
    for _ in range(3):
        value, slope = _step(x)
        x = x - 0.1 * slope
    return x


def main():
    x = jnp.ones(3)
    print(compiled_rows(x[None]))
    for _ in range(2):
        x = compiled_gradient(x)
    return x


def test_gradient():
    assert compiled_gradient(jnp.ones(2)).sum() == 4


initial = jax.jit(jax.grad(free_energy))(jnp.ones(2))


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
