"""What a transform makes is compiled once, and kept."""

import jax
import jax.numpy as jnp


def energy(x):
    return jnp.sum(jnp.sin(x) ** 2)


energy_hessian = jax.jit(jax.hessian(energy))
energies = jax.jit(jax.vmap(energy))
gradients = jax.jit(jax.vmap(jax.grad(energy), in_axes=0))


def curvature(x):
    return energy_hessian(x)


def by_rows(x):
    return energies(x)


def gradient_by_rows(x):
    return gradients(x)


def jaxlint_examples():
    rows = jnp.ones((4, 3))
    return {"curvature": (rows[0],), "by_rows": (rows,), "gradient_by_rows": (rows,)}
