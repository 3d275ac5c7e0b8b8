"""`jit` of what a transform has just returned: a new function on each call."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import nnx


def free_energy(x):
    return jnp.sum(x * x) - jnp.sum(jnp.log1p(x * x))


_free_energy_grad = jax.jit(jax.grad(free_energy))


def descend(x, rate):
    return x - rate * _free_energy_grad(x)


_free_energy_value_and_grad = jax.jit(jax.value_and_grad(free_energy))


def with_value(x):
    return _free_energy_value_and_grad(x)


_free_energy_vmapped = jax.jit(jax.vmap(free_energy))


def for_each_row(xs):
    return _free_energy_vmapped(xs)


_free_energy_grad_vmapped = jax.jit(jax.vmap(jax.grad(free_energy)))


def gradient_for_each_row(xs):
    return _free_energy_grad_vmapped(xs)


_free_energy_hessian = jax.jit(jax.hessian(free_energy))


def curvature(x):
    return _free_energy_hessian(x)


_sin_jacfwd = jax.jit(jax.jacfwd(jnp.sin))


def jacobian_forwards(x):
    return _sin_jacfwd(x)


_sin_jacrev = jax.jit(jax.jacrev(jnp.sin))


def jacobian_backwards(x):
    return _sin_jacrev(x)


_free_energy_remat = jax.jit(jax.checkpoint(free_energy))


def remembered_sparingly(x):
    """The body is not traced again, but the program is compiled again."""
    return _free_energy_remat(x)


_free_energy_remat_2 = jax.jit(jax.remat(free_energy))


def remat(x):
    return _free_energy_remat_2(x)


_free_energy_jit = jax.jit(jax.jit(free_energy))


def twice(x):
    return _free_energy_jit(x)


_free_energy_named_call = jax.jit(jax.named_call(free_energy, name="energy"))


def named(x):
    return _free_energy_named_call(x)


def of_a_compiled_function(xs):
    return _energy_vmapped(xs)


def of_a_compiled_gradient(x):
    return jax.jit(jax.grad(_energy))(x)


_gradient = jax.jit(jax.grad(free_energy))


def bound_to_a_name(x):
    return _gradient(x)


def compiled_name(x):
    return _free_energy_grad(x)


_dot_vmapped = jax.jit(jax.vmap(jnp.dot, in_axes=(0, None)))


def with_arguments(x, y):
    return _dot_vmapped(x, y)


_of_a_lambda_grad = jax.jit(jax.grad(lambda v: jnp.sum(v**3)))


def of_a_lambda(x):
    """The argument of the outermost wrapper is the transform, whatever is inside."""
    return _of_a_lambda_grad(x)


@jax.jit
def _loss_value_and_grad(x, target):
    def loss(v):
        return jnp.sum((v - target) ** 2)

    return jax.value_and_grad(loss)(x)


def of_a_nested_function(x, target):
    return _loss_value_and_grad(x, target)


@jax.jit
def _misfit_grad(x, target):
    return jax.grad(functools.partial(_misfit, target=target))(x)


def of_a_partial(x, target):
    return _misfit_grad(x, target)


_free_energy_vectorize = jax.jit(jnp.vectorize(free_energy, signature="(n)->()"))


def vectorised(x):
    return _free_energy_vectorize(x)


def pulled_back(x):
    value, pullback = jax.vjp(free_energy, x)
    return jax.jit(pullback)(jnp.ones_like(value))


def pulled_back_per_sample(xs):
    out = []
    for x in xs:
        _, pullback = jax.vjp(jnp.tanh, x)
        out.append(jax.jit(pullback)(x))
    return out


def linearised(x):
    _, tangent = jax.linearize(free_energy, x)
    return jax.jit(tangent)(x)


_devices_free_energy_vmapped = jax.pmap(jax.vmap(free_energy))


def devices(batch):
    return _devices_free_energy_vmapped(batch[None])


_filtered_free_energy_vmapped = eqx.filter_jit(jax.vmap(free_energy))


def filtered(xs):
    """Equinox knows its own transforms again, but not those of jax."""
    return _filtered_free_energy_vmapped(xs)


def stateful(model, x):
    """Flax makes a new function for each wrapper, even of a function of the module."""
    return _stateful_forward(model, x)


def stateful_gradient(model, x):
    return _stateful_loss_value_and_grad(model, x)


def stateful_rows(model, xs):
    return nnx.jit(nnx.vmap(_forward, in_axes=(None, 0)))(model, xs)


def of_a_custom_rule(x):
    rule = jax.custom_jvp(free_energy)
    rule.defjvp(lambda primals, tangents: (free_energy(*primals), tangents[0].sum()))
    return jax.jit(rule)(x)


_update = jax.jit(optax.adam(1e-3).update)


def new_optimiser(params, gradient):
    """The update of an optimiser that has just been made."""
    tx = optax.adam(1e-3)
    state = tx.init(params)
    return _update(gradient, state)[0]


def in_a_loop(x):
    for _ in range(3):
        x = x - 0.1 * _free_energy_grad(x)
    return x


def sampled(x, rates):
    return [_free_energy_grad(x * r) for r in rates]


def reused(x):
    for _ in range(3):
        x = x - 0.1 * _free_energy_grad(x)
    return x


def reused_twice(x):
    return _free_energy_grad(x) + _free_energy_grad(2 * x)


class Fit:
    def __init__(self, target):
        self.target = target
        self._loss_grad = jax.jit(jax.grad(self.loss))
        self._compiled_loss_value_and_grad = jax.jit(jax.value_and_grad(self.loss))

    def loss(self, x):
        return jnp.sum((x - self.target) ** 2)

    def step(self, x):
        return x - 0.1 * self._loss_grad(x)

    def both(self, x):
        value, gradient = self._compiled_loss_value_and_grad(x)
        return x - value * gradient

    @property
    def gradient(self):
        return self._loss_grad

    def by_property(self, x):
        return self.gradient(x)


@jax.jit
def _energy(x):
    return free_energy(x)


_energy_vmapped = jax.jit(jax.vmap(_energy))


def _misfit(x, target):
    return jnp.sum((x - target) ** 2)


def _forward(model, x):
    return model(x)


_stateful_forward = nnx.jit(_forward)


def _stateful_loss(model, x):
    return jnp.sum(model(x) ** 2)


_stateful_loss_value_and_grad = nnx.jit(nnx.value_and_grad(_stateful_loss))


def jaxlint_examples():
    x = jnp.linspace(0.1, 0.9, 3)
    xs = jnp.ones((2, 3))
    fit = Fit(0.5)
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    names = (
        "with_value", "curvature", "jacobian_forwards", "jacobian_backwards", "remembered_sparingly", "remat",
        "twice", "named", "of_a_compiled_gradient", "bound_to_a_name", "compiled_name", "of_a_lambda", "vectorised",
        "pulled_back", "linearised", "of_a_custom_rule", "in_a_loop", "reused", "reused_twice", "_energy",
    )  # fmt: skip
    rows = (
        "for_each_row", "gradient_for_each_row", "of_a_compiled_function", "pulled_back_per_sample", "devices", "filtered",
    )  # fmt: skip
    return {name: (x,) for name in names} | {name: (xs,) for name in rows} | {
        "descend": (x, 0.1),
        "with_arguments": (xs, x),
        "of_a_nested_function": (x, 0.5),
        "of_a_partial": (x, 0.5),
        "stateful": (model, x),
        "stateful_gradient": (model, x),
        "stateful_rows": (model, xs),
        "new_optimiser": (x, x),
        "sampled": (x, [1.0, 2.0]),
        "Fit.step": (fit, x),
        "Fit.both": (fit, x),
        "Fit.gradient": lambda: fit.gradient(x),
        "Fit.by_property": (fit, x),
    }
