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


def curvature(x):
    matrix = jax.hessian(energy)(x)  # want: JAX901
    print(matrix.shape)
    return matrix


def by_rows(x):
    energies = jax.vmap(energy)(x)  # want: JAX901
    print(energies)
    return energies


def gradient_by_rows(x):
    gradients = jax.vmap(jax.grad(energy), in_axes=0)(x)  # want: JAX901
    print(gradients)
    return gradients


def under_a_name(x):
    slope = float(energy_gradient(x)[0])  # want: JAX901
    return slope


def of_a_lambda(x):
    return float(jax.grad(lambda y: jnp.sum(jnp.cos(y) * y))(x)[0])  # want: JAX901


def never_seen(x):
    return jax.jacfwd(energy)(x)  # want: JAX901 (low)


# --- compiled on the way


def of_a_compiled_function(x):
    energies = jax.vmap(fast_energy)(x)  # ok: JAX901
    print(energies)
    return energies


def compiled_gradient(x):
    gradient = fast_gradient(x)  # ok: JAX901
    print(gradient)
    return gradient


@jax.jit
def traced(x):
    return jax.grad(energy)(x)  # ok: JAX901


@functools.partial(jax.jit, static_argnames="order")
def traced_by_order(x, order):
    return jax.grad(energy)(x) if order == 1 else jax.hessian(energy)(x)  # ok: JAX901


def one_operation(x):
    return jax.vmap(negative)(x)  # ok: JAX901


def only_made(x):
    return x, jax.grad(energy)  # ok: JAX901


def shapes_alone(x):
    return jax.eval_shape(jax.grad(energy), x)  # ok: JAX901


def handed_on(x):
    return fast_by_rows(x)  # ok: JAX901


@jax.jit
def fast_by_rows(x):
    return jax.vmap(jax.grad(energy))(x)  # ok: JAX901


def main():
    x = jnp.ones(3)
    rows = jnp.ones((4, 3))
    curvature(x)
    by_rows(rows)
    gradient_by_rows(rows)
    return handed_on(rows)  # ok: JAX901


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
