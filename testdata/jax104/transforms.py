"""`jit` of what a transform has just returned: a new function on each call."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import nnx


def free_energy(x):
    return jnp.sum(x * x) - jnp.sum(jnp.log1p(x * x))


def descend(x, rate):
    return x - rate * jax.jit(jax.grad(free_energy))(x)  # want: JAX104


def with_value(x):
    return jax.jit(jax.value_and_grad(free_energy))(x)  # want: JAX104


def for_each_row(xs):
    return jax.jit(jax.vmap(free_energy))(xs)  # want: JAX104


def gradient_for_each_row(xs):
    return jax.jit(jax.vmap(jax.grad(free_energy)))(xs)  # want: JAX104


def curvature(x):
    return jax.jit(jax.hessian(free_energy))(x)  # want: JAX104


def jacobian_forwards(x):
    return jax.jit(jax.jacfwd(jnp.sin))(x)  # want: JAX104


def jacobian_backwards(x):
    return jax.jit(jax.jacrev(jnp.sin))(x)  # want: JAX104


def remembered_sparingly(x):
    """The body is not traced again, but the program is compiled again."""
    return jax.jit(jax.checkpoint(free_energy))(x)  # want: JAX104


def remat(x):
    return jax.jit(jax.remat(free_energy))(x)  # want: JAX104


def twice(x):
    return jax.jit(jax.jit(free_energy))(x)  # want: JAX104


def named(x):
    return jax.jit(jax.named_call(free_energy, name="energy"))(x)  # want: JAX104


def of_a_compiled_function(xs):
    return jax.jit(jax.vmap(_energy))(xs)  # want: JAX104


def of_a_compiled_gradient(x):
    return jax.jit(jax.grad(_energy))(x)  # want: JAX104


def bound_to_a_name(x):
    gradient = jax.grad(free_energy)
    return jax.jit(gradient)(x)  # want: JAX104


def compiled_name(x):
    gradient = jax.jit(jax.grad(free_energy))  # want: JAX104
    return gradient(x)


def with_arguments(x, y):
    return jax.jit(jax.vmap(jnp.dot, in_axes=(0, None)))(x, y)  # want: JAX104


def of_a_lambda(x):
    """The argument of the outermost wrapper is the transform, whatever is inside."""
    return jax.jit(jax.grad(lambda v: jnp.sum(v**3)))(x)  # want: JAX104


def of_a_nested_function(x, target):
    def loss(v):
        return jnp.sum((v - target) ** 2)

    return jax.jit(jax.value_and_grad(loss))(x)  # want: JAX104


def of_a_partial(x, target):
    return jax.jit(jax.grad(functools.partial(_misfit, target=target)))(x)  # want: JAX104


def vectorised(x):
    return jax.jit(jnp.vectorize(free_energy, signature="(n)->()"))(x)  # want: JAX104


def pulled_back(x):
    value, pullback = jax.vjp(free_energy, x)
    return jax.jit(pullback)(jnp.ones_like(value))  # want: JAX104


def pulled_back_per_sample(xs):
    out = []
    for x in xs:
        _, pullback = jax.vjp(jnp.tanh, x)
        out.append(jax.jit(pullback)(x))  # want: JAX104
    return out


def linearised(x):
    _, tangent = jax.linearize(free_energy, x)
    return jax.jit(tangent)(x)  # want: JAX104


def devices(batch):
    return jax.pmap(jax.vmap(free_energy))(batch[None])  # want: JAX104


def filtered(xs):
    """Equinox knows its own transforms again, but not those of jax."""
    return eqx.filter_jit(jax.vmap(free_energy))(xs)  # want: JAX104


def stateful(model, x):
    """Flax makes a new function for each wrapper, even of a function of the module."""
    return nnx.jit(_forward)(model, x)  # want: JAX104


def stateful_gradient(model, x):
    return nnx.jit(nnx.value_and_grad(_stateful_loss))(model, x)  # want: JAX104


def stateful_rows(model, xs):
    return nnx.jit(nnx.vmap(_forward, in_axes=(None, 0)))(model, xs)  # want: JAX104


def of_a_custom_rule(x):
    rule = jax.custom_jvp(free_energy)
    rule.defjvp(lambda primals, tangents: (free_energy(*primals), tangents[0].sum()))
    return jax.jit(rule)(x)  # want: JAX104


def new_optimiser(params, gradient):
    """The update of an optimiser that has just been made."""
    tx = optax.adam(1e-3)
    state = tx.init(params)
    return jax.jit(optax.adam(1e-3).update)(gradient, state)[0]  # want: JAX104


def in_a_loop(x):
    for _ in range(3):
        x = x - 0.1 * jax.jit(jax.grad(free_energy))(x)  # want: JAX104
    return x


def sampled(x, rates):
    return [jax.jit(jax.grad(free_energy))(x * r) for r in rates]  # want: JAX104


def reused(x):
    gradient = jax.jit(jax.grad(free_energy))  # want: JAX104 (low)
    for _ in range(3):
        x = x - 0.1 * gradient(x)
    return x


def reused_twice(x):
    gradient = jax.jit(jax.grad(free_energy))  # want: JAX104
    return gradient(x) + gradient(2 * x)


class Fit:
    def __init__(self, target):
        self.target = target

    def loss(self, x):
        return jnp.sum((x - self.target) ** 2)

    def step(self, x):
        return x - 0.1 * jax.jit(jax.grad(self.loss))(x)  # want: JAX104

    def both(self, x):
        value, gradient = jax.jit(jax.value_and_grad(self.loss))(x)  # want: JAX104
        return x - value * gradient

    @property
    def gradient(self):
        return jax.jit(jax.grad(self.loss))  # want: JAX104

    def by_property(self, x):
        return self.gradient(x)


@jax.jit  # ok: JAX104
def _energy(x):
    return free_energy(x)


def _misfit(x, target):
    return jnp.sum((x - target) ** 2)


def _forward(model, x):
    return model(x)


def _stateful_loss(model, x):
    return jnp.sum(model(x) ** 2)


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
