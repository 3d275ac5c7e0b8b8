"""Transformed functions that run eagerly: one program for each operation at first, and Python again on each call."""

import functools

import jax
import jax.numpy as jnp


def energy(x):
    return jnp.sum(jnp.sin(x) ** 2)


@jax.jit
def fast_energy(x):
    return jnp.sum(jnp.cos(x) ** 2)


def negative(x):
    return jnp.negative(x)


energy_gradient = jax.grad(energy)
fast_gradient = jax.jit(jax.grad(energy))


# --- on the way of a script


_hessian_energy = jax.jit(jax.hessian(energy))


def curvature(x):
    matrix = _hessian_energy(x)
    print(matrix.shape)
    return matrix


_vmap_energy = jax.jit(jax.vmap(energy))


def by_rows(x):
    energies = _vmap_energy(x)
    print(energies)
    return energies


_vmap_grad_energy = jax.jit(jax.vmap(jax.grad(energy), in_axes=0))


def gradient_by_rows(x):
    gradients = _vmap_grad_energy(x)
    print(gradients)
    return gradients


def under_a_name(x):
    slope = float(energy_gradient(x)[0])
    return slope


def of_a_lambda(x):
    return float(jax.grad(lambda y: jnp.sum(jnp.cos(y) * y))(x)[0])


_jacfwd_energy = jax.jit(jax.jacfwd(energy))


def never_seen(x):
    return _jacfwd_energy(x)


# --- compiled on the way


def of_a_compiled_function(x):
    energies = jax.vmap(fast_energy)(x)
    print(energies)
    return energies


def compiled_gradient(x):
    gradient = fast_gradient(x)
    print(gradient)
    return gradient


@jax.jit
def traced(x):
    return jax.grad(energy)(x)


@functools.partial(jax.jit, static_argnames="order")
def traced_by_order(x, order):
    return jax.grad(energy)(x) if order == 1 else jax.hessian(energy)(x)


def one_operation(x):
    return jax.vmap(negative)(x)


def only_made(x):
    return x, jax.grad(energy)


def shapes_alone(x):
    return jax.eval_shape(jax.grad(energy), x)


def handed_on(x):
    return fast_by_rows(x)


@jax.jit
def fast_by_rows(x):
    return jax.vmap(jax.grad(energy))(x)


def main():
    x = jnp.ones(3)
    rows = jnp.ones((4, 3))
    curvature(x)
    by_rows(rows)
    gradient_by_rows(rows)
    return handed_on(rows)


def jaxlint_examples():
    x = jnp.ones(3)
    rows = jnp.ones((4, 3))
    return {
        "curvature": (x,),
        "by_rows": (rows,),
        "gradient_by_rows": (rows,),
        "under_a_name": (x,),
        "of_a_lambda": (x,),
        "never_seen": (x,),
        "of_a_compiled_function": (rows,),
        "compiled_gradient": (x,),
        "traced": (x,),
        "traced_by_order": (x, 1),
        "one_operation": (rows,),
        "only_made": (x,),
        "shapes_alone": (x,),
        "handed_on": (rows,),
        "fast_by_rows": (rows,),
        "main": (),
    }
